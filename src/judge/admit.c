/* SPDX-License-Identifier: MIT */
#include "judge/admit.h"

#include "judge/admit_scored.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An f32 problem whose honest error is larger amplifies rounding so much that the gate means
 * little. */
#define HONEST_RMS_MAX 0x1p-10
#define CONTENTS_PER_LAW 4
#define FEW_CONTENTS_PER_LAW 2 /* contents per law if memory does not hold four of each */
#define MEAN_SAMPLE ((int64_t)1 << 20)

const char *const admit_outcome_names[] = {
    [ADMIT_CAUGHT] = "caught",     [ADMIT_MISSED] = "MISSED",   [ADMIT_PASSED] = "passed",
    [ADMIT_PUNISHED] = "PUNISHED", [ADMIT_KEPT] = "kept",       [ADMIT_BROKEN] = "BROKEN",
    [ADMIT_NONE] = "none",         [ADMIT_SKIPPED] = "skipped",
};

struct room {
    const struct admit_place *at; /* not owned */
    struct pool pool;
    struct mem out;    /* laid out like an output arena */
    struct mem values; /* laid out like pool_slot.y */
    char *staged; /* `values` made on the host, if the device has its own memory; NULL: not yet */
    int contents_per_law;
    double *means;           /* per output: mean of its expected values, or of many of them */
    const struct null *null; /* the problem's own null under trial; not owned */
};

static const struct device_judge_ops *device_ops(const struct room *r)
{
    return r->at->device->judge;
}

/* Several contents of every law are judged, even if one of each was enough for the gates. */
static int n_contents(const struct room *r)
{
    return r->contents_per_law * r->pool.graph->n_laws;
}

static enum dtype output_type(const struct room *r, int o)
{
    return r->pool.out.slots[o].dtype;
}

static int64_t output_count(const struct room *r, int o)
{
    return shape_count(&r->pool.out.slots[o].shape);
}

/* Stores 8-byte values, laid out like pool_slot.y, as a kernel would have written them to the
 * arena. */
static int store_values(struct room *r, const struct mem *values, struct err *err)
{
    for (int o = 0; o < r->pool.graph->n_outputs; o++)
        if (device_ops(r)->store(r->at->ctx, values, r->pool.y_offset[o], output_type(r, o),
                                 output_count(r, o), &r->out, r->pool.out.slots[o].offset, err) < 0)
            return -1;
    return 0;
}

/* --- values made on the host: nulls that are caught by the first content they meet --- */

/* Memory in which the values of output o are made. */
static void *host_values(struct room *r, int o)
{
    char *base = r->values.host;

    if (!base && !r->staged)
        r->staged = xmalloc(r->pool.y_bytes);
    return (base ? base : r->staged) + r->pool.y_offset[o];
}

static void set_value(struct room *r, int o, int64_t i, double v)
{
    if (dtype_is_float(output_type(r, o)))
        ((double *)host_values(r, o))[i] = v;
    else
        ((int64_t *)host_values(r, o))[i] = (int64_t)v;
}

static int store_host_values(struct room *r, struct err *err)
{
    if (!r->values.host &&
        device_ops(r)->upload(r->at->ctx, &r->values, 0, r->staged, r->pool.y_bytes, err) < 0)
        return -1;
    return store_values(r, &r->values, err);
}

/* The first n expected values of an output, as doubles; the caller frees them. */
static int expected(struct room *r, int content, int o, int64_t n, double **ret, struct err *err)
{
    AUTO(freep) double *y = xmalloc((size_t)MAX(n, 1) * sizeof(*y));
    const struct pool_slot *slot;

    if (pool_get_expected(&r->pool, content, &slot, err) < 0 ||
        device_ops(r)->download(r->at->ctx, &slot->y, r->pool.y_offset[o], y,
                                (size_t)n * sizeof(*y), err) < 0)
        return -1;
    for (int64_t i = 0; !dtype_is_float(output_type(r, o)) && i < n; i++) {
        int64_t whole;

        memcpy(&whole, &y[i], sizeof(whole));
        y[i] = (double)whole;
    }
    *ret = steal(&y);
    return 0;
}

/* --- what a null or honest candidate would write for a content; 0, or -1 with an error --- */

static int make_exact(struct room *r, int content, struct err *err)
{
    const struct pool_slot *slot;

    if (pool_get_expected(&r->pool, content, &slot, err) < 0)
        return -1;
    return store_values(r, &slot->y, err);
}

static int make_evaluated(struct room *r, const struct graph *g, int content,
                          const struct ops_run *run, struct err *err)
{
    if (pool_evaluate_graph(&r->pool, g, content, run, &r->values, err) < 0)
        return -1;
    return store_values(r, &r->values, err);
}

static int make_rotated(struct room *r, int content, int rotation, struct err *err)
{
    const struct graph *g = r->pool.graph;
    struct ops_run run = {
        .precision = OPS_FLOAT, .rotation = rotation, .compensated = g->tolerance.compensated};

    return make_evaluated(r, g, content, &run, err);
}

static int make_order_a(struct room *r, int content, struct err *err)
{
    return make_rotated(r, content, 5, err);
}

static int make_order_b(struct room *r, int content, struct err *err)
{
    return make_rotated(r, content, 11, err);
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

/* One of the problem's own nulls. */
static int make_null(struct room *r, int content, struct err *err)
{
    struct ops_run run = {.precision = r->null->in_float ? OPS_FLOAT : OPS_DOUBLE};

    return make_evaluated(r, r->null->graph, content, &run, err);
}

/* Bytes of the widest float that is contracted, or of the widest source if nothing is
 * contracted. */
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

/* One class below the problem's own: f32 -> tf32 operands, or bf16 storage if nothing is
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

/* with: a number for each output; NULL: zeros. */
static int make_filled(struct room *r, const double *with, struct err *err)
{
    for (int o = 0; o < r->pool.graph->n_outputs; o++) {
        const struct tensor_slot *slot = &r->pool.out.slots[o];
        double v = with ? with[o] : 0;
        struct law law = {.kind = LAW_CONSTANT, .a = dtype_is_float(slot->dtype) ? v : trunc(v)};

        struct device_fill what = {&r->out, slot->offset, &law, 0, slot->dtype, &slot->shape};

        if (device_ops(r)->fill(r->at->ctx, &what, err) < 0)
            return -1;
    }
    return 0;
}

static int make_zeros(struct room *r, int content, struct err *err)
{
    (void)content;
    return make_filled(r, NULL, err);
}

static int make_constant(struct room *r, int content, struct err *err)
{
    (void)content;
    return make_filled(r, r->means, err);
}

/* The best answer that ignores the inputs: each element's mean over the law's other contents. */
static int make_mean(struct room *r, int content, struct err *err)
{
    int laws = r->pool.graph->n_laws, others = r->contents_per_law - 1;

    for (int o = 0; o < r->pool.graph->n_outputs; o++) {
        int64_t n = output_count(r, o);
        AUTO(freep) double *sums = xcalloc((size_t)n, sizeof(*sums));

        for (int k = content % laws; k < n_contents(r); k += laws) {
            AUTO(freep) double *y = NULL;

            if (k == content)
                continue;
            if (expected(r, k, o, n, &y, err) < 0)
                return -1;
            for (int64_t i = 0; i < n; i++)
                sums[i] += y[i];
        }
        for (int64_t i = 0; i < n; i++)
            set_value(r, o, i, sums[i] / others);
    }
    return store_host_values(r, err);
}

/* The first float source, repeated if the output is longer. */
static int make_input_copy(struct room *r, int content, struct err *err)
{
    const struct pool *p = &r->pool;
    const struct pool_slot *slot;
    int source = 0;

    while (source < p->graph->n_sources - 1 && !dtype_is_float(p->graph->sources[source].dtype))
        source++;

    enum dtype from = p->graph->sources[source].dtype;
    int64_t n = shape_count(&p->graph->sources[source].shape);
    AUTO(freep) char *data = xmalloc((size_t)n * dtype_size(from));

    if (pool_get(&r->pool, content, &slot, err) < 0 ||
        device_ops(r)->download(r->at->ctx, &slot->data, p->in.slots[source].offset, data,
                                (size_t)n * dtype_size(from), err) < 0)
        return -1;
    for (int o = 0; o < p->graph->n_outputs; o++)
        for (int64_t i = 0; i < output_count(r, o); i++)
            set_value(r, o, i, dtype_load(from, data + (size_t)(i % n) * dtype_size(from)));
    return store_host_values(r, err);
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
        size_t bytes = r->pool.out.slot_bytes[o], half = bytes / 2;

        if (device_ops(r)->poison(r->at->ctx, &r->out, r->pool.out.slots[o].offset + half,
                                  bytes - half, r->pool.seed + (uint64_t)content, err) < 0)
            return -1;
    }
    return 0;
}

static const char *no_reduction(const struct room *r)
{
    if (r->pool.graph->by_reference)
        return "nobody knows what a reference reduces";
    return ops_can_truncate(r->pool.graph) ? NULL : "nothing is reduced";
}

/* Rounding the inputs of a reference seldom changes whole numbers. */
static const char *no_float_output(const struct room *r)
{
    for (int o = 0; o < r->pool.graph->n_outputs; o++)
        if (!r->pool.graph->by_reference || dtype_is_float(output_type(r, o)))
            return NULL;
    return "all outputs of the reference are whole numbers";
}

static const char *sums_need_no_care(const struct room *r)
{
    return r->pool.graph->tolerance.compensated
               ? NULL
               : "plain float sums are exact enough for this problem";
}

static const struct admit_kind {
    const char *name;
    bool honest;
    int (*make)(struct room *r, int content, struct err *err);
    const char *(*none)(const struct room *r); /* why there is no such null here, or NULL */
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
    {"lower_precision", false, make_lower, no_float_output},
    {"plain_sums", false, make_plain_sums, sums_need_no_care},
};

/* --- judging by the gates --- */

/* 1: some law's gate says wrong (*v), 0: all pass. */
static int judge_kind(struct room *r, const struct admit_kind *kind, struct verdict *v,
                      struct err *err)
{
    struct pool *p = &r->pool;
    int n_outputs = p->graph->n_outputs;
    size_t n_gates = (size_t)(p->graph->n_laws * n_outputs);
    AUTO(freep) struct compare_stats *pooled = compare_stats_new(n_gates);

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
    const char *names[ARRAY_SIZE(kinds) + SCORED_COUNT];

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        names[i] = kinds[i].name;
    for (size_t i = 0; i < SCORED_COUNT; i++)
        names[ARRAY_SIZE(kinds) + i] = scored_rule_names[i];
    for (int i = 0; i < p->n_null_skips; i++) {
        const char *name = p->null_skips[i].name, *near = nearest(name, names, ARRAY_SIZE(names));

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

static void report(const struct room *r, const char *name, int done)
{
    progress_report(r->at->progress, name, done,
                    (int)ARRAY_SIZE(kinds) + r->pool.graph->n_nulls + 1);
}

/* The rules for scored contents, which a problem may be excused from. */
static int judge_scored(struct room *r, const struct problem *p, struct admit_result *ret,
                        struct err *err)
{
    struct admit_case *cases = &ret->cases[ret->n_cases];

    if (admit_scored(r->at, &r->pool, n_contents(r), cases, err) < 0)
        return wrap(err, "scored contents");
    ret->n_cases += SCORED_COUNT;
    for (int i = 0; i < SCORED_COUNT; i++) {
        const char *why = skipped(p, cases[i].name);

        if (!why)
            continue;
        cases[i].outcome = ADMIT_SKIPPED;
        snprintf(cases[i].detail, sizeof(cases[i].detail), "%s", why);
    }
    return 0;
}

static int judge_cases(struct room *r, const struct problem *p, struct admit_result *ret,
                       struct err *err)
{
    const struct graph *g = r->pool.graph;
    int rc = 0;

    if (ARRAY_SIZE(kinds) + (size_t)g->n_nulls + SCORED_COUNT > ADMIT_MAX_CASES)
        return fail(err, ERR_INPUT, "%s: more than %zu nulls of its own", p->path,
                    ADMIT_MAX_CASES - ARRAY_SIZE(kinds) - SCORED_COUNT);
    for (size_t i = 0; i < ARRAY_SIZE(kinds) && rc == 0; i++) {
        report(r, kinds[i].name, (int)i);
        rc = judge_case(r, p, &kinds[i], &ret->cases[ret->n_cases++], err);
    }
    for (int i = 0; i < g->n_nulls && rc == 0; i++) {
        struct admit_kind own = {g->nulls[i].name, false, make_null, NULL};

        report(r, own.name, (int)ARRAY_SIZE(kinds) + i);
        r->null = &g->nulls[i];
        rc = judge_case(r, p, &own, &ret->cases[ret->n_cases++], err);
    }
    if (rc < 0)
        return rc;
    if (g->by_reference) /* these rules are about laws */
        return 0;
    report(r, "scored contents", (int)ARRAY_SIZE(kinds) + g->n_nulls);
    return judge_scored(r, p, ret, err);
}

static void decide(const struct room *r, struct admit_result *ret)
{
    const struct pool *p = &r->pool;

    for (int i = 0; i < p->graph->n_laws * p->graph->n_outputs; i++)
        if (output_type(r, i % p->graph->n_outputs) == DT_F32)
            ret->honest_rms = fmax(ret->honest_rms, p->gates[i].gate.honest_rms);
    /* This reason comes first: a gate that wide says nothing about the nulls either. */
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
        if (c->outcome == ADMIT_BROKEN)
            snprintf(ret->refusal, sizeof(ret->refusal), "%s: %.200s", c->name, c->detail);
    }
    ret->admitted = !ret->refusal[0];
}

/* Means over the first contents, one of each law. */
static int find_means(struct room *r, struct err *err)
{
    r->means = xcalloc((size_t)r->pool.graph->n_outputs, sizeof(*r->means));
    for (int o = 0; o < r->pool.graph->n_outputs; o++) {
        int64_t n = MIN(output_count(r, o), MEAN_SAMPLE);
        double sum = 0;

        for (int k = 0; k < r->pool.graph->n_laws; k++) {
            AUTO(freep) double *y = NULL;

            if (expected(r, k, o, n, &y, err) < 0)
                return -1;
            for (int64_t i = 0; i < n; i++)
                sum += y[i];
        }
        r->means[o] = sum / (double)(n * r->pool.graph->n_laws);
    }
    return 0;
}

/* Memory for the problem's own nulls, which may hold more than the problem. */
static double nulls_peak(const struct ops_engine *e, const struct graph *g)
{
    double most = 0;

    for (int i = 0; i < g->n_nulls; i++)
        most = fmax(most, e->peak_bytes(e->ctx, g->nulls[i].graph,
                                        g->nulls[i].in_float ? OPS_FLOAT : OPS_DOUBLE));
    return most;
}

static int judge_room(struct room *r, const struct problem *p, struct admit_result *ret,
                      struct err *err)
{
    const struct device_judge_ops *ops = device_ops(r);

    r->contents_per_law = pool_keeps(&r->pool, CONTENTS_PER_LAW * r->pool.graph->n_laws)
                              ? CONTENTS_PER_LAW
                              : FEW_CONTENTS_PER_LAW;
    if (ops->mem_alloc(r->at->ctx, MEM_PRIVATE, r->pool.y_bytes, &r->values, err) < 0 ||
        ops->mem_alloc(r->at->ctx, MEM_PRIVATE, r->pool.out.bytes, &r->out, err) < 0 ||
        find_means(r, err) < 0 || judge_cases(r, p, ret, err) < 0)
        return -1;
    decide(r, ret);
    return 0;
}

int admit_size(const struct admit_place *at, const struct problem *p, const struct graph *g,
               uint64_t seed, struct admit_result *ret, struct err *err)
{
    struct room r = {.at = at, .out = MEM_INIT, .values = MEM_INIT};
    struct pool_config c = {.device = at->device,
                            .ctx = at->ctx,
                            .engine = &at->engine,
                            .drawer = at->drawer,
                            .graph = g,
                            .seed = seed,
                            .contents = CONTENTS_PER_LAW * g->n_laws,
                            .law_rounds = CONTENTS_PER_LAW,
                            .least_slots = 1,
                            .memory_bytes = at->info.memory_bytes,
                            .scratch_bytes = nulls_peak(&at->engine, g),
                            .progress = at->progress};

    *ret = (struct admit_result){0};
    if (check_skips(p, err) < 0 || pool_open(&c, &r.pool, err) < 0)
        return -1;

    int rc = judge_room(&r, p, ret, err);

    at->device->judge->mem_free(at->ctx, &r.out);
    at->device->judge->mem_free(at->ctx, &r.values);
    free(r.staged);
    free(r.means);
    pool_close(&r.pool);
    return rc;
}

int admit_open(const struct device *device, int index, struct admit_place *ret, struct err *err)
{
    struct admit_place at = {.device = device, .engine = ops_host};

    if (device->judge->open(index, &at.ctx, err) < 0)
        return -1;

    int rc = device->judge->describe(at.ctx, &at.info, err);

    if (rc == 0 && device->open_engine)
        rc = device->open_engine(at.ctx, &at.engine, err);
    if (rc < 0)
        device->judge->close(at.ctx);
    else
        *ret = at;
    return rc;
}

void admit_close(struct admit_place *at)
{
    if (!at->device)
        return;
    if (at->engine.close)
        at->engine.close(&at->engine);
    at->device->judge->close(at->ctx);
    *at = (struct admit_place){0};
}
