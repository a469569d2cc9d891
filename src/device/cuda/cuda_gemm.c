/* SPDX-License-Identifier: MIT */
/* Tensor units as the vendor's own library drives them: one large square product per class, on
 * numbers as candidates get them (zeros draw less power and run at higher clocks). A class that the
 * library refuses on this device has no unit. */
#include "device/cuda/cublaslt.h"
#include "device/cuda/cuda_ctx.h"

#include <math.h>

#define WORKSPACE_BYTES ((size_t)64 << 20)
#define CHOICES 4 /* from the library's own ranking, whose first is not always the fastest */
#define SEED 1

/* alpha and beta, in the type that each class has for them */
static const double f64_scales[2] = {1, 0};
static const float f32_scales[2] = {1, 0};
static const int32_t i32_scales[2] = {1, 0};

struct gemm_class {
    enum arith arith;
    int type, out_type, compute, scale_type;
    const void *alpha, *beta;
    enum dtype dtype;
    size_t out_bytes;
    int64_t n;
};

static const struct gemm_class classes[] = {
    {ARITH_FP64_TENSOR, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F, &f64_scales[0],
     &f64_scales[1], DT_F64, 8, 4096},
    {ARITH_TF32, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, &f32_scales[0],
     &f32_scales[1], DT_F32, 4, 8192},
    {ARITH_BF16, CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F, &f32_scales[0],
     &f32_scales[1], DT_BF16, 2, 8192},
    {ARITH_FP16, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F, &f32_scales[0],
     &f32_scales[1], DT_F16, 2, 8192},
    {ARITH_FP8, CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F, &f32_scales[0],
     &f32_scales[1], DT_F8E4M3, 2, 8192},
    {ARITH_INT8, CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I, &i32_scales[0],
     &i32_scales[1], DT_I8, 4, 8192},
};

struct gemm_rate {
    const struct cublaslt *lt;
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t in, out;
    cublasLtMatmulPreference_t preference;
    struct mem a, b, d, workspace;
    const struct gemm_class *class;
    const struct cublaslt_choice *choice; /* the choice that is being timed; not owned */
};

static void gemm_release(struct cuda_ctx *c, struct gemm_rate *g)
{
    if (g->preference)
        g->lt->cublasLtMatmulPreferenceDestroy(g->preference);
    if (g->in)
        g->lt->cublasLtMatrixLayoutDestroy(g->in);
    if (g->out)
        g->lt->cublasLtMatrixLayoutDestroy(g->out);
    if (g->desc)
        g->lt->cublasLtMatmulDescDestroy(g->desc);
    cuda_mem_free(c, &g->a);
    cuda_mem_free(c, &g->b);
    cuda_mem_free(c, &g->d);
    cuda_mem_free(c, &g->workspace);
}

/* fp8 wants its operands' scales on the device: both are the 1 at the start of the scratch. */
static cublasStatus_t set_fp8(struct cuda_ctx *c, struct gemm_rate *g)
{
    const float one = 1;
    const int8_t fast = 1;
    cublasStatus_t rc = c->cu->cuMemcpyHtoD_v2(c->scratch.at, &one, sizeof(one));

    if (rc == 0)
        rc = g->lt->cublasLtMatmulDescSetAttribute(g->desc, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER,
                                                   &c->scratch.at, sizeof(c->scratch.at));
    if (rc == 0)
        rc = g->lt->cublasLtMatmulDescSetAttribute(g->desc, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER,
                                                   &c->scratch.at, sizeof(c->scratch.at));
    if (rc == 0)
        rc = g->lt->cublasLtMatmulDescSetAttribute(g->desc, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast,
                                                   sizeof(fast));
    return rc;
}

/* D = A^T B in columns: the only order that fp8 and int8 have everywhere. */
static cublasStatus_t describe(struct cuda_ctx *c, struct gemm_rate *g, const struct gemm_class *k)
{
    const struct cublaslt *lt = g->lt;
    const int transpose = CUBLAS_OP_T;
    const size_t room = WORKSPACE_BYTES;
    uint64_t n = (uint64_t)k->n;
    cublasStatus_t rc = lt->cublasLtMatmulDescCreate(&g->desc, k->compute, k->scale_type);

    if (rc == 0)
        rc = lt->cublasLtMatmulDescSetAttribute(g->desc, CUBLASLT_MATMUL_DESC_TRANSA, &transpose,
                                                sizeof(transpose));
    if (rc == 0 && k->arith == ARITH_FP8)
        rc = set_fp8(c, g);
    if (rc == 0)
        rc = lt->cublasLtMatrixLayoutCreate(&g->in, k->type, n, n, k->n);
    if (rc == 0)
        rc = lt->cublasLtMatrixLayoutCreate(&g->out, k->out_type, n, n, k->n);
    if (rc == 0)
        rc = lt->cublasLtMatmulPreferenceCreate(&g->preference);
    if (rc == 0)
        rc = lt->cublasLtMatmulPreferenceSetAttribute(
            g->preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof(room));
    return rc;
}

static int make_operands(struct cuda_ctx *c, struct gemm_rate *g, const struct gemm_class *k,
                         struct err *err)
{
    struct law normal = {LAW_NORMAL, 0, 1, 0}, bytes = {LAW_INTS, -128, 128, 0};
    const struct law *law = k->dtype == DT_I8 ? &bytes : &normal;
    struct shape shape = {.rank = 2, .dim = {k->n, k->n}};
    size_t in_bytes = (size_t)(k->n * k->n) * dtype_size(k->dtype);

    if (cuda_mem_alloc(c, MEM_PRIVATE, in_bytes, &g->a, err) < 0 ||
        cuda_mem_alloc(c, MEM_PRIVATE, in_bytes, &g->b, err) < 0 ||
        cuda_mem_alloc(c, MEM_PRIVATE, (size_t)(k->n * k->n) * k->out_bytes, &g->d, err) < 0 ||
        cuda_mem_alloc(c, MEM_PRIVATE, WORKSPACE_BYTES, &g->workspace, err) < 0 ||
        cuda_fill(c, &(struct device_fill){&g->a, 0, law, SEED, k->dtype, &shape}, err) < 0 ||
        cuda_fill(c, &(struct device_fill){&g->b, 0, law, SEED + 1, k->dtype, &shape}, err) < 0)
        return -1;
    return 0;
}

static int gemm_work(struct cuda_ctx *c, void *arg, struct err *err)
{
    struct gemm_rate *g = arg;

    (void)err;
    return g->lt->cublasLtMatmul(g->handle, g->desc, g->class->alpha, (void *)g->a.handle, g->in,
                                 (void *)g->b.handle, g->in, g->class->beta, (void *)g->d.handle,
                                 g->out, (void *)g->d.handle, g->out, g->choice->algo,
                                 (void *)g->workspace.handle, WORKSPACE_BYTES, c->stream)
               ? 1
               : 0;
}

/* *ret_s stays as it is if the library has no way to do this on the device. */
static int time_choices(struct cuda_ctx *c, struct gemm_rate *g, double *ret_s, struct err *err)
{
    struct cublaslt_choice choices[CHOICES];
    int n = 0;

    if (g->lt->cublasLtMatmulAlgoGetHeuristic(g->handle, g->desc, g->in, g->in, g->out, g->out,
                                              g->preference, CHOICES, choices, &n))
        return 0;
    for (int i = 0; i < n; i++) {
        double s = INFINITY;

        if (choices[i].state)
            continue;
        g->choice = &choices[i];
        if (cuda_shortest(c, gemm_work, g, &s, err) < 0)
            return -1;
        *ret_s = fmin(*ret_s, s);
    }
    return 0;
}

static int measure_class(struct cuda_ctx *c, const struct cublaslt *lt, cublasLtHandle_t handle,
                         const struct gemm_class *k, double *ret_flops_s, struct err *err)
{
    struct gemm_rate g = {.lt = lt,
                          .class = k,
                          .handle = handle,
                          .a = MEM_INIT,
                          .b = MEM_INIT,
                          .d = MEM_INIT,
                          .workspace = MEM_INIT};
    double n = (double)k->n, s = INFINITY;
    int rc;

    /* Operands first: making them may move the scratch, where fp8's scales lie. */
    rc = make_operands(c, &g, k, err);
    if (rc == 0 && describe(c, &g, k) == 0)
        rc = time_choices(c, &g, &s, err);
    gemm_release(c, &g);
    *ret_flops_s = 2 * n * n * n / s; /* 0 if nothing ran */
    return rc;
}

int cuda_gemm_rates(struct cuda_ctx *c, struct device_rates *ret, struct err *err)
{
    const char *why;
    const struct cublaslt *lt = cublaslt(&why);
    cublasLtHandle_t handle = NULL;
    int rc = 0;

    if (!lt || lt->cublasLtCreate(&handle))
        return 0;
    for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(classes); i++)
        rc = measure_class(c, lt, handle, &classes[i], &ret->flops_s[classes[i].arith], err);
    lt->cublasLtDestroy(handle);
    /* If not even fp16 ran, nothing is known about the device's tensor units. */
    ret->partial = ret->flops_s[ARITH_FP16] <= 0;
    return rc;
}
