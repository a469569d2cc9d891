/* SPDX-License-Identifier: MIT */
#include "ops/lifetime.h"

#include "base/util.h"
#include "ops/convert.h"

#include <stdlib.h>

struct home_planner {
    const struct graph *g;
    const struct ops_run *run;
    struct lifetimes *l;
    bool reads_sources;
    int *last; /* per node: its last reader, the node itself for an output, -1 if not needed */
};

/* The last use of each node. It goes backwards, so that a reader is known to be needed before its
 * operands are looked at. passes: NULL, or the passes in which operands are read. */
static int *last_uses(const struct graph *g, const struct passes *passes)
{
    int *last = xmalloc((size_t)g->n_nodes * sizeof(*last));

    for (int n = 0; n < g->n_nodes; n++)
        last[n] = -1;
    for (int i = 0; i < g->n_outputs; i++)
        last[g->outputs[i].node] = g->outputs[i].node;
    for (int n = g->n_nodes - 1; n >= 0; n--) {
        const struct node *node = &g->nodes[n];
        int when = passes ? passes_end(passes, n) : n;

        for (int i = 0; last[n] >= 0 && i < node->n_in; i++)
            last[node->in[i]] = MAX(last[node->in[i]], when);
    }
    return last;
}

static enum store store(const struct home_planner *p, int n)
{
    return store_of(p->g->nodes[n].dtype, p->run->precision);
}

bool lifetimes_is_view(const struct node *node)
{
    return node->op == OP_RESHAPE || (node->op == OP_CAST && node->attrs.keep);
}

static int add_home(struct home_planner *p, int n, enum home_kind kind, int index)
{
    struct lifetimes *l = p->l;
    size_t bytes = (size_t)shape_count(&p->g->nodes[n].shape) * store_loops(store(p, n))->size;

    l->homes[l->n_homes] = (struct home){kind, index, store_dtype(store(p, n)), bytes, p->last[n]};
    return l->n_homes++;
}

static int share_home(struct home_planner *p, int n, int home)
{
    p->l->homes[home].last = MAX(p->l->homes[home].last, p->last[n]);
    return home;
}

/* Whether node n may be written over operand i of those it reads: nobody reads the operand later,
 * it has n's shape and store, and no other operand uses the same memory in another shape. */
static bool may_overwrite(const struct home_planner *p, int n, const int *in, int n_in, int i)
{
    int home = p->l->home_of[in[i]];

    if (home < 0 || p->l->homes[home].kind != HOME_HEAP || p->l->homes[home].last != n ||
        store(p, in[i]) != store(p, n))
        return false;
    for (int k = 0; k < n_in; k++) {
        if (p->l->home_of[in[k]] == home &&
            !shape_equal(&p->g->nodes[in[k]].shape, &p->g->nodes[n].shape))
            return false;
    }
    return true;
}

/* The home of an elementwise op's result: that of an operand, or a new one. */
static int elementwise_home(struct home_planner *p, int n)
{
    int in[PASS_MAX_IN];
    int n_in = passes_operands(&p->l->passes, p->g, n, in);

    for (int i = 0; i < n_in; i++) {
        if (may_overwrite(p, n, in, n_in, i))
            return share_home(p, n, p->l->home_of[in[i]]);
    }
    return add_home(p, n, HOME_HEAP, -1);
}

static int source_home(struct home_planner *p, int n)
{
    const struct node *node = &p->g->nodes[n];
    bool rounded = p->run->round_storage != ROUND_NONE && store(p, n) == STORE_F32;
    int home;

    if (rounded || (!p->reads_sources && store_dtype(store(p, n)) != node->dtype))
        return add_home(p, n, HOME_HEAP, -1);
    home = add_home(p, n, HOME_SOURCE, node->attrs.source);
    p->l->homes[home].type = node->dtype;
    return home;
}

static int choose_home(struct home_planner *p, int n)
{
    const struct node *node = &p->g->nodes[n];
    int output = graph_output(p->g, n);

    if (node->op == OP_SOURCE)
        return source_home(p, n);
    if (lifetimes_is_view(node))
        return share_home(p, n, p->l->home_of[node->in[0]]);
    if (output >= 0 && (store(p, n) != STORE_F32 || (p->run->f32_outputs && node->dtype == DT_F32)))
        return add_home(p, n, HOME_OUTPUT, output);
    if (op_table[node->op].class == OP_CLASS_ELEMENTWISE)
        return elementwise_home(p, n);
    return add_home(p, n, HOME_HEAP, -1);
}

void lifetimes_init(struct lifetimes *l, const struct graph *g, const struct ops_run *run,
                    bool reads_sources, int most_steps)
{
    AUTO(freep) int *alone = last_uses(g, NULL);

    passes_init(&l->passes, g, run->precision, alone, most_steps);

    AUTO(freep) int *last = last_uses(g, &l->passes);
    struct home_planner p = {g, run, l, reads_sources, last};

    l->n_homes = 0;
    l->homes = xcalloc((size_t)g->n_nodes, sizeof(*l->homes));
    l->home_of = xmalloc((size_t)g->n_nodes * sizeof(*l->home_of));
    for (int n = 0; n < g->n_nodes; n++)
        l->home_of[n] = last[n] < 0 || !passes_stores(&l->passes, n) ? -1 : choose_home(&p, n);
}

void lifetimes_release(struct lifetimes *l)
{
    free(l->homes);
    free(l->home_of);
    passes_release(&l->passes);
    l->homes = NULL;
    l->home_of = NULL;
}
