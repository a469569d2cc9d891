/* SPDX-License-Identifier: MIT */
/* The GPU as a backend (ops/eval.h): jobs are launches on the judge's stream. The host waits for
 * them only at the end of an evaluation, and to check indices and offsets before they are used. */
#include "gpu/gpu.h"

#include "gpu/gpu_ctx.h"
#include "gpu/gpu_source.h"

#include <assert.h>
#include <stdlib.h>

static const char *const kernel_names[GPU_KERNEL_COUNT] = {
#define GPU_NAME(name) #name,
#define GPU_NAME_REAL(name) #name "_f64", #name "_f32",
#define GPU_NAME_ALL(name) #name "_f64", #name "_f32", #name "_i64",
    GPU_KERNELS(GPU_NAME, GPU_NAME_REAL, GPU_NAME_ALL)};

/* ---- launching ---- */

int gpu_launch_blocks(struct gpu *g, int kernel, int64_t blocks, void *args, struct err *err)
{
    void *list[] = {args};

    if (blocks <= 0)
        return 0;
    if (cuda_get_kernel(g->c, g->module, kernel_names[kernel], &g->kernels[kernel], err) < 0)
        return -1;
    return cuda_launch(g->c, g->kernels[kernel], (unsigned)blocks, list, kernel_names[kernel], err);
}

int gpu_launch(struct gpu *g, int kernel, int64_t n, void *args, struct err *err)
{
    return gpu_launch_blocks(g, kernel, n > 0 ? cuda_blocks(g->c, n) : 0, args, err);
}

/* ---- jobs ---- */

static int run_job(void *ctx, const struct op_job *j, struct err *err)
{
    static gpu_job_fn *const runs[] = {
        [OP_JOB_FILL] = gpu_run_made,
        [OP_JOB_IOTA] = gpu_run_made,
        [OP_JOB_CONVERT] = gpu_run_convert,
        [OP_JOB_PASS] = gpu_run_pass,
        [OP_JOB_COMPARE] = gpu_run_elementwise,
        [OP_JOB_WHERE] = gpu_run_elementwise,
        [OP_JOB_REDUCE] = gpu_run_reduce,
        [OP_JOB_ARG] = gpu_run_lines,
        [OP_JOB_TOPK] = gpu_run_topk,
        [OP_JOB_SCAN] = gpu_run_lines,
        [OP_JOB_MATMUL] = gpu_run_matmul,
        [OP_JOB_GROUPED] = gpu_run_grouped,
        [OP_JOB_DELTA] = gpu_run_delta,
        [OP_JOB_CONV] = gpu_run_conv,
        [OP_JOB_POOL] = gpu_run_pool,
        [OP_JOB_RECUR] = gpu_run_recur,
        [OP_JOB_MOVE] = gpu_run_move,
        [OP_JOB_ROWS] = gpu_run_rows,
        [OP_JOB_PAD] = gpu_run_pad,
        [OP_JOB_GATHER] = gpu_run_indexed,
        [OP_JOB_TAKE] = gpu_run_indexed,
    };

    return runs[j->kind](ctx, j, err);
}

static double job_scratch(void *ctx, const struct op_job *j)
{
    switch (j->kind) {
    case OP_JOB_REDUCE:
        return gpu_reduce_scratch(ctx, j);
    case OP_JOB_MATMUL:
        return gpu_matmul_scratch(ctx, j);
    case OP_JOB_CONV:
        return gpu_conv_scratch(ctx, j);
    case OP_JOB_RECUR:
        return gpu_recur_scratch(ctx, j);
    case OP_JOB_GROUPED:
        return gpu_grouped_scratch(ctx, j);
    case OP_JOB_DELTA:
        return gpu_delta_scratch(ctx, j);
    case OP_JOB_GATHER:
    case OP_JOB_TAKE:
        return gpu_indexed_scratch(ctx, j);
    default:
        return 0;
    }
}

static struct backend backend_of(struct gpu *g)
{
    assert(g->most_steps > 0); /* run_job() has no OP_JOB_UNARY and no OP_JOB_BINARY */
    return (struct backend){.ctx = g,
                            .reads_sources = true,
                            .most_steps = g->most_steps,
                            .alloc = gpu_alloc,
                            .free = gpu_free,
                            .run = run_job,
                            .scratch = job_scratch};
}

static int engine_eval(void *ctx, const struct graph *graph, const struct ops_run *run,
                       const void *const *sources, void *const *outputs, struct err *err)
{
    struct gpu *g = ctx;
    struct backend b = backend_of(g);
    struct err ignored = ERR_INIT;
    int rc;

    if (cuda_enter(g->c, err) < 0)
        return -1;
    rc = eval_graph(&b, graph, run, sources, outputs, err);
    if (rc < 0)
        err = &ignored; /* the first error counts; queued work still has to end */
    return cuda_finish(g->c, "evaluating on the GPU", err) < 0 ? -1 : rc;
}

static double engine_peak_bytes(void *ctx, const struct graph *graph, enum ops_precision precision)
{
    struct backend b = backend_of(ctx);

    return eval_peak(&b, graph, precision);
}

/* ---- opening ---- */

static int load_kernels(struct gpu *g, struct err *err)
{
    struct nvrtc_program p = gpu_source(g->c->sm);

    return cuda_load_program(g->c, &p, "the kernels that evaluate", &g->module, err);
}

/* Opens the memory pool. Memory that is given back stays in it until it is trimmed: mapping memory
 * again costs milliseconds. */
static int open_pool(struct gpu *g, struct err *err)
{
    const struct cuda_driver *cu = g->c->cu;
    uint64_t keep = UINT64_MAX;
    CUresult rc = cu->cuDeviceGetDefaultMemPool(&g->pool, g->c->device);

    if (rc == 0)
        rc = cu->cuMemPoolSetAttribute(g->pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep);
    return rc ? cuda_fail(cu, rc, err, "the device's memory pool") : 0;
}

int gpu_engine_open(void *cuda_judge_ctx, struct ops_engine *ret, struct err *err)
{
    struct gpu *g = xcalloc(1, sizeof(*g));
    struct ops_engine e = {.ctx = g,
                           .eval = engine_eval,
                           .peak_bytes = engine_peak_bytes,
                           .compares = gpu_compares,
                           .compare = gpu_compare,
                           .trim = gpu_engine_trim,
                           .close = gpu_engine_close};

    g->c = cuda_judge_ctx;
    g->columns_bytes = g->lanes_bytes = GPU_PIECE_BYTES;
    g->most_steps = PASS_MAX_STEPS;
    g->special_least = GPU_SPECIAL_LEAST;
    if (cuda_enter(g->c, err) < 0 || open_pool(g, err) < 0 || load_kernels(g, err) < 0) {
        gpu_engine_close(&e);
        return -1;
    }
    *ret = e;
    return 0;
}

void gpu_engine_close(struct ops_engine *e)
{
    struct gpu *g = e->ctx;

    if (g && g->c->cu->cuCtxSetCurrent(g->c->context) == 0) {
        cublas_close(g->blas);
        gpu_engine_trim(e);
        if (g->module)
            g->c->cu->cuModuleUnload(g->module);
    }
    if (g) {
        gpu_specials_drop(g);
        free(g->live);
    }
    free(g);
    *e = (struct ops_engine){0};
}

void gpu_engine_trim(struct ops_engine *e)
{
    struct gpu *g = e->ctx;

    if (!g->pool || g->c->cu->cuCtxSetCurrent(g->c->context) != 0)
        return;
    g->c->cu->cuStreamSynchronize(g->c->stream);
    g->c->cu->cuMemPoolTrimTo(g->pool, 0);
}

double gpu_engine_peak(struct ops_engine *e)
{
    struct gpu *g = e->ctx;
    double peak = g->peak_bytes;

    g->peak_bytes = g->now_bytes;
    return peak;
}

const char *gpu_engine_blas(struct ops_engine *e)
{
    return cublas_name(gpu_blas(e->ctx));
}
