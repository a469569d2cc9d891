/* SPDX-License-Identifier: MIT */
/* Runs the nodes in order. Memory follows lifetime.h: it is taken when a value is made (for a
 * source, when it is first read) and given back after the value's last reader. */
#include "ops/eval.h"

#include "base/util.h"

#include <stdlib.h>

struct memory {
    const struct eval *e;
    struct lifetimes life;
    void **at; /* address per home; NULL: not taken, or given back */
    const void *const *sources;
    void *const *outputs;
};

static void memory_release(struct memory *m)
{
    for (int h = 0; m->at && h < m->life.n_homes; h++) {
        if (m->life.homes[h].kind == HOME_HEAP)
            m->e->b->free(m->e->b->ctx, m->at[h]);
    }
    free(m->at);
    lifetimes_release(&m->life);
}

static void memory_init(struct memory *m)
{
    lifetimes_init(&m->life, m->e->g, &m->e->run, m->e->b->reads_sources, m->e->b->most_steps);
    m->at = xcalloc((size_t)m->life.n_homes, sizeof(*m->at));
    for (int h = 0; h < m->life.n_homes; h++) {
        const struct home *home = &m->life.homes[h];

        if (home->kind == HOME_OUTPUT)
            m->at[h] = m->outputs[home->index];
        else if (home->kind == HOME_SOURCE)
            m->at[h] = (void *)m->sources[home->index]; /* only read: no node writes to it */
    }
}

/* Puts the node, such as "matmul [4, 16]: ", before the text of an error. */
static int wrap_node(const struct node *node, struct err *err)
{
    AUTO(buf_release) struct buf shape = BUF_INIT;

    shape_print(&node->shape, &shape);
    return wrap(err, "%s %s", op_table[node->op].name, buf_str(&shape));
}

static int take(struct memory *m, int n, struct err *err)
{
    int home = m->life.home_of[n];
    const struct node *node = &m->e->g->nodes[n];

    if (m->at[home])
        return 0;
    m->at[home] = m->e->b->alloc(m->e->b->ctx, m->life.homes[home].bytes);
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
    if (home < 0 || m->life.homes[home].kind != HOME_HEAP || m->life.homes[home].last > after)
        return;
    m->e->b->free(m->e->b->ctx, m->at[home]);
    m->at[home] = NULL;
}

static int run_job(const struct memory *m, const struct op_job *j, struct err *err)
{
    return m->e->b->run(m->e->b->ctx, j, err);
}

static int load_source(struct memory *m, int n, struct err *err)
{
    const struct node *node = &m->e->g->nodes[n];
    enum store to = store_of(node->dtype, m->e->run.precision);
    int home = m->life.home_of[n];

    if (m->at[home])
        return 0;
    if (take(m, n, err) < 0)
        return -1;
    return run_job(m,
                   &(struct op_job){.kind = OP_JOB_CONVERT,
                                    .store = to,
                                    .in = {m->sources[node->attrs.source]},
                                    .type = {node->dtype},
                                    .y = m->at[home],
                                    .count = shape_count(&node->shape),
                                    .round = to == STORE_F32 ? m->e->run.round_storage : ROUND_NONE,
                                    .convert = {.to = to}},
                   err);
}

/* Copies the value of node n to an output. In a float run it is rounded (round_storage) and goes
 * through the output's dtype; otherwise it is copied as it is. */
static int deliver_to(const struct memory *m, int n, void *y, struct err *err)
{
    const struct node *node = &m->e->g->nodes[n];
    enum store from = store_of(node->dtype, m->e->run.precision);
    bool is_float = from == STORE_F32;
    bool narrow = m->e->run.f32_outputs && node->dtype == DT_F32;

    return run_job(m,
                   &(struct op_job){
                       .kind = OP_JOB_CONVERT,
                       .store = from,
                       .in = {m->at[m->life.home_of[n]]},
                       .type = {m->life.homes[m->life.home_of[n]].type},
                       .y = y,
                       .count = shape_count(&node->shape),
                       .round = is_float ? m->e->run.round_storage : ROUND_NONE,
                       .convert = {is_float, node->dtype, is_float && !narrow ? STORE_F64 : from}},
                   err);
}

static int deliver(const struct memory *m, int n, struct err *err)
{
    const struct graph *g = m->e->g;

    for (int i = 0; i < g->n_outputs; i++) {
        if (g->outputs[i].node != n || m->outputs[i] == m->at[m->life.home_of[n]])
            continue;
        if (deliver_to(m, n, m->outputs[i], err) < 0)
            return -1;
    }
    return 0;
}

static struct operand operand(const struct memory *m, int n)
{
    int home = m->life.home_of[n];

    if (home < 0)
        return (struct operand){NULL, DT_F64};
    return (struct operand){m->at[home], m->life.homes[home].type};
}

/* Runs node n. read: the n_read nodes that it reads. */
static int run_node(struct memory *m, int n, const int *read, int n_read, struct err *err)
{
    const struct graph *g = m->e->g;
    const struct node *node = &g->nodes[n];
    struct operand in[EVAL_MAX_OPERANDS];
    struct op_job job;

    if (node->op == OP_SOURCE)
        return graph_output(g, n) >= 0 ? load_source(m, n, err) : 0;
    for (int i = 0; i < n_read; i++) {
        if (g->nodes[read[i]].op == OP_SOURCE && load_source(m, read[i], err) < 0)
            return -1;
        in[i] = operand(m, read[i]);
    }
    if (take(m, n, err) < 0)
        return -1;
    for (int i = 0; i < eval_jobs(node); i++) {
        eval_job(m->e, n, i, in, m->at[m->life.home_of[n]], &job);
        if (run_job(m, &job, err) < 0)
            return wrap_node(node, err);
    }
    return 0;
}

static int run_all(struct memory *m, struct err *err)
{
    const struct graph *g = m->e->g;
    int read[EVAL_MAX_OPERANDS];

    for (int n = 0; n < g->n_nodes; n++) {
        int n_read;

        if (m->life.home_of[n] < 0)
            continue;
        n_read = passes_operands(&m->life.passes, g, n, read);
        if (run_node(m, n, read, n_read, err) < 0 || deliver(m, n, err) < 0)
            return -1;
        for (int i = 0; i < n_read; i++)
            give_back(m, m->life.home_of[read[i]], n);
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

int eval_graph(const struct backend *b, const struct graph *g, const struct ops_run *run,
               const void *const *sources, void *const *outputs, struct err *err)
{
    struct eval e = {.b = b, .g = g, .run = *run};
    AUTO(memory_release) struct memory m = {.e = &e, .sources = sources, .outputs = outputs};

    e.passes = &m.life.passes;
    e.cut_scans = run->truncate && !truncates(g, false);
    memory_init(&m);
    return run_all(&m, err);
}

/* The largest scratch memory of node n's jobs. read: the n_read nodes that it reads. */
static double node_scratch(const struct eval *e, const struct lifetimes *l, int n, const int *read,
                           int n_read)
{
    const struct node *node = &e->g->nodes[n];
    struct operand in[EVAL_MAX_OPERANDS] = {{NULL, DT_F64}};
    struct op_job job;
    double most = 0;

    if (!e->b->scratch || node->op == OP_SOURCE)
        return 0;
    for (int i = 0; i < n_read; i++)
        in[i].type = l->home_of[read[i]] < 0 ? DT_F64 : l->homes[l->home_of[read[i]]].type;
    for (int i = 0; i < eval_jobs(node); i++) {
        eval_job(e, n, i, in, NULL, &job);
        most = MAX(most, e->b->scratch(e->b->ctx, &job));
    }
    return most;
}

/* Counts memory at the same events as run_all(): a source's memory is taken when it is first read,
 * and all memory is given back after its last reader. */
double eval_peak(const struct backend *b, const struct graph *g, enum ops_precision precision)
{
    struct eval e = {.b = b, .g = g, .run = {.precision = precision}};
    AUTO(lifetimes_release) struct lifetimes l;
    double now = 0, peak = 0;
    int read[EVAL_MAX_OPERANDS];

    lifetimes_init(&l, g, &e.run, b->reads_sources, b->most_steps);
    e.passes = &l.passes;

    AUTO(freep) bool *taken = xcalloc((size_t)g->n_nodes, sizeof(*taken));

    for (int n = 0; n < g->n_nodes; n++) {
        bool waits = g->nodes[n].op == OP_SOURCE && graph_output(g, n) < 0;
        int n_read = passes_operands(&l.passes, g, n, read);

        for (int i = 0; l.home_of[n] >= 0 && i <= n_read; i++) {
            int home = l.home_of[i < n_read ? read[i] : n];

            if (home < 0 || taken[home] || (i == n_read && waits))
                continue;
            if (l.homes[home].kind == HOME_HEAP) {
                taken[home] = true;
                now += (double)l.homes[home].bytes;
            }
        }
        if (l.home_of[n] >= 0)
            peak = MAX(peak, now + node_scratch(&e, &l, n, read, n_read));
        for (int h = 0; h < l.n_homes; h++) {
            if (taken[h] && l.homes[h].last == n)
                now -= (double)l.homes[h].bytes;
        }
    }
    return peak;
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
