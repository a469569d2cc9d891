/* SPDX-License-Identifier: MIT */
/* covers: src/gpu/gpu_compare.c src/gpu/gpu_special.c */
/* Passes over elements that are compiled for what they do (gpu_special.c) against the interpreting
 * kernel, on a GPU: the same bits, for every op that is a step, every dtype, and sizes that leave
 * elements over. And comparing with them as they are made (gpu_compare.c) against comparing with
 * what they store: the same figures, to the bit. Needs no cmocka: it also runs from a dist tree.
 * Exits 77 where there is no GPU. */
#include "base/clock.h"
#include "device/cuda/cuda_judge.h"
#include "gpu/gpu.h"
#include "gpu/gpu_ctx.h"
#include "problem/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 20251115

static const struct device_judge_ops *ops = &cuda_judge_ops;
static void *ctx;
static struct ops_engine engine;
static struct err err;
static int passed, failed, skipped;

#define SHAPE(...) shape_of((const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / 8)

static struct shape shape_of(const int64_t *dim, size_t rank)
{
    struct shape s = {.rank = (int)rank};

    memcpy(s.dim, dim, rank * sizeof(*dim));
    return s;
}

static void check(bool ok, const char *name, const char *what)
{
    *(ok ? &passed : &failed) += 1;
    if (!ok)
        printf("FAILED %s: %s %s\n", name, what, err.text);
}

/* ---- graphs of one pass ---- */

static int add_source(struct graph *g, enum dtype t, struct shape s)
{
    struct law law = {dtype_is_float(t) ? LAW_NORMAL : LAW_INTS, 0, dtype_is_float(t) ? 2 : 9, 0};
    char name[8];

    if (t == DT_BOOL)
        law = (struct law){LAW_BERNOULLI, 0.5, 0, 0};
    snprintf(name, sizeof(name), "x%d", g->n_sources);
    return graph_add_source(g, SOURCE_INPUT, name, t, &s, &law, 1, &err);
}

static int add_number(struct graph *g, enum dtype t, double value)
{
    struct op_attrs at = {.value = value};

    return graph_add(g, OP_CONST, NULL, 0, &at, &(struct node){.dtype = t}, &err);
}

static int add_unary(struct graph *g, enum op_code op, int x)
{
    return graph_add(g, op, &x, 1, NULL, NULL, &err);
}

static int add_binary(struct graph *g, enum op_code op, int x, int y)
{
    return graph_add(g, op, (const int[]){x, y}, 2, NULL, NULL, &err);
}

static int add_row(struct graph *g, enum op_code op, int x)
{
    return graph_add(g, op, &x, 1, &(struct op_attrs){.axes = 2, .keep = true}, NULL, &err);
}

static struct graph *finished(struct graph *g, int node)
{
    if (node < 0 || graph_add_output(g, "y", node, &err) < 0 || graph_finish(g, &err) < 0) {
        printf("cannot go on: %s\n", err.text);
        exit(1);
    }
    return g;
}

/* exp(x - max) / sum, the rows in double; what is summed does not matter. */
static struct graph *softmax(int64_t rows, int64_t length)
{
    struct graph *g = graph_new();
    int x = add_source(g, DT_F32, SHAPE(rows, length));
    int most = add_row(g, OP_MAX, x), sum = add_row(g, OP_SUM, x);
    int e = add_unary(g, OP_EXP, add_binary(g, OP_SUB, x, most));

    return finished(g, add_binary(g, OP_DIV, e, sum));
}

static struct graph *relu(enum dtype t, int64_t n)
{
    struct graph *g = graph_new();
    int x = add_source(g, t, SHAPE(n));

    return finished(g, add_binary(g, OP_MAXIMUM, x, add_number(g, t, 0)));
}

/* Six operands in every way that they are walked over [6, 10, length], 1 / (1 + exp(-y)) of that.
 */
static struct graph *several(enum dtype t, int64_t length)
{
    static const enum op_code with[] = {OP_ADD, OP_MUL, OP_MAXIMUM, OP_SUB, OP_MINIMUM};
    const struct shape shapes[] = {SHAPE(10, 1), SHAPE(length), SHAPE(6, 1, 1), SHAPE(1),
                                   SHAPE(10, length)};
    struct graph *g = graph_new();
    int y = add_source(g, t, SHAPE(6, 10, length));

    for (int i = 0; i < 5; i++) {
        int other = add_source(g, t, shapes[i]);

        y = i & 1 ? add_binary(g, with[i], other, y) : add_binary(g, with[i], y, other);
    }
    if (!dtype_is_float(t))
        return finished(g, add_binary(g, OP_POW, y, y));
    y = add_unary(g, OP_EXP, add_unary(g, OP_NEG, y));
    return finished(g, add_binary(g, OP_DIV, y, add_number(g, t, 3)));
}

/* One op over rows that hold fours and rows that do not; two: with a row's value, and with a
 * number. */
static struct graph *one_op(enum op_code op, enum dtype t, int64_t length)
{
    struct graph *g = graph_new();
    int x = add_source(g, t, SHAPE(41, length)), y;

    if (op_table[op].min_in == 1)
        return finished(g, add_unary(g, op, x));
    y = add_binary(g, op, x, add_source(g, t, SHAPE(41, 1)));
    return finished(g, t == DT_BOOL ? y : add_binary(g, op, add_number(g, t, 2), y));
}

/* ---- both ways ---- */

static int evaluate(const struct graph *g, enum ops_precision precision, struct mem *in,
                    struct mem *out, int64_t special_least)
{
    struct gpu *gpu = engine.ctx;
    const struct ops_run run = {.precision = precision};
    const void *sources[8];
    int64_t before = gpu->special_least;
    void *output = (void *)out->handle;
    int rc;

    for (int i = 0; i < g->n_sources; i++)
        sources[i] = (void *)in[i].handle;
    gpu->special_least = special_least;
    rc = engine.eval(engine.ctx, g, &run, sources, &output, &err);
    gpu->special_least = before;
    return rc;
}

static bool take(struct mem *m, int64_t elements, size_t element)
{
    *m = (struct mem)MEM_INIT;
    return ops->mem_alloc(ctx, MEM_PRIVATE, (size_t)elements * element, m, &err) == 0;
}

static bool draw(const struct graph *g, struct mem *in)
{
    for (int i = 0; i < g->n_sources; i++) {
        const struct source *s = &g->sources[i];

        if (!take(&in[i], shape_count(&s->shape), dtype_size(s->dtype)) ||
            ops->fill(ctx,
                      &(struct device_fill){&in[i], 0, &s->laws[0], fill_seed(SEED, 0, (uint64_t)i),
                                            s->dtype, &s->shape},
                      &err) < 0)
            return false;
    }
    return true;
}

static void compare(const char *name, const struct graph *g, enum ops_precision precision,
                    struct mem *in, struct mem *out, int64_t special_least)
{
    struct gpu *gpu = engine.ctx;
    int64_t n = shape_count(&g->nodes[g->outputs[0].node].shape), at = -1;
    int made = gpu->n_specials;

    check(evaluate(g, precision, in, &out[0], INT64_MAX) == 0 && gpu->n_specials == made, name,
          "interpreted");
    check(evaluate(g, precision, in, &out[1], special_least) == 0, name, "special");
    check(gpu->n_specials > made, name, "no kernel of its own");
    for (; made < gpu->n_specials; made++)
        check(gpu->specials[made % GPU_SPECIALS].kernel != NULL, name, "it does not compile");
    check(ops->differ(ctx, &out[0], &out[1], (size_t)n * 8, &at, &err) == 0 && at < 0, name,
          precision == OPS_DOUBLE ? "other bits in double" : "other bits in float");
}

/* ---- compared as they are made ---- */

/* What a comparison gives. */
struct figures {
    struct compare_stats stats;
    struct fingerprint print;
};

/* What is expected, narrowed, and with something wrong in it where asked. */
static bool answer(struct mem *got, const struct mem *y, enum dtype t, int64_t n, bool wrong)
{
    static const uint64_t bits[] = {0x7FF8000000000000u, 0x4008000000000000u};
    const int64_t at[] = {n - 1, n / 2};

    if (ops->store(ctx, y, 0, t, n, got, 0, &err) < 0)
        return false;
    for (int i = 0; wrong && i < 2; i++) {
        struct mem value = MEM_INIT;
        bool ok = take(&value, 1, 8) && ops->upload(ctx, &value, 0, &bits[i], 8, &err) == 0 &&
                  ops->store(ctx, &value, 0, t, 1, got, (size_t)at[i] * dtype_size(t), &err) == 0;

        ops->mem_free(ctx, &value);
        if (!ok)
            return false;
    }
    return true;
}

static bool stored_way(const struct mem *y, const struct mem *got, enum dtype t, int64_t n,
                       const struct compare_scale *scale, const struct mem *rms,
                       struct figures *ret)
{
    return ops->compare(ctx,
                        &(struct device_compare){y, 0, got, 0, t, n, scale, rms, 0, &ret->print},
                        &ret->stats, &err) == 0;
}

static bool in_passing(const struct graph *g, const void *const *sources, const struct mem *got,
                       enum dtype t, const struct compare_scale *scale, const struct mem *rms,
                       struct figures *ret)
{
    struct ops_compare what = {.type = t,
                               .got = (const void *)got->handle,
                               .scale = scale,
                               .row_rms = (const double *)rms->handle,
                               .print = &ret->print};

    return engine.compare(engine.ctx, g, sources, &what, &ret->stats, &err) == 0;
}

static void hold_figures(const char *name, const struct graph *g, const void *const *sources,
                         const struct mem *y, struct mem *got, enum dtype t, int64_t row_len)
{
    int64_t n = shape_count(&g->nodes[g->outputs[0].node].shape);
    struct compare_scale scale = {row_len, 0.5, 0x1p-20};
    struct mem rms = MEM_INIT;
    bool ok = take(&rms, row_len ? n / row_len : 1, 8) &&
              (!row_len || ops->row_rms(ctx, y, 0, n, row_len, &rms, 0, &err) == 0);

    check(ok, name, "the sizes of rows");
    check(engine.compares(engine.ctx, g, sources, 0, t), name, "it is not compared in passing");
    for (int wrong = 0; ok && wrong < 2; wrong++) {
        struct figures stored = {.print.key = SEED}, passing = {.print.key = SEED};

        check(answer(got, y, t, n, wrong), name, "the answer");
        check(stored_way(y, got, t, n, &scale, &rms, &stored), name, "stored");
        check(in_passing(g, sources, got, t, &scale, &rms, &passing), name, "in passing");
        check(stored.stats.n_nonfinite >= wrong, name, "what is wrong is not found");
        check(memcmp(&stored, &passing, sizeof(stored)) == 0, name, "other figures in passing");
    }
    ops->mem_free(ctx, &rms);
}

/* Frees the graph, which is one pass from its sources. t: of what is compared. */
static void compare_both_ways(const char *name, struct graph *g, enum dtype t, int64_t row_len)
{
    struct gpu *gpu = engine.ctx;
    int64_t n = shape_count(&g->nodes[g->outputs[0].node].shape), before = gpu->special_least;
    struct mem in[8], y = MEM_INIT, got = MEM_INIT;
    const void *sources[8];

    for (int i = 0; i < 8; i++)
        in[i] = (struct mem)MEM_INIT;
    if (!draw(g, in) || !take(&y, n, 8) || !take(&got, n, dtype_size(t))) {
        printf("skipped %s: %s\n", name, err.text);
        skipped++;
    } else {
        for (int i = 0; i < g->n_sources; i++)
            sources[i] = (void *)in[i].handle;
        check(evaluate(g, OPS_DOUBLE, in, &y, 1) == 0, name, "evaluated");
        gpu->special_least = 1;
        hold_figures(name, g, sources, &y, &got, t, row_len);
        gpu->special_least = before;
    }
    for (int i = 0; i < 8; i++)
        ops->mem_free(ctx, &in[i]);
    ops->mem_free(ctx, &y);
    ops->mem_free(ctx, &got);
    gpu_engine_trim(&engine);
    graph_free(g);
    err = (struct err)ERR_INIT;
}

/* exp(x - most) / sum, the rows being sources. */
static struct graph *softmax_again(int64_t rows, int64_t length)
{
    struct graph *g = graph_new();
    int x = add_source(g, DT_F32, SHAPE(rows, length));
    int most = add_source(g, DT_F32, SHAPE(rows, 1)), sum = add_source(g, DT_F32, SHAPE(rows, 1));
    int e = add_unary(g, OP_EXP, add_binary(g, OP_SUB, x, most));

    return finished(g, add_binary(g, OP_DIV, e, sum));
}

static void figures_are_those_of_the_stored_way(void)
{
    static const enum dtype types[] = {DT_F64, DT_F32, DT_F16, DT_BF16};

    for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
        AUTO(freep) char *name = xasprintf("compared with %s", dtype_name(types[t]));

        compare_both_ways(name, softmax_again(26, 340), types[t], 340);
        compare_both_ways(name, softmax_again(5, 4111), types[t], 4111);
        compare_both_ways(name, softmax_again(300, 65538), types[t], 65538);
        compare_both_ways(name, relu(DT_F32, 12291), types[t], 0);
        compare_both_ways(name, relu(types[t], 1000008), types[t], 102);
    }
    compare_both_ways("large softmax compared", softmax_again(2048, 393216), DT_F32, 393216);
    compare_both_ways("large relu compared", relu(DT_F32, (int64_t)4096 * 65536), DT_F32, 65536);
}

/* Frees the graph. special_least: of struct gpu. */
static void both_ways(const char *name, struct graph *g, int64_t special_least)
{
    int64_t n = shape_count(&g->nodes[g->outputs[0].node].shape);
    struct mem in[8], out[2] = {MEM_INIT, MEM_INIT};

    for (int i = 0; i < 8; i++)
        in[i] = (struct mem)MEM_INIT;
    if (!draw(g, in) || !take(&out[0], n, 8) || !take(&out[1], n, 8)) {
        printf("skipped %s: %s\n", name, err.text);
        skipped++;
    } else {
        compare(name, g, OPS_DOUBLE, in, out, special_least);
        /* Integers are the same pass in both; large results would be there twice. */
        if (dtype_is_float(g->nodes[g->outputs[0].node].dtype) && n < 1 << 28)
            compare(name, g, OPS_FLOAT, in, out, special_least);
    }
    for (int i = 0; i < 8; i++)
        ops->mem_free(ctx, &in[i]);
    ops->mem_free(ctx, &out[0]);
    ops->mem_free(ctx, &out[1]);
    gpu_engine_trim(&engine);
    graph_free(g);
    err = (struct err)ERR_INIT;
}

static bool is_step_of(enum op_code op, enum dtype t)
{
    bool is_logical = op == OP_NOT || op == OP_AND || op == OP_OR;

    if (op == OP_CAST || (op >= OP_LT && op <= OP_NE))
        return false;
    if (t == DT_BOOL || is_logical)
        return t == DT_BOOL && is_logical;
    return dtype_is_float(t) || op == OP_NEG || op == OP_ABS || (op >= OP_ADD && op != OP_DIV);
}

static void ops_are_the_interpreters(void)
{
    static const enum dtype types[] = {DT_F32, DT_I32, DT_BOOL};

    for (enum op_code op = OP_NEG; op <= OP_OR; op++) {
        for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
            AUTO(freep) char *name = xasprintf("%s of %s", op_table[op].name, dtype_name(types[t]));

            if (is_step_of(op, types[t])) {
                both_ways(name, one_op(op, types[t], 1000), 1);
                both_ways(name, one_op(op, types[t], 1003), 1);
            }
        }
    }
}

static void types_are_the_interpreters(void)
{
    for (int t = 0; t < DT_BOOL; t++) {
        AUTO(freep) char *name = xasprintf("several of %s", dtype_name((enum dtype)t));

        both_ways(name, several((enum dtype)t, 1024), 1);
        both_ways(name, several((enum dtype)t, 4099), 1);
    }
}

static void sizes_are_the_interpreters(void)
{
    static const int64_t sizes[] = {1, 3, 4, 7, 2047, 2048, 2049, 4096, 1000001, 8650752 + 2};

    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
        both_ways("relu", relu(DT_F32, sizes[i]), 1);
    both_ways("softmax", softmax(128, 65536), 1);
    both_ways("softmax of odd rows", softmax(129, 65537), 1);
}

/* What is above the limit without being asked for, and more elements than 32 bits count. */
static void large_ones_are_special(void)
{
    both_ways("large relu", relu(DT_F32, GPU_SPECIAL_LEAST + 3), GPU_SPECIAL_LEAST);
    both_ways("large softmax", softmax(2048, 65540), GPU_SPECIAL_LEAST);
    both_ways("very large relu", relu(DT_F16, ((int64_t)1 << 32) + 6), GPU_SPECIAL_LEAST);
    both_ways("very large softmax", softmax(65539, 65541), GPU_SPECIAL_LEAST);
}

int main(void)
{
    const char *why = "";
    uint64_t start = clock_ns();

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (device_cuda.probe(&why) <= 0) {
        printf("skipped: %s\n0 passed, 0 failed, 1 skipped\n", why);
        return 77;
    }
    if (ops->open(0, &ctx, &err) < 0 || gpu_engine_open(ctx, &engine, &err) < 0) {
        printf("FAILED open: %s\n0 passed, 1 failed, 0 skipped\n", err.text);
        return 1;
    }
    ops_are_the_interpreters();
    types_are_the_interpreters();
    sizes_are_the_interpreters();
    large_ones_are_special();
    figures_are_those_of_the_stored_way();
    gpu_engine_close(&engine);
    ops->close(ctx);
    printf("%.1f s\n%d passed, %d failed, %d skipped\n", clock_ms_since(start) / 1e3, passed,
           failed, skipped);
    return failed != 0;
}
