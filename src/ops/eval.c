/* SPDX-License-Identifier: MIT */
/* Runs the nodes in order. Memory follows lifetime.h: taken when a value is made (a source: when it
 * is first read), given back after its last reader. */
#include "ops/eval.h"

#include "base/util.h"
#include "ops/lifetime.h"
#include "ops/threads.h"

#include <stdlib.h>
#include <string.h>

#define ROUND_CHUNK 2048
#define MAX_OPERANDS 256

struct memory {
    const struct eval *e;
    struct lifetimes life;
    void **at; /* per home; NULL: not taken, or given back */
    const void *const *sources;
    void *const *outputs;
};

static void memory_release(struct memory *m)
{
    for (int h = 0; m->at && h < m->life.n_homes; h++) {
        if (m->life.homes[h].kind == HOME_HEAP)
            free(m->at[h]);
    }
    free(m->at);
    lifetimes_release(&m->life);
}

static void memory_init(struct memory *m)
{
    lifetimes_init(&m->life, m->e->g, &m->e->run);
    m->at = xcalloc((size_t)m->life.n_homes, sizeof(*m->at));
    for (int h = 0; h < m->life.n_homes; h++) {
        const struct home *home = &m->life.homes[h];

        if (home->kind == HOME_OUTPUT)
            m->at[h] = m->outputs[home->index];
        else if (home->kind == HOME_SOURCE)
            m->at[h] = (void *)m->sources[home->index]; /* only read: nothing shares it to write */
    }
}

static int take(struct memory *m, int n, struct err *err)
{
    int home = m->life.home_of[n];
    const struct node *node = &m->e->g->nodes[n];

    if (m->at[home])
        return 0;
    m->at[home] = try_alloc(m->life.homes[home].bytes);
    if (m->at[home])
        return 0;

    AUTO(buf_release) struct buf shape = BUF_INIT;

    shape_print(&node->shape, &shape);
    return fail(err, ERR_SYSTEM, "not enough memory for %s %s (%.2f GiB): use a smaller size",
                op_table[node->op].name, buf_str(&shape),
                (double)m->life.homes[home].bytes / (1 << 30));
}

static void give_back(struct memory *m, int home, int after)
{
    if (m->life.homes[home].kind != HOME_HEAP || m->life.homes[home].last > after)
        return;
    free(m->at[home]);
    m->at[home] = NULL;
}

static int load_source(struct memory *m, int n, struct err *err)
{
    const struct node *node = &m->e->g->nodes[n];
    enum store to = store_of(node->dtype, m->e->run.precision);
    int64_t count = shape_count(&node->shape);

    if (m->at[m->life.home_of[n]])
        return 0;
    if (take(m, n, err) < 0)
        return -1;

    void *y = m->at[m->life.home_of[n]];

    convert_load(node->dtype, m->sources[node->attrs.source], to, y, count);
    if (to == STORE_F32 && m->e->run.round_storage != ROUND_NONE)
        convert_round(m->e->run.round_storage, y, y, count);
    return 0;
}

/* Results of a float run go out through storage rounding and the output's dtype. */
static void deliver_f32(const struct eval *e, const struct node *node, const float *x, double *y)
{
    int64_t n = shape_count(&node->shape);

    if (e->run.round_storage == ROUND_NONE) {
        convert_through(node->dtype, STORE_F32, x, STORE_F64, y, n);
        return;
    }
#pragma omp parallel for num_threads(threads_for((double)n)) schedule(static)
    for (int64_t at = 0; at < n; at += ROUND_CHUNK) {
        float room[ROUND_CHUNK];
        int64_t len = MIN(ROUND_CHUNK, n - at);

        convert_round(e->run.round_storage, x + at, room, len);
        convert_through(node->dtype, STORE_F32, room, STORE_F64, y + at, len);
    }
}

static void deliver(const struct memory *m, int n)
{
    const struct graph *g = m->e->g;
    const struct node *node = &g->nodes[n];
    enum store from = store_of(node->dtype, m->e->run.precision);
    const void *x = m->at[m->life.home_of[n]];

    for (int i = 0; i < g->n_outputs; i++) {
        if (g->outputs[i].node != n || m->outputs[i] == x)
            continue;
        if (from == STORE_F32)
            deliver_f32(m->e, node, x, m->outputs[i]);
        else
            memcpy(m->outputs[i], x, (size_t)shape_count(&node->shape) * store_loops(from)->size);
    }
}

static int run_node(struct memory *m, int n, struct err *err)
{
    const struct graph *g = m->e->g;
    const struct node *node = &g->nodes[n];
    const void *in[MAX_OPERANDS];

    if (node->op == OP_SOURCE)
        return lifetimes_output(g, n) >= 0 ? load_source(m, n, err) : 0;
    for (int i = 0; i < node->n_in; i++) {
        if (g->nodes[node->in[i]].op == OP_SOURCE && load_source(m, node->in[i], err) < 0)
            return -1;
        in[i] = m->at[m->life.home_of[node->in[i]]];
    }
    if (take(m, n, err) < 0)
        return -1;
    return eval_node(m->e, n, in, m->at[m->life.home_of[n]], err);
}

static int run_all(struct memory *m, struct err *err)
{
    const struct graph *g = m->e->g;

    for (int n = 0; n < g->n_nodes; n++) {
        const struct node *node = &g->nodes[n];

        if (m->life.home_of[n] < 0)
            continue;
        if (run_node(m, n, err) < 0)
            return -1;
        deliver(m, n);
        for (int i = 0; i < node->n_in; i++)
            give_back(m, m->life.home_of[node->in[i]], n);
        give_back(m, m->life.home_of[n], n);
    }
    return 0;
}

static bool truncates(const struct graph *g, bool scans)
{
    for (int n = 0; n < g->n_nodes; n++) {
        const struct node *node = &g->nodes[n];
        bool is_scan = op_table[node->op].class == OP_CLASS_SCAN;

        if (is_scan == scans && eval_terms(g, node) > 1)
            return true;
    }
    return false;
}

int ops_eval(const struct graph *g, const struct ops_run *run, const void *const *sources,
             void *const *outputs, struct err *err)
{
    struct eval e = {.g = g, .run = *run, .cut_scans = run->truncate && !truncates(g, false)};
    AUTO(memory_release) struct memory m = {.e = &e, .sources = sources, .outputs = outputs};

    memory_init(&m);
    return run_all(&m, err);
}

bool ops_can_truncate(const struct graph *g)
{
    return truncates(g, false) || truncates(g, true);
}

bool ops_contracts(const struct graph *g)
{
    for (int n = 0; n < g->n_nodes; n++) {
        enum op_class class = op_table[g->nodes[n].op].class;

        if (class == OP_CLASS_CONTRACT || class == OP_CLASS_RECUR)
            return true;
    }
    return false;
}

static int host_eval(void *ctx, const struct graph *g, const struct ops_run *run,
                     const void *const *sources, void *const *outputs, struct err *err)
{
    (void)ctx;
    return ops_eval(g, run, sources, outputs, err);
}

static double host_peak_bytes(void *ctx, const struct graph *g, enum ops_precision precision)
{
    (void)ctx;
    return ops_peak_bytes(g, precision);
}

const struct ops_engine ops_host = {.eval = host_eval, .peak_bytes = host_peak_bytes};
