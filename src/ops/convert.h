/* SPDX-License-Identifier: MIT */
/* How values are kept between ops, and the ways in, out and through a dtype. */
#ifndef ASSAY_OPS_CONVERT_H
#define ASSAY_OPS_CONVERT_H

#include "ops/loops.h"
#include "ops/ops.h"
#include "ops/store_kind.h"
#include "tensor/dtype.h"

enum store store_of(enum dtype t, enum ops_precision precision);
const struct loops *store_loops(enum store s);
/* How its elements lie. */
enum dtype store_dtype(enum store s);

void convert_load(enum dtype t, const void *src, enum store to, void *dst, int64_t n);
/* Each value becomes one of t, then is kept as `to`. src may be dst where the two stores are equal.
 */
void convert_through(enum dtype t, enum store from, const void *src, enum store to, void *dst,
                     int64_t n);
/* src may be dst. */
void convert_round(enum rounding r, const float *src, float *dst, int64_t n);

#endif
