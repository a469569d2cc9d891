/* SPDX-License-Identifier: MIT */
#include "ops/lifetime.h"

#include "base/util.h"
#include "ops/convert.h"

#include <stdlib.h>

struct planner {
    const struct graph *g;
    const struct ops_run *run;
    struct lifetimes *l;
    bool reads_sources;
    int *last; /* per node: the last one that reads it, itself for an output, -1 when not needed */
};

/* Backwards: a reader is known to be needed before its operands are looked at. */
static int *last_uses(const struct graph *g)
{
    int *last = xmalloc((size_t)g->n_nodes * sizeof(*last));

    for (int n = 0; n < g->n_nodes; n++)
        last[n] = -1;
    for (int i = 0; i < g->n_outputs; i++)
        last[g->outputs[i].node] = g->outputs[i].node;
    for (int n = g->n_nodes - 1; n >= 0; n--) {
        const struct node *node = &g->nodes[n];

        for (int i = 0; last[n] >= 0 && i < node->n_in; i++)
            last[node->in[i]] = MAX(last[node->in[i]], n);
    }
    return last;
}

static enum store store(const struct planner *p, int n)
{
    return store_of(p->g->nodes[n].dtype, p->run->precision);
}

int lifetimes_output(const struct graph *g, int n)
{
    for (int i = 0; i < g->n_outputs; i++) {
        if (g->outputs[i].node == n)
            return i;
    }
    return -1;
}

bool lifetimes_is_view(const struct node *node)
{
    return node->op == OP_RESHAPE || (node->op == OP_CAST && node->attrs.keep);
}

static int add_home(struct planner *p, int n, enum home_kind kind, int index)
{
    struct lifetimes *l = p->l;
    size_t bytes = (size_t)shape_count(&p->g->nodes[n].shape) * store_loops(store(p, n))->size;

    l->homes[l->n_homes] = (struct home){kind, index, store_dtype(store(p, n)), bytes, p->last[n]};
    return l->n_homes++;
}

static int share_home(struct planner *p, int n, int home)
{
    p->l->homes[home].last = MAX(p->l->homes[home].last, p->last[n]);
    return home;
}

/* Writing n over its operand i harms nobody: it dies here, has n's shape and store, and no other
 * operand sees the same memory through another shape. */
static bool may_overwrite(const struct planner *p, int n, int i)
{
    const struct node *node = &p->g->nodes[n];
    int home = p->l->home_of[node->in[i]];

    if (p->l->homes[home].kind != HOME_HEAP || p->l->homes[home].last != n ||
        store(p, node->in[i]) != store(p, n))
        return false;
    for (int k = 0; k < node->n_in; k++) {
        if (p->l->home_of[node->in[k]] == home &&
            !shape_equal(&p->g->nodes[node->in[k]].shape, &node->shape))
            return false;
    }
    return true;
}

static int source_home(struct planner *p, int n)
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

static int choose_home(struct planner *p, int n)
{
    const struct node *node = &p->g->nodes[n];
    int output = lifetimes_output(p->g, n);

    if (node->op == OP_SOURCE)
        return source_home(p, n);
    if (lifetimes_is_view(node))
        return share_home(p, n, p->l->home_of[node->in[0]]);
    if (output >= 0 && (store(p, n) != STORE_F32 || (p->run->f32_outputs && node->dtype == DT_F32)))
        return add_home(p, n, HOME_OUTPUT, output);
    for (int i = 0; op_table[node->op].class == OP_CLASS_ELEMENTWISE && i < node->n_in; i++) {
        if (may_overwrite(p, n, i))
            return share_home(p, n, p->l->home_of[node->in[i]]);
    }
    return add_home(p, n, HOME_HEAP, -1);
}

void lifetimes_init(struct lifetimes *l, const struct graph *g, const struct ops_run *run,
                    bool reads_sources)
{
    AUTO(freep) int *last = last_uses(g);
    struct planner p = {g, run, l, reads_sources, last};

    l->n_homes = 0;
    l->homes = xcalloc((size_t)g->n_nodes, sizeof(*l->homes));
    l->home_of = xmalloc((size_t)g->n_nodes * sizeof(*l->home_of));
    for (int n = 0; n < g->n_nodes; n++)
        l->home_of[n] = last[n] < 0 ? -1 : choose_home(&p, n);
}

void lifetimes_release(struct lifetimes *l)
{
    free(l->homes);
    free(l->home_of);
    l->homes = NULL;
    l->home_of = NULL;
}
