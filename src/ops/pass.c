/* SPDX-License-Identifier: MIT */
/* Plans passes in one sweep forward over the nodes. Each node continues the longest pass that one
 * of its operands ends, if that is allowed. One value is handed from step to step, so the other
 * operand of a step is in memory or a constant. */
#include "ops/pass.h"

#include "base/util.h"
#include "ops/convert.h"

#include <stdlib.h>

#define NOBODY (-1)
#define SEVERAL (-2)

struct pass_planner {
    struct passes *p;
    const struct graph *g;
    enum ops_precision precision;
    const int *last;
    /* Per node: its only reader, NOBODY, or SEVERAL (also for outputs). */
    int *reader;
    int *steps, *n_in; /* per node: steps and operands of the pass that it ends */
};

/* Whether an op can be a step of a pass: elementwise with one operand or two, no cast and no
 * comparison. */
static bool is_step(enum op_code op)
{
    return op_table[op].class == OP_CLASS_ELEMENTWISE && op != OP_CAST && op != OP_WHERE &&
           (op < OP_LT || op > OP_NE);
}

static enum store store(const struct pass_planner *q, int n)
{
    return store_of(q->g->nodes[n].dtype, q->precision);
}

static double bytes(const struct pass_planner *q, int n)
{
    return (double)shape_count(&q->g->nodes[n].shape) * (double)store_loops(store(q, n))->size;
}

static void find_readers(struct pass_planner *q)
{
    const struct graph *g = q->g;

    for (int n = 0; n < g->n_nodes; n++)
        q->reader[n] = NOBODY;
    for (int i = 0; i < g->n_outputs; i++)
        q->reader[g->outputs[i].node] = SEVERAL;
    for (int m = 0; m < g->n_nodes; m++) {
        for (int i = 0; q->last[m] >= 0 && i < g->nodes[m].n_in; i++) {
            int *reader = &q->reader[g->nodes[m].in[i]];

            *reader = *reader == NOBODY || *reader == m ? m : SEVERAL;
        }
    }
}

/* ---- whether a value may be handed on ---- */

/* Whether no memory is taken between nodes n and m. */
static bool are_neighbours(const struct pass_planner *q, int n, int m)
{
    for (int k = n + 1; k < m; k++) {
        enum op_code op = q->g->nodes[k].op;

        if (q->last[k] >= 0 && op != OP_CONST && op != OP_SOURCE)
            return false;
    }
    return true;
}

/* Bytes that are held longer if node n hands its value on to node m: operands of the pass that n
 * ends, which would be given back before m runs. Sources need no memory here. */
static double kept_bytes(const struct pass_planner *q, int n, int m)
{
    int in[PASS_MAX_IN];
    int n_in = passes_operands(q->p, q->g, n, in);
    double sum = 0;

    for (int i = 0; i < n_in; i++) {
        enum op_code op = q->g->nodes[in[i]].op;

        if (op != OP_SOURCE && op != OP_CONST && q->last[in[i]] < m)
            sum += bytes(q, in[i]);
    }
    return sum;
}

static bool may_hand_on(const struct pass_planner *q, int n, int m)
{
    int more = q->g->nodes[m].n_in - 1;

    return is_step(q->g->nodes[n].op) && q->reader[n] == m && q->steps[n] < q->p->most_steps &&
           q->n_in[n] + more <= PASS_MAX_IN &&
           shape_equal(&q->g->nodes[n].shape, &q->g->nodes[m].shape) &&
           (are_neighbours(q, n, m) || kept_bytes(q, n, m) <= bytes(q, n));
}

static void plan_step(struct pass_planner *q, int m)
{
    const struct node *node = &q->g->nodes[m];
    int best = NOBODY;

    for (int i = 0; i < node->n_in; i++) {
        int n = node->in[i];

        if (may_hand_on(q, n, m) && (best == NOBODY || q->steps[n] >= q->steps[best]))
            best = n;
    }
    q->steps[m] = 1;
    q->n_in[m] = node->n_in;
    if (best == NOBODY)
        return;
    q->p->prev[m] = best;
    q->p->next[best] = m;
    q->steps[m] += q->steps[best];
    q->n_in[m] += q->n_in[best] - 1;
}

/* A constant is an argument if each of its readers is a step. */
static void find_arguments(struct pass_planner *q)
{
    const struct graph *g = q->g;

    for (int n = 0; n < g->n_nodes; n++)
        q->p->is_argument[n] = q->last[n] > n && g->nodes[n].op == OP_CONST;
    for (int i = 0; i < g->n_outputs; i++)
        q->p->is_argument[g->outputs[i].node] = false;
    for (int m = 0; m < g->n_nodes; m++) {
        const struct node *node = &g->nodes[m];

        for (int i = 0; q->last[m] >= 0 && !is_step(node->op) && i < node->n_in; i++)
            q->p->is_argument[node->in[i]] = false;
    }
}

void passes_init(struct passes *p, const struct graph *g, enum ops_precision precision,
                 const int *last, int most_steps)
{
    size_t n = (size_t)g->n_nodes;
    AUTO(freep) int *reader = xmalloc(n * sizeof(*reader));
    AUTO(freep) int *steps = xcalloc(n, sizeof(*steps));
    AUTO(freep) int *operands = xcalloc(n, sizeof(*operands));
    struct pass_planner q = {p, g, precision, last, reader, steps, operands};

    p->most_steps = most_steps;
    p->next = xmalloc(n * sizeof(*p->next));
    p->prev = xmalloc(n * sizeof(*p->prev));
    p->is_argument = xcalloc(n, sizeof(*p->is_argument));
    for (int i = 0; i < g->n_nodes; i++)
        p->next[i] = p->prev[i] = NOBODY;
    if (most_steps == 0)
        return;
    find_readers(&q);
    for (int m = 0; m < g->n_nodes; m++)
        if (last[m] >= 0 && is_step(g->nodes[m].op))
            plan_step(&q, m);
    find_arguments(&q);
}

void passes_release(struct passes *p)
{
    free(p->next);
    free(p->prev);
    free(p->is_argument);
    *p = (struct passes){0};
}

/* ---- the passes that were planned ---- */

bool passes_ends(const struct passes *p, const struct graph *g, int n)
{
    return p->most_steps > 0 && is_step(g->nodes[n].op) && p->next[n] < 0;
}

int passes_end(const struct passes *p, int n)
{
    while (p->next[n] >= 0)
        n = p->next[n];
    return n;
}

bool passes_stores(const struct passes *p, int n)
{
    return p->next[n] < 0 && !p->is_argument[n];
}

/* The operand of a step besides the value, or -1 if there is none or if it is the value, too. */
static int other_operand(const struct passes *p, const struct node *node, int n)
{
    int i = node->in[0] == p->prev[n] || p->prev[n] < 0;

    return i < node->n_in && node->in[i] != p->prev[n] ? node->in[i] : -1;
}

/* Finds the nodes of the pass that node n ends, in order, and returns their number. */
static int pass_nodes(const struct passes *p, int n, int ret[PASS_MAX_STEPS])
{
    int count = 0, at;

    for (int k = n; k >= 0; k = p->prev[k])
        count++;
    at = count;
    for (int k = n; k >= 0; k = p->prev[k])
        ret[--at] = k;
    return count;
}

int passes_operands(const struct passes *p, const struct graph *g, int n, int *ret)
{
    const struct node *node = &g->nodes[n];
    int nodes[PASS_MAX_STEPS] = {n}, count, n_in = 0;

    if (p->most_steps == 0 || !is_step(node->op)) {
        for (int i = 0; i < node->n_in; i++)
            ret[i] = node->in[i];
        return node->n_in;
    }
    count = pass_nodes(p, n, nodes);
    ret[n_in++] = g->nodes[nodes[0]].in[0];
    for (int i = 0; i < count; i++) {
        int other = other_operand(p, &g->nodes[nodes[i]], nodes[i]);

        if (other >= 0)
            ret[n_in++] = other;
    }
    return n_in;
}

void passes_steps(const struct passes *p, const struct graph *g, int n, struct pass_args *ret)
{
    int nodes[PASS_MAX_STEPS], count = pass_nodes(p, n, nodes), place = 1;

    ret->n_steps = count;
    for (int i = 0; i < count; i++) {
        const struct node *node = &g->nodes[nodes[i]];
        bool has_other = other_operand(p, node, nodes[i]) >= 0;

        ret->steps[i] = (struct pass_step){.op = (int)node->op,
                                           .with = has_other ? place++ : PASS_VALUE,
                                           .is_second = i > 0 && node->in[0] != p->prev[nodes[i]]};
    }
}
