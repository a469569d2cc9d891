/* SPDX-License-Identifier: MIT */
/* One product on one thread. Each element is summed from 0, strictly in the order of the k span, by
 * fused multiply-adds: one rounding per term. The bits are those of item_dot (items.h), whatever
 * the instruction set. */
#ifndef ASSAY_OPS_GEMM_H
#define ASSAY_OPS_GEMM_H

#include "ops/item_args.h"

#include <stddef.h>

/* Rows and columns that a caller should ask for at a time: they stay in a second-level cache of
 * 1 MiB. */
#define GEMM_TILE 256

size_t gemm_scratch_f32(const struct gemm *g); /* bytes of scratch memory for gemm_f32() */
size_t gemm_scratch_f64(const struct gemm *g);
void gemm_f32(const struct gemm *g, const float *a, const float *b, float *c, void *scratch);
void gemm_f64(const struct gemm *g, const double *a, const double *b, double *c, void *scratch);

enum gemm_isa { GEMM_BASE, GEMM_AVX2 /* with FMA */, GEMM_AVX512 };
/* For tests: from now on no better instruction set than this is used. */
void gemm_limit_isa(enum gemm_isa best);
/* The best allowed instruction set that this CPU has. */
enum gemm_isa gemm_get_isa(void);

#endif
