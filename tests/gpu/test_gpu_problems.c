/* SPDX-License-Identifier: MIT */
/* covers: src/gpu/gpu_engine.c */
/* Every problem at its small sizes: what the GPU's engine gives against what the host's gives. Runs
 * where libcuda.so.1 is: a GPU's, or the emulation of tests/emu, whose floats are the host's bit
 * for bit ("exact"). Elementwise ops give the same bits and hold no more memory in common passes
 * than each in its own. usage: test_gpu_problems SHARE [PART-OF-A-NAME] [exact] */
#include "base/clock.h"
#include "base/fs.h"
#include "device/cuda/cuda_judge.h"
#include "gpu/gpu.h"
#include "gpu/gpu_ctx.h"
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 20240607
/* Times the host's own error in float: the GPU's exp and tanh are other ones, good to an ulp or two
 * where the host's are to half of one. */
#define FLOAT_SHARE 16.0
#define DOUBLE_MOST 1e-11

static const struct device_judge_ops *ops = &cuda_judge_ops;
static void *ctx;
static struct ops_engine engine;
static struct err err;
static int passed, failed, fewer;
static bool exact;

struct tensors {
    void **host;
    struct mem *device;
    void **address;
    int n;
};

static void make(struct tensors *t, int n)
{
    t->n = n;
    t->host = xcalloc((size_t)n, sizeof(*t->host));
    t->device = xcalloc((size_t)n, sizeof(*t->device));
    t->address = xcalloc((size_t)n, sizeof(*t->address));
}

static bool add(struct tensors *t, int i, size_t bytes)
{
    t->host[i] = xcalloc(1, bytes);
    if (ops->mem_alloc(ctx, MEM_PRIVATE, bytes, &t->device[i], &err) < 0)
        return false;
    t->address[i] = (void *)t->device[i].handle;
    return true;
}

static void drop(struct tensors *t)
{
    for (int i = 0; i < t->n; i++) {
        free(t->host[i]);
        ops->mem_free(ctx, &t->device[i]);
    }
    free(t->host);
    free(t->device);
    free(t->address);
}

static int64_t output_count(const struct graph *g, int i)
{
    return shape_count(&g->nodes[g->outputs[i].node].shape);
}

static bool draw(const struct graph *g, int law, struct tensors *in, struct tensors *out)
{
    make(in, g->n_sources);
    make(out, g->n_outputs);
    for (int i = 0; i < g->n_sources; i++) {
        const struct source *s = &g->sources[i];
        size_t bytes = (size_t)shape_count(&s->shape) * dtype_size(s->dtype);

        if (!add(in, i, bytes))
            return false;
        const struct law *drawn = &s->laws[law % s->n_laws];

        fill_tensor(drawn, fill_seed(SEED, (uint64_t)law, law_tensor(drawn, i)), s->dtype,
                    &s->shape, in->host[i]);
        if (ops->upload(ctx, &in->device[i], 0, in->host[i], bytes, &err) < 0)
            return false;
    }
    for (int i = 0; i < g->n_outputs; i++) {
        if (!add(out, i, (size_t)output_count(g, i) * 8))
            return false;
    }
    return true;
}

/* RMS of the difference over the RMS of want, where both are finite; infinite where only one is. */
static double distance(const double *got, const double *want, int64_t n)
{
    double d = 0, w = 0;

    for (int64_t i = 0; i < n; i++) {
        if (got[i] == want[i] || (isnan(got[i]) && isnan(want[i]))) {
            w += isfinite(want[i]) ? want[i] * want[i] : 0;
            continue;
        }
        if (!isfinite(got[i]) || !isfinite(want[i]))
            return INFINITY;
        d += (got[i] - want[i]) * (got[i] - want[i]);
        w += want[i] * want[i];
    }
    return d == 0 ? 0 : w > 0 ? sqrt(d / w) : INFINITY;
}

static double distance_i64(const int64_t *got, const int64_t *want, int64_t n)
{
    return memcmp(got, want, (size_t)n * 8) ? INFINITY : 0;
}

struct run {
    const char *name;
    struct ops_run run;
};

/* The worst of all outputs, with the GPU's results in *got (freed here) against those in out->host;
 * negative: it could not be run. */
static double compare_run(const struct graph *g, const struct ops_run *run, struct tensors *in,
                          struct tensors *out, double *const *reference, double *ret_own)
{
    double worst = 0;

    *ret_own = 0;
    if (engine.eval(engine.ctx, g, run, (const void *const *)in->address, out->address, &err) < 0 ||
        ops_eval(g, run, (const void *const *)in->host, out->host, &err) < 0)
        return -1;
    for (int i = 0; i < g->n_outputs; i++) {
        int64_t n = output_count(g, i);
        bool is_float = dtype_is_float(g->nodes[g->outputs[i].node].dtype);
        AUTO(freep) void *got = xmalloc((size_t)n * 8);

        if (ops->download(ctx, &out->device[i], 0, got, (size_t)n * 8, &err) < 0)
            return -1;
        worst = fmax(worst, is_float ? distance(got, out->host[i], n)
                                     : distance_i64(got, out->host[i], n));
        if (is_float && reference && reference[i])
            *ret_own = fmax(*ret_own, distance(out->host[i], reference[i], n));
    }
    return worst;
}

/* The GPU's results in one allocation, or NULL. */
static char *results_of(const struct graph *g, const struct ops_run *run, int most_steps,
                        struct tensors *in, struct tensors *out, size_t *ret_bytes)
{
    struct gpu *gpu = engine.ctx;
    size_t bytes = 0;
    char *all;
    int rc;

    gpu->most_steps = most_steps;
    rc = engine.eval(engine.ctx, g, run, (const void *const *)in->address, out->address, &err);
    gpu->most_steps = PASS_MAX_STEPS;
    for (int i = 0; i < g->n_outputs; i++)
        bytes += (size_t)output_count(g, i) * 8;
    all = xmalloc(bytes);
    *ret_bytes = 0;
    for (int i = 0; rc == 0 && i < g->n_outputs; i++) {
        size_t size = (size_t)output_count(g, i) * 8;

        rc = ops->download(ctx, &out->device[i], 0, all + *ret_bytes, size, &err);
        *ret_bytes += size;
    }
    if (rc < 0)
        freep(&all);
    return all;
}

static double held_bytes(const struct graph *g, enum ops_precision precision, int most_steps)
{
    struct gpu *gpu = engine.ctx;
    double held;

    gpu->most_steps = most_steps;
    held = engine.peak_bytes(engine.ctx, g, precision);
    gpu->most_steps = PASS_MAX_STEPS;
    return held;
}

/* How far passes of several ops are from passes of one: infinitely, or not at all. */
static double compare_passes(const struct graph *g, const struct ops_run *run, struct tensors *in,
                             struct tensors *out)
{
    size_t n = 0, n_alone = 0;
    AUTO(freep) char *got = results_of(g, run, PASS_MAX_STEPS, in, out, &n);
    AUTO(freep) char *alone = results_of(g, run, 1, in, out, &n_alone);
    double held = held_bytes(g, run->precision, PASS_MAX_STEPS),
           held_alone = held_bytes(g, run->precision, 1);

    if (!got || !alone)
        return -1;
    fewer += held < held_alone;
    return n == n_alone && !memcmp(got, alone, n) && held <= held_alone ? 0 : INFINITY;
}

static void report(const char *name, const char *what, double worst, double allowed)
{
    if (worst >= 0 && worst <= allowed) {
        passed++;
        return;
    }
    failed++;
    printf("FAILED %s, %s: off by %.3g, allowed %.3g %s\n", name, what, worst, allowed,
           worst < 0 ? err.text : "");
}

static void keep(const struct graph *g, const struct tensors *out, double **ret)
{
    for (int i = 0; i < g->n_outputs; i++) {
        ret[i] = xmalloc((size_t)output_count(g, i) * 8);
        memcpy(ret[i], out->host[i], (size_t)output_count(g, i) * 8);
    }
}

static void try_graph(const char *name, const struct graph *g, int law)
{
    bool contracts = ops_contracts(g);
    const struct run runs[] = {
        {"double", {.precision = OPS_DOUBLE}},
        {"float", {.precision = OPS_FLOAT}},
        {"float, order 5", {.precision = OPS_FLOAT, .rotation = 5}},
        {"truncated", {.precision = OPS_FLOAT, .truncate = true}},
        {"rounded",
         {.precision = OPS_FLOAT,
          .round_operands = contracts ? ROUND_TF32 : ROUND_NONE,
          .round_storage = contracts ? ROUND_NONE : ROUND_BF16}},
    };
    AUTO(freep) double **reference = xcalloc((size_t)g->n_outputs, sizeof(*reference));
    struct tensors in, out;

    if (!draw(g, law, &in, &out)) {
        report(name, "memory", -1, 0);
    } else {
        for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
            double own, worst = compare_run(g, &runs[i].run, &in, &out, i ? reference : NULL, &own);

            report(name, runs[i].name, worst, i == 0 ? DOUBLE_MOST : exact ? 0 : FLOAT_SHARE * own);
            if (i == 0)
                keep(g, &out, reference);
            if (i < 2)
                report(name, i ? "passes in float" : "passes in double",
                       compare_passes(g, &runs[i].run, &in, &out), 0);
        }
    }
    for (int i = 0; i < g->n_outputs; i++)
        free(reference[i]);
    drop(&in);
    drop(&out);
}

static void try_problem(const struct problem_ref *ref)
{
    AUTO(problem_freep) struct problem *p = NULL;

    if (problem_load(ref->path, ref->name, &p, &err) < 0) {
        report(ref->name, "loading", -1, 0);
        return;
    }
    for (int i = 0; i < p->n_sizes[SIZES_SMALL]; i++) {
        const struct graph *g = p->sizes[SIZES_SMALL][i].graph;

        for (int law = 0; law < (exact ? 1 : g->n_laws); law++)
            try_graph(ref->name, g, law);
    }
}

int main(int argc, char **argv)
{
    const char *share = argc > 1 ? argv[1] : ".", *only = argc > 2 ? argv[2] : "", *why = "";
    struct problem_ref *refs = NULL;
    uint64_t start = clock_ns();
    int n = 0;

    exact = argc > 3 && !strcmp(argv[3], "exact");
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!exact && device_cuda.probe(&why) <= 0) {
        printf("skipped: %s\n0 passed, 0 failed, 1 skipped\n", why);
        return 77;
    }
    if (ops->open(0, &ctx, &err) < 0 || gpu_engine_open(ctx, &engine, &err) < 0 ||
        problem_list(share, NULL, 0, &refs, &n, &err) < 0) {
        printf("FAILED open: %s\n0 passed, 1 failed, 0 skipped\n", err.text);
        return 1;
    }
    printf("opened in %.0f ms", clock_ms_since(start));
    printf(", with %s in %.0f ms\n", gpu_engine_blas(&engine), clock_ms_since(start));
    for (int i = 0; i < n; i++) {
        if (strstr(refs[i].name, only))
            try_problem(&refs[i]);
    }
    printf("%.1f s; common passes hold less memory in %d cases\n", clock_ms_since(start) / 1e3,
           fewer);
    problem_refs_free(refs, n);
    gpu_engine_close(&engine);
    ops->close(ctx);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
