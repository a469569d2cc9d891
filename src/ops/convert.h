/* SPDX-License-Identifier: MIT */
/* The types in which values are stored between ops, and conversions to them and through dtypes. */
#ifndef ASSAY_OPS_CONVERT_H
#define ASSAY_OPS_CONVERT_H

#include "ops/loops.h"
#include "ops/ops.h"
#include "ops/store_kind.h"
#include "tensor/dtype.h"

enum store store_of(enum dtype t, enum ops_precision precision);
const struct loops *store_loops(enum store s);
/* The dtype of a store's elements. */
enum dtype store_dtype(enum store s);

void convert_load(enum dtype t, const void *src, enum store to, void *dst, int64_t n);
/* Rounds each value to dtype t, then stores it as `to`. src may be dst if the two stores are equal.
 */
void convert_through(enum dtype t, enum store from, const void *src, enum store to, void *dst,
                     int64_t n);
/* Rounds n floats; src may be dst. */
void convert_round(enum rounding r, const float *src, float *dst, int64_t n);

#endif
