/* SPDX-License-Identifier: MIT */
#include "judge/admit.h"

#include "ops/ops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An f32 problem whose honest error is larger amplifies rounding so much that the gate means
 * little. */
#define HONEST_RMS_MAX 0x1p-10
#define CONTENTS_PER_LAW 4

const char *const admit_outcome_names[] = {
    [ADMIT_CAUGHT] = "caught",     [ADMIT_MISSED] = "MISSED", [ADMIT_PASSED] = "passed",
    [ADMIT_PUNISHED] = "PUNISHED", [ADMIT_NONE] = "none",     [ADMIT_SKIPPED] = "skipped",
};

struct room {
    struct pool pool;
    struct mem out;          /* laid out like an output arena */
    struct mem values;       /* laid out like pool_slot.y */
    double constant;         /* the mean of everything expected */
    const struct null *null; /* the problem's own under trial; not owned */
};

/* Several of every law, even where a single one of each was enough for the gates. */
static int n_contents(const struct room *r)
{
    return CONTENTS_PER_LAW * r->pool.graph->n_laws;
}

static enum dtype output_type(const struct room *r, int o)
{
    return r->pool.out.slots[o].dtype;
}

static int64_t output_count(const struct room *r, int o)
{
    return shape_count(&r->pool.out.slots[o].shape);
}

static char *output_at(const struct room *r, int o)
{
    return (char *)r->out.host + r->pool.out.slots[o].offset;
}

/* All contents lie side by side: admit_size() has seen to it. */
static const void *expected(const struct room *r, int content, int o)
{
    return (const char *)pool_find(&r->pool, content)->y.host + r->pool.y_offset[o];
}

/* 8-byte values -> the output's dtype, in the arena. */
static void store_values(struct room *r, int o, const void *values)
{
    enum dtype t = output_type(r, o);

    if (dtype_is_float(t))
        dtype_from_f64(t, values, output_at(r, o), output_count(r, o));
    else
        dtype_from_i64(t, values, output_at(r, o), output_count(r, o));
}

/* --- what a null or honest candidate would write for a content; 0, or -1 with an error --- */

static int make_exact(struct room *r, int content, struct err *err)
{
    (void)err;
    for (int o = 0; o < r->pool.graph->n_outputs; o++)
        store_values(r, o, expected(r, content, o));
    return 0;
}

static int make_evaluated(struct room *r, const struct graph *g, int content,
                          const struct ops_run *run, struct err *err)
{
    if (pool_evaluate_graph(&r->pool, g, content, run, &r->values, err) < 0)
        return -1;
    for (int o = 0; o < r->pool.graph->n_outputs; o++)
        store_values(r, o, (char *)r->values.host + r->pool.y_offset[o]);
    return 0;
}

static int make_order(struct room *r, int content, int order, struct err *err)
{
    const struct graph *g = r->pool.graph;
    struct ops_run run = {
        .precision = OPS_FLOAT, .order = order, .compensated = g->tolerance.compensated};

    return make_evaluated(r, g, content, &run, err);
}

static int make_order_a(struct room *r, int content, struct err *err)
{
    return make_order(r, content, 5, err);
}

static int make_order_b(struct room *r, int content, struct err *err)
{
    return make_order(r, content, 11, err);
}

static int make_truncated(struct room *r, int content, struct err *err)
{
    return make_evaluated(r, r->pool.graph, content,
                          &(struct ops_run){.precision = OPS_DOUBLE, .truncate = true}, err);
}

static int make_plain_sums(struct room *r, int content, struct err *err)
{
    return make_evaluated(r, r->pool.graph, content, &(struct ops_run){.precision = OPS_FLOAT},
                          err);
}

/* A null of the problem's own. */
static int make_null(struct room *r, int content, struct err *err)
{
    struct ops_run run = {.precision = r->null->in_float ? OPS_FLOAT : OPS_DOUBLE};

    return make_evaluated(r, r->null->graph, content, &run, err);
}

/* Bytes of the widest float that is contracted; where nothing is, of the widest source. */
static size_t widest_float(const struct graph *g, bool contracts)
{
    size_t widest = 0;

    for (int i = 0; contracts && i < g->n_nodes; i++) {
        enum op_class class = op_table[g->nodes[i].op].class;

        if (class == OP_CLASS_CONTRACT || class == OP_CLASS_RECUR)
            widest = MAX(widest, dtype_size(g->nodes[g->nodes[i].in[0]].dtype));
    }
    for (int i = 0; !contracts && i < g->n_sources; i++)
        if (dtype_is_float(g->sources[i].dtype))
            widest = MAX(widest, dtype_size(g->sources[i].dtype));
    return widest;
}

/* One class below what the problem declares: f32 -> tf32 operands, or bf16 storage where nothing is
 * contracted; 16-bit -> e4m3; fp8 -> e2m1. */
static struct ops_run lower_class(const struct room *r)
{
    const struct graph *g = r->pool.graph;
    bool contracts = ops_contracts(g);
    struct ops_run run = {.precision = OPS_FLOAT};
    size_t widest = widest_float(g, contracts);
    enum rounding to;

    to = widest <= 1 ? ROUND_E2M1 : widest == 2 ? ROUND_E4M3 : contracts ? ROUND_TF32 : ROUND_BF16;
    if (contracts)
        run.round_operands = to;
    else
        run.round_storage = to;
    return run;
}

static int make_lower(struct room *r, int content, struct err *err)
{
    struct ops_run run = lower_class(r);

    return make_evaluated(r, r->pool.graph, content, &run, err);
}

static int make_zeros(struct room *r, int content, struct err *err)
{
    (void)content, (void)err;
    memset(r->out.host, 0, r->out.bytes);
    return 0;
}

static int make_constant(struct room *r, int content, struct err *err)
{
    (void)content, (void)err;
    for (int o = 0; o < r->pool.graph->n_outputs; o++)
        for (int64_t i = 0; i < output_count(r, o); i++)
            dtype_store(output_type(r, o),
                        output_at(r, o) + (size_t)i * dtype_size(output_type(r, o)), r->constant);
    return 0;
}

static double value_at(const struct room *r, int content, int o, int64_t i)
{
    const void *y = expected(r, content, o);

    return dtype_is_float(output_type(r, o)) ? ((const double *)y)[i]
                                             : (double)((const int64_t *)y)[i];
}

/* The best answer that ignores the inputs: each element's mean over the law's other contents. */
static int make_mean(struct room *r, int content, struct err *err)
{
    int laws = r->pool.graph->n_laws;

    (void)err;
    for (int o = 0; o < r->pool.graph->n_outputs; o++)
        for (int64_t i = 0; i < output_count(r, o); i++) {
            double sum = 0;
            int n = 0;

            for (int k = content % laws; k < n_contents(r); k += laws)
                if (k != content) {
                    sum += value_at(r, k, o, i);
                    n++;
                }
            dtype_store(output_type(r, o),
                        output_at(r, o) + (size_t)i * dtype_size(output_type(r, o)), sum / n);
        }
    return 0;
}

/* The first float source, wrapped around where the output is longer. */
static int make_input_copy(struct room *r, int content, struct err *err)
{
    const struct pool *p = &r->pool;
    int source = 0;

    (void)err;
    while (source < p->graph->n_sources - 1 && !dtype_is_float(p->graph->sources[source].dtype))
        source++;

    enum dtype from = p->graph->sources[source].dtype;
    const char *data =
        (const char *)pool_find(&r->pool, content)->data.host + p->in.slots[source].offset;
    int64_t n = shape_count(&p->graph->sources[source].shape);

    for (int o = 0; o < p->graph->n_outputs; o++)
        for (int64_t i = 0; i < output_count(r, o); i++)
            dtype_store(output_type(r, o),
                        output_at(r, o) + (size_t)i * dtype_size(output_type(r, o)),
                        dtype_load(from, data + (size_t)(i % n) * dtype_size(from)));
    return 0;
}

static int make_other_inputs(struct room *r, int content, struct err *err)
{
    return make_exact(r, (content + r->pool.graph->n_laws) % n_contents(r), err);
}

static int make_half_written(struct room *r, int content, struct err *err)
{
    if (make_exact(r, content, err) < 0)
        return -1;
    for (int o = 0; o < r->pool.graph->n_outputs; o++) {
        size_t bytes = r->pool.out.slot_bytes[o];

        fill_poison(r->pool.seed + (uint64_t)content, output_at(r, o) + bytes / 2,
                    bytes - bytes / 2);
    }
    return 0;
}

static const char *no_reduction(const struct room *r)
{
    return ops_can_truncate(r->pool.graph) ? NULL : "nothing is reduced";
}

static const char *sums_need_no_care(const struct room *r)
{
    return r->pool.graph->tolerance.compensated ? NULL : "plain float sums are honest here";
}

static const struct admit_kind {
    const char *name;
    bool honest;
    int (*make)(struct room *r, int content, struct err *err);
    const char *(*none)(const struct room *r); /* why it does not exist, or NULL */
} kinds[] = {
    {"exact", true, make_exact, NULL},
    {"order_5", true, make_order_a, NULL},
    {"order_11", true, make_order_b, NULL},
    {"zeros", false, make_zeros, NULL},
    {"constant", false, make_constant, NULL},
    {"mean", false, make_mean, NULL},
    {"input_copy", false, make_input_copy, NULL},
    {"other_inputs", false, make_other_inputs, NULL},
    {"half_written", false, make_half_written, NULL},
    {"truncated", false, make_truncated, no_reduction},
    {"lower_precision", false, make_lower, NULL},
    {"plain_sums", false, make_plain_sums, sums_need_no_care},
};

/* --- through the gates --- */

/* 1: some law's gate says wrong (*v), 0: all pass. */
static int judge_kind(struct room *r, const struct admit_kind *kind, struct verdict *v,
                      struct err *err)
{
    struct pool *p = &r->pool;
    int n_outputs = p->graph->n_outputs;
    size_t n_gates = (size_t)(p->graph->n_laws * n_outputs);
    AUTO(freep) struct compare_stats *pooled = xcalloc(n_gates, sizeof(*pooled));

    for (size_t i = 0; i < n_gates; i++)
        pooled[i] = (struct compare_stats)COMPARE_STATS_INIT;
    for (int k = 0; k < n_contents(r); k++) {
        if (kind->make(r, k, err) < 0)
            return -1;
        for (int o = 0; o < n_outputs; o++) {
            int g = pool_law(p, k) * n_outputs + o;
            struct compare_stats s = COMPARE_STATS_INIT;

            if (pool_compare(p, k, o, &r->out, p->out.slots[o].offset, &s, err) < 0)
                return -1;
            compare_merge(&pooled[g], &s);
            if (gate_call(&p->gates[g].gate, p->graph->outputs[o].name, &p->out.slots[o].shape,
                          output_type(r, o), &s, v))
                return 1;
        }
    }
    for (size_t i = 0; i < n_gates; i++) {
        int o = (int)i % n_outputs;

        if (gate_pooled(&p->gates[i].gate, p->graph->outputs[o].name, output_type(r, o), &pooled[i],
                        v))
            return 1;
    }
    return 0;
}

static const char *skipped(const struct problem *p, const char *name)
{
    for (int i = 0; i < p->n_null_skips; i++)
        if (!strcmp(p->null_skips[i].name, name))
            return p->null_skips[i].why;
    return NULL;
}

static int check_skips(const struct problem *p, struct err *err)
{
    const char *names[ARRAY_SIZE(kinds)];

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        names[i] = kinds[i].name;
    for (int i = 0; i < p->n_null_skips; i++) {
        const char *name = p->null_skips[i].name, *near = nearest(name, names, ARRAY_SIZE(kinds));

        if (!near || strcmp(near, name) != 0)
            return fail(err, ERR_INPUT, "%s: nulls.skip: there is no null '%s'%s%s", p->path, name,
                        near ? "; did you mean " : "", near ? near : "");
    }
    return 0;
}

static int judge_case(struct room *r, const struct problem *p, const struct admit_kind *kind,
                      struct admit_case *ret, struct err *err)
{
    struct verdict v = VERDICT_INIT;
    const char *why = skipped(p, kind->name);

    ret->name = kind->name;
    ret->honest = kind->honest;
    ret->outcome = ADMIT_SKIPPED;
    if (!why && kind->none) {
        why = kind->none(r);
        ret->outcome = ADMIT_NONE;
    }
    if (why) {
        snprintf(ret->detail, sizeof(ret->detail), "%s", why);
        return 0;
    }

    int wrong = judge_kind(r, kind, &v, err);

    if (wrong < 0)
        return wrap(err, "%s", kind->name);
    ret->outcome = kind->honest ? (wrong ? ADMIT_PUNISHED : ADMIT_PASSED)
                                : (wrong ? ADMIT_CAUGHT : ADMIT_MISSED);
    snprintf(ret->detail, sizeof(ret->detail), "%.250s", v.detail);
    return 0;
}

static int judge_cases(struct room *r, const struct problem *p, struct admit_result *ret,
                       struct err *err)
{
    const struct graph *g = r->pool.graph;
    int rc = 0;

    if (ARRAY_SIZE(kinds) + (size_t)g->n_nulls > ADMIT_MAX_CASES)
        return fail(err, ERR_INPUT, "%s: more than %zu nulls of its own", p->path,
                    ADMIT_MAX_CASES - ARRAY_SIZE(kinds));
    for (size_t i = 0; i < ARRAY_SIZE(kinds) && rc == 0; i++)
        rc = judge_case(r, p, &kinds[i], &ret->cases[ret->n_cases++], err);
    for (int i = 0; i < g->n_nulls && rc == 0; i++) {
        struct admit_kind own = {g->nulls[i].name, false, make_null, NULL};

        r->null = &g->nulls[i];
        rc = judge_case(r, p, &own, &ret->cases[ret->n_cases++], err);
    }
    return rc;
}

static void decide(const struct room *r, struct admit_result *ret)
{
    const struct pool *p = &r->pool;

    for (int i = 0; i < p->graph->n_laws * p->graph->n_outputs; i++)
        if (output_type(r, i % p->graph->n_outputs) == DT_F32)
            ret->honest_rms = fmax(ret->honest_rms, p->gates[i].gate.honest_rms);
    /* First, because a gate that wide says nothing about the nulls either. */
    if (ret->honest_rms > HONEST_RMS_MAX)
        snprintf(ret->refusal, sizeof(ret->refusal),
                 "honest error %.3g is above 2^-10: the problem amplifies rounding",
                 ret->honest_rms);
    for (int i = 0; i < ret->n_cases && !ret->refusal[0]; i++) {
        const struct admit_case *c = &ret->cases[i];

        if (c->outcome == ADMIT_MISSED)
            snprintf(ret->refusal, sizeof(ret->refusal), "null '%s' passes", c->name);
        if (c->outcome == ADMIT_PUNISHED)
            snprintf(ret->refusal, sizeof(ret->refusal), "honest '%s' fails: %.200s", c->name,
                     c->detail);
    }
    ret->admitted = !ret->refusal[0];
}

static void find_constant(struct room *r)
{
    double sum = 0, n = 0;

    for (int k = 0; k < n_contents(r); k++)
        for (int o = 0; o < r->pool.graph->n_outputs; o++)
            for (int64_t i = 0; i < output_count(r, o); i++) {
                sum += value_at(r, k, o, i);
                n++;
            }
    r->constant = sum / n;
}

int admit_size(const struct problem *p, const struct graph *g, uint64_t seed,
               struct admit_result *ret, struct err *err)
{
    const struct device *device = &device_cpu;
    struct room r = {.out = MEM_INIT, .values = MEM_INIT};
    struct pool_config c = {.device = device, .engine = &ops_host, .graph = g, .seed = seed};
    struct device_info info;
    void *ctx = NULL;
    int rc = -1;

    *ret = (struct admit_result){0};
    if (check_skips(p, err) < 0 || device->judge->open(0, &ctx, err) < 0)
        return -1;
    if (device->judge->describe(ctx, &info, err) < 0)
        goto out;
    c.ctx = ctx;
    c.contents = c.least_slots = CONTENTS_PER_LAW * g->n_laws;
    c.memory_bytes = info.memory_bytes;
    if (pool_open(&c, &r.pool, err) < 0)
        goto out;
    rc = device->judge->mem_alloc(ctx, MEM_PRIVATE, r.pool.y_bytes, &r.values, err);
    if (rc == 0)
        rc = device->judge->mem_alloc(ctx, MEM_PRIVATE, r.pool.out.bytes, &r.out, err);
    if (rc == 0)
        find_constant(&r);
    if (rc == 0)
        rc = judge_cases(&r, p, ret, err);
    if (rc == 0)
        decide(&r, ret);
    device->judge->mem_free(ctx, &r.out);
    device->judge->mem_free(ctx, &r.values);
    pool_close(&r.pool);
out:
    device->judge->close(ctx);
    return rc;
}
