/* SPDX-License-Identifier: MIT */
/* Classes of arithmetic, as datasheets list them: what a unit multiplies, whatever it adds in. */
#ifndef ASSAY_TENSOR_ARITH_H
#define ASSAY_TENSOR_ARITH_H

#include "tensor/dtype.h"

enum arith {
    ARITH_FP64, /* plain units */
    ARITH_FP64_TENSOR,
    ARITH_FP32, /* plain units */
    ARITH_TF32, /* this and all below: tensor units */
    ARITH_BF16,
    ARITH_FP16,
    ARITH_FP8,
    ARITH_FP4,
    ARITH_INT8,
    ARITH_COUNT,
};

extern const char *const arith_names[ARITH_COUNT]; /* "fp64", "fp64_tensor", ... */
/* false when there is no such class */
bool arith_parse(const char *name, enum arith *ret);

/* Rates are arrays over the classes, FLOP/s, a fused multiply-add counting 2; 0: no such unit. */

/* What a contraction of this type is held against: its own class, fp64's tensor units where there
 * are some, and the next wider class where the device has no unit for it. */
double arith_rate(const double rates[ARITH_COUNT], enum arith a);
enum arith arith_of(enum dtype t);

/* The fastest way to this class's accuracy, by whatever unit: nothing honest is faster. */
double arith_bound(const double rates[ARITH_COUNT], enum arith a);

#endif
