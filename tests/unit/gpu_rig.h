/* SPDX-License-Identifier: MIT */
/* The rig (ops_rig.h) on the emulated GPU: what the engine gives is what a test sees, after it was
 * held against the host's. In float the two are equal bit for bit: the emulation computes with the
 * same libm. */
#ifndef TESTS_GPU_RIG_H
#define TESTS_GPU_RIG_H

#include "emulated.h"

#include "device/cuda/cuda_judge.h"
#include "gpu/gpu.h"
#include "gpu/gpu_ctx.h"

#define RIG_FAULT "gpu" /* what to plan for its allocations to fail */

static const struct device_judge_ops *const judge = &cuda_judge_ops;
static void *judge_ctx;
static struct ops_engine engine;

static inline void gpu_open(bool with_blas)
{
    emulated_load(with_blas);
    if (judge->open(0, &judge_ctx, &err) < 0 || gpu_engine_open(judge_ctx, &engine, &err) < 0)
        fail_msg("%s", err.text);
}

/* The engine's own state, for tests that look into it. */
static inline struct gpu *gpu(void)
{
    if (!engine.ctx)
        gpu_open(true);
    return engine.ctx;
}

static inline struct mem on_device(const void *data, size_t bytes)
{
    struct mem m = MEM_INIT;

    if (judge->mem_alloc(judge_ctx, MEM_PRIVATE, MAX(1, bytes), &m, &err) < 0 ||
        (data && judge->upload(judge_ctx, &m, 0, data, bytes, &err) < 0))
        fail_msg("%s", err.text);
    return m;
}

/* Everything is given back, and no more was taken than was announced (but for rounding up; nulls
 * have copies to round, and other pieces). */
static inline void hold_memory(const struct rig *r, const struct ops_run *run)
{
    double peak = gpu_engine_peak(&engine);
    double planned = engine.peak_bytes(engine.ctx, r->g, run->precision);

    assert_true(((struct gpu *)engine.ctx)->n_live == 0);
    assert_true(gpu_engine_peak(&engine) == 0);
    if (!run->truncate && run->round_operands == ROUND_NONE && run->round_storage == ROUND_NONE &&
        peak > planned + 256.0 * r->g->n_nodes)
        fail_msg("%.0f bytes taken, %.0f announced", peak, planned);
}

static inline int evaluate_on_gpu(struct rig *r, const struct ops_run *run, void **results)
{
    struct mem in[MAX_TENSORS], out[MAX_TENSORS];
    const void *sources[MAX_TENSORS];
    void *outputs[MAX_TENSORS];
    int rc;

    for (int i = 0; i < r->g->n_sources; i++) {
        size_t bytes = (size_t)shape_count(&r->g->sources[i].shape);

        in[i] = on_device(r->data[i], bytes * dtype_size(r->g->sources[i].dtype));
        sources[i] = (void *)in[i].handle;
    }
    for (int i = 0; i < r->g->n_outputs; i++) {
        out[i] = on_device(NULL, (size_t)result_count(r, i) * 8);
        outputs[i] = (void *)out[i].handle;
    }
    gpu_engine_peak(&engine);
    rc = engine.eval(engine.ctx, r->g, run, sources, outputs, &err);
    hold_memory(r, run);
    for (int i = 0; i < r->g->n_outputs; i++) {
        size_t bytes = (size_t)result_count(r, i) * 8;

        results[i] = xmalloc(bytes);
        assert_int_equal(judge->download(judge_ctx, &out[i], 0, results[i], bytes, &err), 0);
        judge->mem_free(judge_ctx, &out[i]);
    }
    for (int i = 0; i < r->g->n_sources; i++)
        judge->mem_free(judge_ctx, &in[i]);
    return rc;
}

static inline bool near(double a, double b, double scale, bool is_float)
{
    if ((a == b && (!is_float || signbit(a) == signbit(b))) || (isnan(a) && isnan(b)))
        return true;
    return !is_float && fabs(a - b) <= 1e-12 * scale;
}

static inline void hold_against_host(const struct rig *r, const struct ops_run *run, int i,
                                     const void *got)
{
    const struct node *node = &r->g->nodes[r->g->outputs[i].node];
    bool is_float = run->precision == OPS_FLOAT;
    const double *y = got, *want = r->out[i];
    double scale = 0;

    if (!dtype_is_float(node->dtype)) {
        assert_memory_equal(got, want, (size_t)result_count(r, i) * 8);
        return;
    }
    for (int64_t k = 0; k < result_count(r, i); k++)
        scale = isfinite(want[k]) ? fmax(scale, fabs(want[k])) : scale;
    for (int64_t k = 0; k < result_count(r, i); k++) {
        if (!near(y[k], want[k], scale, is_float))
            fail_msg("%s, %s: element %ld is %.17g, on the host %.17g", op_table[node->op].name,
                     is_float ? "float" : "double", (long)k, y[k], want[k]);
    }
}

static inline int evaluate(struct rig *r, const struct ops_run *run)
{
    struct err host_err = ERR_INIT;
    void *results[MAX_TENSORS];
    int rc, host_rc;

    if (!engine.ctx)
        gpu_open(true);
    err = (struct err)ERR_INIT;
    host_rc = evaluate_on_host(r, run);
    host_err = err;
    err = (struct err)ERR_INIT;
    rc = evaluate_on_gpu(r, run, results);
    if (!getenv("ASSAY_FAULT")) {
        assert_int_equal(rc, host_rc);
        assert_string_equal(err.text, host_err.text);
    }
    for (int i = 0; i < r->g->n_outputs; i++) {
        if (rc == 0)
            hold_against_host(r, run, i, results[i]);
        free(r->out[i]);
        r->out[i] = results[i];
    }
    return rc;
}

#endif
