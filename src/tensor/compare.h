/* SPDX-License-Identifier: MIT */
/* The measured error of one output against the result in double: figures without judgement. The
 * gate that turns them into right or wrong is content/gate.h. */
#ifndef ASSAY_TENSOR_COMPARE_H
#define ASSAY_TENSOR_COMPARE_H

#include "tensor/dtype.h"
#include "tensor/shape.h"

/* The scale of element i is r_i = max(|y_i|, RMS of its row of y, floor). Rows shorter than 16 are
 * pooled: row_len is then 0, and pooled_rms replaces the row's RMS. If r_i is 0, any error is
 * infinite. Only finite elements of y count in an RMS. */
struct compare_scale {
    int64_t row_len;   /* 0: pooled */
    double pooled_rms; /* used when row_len is 0 */
    double floor;      /* 2^-20 of the tensor's RMS */
};

struct compare_stats {
    int64_t count;
    double sum_sq;       /* sum of (e_i / r_i)^2 over finite elements */
    double max;          /* largest |e_i / r_i| */
    int64_t max_at;      /* element of max, for integers the first that differs; -1: count is 0 */
    double got, want;    /* the values at max_at */
    int64_t n_nonfinite; /* elements of which got or want is not finite, unless both are the same
                            infinity or both NaN */
    int64_t first_nonfinite;
    int64_t n_unequal; /* integers and bool: elements that differ; float: always 0 */
    int64_t first_unequal;
};

#define COMPARE_STATS_INIT              \
    {                                   \
        0, 0, 0, -1, 0, 0, 0, -1, 0, -1 \
    }

/* An array of n initialised compare_stats; the caller frees it. */
struct compare_stats *compare_stats_new(size_t n);
/* Compares an output. y: the expected values, double for float dtypes and int64 for the others;
 * got: n elements of t. n is a multiple of row_len. A byte other than 0 and 1 is no bool and
 * differs from both. Parallel and deterministic: the same figures for any thread count. */
void compare_output(enum dtype t, const void *y, const void *got, int64_t n,
                    const struct compare_scale *scale, struct compare_stats *ret);
/* Adds b's figures to a's. max, max_at, got and want are those of the larger max. */
void compare_merge(struct compare_stats *a, const struct compare_stats *b);
/* RMS of the finite numbers among n doubles, deterministic; 0 when none is finite. */
double compare_rms(const double *y, int64_t n);
/* The length of the segments in which a row's squares are added: each segment in COMPARE_LANES
 * lanes, then the segments in order. A device that does the same gets the same RMS to the bit. */
int64_t compare_row_segment(int64_t row_len);
#define COMPARE_LANES 8

#endif
