/* SPDX-License-Identifier: MIT */
/* Making contents on the GPU: the laws of large tensors in every float type, and rows of awkward
 * lengths. Prints a table: the shortest of several fills, and the bandwidth of that. Compares some
 * elements with the CPU's. Writes its figures to a file as JSON.
 *
 *     fill_gpu [--elements N] [--repeats N] [--limit-s N] [--json FILE]
 *
 * Exits 77 without a GPU, 1 when an element differs. */
#include "gpu_bench.h"

#include "base/clock.h"
#include "base/fs.h"
#include "device/cuda/cuda_judge.h"
#include "tensor/law.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 42
#define LOOK 4096 /* elements at a time that are compared */

struct options {
    const char *json;
    int64_t elements, repeats;
    double limit_s;
};

static const struct device_judge_ops *ops = &cuda_judge_ops;
static void *ctx;

static const struct law laws[] = {
    {LAW_SPREAD, 0, 0, 0},     {LAW_NORMAL, 0, 1, 0},  {LAW_HEAVY, 0, 0, 0},
    {LAW_UNIFORM, 0, 1, 0},    {LAW_NEEDLE, 0, 0, 0},  {LAW_CONSTANT, 1, 0, 0},
    {LAW_INTS, 0, 8, 0},       {LAW_SORTED, 1, 0, 0},  {LAW_PAGED, 16, 0, 0},
    {LAW_BERNOULLI, .5, 0, 0}, {LAW_CLUSTER, 3, 8, 0}, {LAW_PEAKS, 64, 16, 0},
    {LAW_PAGED, 16, 1, 0},     {LAW_TIES, -40, 40, 0}, {LAW_BANDS, 0, 1, 0},
};
static const enum dtype types[] = {DT_F32, DT_F16, DT_BF16, DT_F8E4M3, DT_F8E5M2, DT_F64};
static const int64_t row_lens[] = {393216, 1001, 64, 15, 3};

struct fill_case {
    struct law law;
    enum dtype type;
    int64_t row_len;
};

/* Those of the first five laws in every type, the others in f32; and f32 with rows of every length
 * for the three large ones that depend on it. */
static bool is_wanted(size_t law, size_t type, size_t row)
{
    if (row > 0)
        return type == 0 && (laws[law].kind == LAW_SPREAD || laws[law].kind == LAW_NEEDLE ||
                             laws[law].kind == LAW_HEAVY);
    return type == 0 || law < 5;
}

/* Elements from at on, against the CPU's one by one. */
static int look(const struct fill_case *c, const struct mem *m, int64_t at, struct err *err)
{
    struct law_fill f = law_fill_of(&c->law, SEED, c->row_len);
    size_t size = dtype_size(c->type);
    char got[LOOK * 8], want[8];

    if (ops->download(ctx, m, (size_t)at * size, got, LOOK * size, err) < 0)
        return -1;
    for (int64_t i = 0; i < LOOK; i++) {
        dtype_store(c->type, want, (double)law_real(&f, at + i));
        if (memcmp(got + (size_t)i * size, want, size) != 0)
            return fail(err, ERR_DEVICE, "element %lld is not the CPU's", (long long)(at + i));
    }
    return 0;
}

static int measure(const struct fill_case *c, const struct options *o, struct mem *m,
                   double *ret_ms, struct err *err)
{
    int64_t rows = MAX(1, o->elements / c->row_len), n = rows * c->row_len;
    struct shape shape = {2, {rows, c->row_len}};

    *ret_ms = INFINITY;
    for (int64_t k = 0; k < o->repeats; k++) {
        uint64_t start = clock_ns();

        if (ops->fill(ctx, &(struct device_fill){m, 0, &c->law, SEED, c->type, &shape}, err) < 0)
            return -1;
        *ret_ms = fmin(*ret_ms, clock_ms_since(start));
    }
    return look(c, m, 0, err) < 0 || look(c, m, n / 3, err) < 0 || look(c, m, n - LOOK, err) < 0
               ? -1
               : 0;
}

/* 1 when the case went wrong. */
static int report(const struct fill_case *c, const struct options *o, struct mem *m, json_t *rows)
{
    struct err err = ERR_INIT;
    double ms = 0, gb = (double)o->elements * (double)dtype_size(c->type) / 1e9;
    int rc = measure(c, o, m, &ms, &err);

    printf("%-10s %-7s %8lld %9.3f %8.0f  %s\n", law_name(c->law.kind), dtype_name(c->type),
           (long long)c->row_len, ms, gb / ms * 1e3, rc < 0 ? err.text : "");
    json_array_append_new(rows,
                          json_pack("{s:s, s:s, s:I, s:f, s:s}", "law", law_name(c->law.kind),
                                    "dtype", dtype_name(c->type), "row", (json_int_t)c->row_len,
                                    "ms", ms, "error", rc < 0 ? err.text : ""));
    return rc < 0;
}

static int write_json(const struct options *o, json_t *rows, struct err *err)
{
    struct device_info info;
    json_t *all = NULL;
    char *text = NULL;
    int rc = -1;

    if (ops->describe(ctx, &info, err) < 0)
        return -1;
    all = json_pack("{s:s, s:s, s:I, s:O}", "device", info.name, "driver", info.driver, "elements",
                    (json_int_t)o->elements, "fills", rows);
    text = all ? json_dumps(all, JSON_INDENT(1)) : NULL;
    if (text)
        rc = fs_write_atomic(o->json, text, strlen(text), err);
    free(text);
    json_decref(all);
    return rc;
}

static int run(const struct options *o, json_t *rows, struct err *err)
{
    struct mem m = MEM_INIT;
    uint64_t start = clock_ns();
    int failures = 0;

    if (ops->mem_alloc(ctx, MEM_PRIVATE, (size_t)o->elements * 8, &m, err) < 0)
        return -1;
    printf("%-10s %-7s %8s %9s %8s\n", "law", "type", "row", "ms", "GB/s");
    for (size_t r = 0; r < ARRAY_SIZE(row_lens); r++)
        for (size_t t = 0; t < ARRAY_SIZE(types); t++)
            for (size_t l = 0; l < ARRAY_SIZE(laws); l++) {
                struct fill_case c = {laws[l], types[t], row_lens[r]};

                if (is_wanted(l, t, r) && clock_ms_since(start) / 1e3 < o->limit_s)
                    failures += report(&c, o, &m, rows);
            }
    ops->mem_free(ctx, &m);
    return o->json && write_json(o, rows, err) < 0 ? -1 : failures;
}

static const struct opt option_table[] = {
    {"elements", 0, OPT_INT, offsetof(struct options, elements), "N", "of a tensor", NULL, 1 << 19,
     0x1p34},
    {"repeats", 0, OPT_INT, offsetof(struct options, repeats), "N", "fills, of which the shortest",
     NULL, 1, 1000},
    {"limit-s", 0, OPT_DOUBLE, offsetof(struct options, limit_s), "N", "start nothing after", NULL,
     0, 0},
    {"json", 0, OPT_STRING, offsetof(struct options, json), "FILE", "the figures", NULL, 0, 0},
    {NULL, 0, OPT_FLAG, 0, NULL, NULL, NULL, 0, 0},
};

int main(int argc, char **argv)
{
    struct err err = ERR_INIT;
    struct options o = {.elements = 4096LL * 393216, .repeats = 5, .limit_s = 1e9};
    json_t *rows = json_array();
    int rc = bench_options("fill_gpu", option_table, &o, argc, argv);
    if (rc == 0)
        rc = bench_needs_gpu();
    if (rc)
        return rc;
    if (ops->open(0, &ctx, &err) < 0) {
        fprintf(stderr, "fill_gpu: %s\n", err.text);
        return 5;
    }
    rc = run(&o, rows, &err);
    if (rc < 0)
        fprintf(stderr, "fill_gpu: %s\n", err.text);
    json_decref(rows);
    ops->close(ctx);
    return rc != 0;
}
