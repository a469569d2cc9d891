/* SPDX-License-Identifier: MIT */
/* The judge's own kernels, one by one, at the sizes of the problems for which they take longest:
 * milliseconds, and the rate at which they move memory or add. Each is the shortest of several
 * runs, by events. Prints a table, and writes its figures to a file as JSON.
 *
 *     kernels_gpu [--only PART-OF-A-NAME] [--divide N] [--limit-s N] [--json FILE]
 *
 * --divide makes everything N times smaller (for an emulated GPU). Exits 77 without a GPU. */
#include "gpu_bench.h"

#include "base/clock.h"
#include "base/fs.h"
#include "gpu/gpu.h"
#include "gpu/gpu_ctx.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 42

struct options {
    const char *only, *json;
    double divide, limit_s;
};

/* Memory that all share: as much as the largest of each takes. */
enum room { ROOM_Y, ROOM_GOT, ROOM_TO, ROOM_ROWS, ROOM_COUNT };

static const struct device_judge_ops *ops = &cuda_judge_ops;
static struct cuda_ctx *ctx;
static struct ops_engine engine;
static struct mem rooms[ROOM_COUNT];
static double divide = 1;

static int64_t scaled(double n)
{
    return n / divide < 1 ? 1 : (int64_t)(n / divide);
}

static void *at(enum room r)
{
    return (void *)rooms[r].handle;
}

/* A kernel that gpu_launch() takes, or a comparison. */
struct work {
    int kernel;
    int64_t threads, blocks; /* blocks > 0: just so many */
    const void *args;
    enum dtype compare; /* DT_COUNT: not a comparison */
    struct cuda_compare job;
};

static int queue(struct cuda_ctx *c, void *arg, struct err *err)
{
    struct work *w = arg;
    struct gpu *g = engine.ctx;

    if (w->compare < DT_COUNT) {
        int64_t chunks = (w->job.n + CUDA_COMPARE_CHUNK - 1) / CUDA_COMPARE_CHUNK;
        CUdeviceptr parts = (CUdeviceptr)at(ROOM_TO);
        void *args[] = {&w->job, &parts};

        return cuda_launch(c, c->compare[w->compare], (unsigned)MIN(chunks, CUDA_COMPARE_BLOCKS),
                           args, "compare", err);
    }
    if (w->blocks > 0)
        return gpu_launch_blocks(g, w->kernel, w->blocks, (void *)w->args, err);
    return gpu_launch(g, w->kernel, w->threads, (void *)w->args, err);
}

/* ---- what is measured ---- */

static json_t *rows;
static const struct options *options;
static uint64_t start_ns;

static int measure(const char *name, struct work *w, double bytes, double flops, struct err *err)
{
    double s = 0;

    if (!strstr(name, options->only))
        return 0;
    if (clock_ms_since(start_ns) / 1e3 > options->limit_s) {
        printf("%-44s not started\n", name);
        return 0;
    }
    if (cuda_shortest(ctx, queue, w, &s, err) < 0)
        return -1;
    printf("%-44s %9.3f %9.2f %9.0f %9.2f\n", name, s * 1e3, bytes / 1e9,
           s > 0 ? bytes / s / 1e9 : 0, s > 0 ? flops / s / 1e12 : 0);
    json_array_append_new(rows,
                          json_pack("{s:s, s:f, s:f, s:f, s:f, s:f}", "name", name, "ms", s * 1e3,
                                    "bytes", bytes, "gb_s", s > 0 ? bytes / s / 1e9 : 0, "flops",
                                    flops, "tflop_s", s > 0 ? flops / s / 1e12 : 0));
    return 0;
}

static int fill(enum room r, enum dtype t, int64_t n, double deviation, struct err *err)
{
    struct law law = {LAW_NORMAL, 0, deviation, 0};
    struct shape shape = {1, {n}};

    return ops->fill(ctx, &(struct device_fill){&rooms[r], 0, &law, SEED, t, &shape}, err);
}

/* y as wide as got, so that nothing is off. */
static int make_exact(enum dtype t, int64_t n, struct err *err)
{
    struct op_job j = {.kind = OP_JOB_CONVERT,
                       .store = STORE_F64,
                       .in = {at(ROOM_GOT)},
                       .type = {t},
                       .in_count = {n},
                       .y = at(ROOM_Y),
                       .count = n,
                       .convert = {.to = STORE_F64}};

    return gpu_run_convert(engine.ctx, &j, err);
}

/* The judge gets the kernel when it first compares. */
static int get_compare(enum dtype t, int64_t row, struct err *err)
{
    struct compare_scale scale = {.row_len = row};
    struct compare_stats ignored;

    return ops->compare(ctx,
                        &(struct device_compare){&rooms[ROOM_Y], 0, &rooms[ROOM_GOT], 0, t, row,
                                                 &scale, &rooms[ROOM_ROWS], 0, NULL},
                        &ignored, err);
}

static int compares(struct err *err)
{
    static const struct {
        const char *name;
        enum dtype type;
        double rows, row_len;
        bool exact;
    } cases[] = {
        {"compare_f32, rows of 393216", DT_F32, 4096, 393216, false},
        {"compare_f32, rows of 393216, exact", DT_F32, 4096, 393216, true},
        {"compare_f32, rows of 1022", DT_F32, 16 * 128 * 1022, 1022, false},
        {"compare_f32, rows of 17", DT_F32, 6e7, 17, false},
        {"compare_f64, rows of 393216", DT_F64, 4096, 393216, false},
        {"compare_bf16, rows of 4096", DT_BF16, 262144, 4096, false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        enum dtype t = cases[i].type;
        int64_t row = (int64_t)cases[i].row_len, n = scaled(cases[i].rows) * row;
        struct work w = {.compare = t,
                         .job = {.y = at(ROOM_Y), .got = at(ROOM_GOT), .n = n, .row_len = row}};

        if (!strstr(cases[i].name, options->only))
            continue;
        /* A double that is off has another deviation. */
        if (fill(ROOM_Y, DT_F64, n, t == DT_F64 ? 1 + 1e-9 : 1, err) < 0 ||
            fill(ROOM_GOT, t, n, 1, err) < 0 || (cases[i].exact && make_exact(t, n, err) < 0) ||
            ops->row_rms(ctx, &rooms[ROOM_Y], 0, n, row, &rooms[ROOM_ROWS], 0, err) < 0)
            return -1;
        w.job.row_rms = at(ROOM_ROWS);
        if (get_compare(t, row, err) < 0)
            return -1;
        if (measure(cases[i].name, &w, (double)n * (8 + (double)dtype_size(t)), 0, err) < 0)
            return -1;
    }
    return 0;
}

/* A reduction of [outputs][terms] over the second axis. */
static struct gpu_reduce reduction(enum op_code op, enum room from, enum dtype t, int64_t outputs,
                                   int64_t terms)
{
    return (struct gpu_reduce){
        .x = {at(from), (int)t},
        .y = at(ROOM_TO),
        .r = {.kept = {1, {outputs}, {terms}}, .reduced = {1, {terms}, {1}}, .span = {terms, 0}},
        .n = outputs,
        .parts = 1,
        .chunk = terms,
        .group = CUDA_THREADS,
        .op = (int)op};
}

static int reductions(struct err *err)
{
    static const double few[] = {4096, 128};
    int64_t terms = 393216, outputs = scaled(4096);
    struct gpu_reduce max = reduction(OP_MAX, ROOM_GOT, DT_F32, outputs, terms);
    struct gpu_reduce sum = reduction(OP_SUM, ROOM_GOT, DT_F32, outputs, terms);
    struct work w = {.compare = DT_COUNT, .args = &max, .threads = outputs * CUDA_THREADS};
    double bytes = 4.0 * (double)(outputs * terms);

    if (fill(ROOM_GOT, DT_F32, outputs * terms, 1, err) < 0)
        return -1;
    w.kernel = GPU_reduce_groups + STORE_F32;
    if (measure("reduce_groups_f32, max", &w, bytes, 0, err) < 0)
        return -1;
    w.kernel = GPU_reduce_groups + STORE_F64;
    w.args = &sum;
    if (measure("reduce_groups_f64, sum of f32", &w, bytes, 0, err) < 0)
        return -1;
    w.kernel = GPU_reduce_lanes_f32;
    w.threads = outputs * ITEM_LANES / 4;
    if (measure("reduce_lanes_f32", &w, bytes + 4.0 * (double)(outputs * ITEM_LANES), 0, err) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(few); i++) {
        struct gpu_reduce a =
            reduction(OP_SUM, ROOM_GOT, DT_F32, MIN(scaled(few[i]), outputs), terms);
        AUTO(freep) char *name = xasprintf("combine_lanes_f32, %.0f outputs", few[i]);

        w = (struct work){.compare = DT_COUNT, .kernel = GPU_combine_lanes_f32, .args = &a};
        w.blocks = a.n;
        if (measure(name, &w, 4.0 * (double)(a.n * ITEM_LANES), 0, err) < 0)
            return -1;
    }
    return 0;
}

/* [rows][393216] with one number to a row: ops of their own, and two in one pass. */
static int elementwise(struct err *err)
{
    static const struct {
        const char *name;
        enum store store;
        enum dtype x;
        int n_steps;
        enum op_code first; /* with the row; then exp */
    } cases[] = {
        {"elementwise f64, x - row", STORE_F64, DT_F64, 1, OP_SUB},
        {"elementwise f32, x - row", STORE_F32, DT_F32, 1, OP_SUB},
        {"elementwise f64, x / row", STORE_F64, DT_F64, 1, OP_DIV},
        {"elementwise f64, exp(x)", STORE_F64, DT_F64, 1, OP_EXP},
        {"elementwise f64, exp(x - row)", STORE_F64, DT_F64, 2, OP_SUB},
        {"elementwise f64, exp(x - row), x f32", STORE_F64, DT_F32, 2, OP_SUB},
        {"elementwise f32, exp(x - row)", STORE_F32, DT_F32, 2, OP_SUB},
    };
    int64_t width = 393216, height = scaled(4096), n = height * width;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        enum store store = cases[i].store;
        struct gpu_pass a = {
            .in = {{at(ROOM_Y), (int)cases[i].x}, {at(ROOM_ROWS), (int)store_dtype(store)}},
            .pass = {.n_steps = cases[i].n_steps,
                     .steps = {{.op = (int)cases[i].first, .with = 1}, {.op = OP_EXP}},
                     .ax = {{1, {n}, {1}}, {2, {height, width}, {1, 0}}}},
            .y = at(ROOM_TO),
            .n = n,
            .ahead_bytes = (int)dtype_size(cases[i].x)};
        struct work w = {.compare = DT_COUNT,
                         .kernel = GPU_pass + (int)store,
                         .threads = (n + 3) / 4,
                         .args = &a};
        double bytes = (double)dtype_size(cases[i].x) + (double)gpu_store_size(store);

        if (!strstr(cases[i].name, options->only))
            continue;
        if (fill(ROOM_Y, cases[i].x, n, 1, err) < 0 ||
            fill(ROOM_ROWS, store_dtype(store), height, 1, err) < 0 ||
            measure(cases[i].name, &w, bytes * (double)n, 0, err) < 0)
            return -1;
    }
    return 0;
}

/* As the convolutions of level1/63 and level2/11 are cut. */
static const struct {
    const char *name;
    struct conv_args c;
} convolutions[] = {
    {"conv2d 16 x 1024 x 1024, 3 x 3",
     {.n = 1,
      .c = 16,
      .o = 128,
      .groups = 1,
      .in = {1, 1024, 1024},
      .out = {1, 1022, 1022},
      .k = {1, 3, 3},
      .stride = {1, 1, 1},
      .dilation = {1, 1, 1},
      .span = {144, 0}}},
    {"conv_transpose2d 64 x 32 x 32, 5 x 5",
     {.n = 72,
      .c = 64,
      .o = 128,
      .groups = 1,
      .in = {1, 32, 32},
      .out = {1, 34, 34},
      .k = {1, 5, 5},
      .stride = {1, 1, 1},
      .pad = {0, 1, 1},
      .dilation = {1, 1, 1},
      .transposed = 1,
      .span = {1600, 0}}},
};

static int columns(const char *name, struct conv_args c, enum store store, struct err *err)
{
    struct gpu_columns a = {
        .c = c, .x = {at(ROOM_GOT), DT_F32}, .to = at(ROOM_TO), .images = scaled((double)c.n)};
    int64_t shares = (c.span.count + GPU_COLUMN_TERMS - 1) / GPU_COLUMN_TERMS;
    struct work w = {.compare = DT_COUNT, .kernel = GPU_columns + (int)store, .args = &a};
    AUTO(freep) char *label = xasprintf("columns_%s, %s", store == STORE_F64 ? "f64" : "f32", name);
    double read, written;

    conv_phase(&c, 0, &a.phase);
    a.n = scaled((double)a.phase.places);
    w.threads = a.images * shares * ((a.n + GPU_COLUMN_PLACES - 1) / GPU_COLUMN_PLACES);
    w.threads *= CUDA_THREADS;
    read = 4.0 * (double)(a.images * c.c * c.in[1] * c.in[2]);
    written = (double)gpu_store_size(store) * (double)(a.images * c.span.count * a.n);
    return measure(label, &w, read + written, 0, err);
}

/* c[m][n] = a[m][k] b[k][n] */
static int product(int64_t m, int64_t n, int64_t k, struct err *err)
{
    struct gpu_product q = {.g = {m, n, {k, 0}, k, 1, n, 1, n, 1},
                            .batch = 1,
                            .batch_a = {1, {1}, {0}},
                            .batch_b = {1, {1}, {0}},
                            .a = at(ROOM_ROWS),
                            .b = at(ROOM_GOT),
                            .c = at(ROOM_TO)};
    struct work w = {.compare = DT_COUNT, .kernel = GPU_product_large_f32, .args = &q};
    AUTO(freep)
    char *name = xasprintf("product_large_f32, %lld x %lld x %lld", (long long)m, (long long)n,
                           (long long)k);

    w.blocks =
        ((m + GPU_LARGE_TILE - 1) / GPU_LARGE_TILE) * ((n + GPU_LARGE_TILE - 1) / GPU_LARGE_TILE);
    return measure(name, &w, 4.0 * (double)(m * k + k * n + m * n),
                   2.0 * (double)m * (double)n * (double)k, err);
}

static int contractions(struct err *err)
{
    for (size_t i = 0; i < ARRAY_SIZE(convolutions); i++)
        for (int store = STORE_F64; store <= STORE_F32; store++)
            if (columns(convolutions[i].name, convolutions[i].c, (enum store)store, err) < 0)
                return -1;
    if (product(128, scaled(1022 * 1022), 144, err) < 0 ||
        product(128, scaled(1156 * 72), 1600, err) < 0)
        return -1;
    return product(4096, scaled(4096), 4096, err);
}

/* ---- the program ---- */

static int write_json(const char *path, struct err *err)
{
    struct device_info info;
    json_t *all;
    char *text;
    int rc = -1;

    if (ops->describe(ctx, &info, err) < 0)
        return -1;
    all = json_pack("{s:s, s:s, s:f, s:O}", "device", info.name, "driver", info.driver, "divide",
                    divide, "kernels", rows);
    text = all ? json_dumps(all, JSON_INDENT(1)) : NULL;
    if (text)
        rc = fs_write_atomic(path, text, strlen(text), err);
    free(text);
    json_decref(all);
    return rc;
}

static int run(struct err *err)
{
    static const double most[ROOM_COUNT] = {17.2e9, 12.9e9, 12.9e9, 0.5e9};
    int rc;

    for (int i = 0; i < ROOM_COUNT; i++) {
        rooms[i] = (struct mem)MEM_INIT;
        if (ops->mem_alloc(ctx, MEM_PRIVATE, (size_t)(most[i] / divide) + (64 << 20), &rooms[i],
                           err) < 0)
            return -1;
    }
    printf("%-44s %9s %9s %9s %9s\n", "kernel", "ms", "GB", "GB/s", "TFLOP/s");
    rc = compares(err);
    if (rc == 0)
        rc = reductions(err);
    if (rc == 0)
        rc = elementwise(err);
    if (rc == 0)
        rc = contractions(err);
    if (options->json && write_json(options->json, rc < 0 ? &(struct err)ERR_INIT : err) < 0)
        rc = -1; /* what was measured is kept, whatever failed later */
    for (int i = 0; i < ROOM_COUNT; i++)
        ops->mem_free(ctx, &rooms[i]);
    return rc;
}

static const struct opt option_table[] = {
    {"only", 0, OPT_STRING, offsetof(struct options, only), "PART", "of a kernel's name", NULL, 0,
     0},
    {"divide", 0, OPT_DOUBLE, offsetof(struct options, divide), "N", "all sizes by", NULL, 0, 0},
    {"limit-s", 0, OPT_DOUBLE, offsetof(struct options, limit_s), "N", "start none after", NULL, 0,
     0},
    {"json", 0, OPT_STRING, offsetof(struct options, json), "FILE", "the figures", NULL, 0, 0},
    {NULL, 0, OPT_FLAG, 0, NULL, NULL, NULL, 0, 0},
};

int main(int argc, char **argv)
{
    struct err err = ERR_INIT;
    struct options o = {.only = "", .divide = 1, .limit_s = 60};
    void *opened = NULL;
    int rc = bench_options("kernels_gpu", option_table, &o, argc, argv);
    /* An emulated driver has no device node that a probe would find. */
    if (rc == 0 && o.divide <= 1)
        rc = bench_needs_gpu();
    if (rc)
        return rc;
    if (ops->open(0, &opened, &err) < 0 || gpu_engine_open(opened, &engine, &err) < 0) {
        fprintf(stderr, "kernels_gpu: %s\n", err.text);
        return 5;
    }
    ctx = opened;
    options = &o;
    divide = o.divide >= 1 ? o.divide : 1;
    start_ns = clock_ns();
    rows = json_array();
    rc = run(&err);
    if (rc < 0)
        fprintf(stderr, "kernels_gpu: %s\n", err.text);
    json_decref(rows);
    gpu_engine_close(&engine);
    ops->close(ctx);
    return rc < 0;
}
