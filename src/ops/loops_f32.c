/* SPDX-License-Identifier: MIT */
#include "problem/graph.h"

#define LOOPS loops_f32
#define REAL float
#define ITEM(name) item_##name##_f32
#define ITEM_INTEGER 0
#define ITEM_MATH(name) name##f
#include "ops/loops_body.h"

#include "ops/blas.h"
#include "ops/gemm.h"

static bool product_blas(const struct gemm *g, double flops)
{
    (void)flops;
    return blas_wanted_for_floats(g); /* baselines only: no library promises an order of sums */
}

static size_t product_scratch(const struct gemm *g)
{
    return gemm_scratch_f32(g);
}

static void product(const struct gemm *g, const float *a, const float *b, float *c, void *scratch,
                    bool blas)
{
    if (blas)
        blas_sgemm(g, a, b, c);
    else
        gemm_f32(g, a, b, c, scratch);
}

#include "ops/contract_body.h"
