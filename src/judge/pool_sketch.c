/* SPDX-License-Identifier: MIT */
/* Answers that are near enough. Of expected values that do not stay in memory, and are dear to make
 * again, a sketch is kept (tensor/sketch.h). How far an answer is from it takes one read of the
 * answer, and where that is far within the gate, it is right; expected values are made again for
 * the others alone. So nobody is called wrong by a sketch, and recorded figures are never those of
 * one: of each candidate the first answer is compared element by element. */
#include "judge/pool_parts.h"

#include "base/clock.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Of the device's memory at most, beside what contents have. */
#define SKETCHES_SHARE 12

/* With 16 bits or less the rounding of a group's elements alone is more than half of the gate; and
 * errors of doubles are lost in sums that are kept in float. */
static bool has_sketch(const struct pool *p, int output)
{
    return pool_output_node(p->graph, output)->dtype == DT_F32;
}

void pool_lay_out_sketches(struct pool *p)
{
    p->sketch_offset = xcalloc((size_t)p->graph->n_outputs, sizeof(*p->sketch_offset));
    for (int o = 0; o < p->graph->n_outputs; o++) {
        p->sketch_offset[o] = p->sketch_bytes;
        if (has_sketch(p, o))
            p->sketch_bytes += sketch_bytes(pool_output_count(p->graph, o));
    }
    p->compared = xcalloc((size_t)p->graph->n_outputs, sizeof(*p->compared));
}

bool pool_may_sketch(struct pool *p, const struct pool_config *c)
{
    bool keeps_scales = !p->rms_bytes || p->keeps_digests;
    double room = (double)c->memory_bytes / SKETCHES_SHARE;

    if (!p->device->judge->sketch || c->candidates == 1 || !keeps_scales || !p->sketch_bytes)
        return false;
    p->sketch_contents = (int)fmin(room / (double)p->sketch_bytes, INT_MAX);
    return p->sketch_contents >= MAX(c->contents, p->graph->n_laws);
}

static struct device_sketch sketch_of(struct pool *p, int content, int output)
{
    struct pool_content *c = &p->contents[content];

    return (struct device_sketch){
        .key = fill_seed(p->recall.key, (uint64_t)content, (uint64_t)output),
        .scale = &pool_law_gate(p, content, output)->scale,
        .row_rms = pool_row_count(p, output) > 0 ? &c->row_rms : NULL,
        .rms_at = p->rms_offset[output],
        .kept = &c->sketch,
        .kept_at = p->sketch_offset[output],
    };
}

static int make_sketch(struct pool *p, const struct pool_slot *slot, struct err *err)
{
    const struct device_judge_ops *ops = p->device->judge;

    if (ops->mem_alloc(p->ctx, MEM_PRIVATE, p->sketch_bytes, &p->contents[slot->content].sketch,
                       err) < 0)
        return -1;
    for (int o = 0; o < p->graph->n_outputs; o++) {
        struct device_sketch s = sketch_of(p, slot->content, o);

        if (has_sketch(p, o) && ops->sketch(p->ctx, &slot->y, p->y_offset[o],
                                            pool_output_count(p->graph, o), &s, err) < 0)
            return -1;
    }
    return 0;
}

static double distance_under(struct pool *p, const struct pool_slot *slot, int output, uint64_t key)
{
    struct device_sketch s = sketch_of(p, slot->content, output);
    struct sketch_stats told = {NAN, NAN};
    struct err ignored = ERR_INIT;

    s.key ^= key;
    if (p->device->judge->distance(p->ctx, &slot->y, p->y_offset[output], DT_F64,
                                   pool_output_count(p->graph, output), &s, &told, &ignored) < 0)
        return NAN;
    return told.rms;
}

/* A device whose sketches find everything near would let everything pass. So before the first one
 * is relied on, the values that it was made of have to be near it, and far from it under another
 * key, which is as other values. Rows are of size 1 there, and the sums are in float. */
static bool are_sound(struct pool *p, const struct pool_slot *slot)
{
    for (int o = 0; o < p->graph->n_outputs; o++)
        if (has_sketch(p, o) &&
            !(distance_under(p, slot, o, 0) < 1e-5 && distance_under(p, slot, o, 1) > 0.1))
            return false;
    return true;
}

void pool_keep_sketch(struct pool *p, const struct pool_slot *slot)
{
    struct mem *sketch = &p->contents[slot->content].sketch;
    struct err ignored = ERR_INIT;
    uint64_t start = clock_ns();

    if (!p->sketches || sketch->bytes || slot->content >= p->sketch_contents)
        return;
    p->sketches = make_sketch(p, slot, &ignored) == 0 && (p->sketches_proven || are_sound(p, slot));
    p->sketches_proven = p->sketches;
    if (!p->sketches)
        p->device->judge->mem_free(p->ctx, sketch);
    p->expected_ms += clock_ms_since(start);
}

void pool_drop_sketch(struct pool *p, int content)
{
    p->device->judge->mem_free(p->ctx, &p->contents[content].sketch);
}

bool pool_is_sketched(const struct pool *p, int content)
{
    return p->contents[content].sketch.bytes > 0;
}

/* Expected values that lie there anyway give figures. But who was near before is asked again by the
 * sketch, and by nothing else: figures tell whether it answers twice the same. */
static bool asks_sketch(const struct pool *p, int content, int output)
{
    uint32_t me = p->recall.candidate;

    return pool_is_sketched(p, content) && has_sketch(p, output) && p->compared[output] == me &&
           (p->contents[content].known[output].near == me || !pool_has_expected(p, content));
}

int pool_is_near(struct pool *p, int content, int output, const struct mem *got, size_t at,
                 struct compare_stats *ret, struct err *err)
{
    int64_t n = pool_output_count(p->graph, output);
    struct sketch_stats told;

    if (!asks_sketch(p, content, output))
        return 0;

    struct device_sketch s = sketch_of(p, content, output);

    if (p->device->judge->distance(p->ctx, got, at, pool_output_node(p->graph, output)->dtype, n,
                                   &s, &told, err) < 0)
        return -1;
    if (!gate_is_near(&pool_law_gate(p, content, output)->gate, &told))
        return 0;
    *ret = (struct compare_stats)COMPARE_STATS_INIT;
    ret->count = n;
    ret->sum_sq = told.rms * told.rms * (double)n;
    ret->max = told.max;
    p->contents[content].known[output].near = p->recall.candidate;
    return 1;
}
