/* SPDX-License-Identifier: MIT */
#include "problem/graph.h"

#define LOOPS loops_f64
#define REAL double
#define ITEM(name) item_##name##_f64
#define ITEM_INTEGER 0
#define ITEM_MATH(name) name
#include "ops/loops_body.h"

#include "ops/blas.h"
#include "ops/gemm.h"

static bool product_blas(const struct gemm *g, double flops)
{
    return blas_wanted(g, flops);
}

static size_t product_scratch(const struct gemm *g)
{
    return gemm_scratch_f64(g);
}

static void product(const struct gemm *g, const double *a, const double *b, double *c,
                    void *scratch, bool blas)
{
    if (blas)
        blas_dgemm(g, a, b, c);
    else
        gemm_f64(g, a, b, c, scratch);
}

#include "ops/contract_body.h"
