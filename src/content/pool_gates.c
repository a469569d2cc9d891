/* SPDX-License-Identifier: MIT */
/* Gates of a law: the scale of its errors, from expected values, and how large errors may be, from
 * honest runs. Gates are measured on contents that lie in memory, by whoever brings these. */
#include "content/pool_gates.h"

#include "base/clock.h"
#include "content/shortcut.h"

#include <math.h>
#include <stdlib.h>

/* Enough rows for a stable honest error, and limits on what more rows may cost. */
#define HONEST_CONTENTS 4
#define HONEST_ROTATIONS 16
#define HONEST_FEW_ORDERS 4
#define APPEAL_ROTATIONS 8
#define HONEST_ROWS 64
#define MANY_ROWS 256
#define HONEST_DEAR_MS 200
#define ORDERS_DEAR_MS 20
/* Time for all honest runs of a large pool; every law has at least one run, whatever that takes. A
 * gate that rests on fewer runs is narrower; a candidate that fails at it gets one more honest run
 * (pool_include_honest). */
#define HONEST_MS 60
#define GATE_FLOOR 0x1p-20

/* --- the size of rows --- */

static int64_t row_length(const struct pool *p, int output, bool *ret_whole)
{
    return shape_row(&pool_output_node(p->graph, output)->shape, ret_whole);
}

int64_t pool_row_count(const struct pool *p, int output)
{
    bool whole;
    int64_t row = row_length(p, output, &whole);

    if (whole || !dtype_is_float(pool_output_node(p->graph, output)->dtype))
        return 0;
    return pool_output_count(p->graph, output) / row;
}

static int fill_row_rms(struct pool *p, const struct pool_slot *slot, struct mem *rms,
                        struct err *err)
{
    for (int o = 0; o < p->graph->n_outputs; o++) {
        int64_t rows = pool_row_count(p, o), n = pool_output_count(p->graph, o);

        if (rows > 0 && p->device->judge->row_rms(p->ctx, &slot->y, p->y_offset[o], n, n / rows,
                                                  rms, p->rms_offset[o], err) < 0)
            return -1;
    }
    return 0;
}

int pool_get_row_rms(struct pool *p, const struct pool_slot *slot, const struct mem **ret,
                     struct err *err)
{
    const struct device_judge_ops *ops = p->device->judge;
    struct mem *rms = &p->contents[slot->content].row_rms;

    *ret = NULL;
    if (!ops->row_rms || !p->rms_bytes)
        return 0;
    if (!rms->bytes) {
        if (ops->mem_alloc(p->ctx, MEM_PRIVATE, p->rms_bytes, rms, err) < 0)
            return -1;
        if (fill_row_rms(p, slot, rms, err) < 0) {
            ops->mem_free(p->ctx, rms);
            return -1;
        }
    }
    *ret = rms;
    return 0;
}

/* --- the gates --- */

/* RMS of an output's expected values. If it has rows, their RMS is needed anyway and serves here.
 * (The two differ a little if values are not finite, but it is only a scale.) */
static int output_rms(struct pool *p, const struct pool_slot *slot, int output, double *ret,
                      struct err *err)
{
    const struct device_judge_ops *ops = p->device->judge;
    int64_t rows = pool_row_count(p, output);
    const struct mem *row_rms;

    if (pool_get_row_rms(p, slot, &row_rms, err) < 0)
        return -1;
    if (row_rms && rows > 0)
        return ops->rms(p->ctx, row_rms, p->rms_offset[output], rows, ret, err);
    return ops->rms(p->ctx, &slot->y, p->y_offset[output], pool_output_count(p->graph, output), ret,
                    err);
}

/* Mean square of the finite expected values of one law's contents, per output. */
static int mean_squares(struct pool *p, int law, int first, int end, double *ret, struct err *err)
{
    const struct graph *g = p->graph;
    AUTO(freep) int *seen = xcalloc((size_t)g->n_outputs, sizeof(*seen));

    for (int k = first; k < end; k++) {
        const struct pool_slot *slot;

        if (pool_law(p, k) != law)
            continue;
        if (pool_make_expected(p, k, g, &slot, err) < 0)
            return -1;
        for (int o = 0; o < g->n_outputs; o++) {
            double rms = 0;

            if (!dtype_is_float(pool_output_node(g, o)->dtype))
                continue;
            if (output_rms(p, slot, o, &rms, err) < 0)
                return -1;
            ret[o] += isfinite(rms) ? rms * rms : 0;
            seen[o] += isfinite(rms);
        }
    }
    for (int o = 0; o < g->n_outputs; o++)
        ret[o] = seen[o] ? ret[o] / seen[o] : 0;
    return 0;
}

/* Sets the scale of the errors of one law, from the expected values of its contents in
 * first..end-1. */
static int set_scales(struct pool *p, int law, int first, int end, struct err *err)
{
    const struct graph *g = p->graph;
    AUTO(freep) double *squares = xcalloc((size_t)g->n_outputs, sizeof(*squares));

    if (mean_squares(p, law, first, end, squares, err) < 0)
        return -1;
    for (int o = 0; o < g->n_outputs; o++) {
        bool whole;
        int64_t row = row_length(p, o, &whole);
        double rms = sqrt(squares[o]);

        if (dtype_is_float(pool_output_node(g, o)->dtype))
            pool_law_gate(p, law, o)->scale =
                (struct compare_scale){whole ? 0 : row, rms, GATE_FLOOR * rms};
    }
    return 0;
}

/* The honest run in one summation order: the same op source in float, rounded to the output dtype.
 * The slot has expected values. */
static int honest_run(struct pool *p, const struct pool_slot *slot, int rotation, struct err *err)
{
    const struct graph *g = p->graph;
    struct ops_run run = {.precision = OPS_FLOAT,
                          .rotation = rotation,
                          .compensated = g->tolerance.compensated,
                          .f32_outputs = true};

    if (pool_evaluate_on(p, g, slot, &run, &p->values, err) < 0)
        return wrap(err, "honest run");
    for (int o = 0; o < g->n_outputs; o++) {
        struct compare_stats s = COMPARE_STATS_INIT;

        enum dtype t = pool_output_node(g, o)->dtype;
        const struct ask a = {.content = slot->content,
                              .got = &p->values,
                              .at = p->y_offset[o],
                              .output = o,
                              .type = t == DT_F32 ? DT_F32 : DT_F64};

        if (!dtype_is_float(t))
            continue;
        if (shortcut_compare_stored(p, slot, &a, &s, err) < 0)
            return -1;
        compare_merge(&p->honest[pool_law(p, slot->content) * g->n_outputs + o], &s);
    }
    return 0;
}

static void set_gates(struct pool *p, int law)
{
    const struct graph *g = p->graph;

    for (int o = 0; o < g->n_outputs; o++) {
        struct gate *gate = &pool_law_gate(p, law, o)->gate;
        enum dtype t = pool_output_node(g, o)->dtype;

        gate_factors(g, t, gate);
        gate_set_honest(gate, t, &p->honest[law * g->n_outputs + o]);
    }
}

/* Makes honest runs until `end` is near, but at least one, and sets the gates. Called between
 * hold_values() and pool_drop_values(). The slot has expected values. */
static int include_honest(struct pool *p, const struct pool_slot *slot, int rotations, uint64_t end,
                          struct err *err)
{
    uint64_t start = clock_ns(), now = start;

    /* Rotations spread over the axis, whatever their number. */
    for (int i = 0; i < rotations && (i == 0 || now + (now - start) / (uint64_t)i < end); i++) {
        if (honest_run(p, slot, i * HONEST_ROTATIONS / rotations, err) < 0)
            return -1;
        now = clock_ns();
    }
    set_gates(p, pool_law(p, slot->content));
    return 0;
}

/* Allocates memory for the output of honest runs. It is kept from law to law, because it may be
 * gigabytes. */
static int hold_values(struct pool *p, struct err *err)
{
    if (p->values.bytes)
        return 0;
    return p->device->judge->mem_alloc(p->ctx, MEM_PRIVATE, p->y_bytes, &p->values, err);
}

void pool_drop_values(struct pool *p)
{
    p->device->judge->mem_free(p->ctx, &p->values);
}

int pool_include_honest(struct pool *p, int content, struct err *err)
{
    if (p->contents[content].appealed)
        return 0;

    int rotations = p->graph->by_reference ? 1 : MAX(p->honest_rotations, APPEAL_ROTATIONS);
    AUTO(phase_end) struct phase_timer timer = phase_begin(pool_phases(p), PHASE_HONEST);
    const struct pool_slot *slot;
    int rc = pool_get_expected(p, content, &slot, err);

    if (rc == 0)
        rc = hold_values(p, err);
    if (rc == 0)
        rc = include_honest(p, slot, rotations, UINT64_MAX, err);
    pool_drop_values(p);
    p->contents[content].appealed = rc == 0;
    return rc;
}

/* The least number of rows of any output in one content; a whole tensor is one. */
static int64_t fewest_rows(const struct pool *p)
{
    int64_t fewest = INT64_MAX;

    for (int o = 0; o < p->graph->n_outputs; o++) {
        bool whole;
        int64_t row = row_length(p, o, &whole);

        fewest = MIN(fewest, whole ? 1 : pool_output_count(p->graph, o) / row);
    }
    return fewest;
}

/* Contents of each law that the gates rest on: four, or one if a content has many rows or is
 * expensive. Time decides for large contents only, so that small ones have the same gates on every
 * machine, however busy. */
static int honest_contents(const struct pool *p)
{
    bool dear = (p->large && p->content_ms > HONEST_DEAR_MS) ||
                !pool_keeps(p, HONEST_CONTENTS * p->graph->n_laws);

    if (p->residency == STREAMED || dear || (p->large && fewest_rows(p) >= MANY_ROWS))
        return 1;
    return HONEST_CONTENTS;
}

/* A reference sums in one order only, its own. */
static int honest_rotations(const struct pool *p)
{
    if (p->graph->by_reference || p->honest_contents * fewest_rows(p) >= HONEST_ROWS)
        return 1;
    return p->large && p->content_ms > ORDERS_DEAR_MS ? HONEST_FEW_ORDERS : HONEST_ROTATIONS;
}

void pool_choose_honest(struct pool *p)
{
    p->honest_contents = honest_contents(p);
    p->honest_rotations = honest_rotations(p);
}

/* Deadline for the honest runs of one law. Small contents have none, so that their gates do not
 * depend on the machine. */
static uint64_t honest_end(const struct pool *p)
{
    if (!p->large)
        return UINT64_MAX;
    return clock_ns() + HONEST_MS * (uint64_t)1000000 / (uint64_t)p->graph->n_laws;
}

/* Full rounds go through all laws; the rest of the contents have scored laws only. */
int pool_honest_contents(const struct pool *p)
{
    int rounds = MIN(p->law_rounds, p->honest_contents);

    return rounds * p->graph->n_laws + (p->honest_contents - rounds) * graph_n_scored(p->graph);
}

/* The next content of the law, or `end`: a law that is only checked may have no other content. */
static int next_of_law(const struct pool *p, int law, int content, int end)
{
    do
        content++;
    while (content < end && pool_law(p, content) != law);
    return content;
}

static int measure_law(struct pool *p, int law, int contents, struct err *err)
{
    if (set_scales(p, law, 0, contents, err) < 0)
        return -1;

    AUTO(phase_end) struct phase_timer timer = phase_begin(pool_phases(p), PHASE_HONEST);
    uint64_t end = honest_end(p);
    const struct pool_slot *slot;

    for (int content = law, i = 0;
         content < contents && i < p->honest_contents && (i == 0 || clock_ns() < end);
         content = next_of_law(p, law, content, contents), i++) {
        progress_report(p->progress, "honest run",
                        (p->graph->n_laws - 1 - law) * p->honest_contents + i,
                        p->graph->n_laws * p->honest_contents);
        if (pool_make_expected(p, content, p->graph, &slot, err) < 0 ||
            include_honest(p, slot, p->honest_rotations, end, err) < 0)
            return -1;
    }
    p->measured[law] = true;
    return 0;
}

static bool all_measured(const struct pool *p)
{
    for (int law = 0; law < p->graph->n_laws; law++)
        if (!p->measured[law])
            return false;
    return true;
}

static int measure_on(struct pool *p, const struct pool_slot *slot, struct err *err)
{
    int content = slot->content;

    if (set_scales(p, pool_law(p, content), content, content + 1, err) < 0)
        return -1;
    return include_honest(p, slot, p->honest_rotations, honest_end(p), err);
}

/* Measures a law's gates on its first content, because contents that do not all fit into memory are
 * made again and again. */
int pool_measure_first(struct pool *p, int content, struct err *err)
{
    const struct pool_slot *slot;
    int law = pool_law(p, content), rc;

    if (p->measured[law])
        return 0;
    if (pool_make_expected(p, content, p->graph, &slot, err) < 0)
        return -1;

    AUTO(phase_end) struct phase_timer timer = phase_begin(pool_phases(p), PHASE_HONEST);

    rc = hold_values(p, err);
    if (rc == 0)
        rc = measure_on(p, slot, err);
    p->measured[law] = rc == 0;
    if (rc < 0 || all_measured(p))
        pool_drop_values(p);
    return rc;
}

/* contents: number of contents that the scales rest on. */
int pool_measure_gates(struct pool *p, int contents, struct err *err)
{
    const struct graph *g = p->graph;
    int rc = hold_values(p, err);

    for (int law = g->n_laws - 1; law >= 0 && rc == 0; law--)
        rc = measure_law(p, law, contents, err);
    pool_drop_values(p);
    return rc;
}
