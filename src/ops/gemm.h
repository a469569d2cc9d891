/* SPDX-License-Identifier: MIT */
/* One product on one thread, each element summed strictly in the order of its k span, from 0, by
 * fused multiply-adds: one rounding a term. The bits are those of item_dot (items.h) whatever the
 * instruction set. */
#ifndef ASSAY_OPS_GEMM_H
#define ASSAY_OPS_GEMM_H

#include "ops/item_args.h"

#include <stddef.h>

/* Rows and columns a caller should ask for at a time: what stays in a 1 MiB second-level cache. */
#define GEMM_TILE 256

size_t gemm_scratch_f32(const struct gemm *g); /* bytes */
size_t gemm_scratch_f64(const struct gemm *g);
void gemm_f32(const struct gemm *g, const float *a, const float *b, float *c, void *scratch);
void gemm_f64(const struct gemm *g, const double *a, const double *b, double *c, void *scratch);

enum gemm_isa { GEMM_BASE, GEMM_AVX2 /* with FMA */, GEMM_AVX512 };
/* Nothing better than this from now on: for tests. */
void gemm_limit_isa(enum gemm_isa best);
/* The best allowed that this CPU has. */
enum gemm_isa gemm_get_isa(void);

#endif
