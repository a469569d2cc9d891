/* SPDX-License-Identifier: MIT */
/* Classes of arithmetic, as datasheets list them: named after the type that a unit multiplies, not
 * the type that it adds in. */
#ifndef ASSAY_TENSOR_ARITH_H
#define ASSAY_TENSOR_ARITH_H

#include "tensor/dtype.h"

enum arith {
    ARITH_FP64, /* plain units */
    ARITH_FP64_TENSOR,
    ARITH_FP32, /* plain units */
    ARITH_TF32, /* tensor units, as all classes below */
    ARITH_BF16,
    ARITH_FP16,
    ARITH_FP8,
    ARITH_FP4,
    ARITH_INT8,
    ARITH_COUNT,
};

extern const char *const arith_names[ARITH_COUNT]; /* "fp64", "fp64_tensor", ... */
/* Returns false when there is no such class. */
bool arith_parse(const char *name, enum arith *ret);

/* Rates are arrays over the classes, in FLOP/s; a fused multiply-add counts 2; 0: no such unit. */

/* The rate that a contraction of this class is compared with: that of its own unit, for fp64 of its
 * tensor units if they are faster, or of the next wider class if the device has no unit for it. */
double arith_rate(const double rates[ARITH_COUNT], enum arith a);
enum arith arith_of(enum dtype t);

/* The rate of the fastest unit that reaches this class's accuracy: nothing honest is faster. */
double arith_bound(const double rates[ARITH_COUNT], enum arith a);

#endif
