/* SPDX-License-Identifier: MIT */
/* Expected values on the GPU. For every problem at full size, inputs are drawn on the device and
 * the graph is evaluated: in double, cold and warm, and in float (the honest run). Prints a table,
 * and writes its figures to a file as JSON.
 *
 *     expected_gpu [--share DIR] [--only PART-OF-A-NAME] [--limit-s N] [--json FILE] [--dry-run]
 *
 * --dry-run evaluates nothing and shows the memory that each would take. Exits 77 without a GPU. */
#include "gpu_bench.h"

#include "base/clock.h"
#include "base/fs.h"
#include "device/cuda/cuda_judge.h"
#include "gpu/gpu.h"
#include "problem/problem.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 42

struct options {
    const char *share, *only, *json;
    double limit_s;
    bool dry_run;
};

struct figures {
    double cold_ms, warm_ms, float_ms, peak_gb, float_peak_gb, planned_gb, total_gb, gflop;
};

static const struct device_judge_ops *ops = &cuda_judge_ops;
static void *ctx;
static struct ops_engine engine;

struct tensors {
    struct mem *mem;
    void **address;
    int n;
};

static void tensors_release(struct tensors *t)
{
    for (int i = 0; t->mem && i < t->n; i++)
        ops->mem_free(ctx, &t->mem[i]);
    free(t->mem);
    free(t->address);
}

static int tensors_make(struct tensors *t, int n, const double *bytes, struct err *err)
{
    t->n = n;
    t->mem = xcalloc((size_t)n, sizeof(*t->mem));
    t->address = xcalloc((size_t)n, sizeof(*t->address));
    for (int i = 0; i < n; i++) {
        t->mem[i] = (struct mem)MEM_INIT;
        if (ops->mem_alloc(ctx, MEM_PRIVATE, (size_t)bytes[i], &t->mem[i], err) < 0)
            return -1;
        t->address[i] = (void *)t->mem[i].handle;
    }
    return 0;
}

static int evaluate(const struct graph *g, enum ops_precision precision, const struct tensors *in,
                    const struct tensors *out, double *ret_ms, struct err *err)
{
    struct ops_run run = {.precision = precision,
                          .compensated = precision == OPS_FLOAT && g->tolerance.compensated};
    uint64_t start = clock_ns();

    if (engine.eval(engine.ctx, g, &run, (const void *const *)in->address, out->address, err) < 0)
        return -1;
    *ret_ms = clock_ms_since(start);
    return 0;
}

static int draw(const struct graph *g, const struct tensors *in, struct err *err)
{
    for (int i = 0; i < g->n_sources; i++) {
        const struct source *s = &g->sources[i];

        if (ops->fill(ctx,
                      &(struct device_fill){&in->mem[i], 0, &s->laws[0],
                                            fill_seed(SEED, 0, law_tensor(&s->laws[0], i)),
                                            s->dtype, &s->shape},
                      err) < 0)
            return -1;
    }
    return 0;
}

static int time_graph(const struct graph *g, const struct tensors *in, const struct tensors *out,
                      struct figures *f, struct err *err)
{
    gpu_engine_trim(&engine);
    gpu_engine_peak(&engine);
    if (draw(g, in, err) < 0 || evaluate(g, OPS_DOUBLE, in, out, &f->cold_ms, err) < 0 ||
        evaluate(g, OPS_DOUBLE, in, out, &f->warm_ms, err) < 0)
        return -1;
    f->peak_gb = gpu_engine_peak(&engine) / 1e9;
    if (evaluate(g, OPS_FLOAT, in, out, &f->float_ms, err) < 0)
        return -1;
    f->float_peak_gb = gpu_engine_peak(&engine) / 1e9;
    return 0;
}

static int measure(const struct graph *g, bool dry_run, struct figures *f, struct err *err)
{
    AUTO(tensors_release) struct tensors in = {NULL, NULL, 0};
    AUTO(tensors_release) struct tensors out = {NULL, NULL, 0};
    AUTO(freep) double *in_bytes = xcalloc((size_t)g->n_sources, sizeof(double));
    AUTO(freep) double *out_bytes = xcalloc((size_t)g->n_outputs, sizeof(double));
    struct cost cost;

    *f = (struct figures){0};
    graph_cost(g, &cost);
    f->gflop = cost_contract_total(&cost) / 1e9;
    f->planned_gb = engine.peak_bytes(engine.ctx, g, OPS_DOUBLE) / 1e9;
    f->total_gb = f->planned_gb;
    for (int i = 0; i < g->n_sources; i++) {
        in_bytes[i] =
            (double)shape_count(&g->sources[i].shape) * (double)dtype_size(g->sources[i].dtype);
        f->total_gb += in_bytes[i] / 1e9;
    }
    for (int i = 0; i < g->n_outputs; i++) {
        out_bytes[i] = (double)shape_count(&g->nodes[g->outputs[i].node].shape) * 8;
        f->total_gb += out_bytes[i] / 1e9;
    }
    if (dry_run)
        return 0;
    if (tensors_make(&in, g->n_sources, in_bytes, err) < 0 ||
        tensors_make(&out, g->n_outputs, out_bytes, err) < 0)
        return -1;
    return time_graph(g, &in, &out, f, err);
}

static void print_row(const char *name, const struct figures *f)
{
    printf("%-78.78s %8.1f %8.1f %8.1f %7.2f %7.2f %7.2f %8.0f %8.0f\n", name, f->cold_ms,
           f->warm_ms, f->float_ms, f->peak_gb, f->planned_gb, f->total_gb,
           f->warm_ms > 0 ? f->gflop / f->warm_ms * 1e3 : 0,
           f->float_ms > 0 ? f->gflop / f->float_ms * 1e3 : 0);
}

static json_t *row_json(const char *name, const struct figures *f, const char *error)
{
    return json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:s}", "name", name, "cold_ms",
                     f->cold_ms, "double_ms", f->warm_ms, "float_ms", f->float_ms, "peak_gb",
                     f->peak_gb, "float_peak_gb", f->float_peak_gb, "planned_gb", f->planned_gb,
                     "total_gb", f->total_gb, "gflop", f->gflop, "error", error);
}

static int measure_problem(const struct problem_ref *ref, const struct options *o,
                           struct figures *total, json_t *rows)
{
    AUTO(problem_freep) struct problem *p = NULL;
    struct err err = ERR_INIT;
    struct figures f = {0};
    int rc = problem_load(ref->path, ref->name, &p, &err);

    for (int i = 0; rc == 0 && i < p->n_sizes[SIZES_FULL]; i++) {
        AUTO(buf_release) struct buf row = BUF_INIT;

        rc = measure(p->sizes[SIZES_FULL][i].graph, o->dry_run, &f, &err);
        if (rc < 0)
            break;
        buf_addf(&row, "%s ", ref->name);
        size_print(&p->sizes[SIZES_FULL][i], &row);
        print_row(buf_str(&row), &f);
        json_array_append_new(rows, row_json(buf_str(&row), &f, ""));
        total->cold_ms += f.cold_ms;
        total->warm_ms += f.warm_ms;
        total->float_ms += f.float_ms;
        total->gflop += f.gflop;
        total->peak_gb = fmax(total->peak_gb, f.peak_gb);
        total->planned_gb = fmax(total->planned_gb, f.planned_gb);
        total->total_gb = fmax(total->total_gb, f.total_gb);
    }
    if (rc < 0) {
        printf("%-78.78s %s\n", ref->name, err.text);
        json_array_append_new(rows, row_json(ref->name, &f, err.text));
    }
    return rc;
}

static int write_json(const char *path, const struct figures *total, json_t *rows, struct err *err)
{
    struct device_info info;
    json_t *all = NULL;
    char *text = NULL;
    int rc = -1;

    if (ops->describe(ctx, &info, err) < 0)
        return -1;
    all = json_pack("{s:s, s:s, s:s, s:o, s:O}", "device", info.name, "driver", info.driver, "blas",
                    gpu_engine_blas(&engine), "total", row_json("total", total, ""), "problems",
                    rows);
    text = all ? json_dumps(all, JSON_INDENT(1)) : NULL;
    if (text)
        rc = fs_write_atomic(path, text, strlen(text), err);
    free(text);
    json_decref(all);
    return rc;
}

static const struct opt option_table[] = {
    {"share", 0, OPT_STRING, offsetof(struct options, share), "DIR", "where problems/ lies", NULL,
     0, 0},
    {"only", 0, OPT_STRING, offsetof(struct options, only), "PART", "of a problem's name", NULL, 0,
     0},
    {"json", 0, OPT_STRING, offsetof(struct options, json), "FILE", "the figures", NULL, 0, 0},
    {"limit-s", 0, OPT_DOUBLE, offsetof(struct options, limit_s), "N", "start no problem after",
     NULL, 0, 0},
    {"dry-run", 0, OPT_FLAG, offsetof(struct options, dry_run), NULL,
     "evaluate nothing, show the memory that each takes", NULL, 0, 0},
    {NULL, 0, OPT_FLAG, 0, NULL, NULL, NULL, 0, 0},
};

static int run(const struct options *o, struct err *err)
{
    struct problem_ref *refs = NULL;
    struct figures total = {0};
    json_t *rows = json_array();
    uint64_t start = clock_ns();
    int n = 0, failures = 0, i, rc = 0;

    if (problem_list(o->share, NULL, 0, &refs, &n, err) < 0)
        return -1;
    printf("%-78s %8s %8s %8s %7s %7s %7s %8s %8s\n", "problem", "cold ms", "f64 ms", "f32 ms",
           "peak GB", "planned", "with io", "f64 GF/s", "f32 GF/s");
    for (i = 0; i < n && clock_ms_since(start) / 1e3 < o->limit_s; i++) {
        if (strstr(refs[i].name, o->only))
            failures += measure_problem(&refs[i], o, &total, rows) < 0;
    }
    print_row("total (memory: most)", &total);
    if (i < n)
        printf("stopped by --limit-s at %s\n", refs[i].name);
    if (o->json)
        rc = write_json(o->json, &total, rows, err);
    json_decref(rows);
    problem_refs_free(refs, n);
    return rc < 0 ? -1 : failures;
}

int main(int argc, char **argv)
{
    struct err err = ERR_INIT;
    struct options o = {.share = ".", .only = "", .limit_s = 1e9};
    uint64_t start = clock_ns();
    int rc = bench_options("expected_gpu", option_table, &o, argc, argv);
    if (rc == 0 && !o.dry_run)
        rc = bench_needs_gpu();
    if (rc)
        return rc;
    if (ops->open(0, &ctx, &err) < 0 || gpu_engine_open(ctx, &engine, &err) < 0) {
        fprintf(stderr, "expected_gpu: %s\n", err.text);
        return 5;
    }
    printf("opened in %.0f ms", clock_ms_since(start));
    printf(", %s in %.0f ms\n", o.dry_run ? "no BLAS" : gpu_engine_blas(&engine),
           clock_ms_since(start));
    rc = run(&o, &err);
    if (rc < 0)
        fprintf(stderr, "expected_gpu: %s\n", err.text);
    gpu_engine_close(&engine);
    ops->close(ctx);
    return rc != 0;
}
