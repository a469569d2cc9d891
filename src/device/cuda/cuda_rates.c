/* SPDX-License-Identifier: MIT */
/* Rates that the device reaches, by events around the judge's own kernels. Best of several rounds,
 * since a rate is what was reached once, undisturbed. Tensor units: cuda_gemm.c. */
#include "device/cuda/cuda_ctx.h"

#include <math.h>

#define ROUNDS 8
#define LEAST_S 0.03  /* least time for one rate: an idle device is not at its full clocks */
#define BUDGET_S 0.15 /* most time for one rate: a slow device is measured fewer times */
#define READ_BYTES ((size_t)1 << 30)
#define FMA_STEPS 16384
#define FMA_BLOCKS_PER_SM 8 /* 2048 threads, all an SM holds */

/* Times one run of the work; 1: the work did not run. */
static int run_once(struct cuda_ctx *c, const CUevent events[2], cuda_work work, void *arg,
                    double *ret_s, struct err *err)
{
    float ms = 0;
    CUresult rc = c->cu->cuEventRecord(events[0], c->stream);
    int done = rc ? 0 : work(c, arg, err);

    if (done)
        return done;
    if (rc == 0)
        rc = c->cu->cuEventRecord(events[1], c->stream);
    if (rc == 0)
        rc = c->cu->cuEventSynchronize(events[1]);
    if (rc == 0)
        rc = c->cu->cuEventElapsedTime(&ms, events[0], events[1]);
    *ret_s = ms / 1e3;
    return rc ? cuda_fail(c->cu, rc, err, "measuring rates") : 0;
}

int cuda_shortest(struct cuda_ctx *c, cuda_work work, void *arg, double *ret_s, struct err *err)
{
    CUevent events[2] = {NULL, NULL};
    double best = INFINITY, total = 0;
    CUresult rc = c->cu->cuEventCreate(&events[0], 0);
    int done = 0;

    if (rc == 0)
        rc = c->cu->cuEventCreate(&events[1], 0);
    for (int i = 0; rc == 0 && done == 0 && total < (i < ROUNDS ? BUDGET_S : LEAST_S); i++) {
        double s = 0;

        done = run_once(c, events, work, arg, &s, err);
        if (done == 0)
            best = fmin(best, s);
        total += s;
    }
    for (int i = 0; i < 2; i++)
        if (events[i])
            c->cu->cuEventDestroy_v2(events[i]);
    if (isfinite(best) && best > 0)
        *ret_s = best;
    if (rc)
        return cuda_fail(c->cu, rc, err, "measuring rates");
    return done < 0 ? -1 : 0;
}

/* ---- memory ---- */

static int read_work(struct cuda_ctx *c, void *arg, struct err *err)
{
    const struct mem *m = arg;
    int64_t words = (int64_t)(m->bytes / 16);
    CUdeviceptr from = m->handle;
    void *args[] = {&from, &words, &from};

    return cuda_launch(c, c->kernels[FLUSH_READ], cuda_blocks(c, words), args, "reading", err);
}

static int measure_read(struct cuda_ctx *c, struct device_rates *ret, struct err *err)
{
    struct mem m = MEM_INIT;
    double s = INFINITY;
    CUresult rc;

    if (cuda_mem_alloc(c, MEM_PRIVATE, READ_BYTES, &m, err) < 0)
        return -1;
    /* The kernel writes only if it has read nothing but ones. */
    rc = c->cu->cuMemsetD32Async(m.handle, 0, m.bytes / 4, c->stream);

    int done = rc ? cuda_fail(c->cu, rc, err, "reading") : cuda_shortest(c, read_work, &m, &s, err);

    cuda_mem_free(c, &m);
    ret->read_bytes_s = (double)READ_BYTES / s;
    return done;
}

/* ---- plain units ---- */

struct fma {
    enum kernel kernel;
    void *args[4]; /* steps, a, b, never */
};

static int fma_work(struct cuda_ctx *c, void *arg, struct err *err)
{
    struct fma *f = arg;

    return cuda_launch(c, c->kernels[f->kernel], (unsigned)c->sms * FMA_BLOCKS_PER_SM, f->args,
                       "multiply-adds", err);
}

static int measure_fma(struct cuda_ctx *c, struct fma *f, double *ret_flops_s, struct err *err)
{
    double threads = (double)c->sms * FMA_BLOCKS_PER_SM * CUDA_THREADS, s = INFINITY;

    if (cuda_shortest(c, fma_work, f, &s, err) < 0)
        return -1;
    *ret_flops_s = 2.0 * CUDA_FMA_CHAINS * FMA_STEPS * threads / s;
    return 0;
}

int cuda_rates(void *ctx, struct device_rates *ret, struct err *err)
{
    struct cuda_ctx *c = ctx;
    struct device_rates rates = {.partial = true};
    int steps = FMA_STEPS;
    float a32 = 0.999f, b32 = 0.001f;
    double a64 = 0.999, b64 = 0.001;
    struct fma f32 = {FMA_F32, {&steps, &a32, &b32, &c->scratch.at}};
    struct fma f64 = {FMA_F64, {&steps, &a64, &b64, &c->scratch.at}};

    if (cuda_enter(c, err) < 0 || cuda_reserve(c, &c->scratch, 256, err) < 0 ||
        measure_read(c, &rates, err) < 0 ||
        measure_fma(c, &f32, &rates.flops_s[ARITH_FP32], err) < 0 ||
        measure_fma(c, &f64, &rates.flops_s[ARITH_FP64], err) < 0 ||
        cuda_gemm_rates(c, &rates, err) < 0)
        return -1;
    *ret = rates;
    return 0;
}
