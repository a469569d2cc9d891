/* SPDX-License-Identifier: MIT */
#include "content/digest.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

/* A reduction makes a small value out of a large one. Outputs are left out: they are stored with
 * the expected values. */
static bool is_worth_keeping(const struct graph *g, int n, size_t most_bytes)
{
    const struct node *node = &g->nodes[n];

    if (op_table[node->op].class != OP_CLASS_REDUCE || !dtype_is_float(node->dtype) ||
        (size_t)shape_count(&node->shape) * 8 > most_bytes)
        return false;
    return graph_output(g, n) < 0;
}

/* Chooses the nodes that are kept, as many as fit into most_bytes. */
static void choose(struct digest *d, const struct graph *g, size_t most_bytes, int *ret_nodes)
{
    for (int n = 0; n < g->n_nodes; n++) {
        if (!is_worth_keeping(g, n, most_bytes - d->bytes))
            continue;
        d->offset[d->n] = d->bytes;
        d->bytes += (size_t)shape_count(&g->nodes[n].shape) * 8;
        ret_nodes[d->n++] = n;
    }
}

static void add_outputs(struct graph *g, const int *nodes, int n)
{
    struct output *outputs = xcalloc((size_t)(g->n_outputs + n), sizeof(*outputs));

    memcpy(outputs, g->outputs, (size_t)g->n_outputs * sizeof(*outputs));
    for (int i = 0; i < n; i++)
        outputs[g->n_outputs + i] = (struct output){.node = nodes[i]};
    g->outputs = outputs;
    g->n_outputs += n;
}

/* Turns nodes into sources. Nodes that only these read are not evaluated any more. */
static void make_sources(struct graph *g, const int *nodes, int n)
{
    struct node *copy = xcalloc((size_t)g->n_nodes, sizeof(*copy));
    struct source *sources = xcalloc((size_t)(g->n_sources + n), sizeof(*sources));

    memcpy(copy, g->nodes, (size_t)g->n_nodes * sizeof(*copy));
    memcpy(sources, g->sources, (size_t)g->n_sources * sizeof(*sources));
    for (int i = 0; i < n; i++) {
        struct node *node = &copy[nodes[i]];

        *node = (struct node){.op = OP_SOURCE,
                              .dtype = DT_F64, /* values are doubles, whatever their dtype */
                              .shape = node->shape,
                              .attrs.source = g->n_sources + i,
                              .call = -1};
        sources[g->n_sources + i] = (struct source){
            .kind = SOURCE_PARAM, .dtype = DT_F64, .shape = node->shape, .node = nodes[i]};
    }
    g->nodes = copy;
    g->sources = sources;
    g->n_sources += n;
}

void digest_init(struct digest *d, const struct graph *g, size_t content_bytes)
{
    AUTO(freep) int *nodes = xcalloc((size_t)g->n_nodes, sizeof(*nodes));

    *d = (struct digest){.offset = xcalloc((size_t)g->n_nodes, sizeof(*d->offset))};
    choose(d, g, content_bytes / DIGEST_SHARE, nodes);
    if (d->n == 0)
        return;
    d->first = d->again = *g;
    add_outputs(&d->first, nodes, d->n);
    make_sources(&d->again, nodes, d->n);
}

/* Everything else in the two graphs belongs to the problem. */
void digest_release(struct digest *d)
{
    free(d->offset);
    if (d->n > 0) {
        free(d->first.outputs);
        free(d->again.nodes);
        free(d->again.sources);
    }
    *d = (struct digest){0};
}
