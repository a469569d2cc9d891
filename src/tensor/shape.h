/* SPDX-License-Identifier: MIT */
#ifndef ASSAY_TENSOR_SHAPE_H
#define ASSAY_TENSOR_SHAPE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

#define SHAPE_MAX_RANK 8
/* The largest element count: a larger product is refused, so that 64 bits never overflow. */
#define SHAPE_MAX_COUNT ((int64_t)1 << 46)

struct shape {
    int rank; /* 0: a scalar */
    int64_t dim[SHAPE_MAX_RANK];
};

/* Product of the dimensions, 1 for a scalar; -1 when it exceeds SHAPE_MAX_COUNT or a dim is < 0. */
int64_t shape_count(const struct shape *s);
bool shape_equal(const struct shape *a, const struct shape *b);
/* Contiguous strides in elements, last axis fastest. */
void shape_strides(const struct shape *s, int64_t strides[SHAPE_MAX_RANK]);
/* Broadcasts two shapes by NumPy's rule; false when they do not fit. */
bool shape_broadcast(const struct shape *a, const struct shape *b, struct shape *ret);
/* Adds text like "[4, 16]". */
void shape_print(const struct shape *s, struct buf *out);
/* Length of the error gate's row: of the last axis, or of the whole tensor if that axis is shorter
 * than 16. *ret_whole says which. */
int64_t shape_row(const struct shape *s, bool *ret_whole);

#endif
