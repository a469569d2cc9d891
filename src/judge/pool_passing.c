/* SPDX-License-Identifier: MIT */
/* Comparing in passing: with outputs of a content that came back, as they are made again, if the
 * engine can. They are stored nowhere, and next time made anew; so this is for what is seldom
 * compared twice, a candidate's answers. Honest runs in several orders are compared with what is
 * stored. */
#include "judge/pool_parts.h"

#include <assert.h>
#include <stdlib.h>

/* The scales of errors: of the law's, and of each row by itself, which only stored values give. */
static bool has_scales(const struct pool *p, int content)
{
    return p->measured[pool_law(p, content)] &&
           (!p->rms_bytes || p->contents[content].row_rms.bytes);
}

/* A kernel is compiled for it the first time. */
static bool engine_compares(const struct pool *p, const struct pool_slot *slot, int output)
{
    const struct ops_engine *e = p->engine;
    const struct graph *g = pool_again(p);

    if (!e->compares)
        return false;

    AUTO(freep)
    const void **sources = pool_sources(p, g, &slot->data, &p->contents[slot->content].kept);

    return e->compares(e->ctx, g, sources, output, pool_output_node(p->graph, output)->dtype);
}

bool pool_passes(const struct pool *p, const struct pool_slot *slot, int output)
{
    return !slot->has_y && has_scales(p, slot->content) && engine_compares(p, slot, output);
}

void pool_prepare_passing(const struct pool *p, const struct pool_slot *slot)
{
    bool keeps_scales = !p->rms_bytes || p->keeps_digests;

    for (int o = 0; keeps_scales && o < p->graph->n_outputs; o++)
        engine_compares(p, slot, o);
}

bool pool_passes_all(const struct pool *p, const struct pool_slot *slot)
{
    for (int o = 0; o < p->graph->n_outputs; o++)
        if (!pool_passes(p, slot, o))
            return false;
    return true;
}

int pool_compare_passing(const struct pool *p, const struct pool_slot *slot, int output,
                         const struct mem *got, size_t at, const struct compare_scale *scale,
                         struct compare_stats *ret, struct fingerprint *print, struct err *err)
{
    const struct ops_engine *e = p->engine;
    const struct graph *g = pool_again(p);
    const struct pool_content *c = &p->contents[slot->content];
    AUTO(freep) const void **sources = pool_sources(p, g, &slot->data, &c->kept);
    struct ops_compare what = {.output = output,
                               .type = pool_output_node(p->graph, output)->dtype,
                               .got = pool_address(got) + at,
                               .scale = scale,
                               .print = print};

    assert(at + (size_t)pool_output_count(p->graph, output) * dtype_size(what.type) <= got->bytes);
    if (c->row_rms.bytes)
        what.row_rms = (const double *)(pool_address(&c->row_rms) + p->rms_offset[output]);
    return e->compare(e->ctx, g, sources, &what, ret, err);
}
