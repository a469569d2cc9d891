/* SPDX-License-Identifier: MIT */
/* Fused comparison: an output that one pass makes from sources alone is compared while it is made.
 * The evaluator itself says whether one pass makes it: it plans that output alone, on a backend
 * that has no memory for intermediates and accepts one job. */
#include "gpu/gpu_ctx.h"

#include <assert.h>

struct fused_plan {
    const void *y;     /* the output's address; nothing is written there */
    struct op_job job; /* the last job that was seen */
    int n_jobs;
};

static void *no_memory(void *ctx, size_t bytes)
{
    (void)ctx, (void)bytes;
    return NULL;
}

static void free_nothing(void *ctx, void *at)
{
    (void)ctx, (void)at;
}

static int note_job(void *ctx, const struct op_job *j, struct err *err)
{
    struct fused_plan *p = ctx;

    p->job = *j;
    if (p->n_jobs++ > 0 || j->kind != OP_JOB_PASS || j->y != p->y)
        return fail(err, ERR_SYSTEM, "not one pass");
    return 0;
}

/* Finds the pass that makes an output in double; false: one pass does not make it. */
static bool plan_pass(const struct gpu *g, const struct graph *graph, const void *const *sources,
                      int output, struct gpu_pass *ret)
{
    double nothing;
    struct fused_plan p = {.y = &nothing};
    struct backend b = {.ctx = &p,
                        .reads_sources = true,
                        .most_steps = g->most_steps,
                        .alloc = no_memory,
                        .free = free_nothing,
                        .run = note_job};
    struct ops_run run = {.precision = OPS_DOUBLE};
    struct graph alone = *graph;
    struct err ignored = ERR_INIT;

    alone.outputs = &graph->outputs[output];
    alone.n_outputs = 1;
    if (eval_graph(&b, &alone, &run, sources, &(void *){&nothing}, &ignored) < 0 || p.n_jobs == 0)
        return false;
    *ret = gpu_pass_of(&p.job);
    ret->y = NULL;
    return true;
}

/* The kernel that compares with an output, or NULL. Integer outputs are few and not worth it. */
static CUfunction kernel_of(struct gpu *g, const struct graph *graph, const void *const *sources,
                            int output, enum dtype type, struct gpu_pass *ret)
{
    enum dtype made = graph->nodes[graph->outputs[output].node].dtype;

    if (!dtype_is_float(made) || !dtype_is_float(type) ||
        !plan_pass(g, graph, sources, output, ret))
        return NULL;
    return gpu_compare_kernel(g, ret, type);
}

bool gpu_compares(void *ctx, const struct graph *graph, const void *const *sources, int output,
                  enum dtype type)
{
    struct gpu *g = ctx;
    struct err ignored = ERR_INIT;
    struct gpu_pass pass;

    return cuda_enter(g->c, &ignored) == 0 &&
           kernel_of(g, graph, sources, output, type, &pass) != NULL;
}

int gpu_compare(void *ctx, const struct graph *graph, const void *const *sources,
                const struct ops_compare *what, struct compare_stats *ret, struct err *err)
{
    struct gpu *g = ctx;
    struct gpu_special args;
    struct cuda_compare job;
    struct gpu_pass pass;
    CUfunction kernel;

    if (cuda_enter(g->c, err) < 0)
        return -1;
    kernel = kernel_of(g, graph, sources, what->output, what->type, &pass);
    if (!kernel)
        return fail(err, ERR_DEVICE, "no kernel compares with this output as it is made");
    args = gpu_special_args(&pass);
    job = cuda_compare_job(what->type, pass.n, what->scale, what->print);
    job.got = what->got;
    job.row_rms = what->row_rms;
    assert(!job.row_len || job.row_rms); /* no expected values are stored to compute it from */
    return cuda_compare_by(g->c, kernel, what->type, &job, &args, ret, what->print, err);
}
