/* SPDX-License-Identifier: MIT */
/* The measured error of one output against the double result: facts, no judgement. The gate that
 * turns them into right or wrong is content/gate.h. */
#ifndef ASSAY_TENSOR_COMPARE_H
#define ASSAY_TENSOR_COMPARE_H

#include "tensor/dtype.h"
#include "tensor/shape.h"

/* The scale of element i is r_i = max(|y_i|, RMS of its row of y, floor). Rows shorter than 16 are
 * pooled: then row_len is 0 and pooled_rms takes the row's place. Where r_i is 0, any error is
 * infinite. Only finite elements of y count in an RMS. */
struct compare_scale {
    int64_t row_len;   /* 0: pooled */
    double pooled_rms; /* used when row_len is 0 */
    double floor;      /* 2^-20 of the tensor's RMS */
};

struct compare_stats {
    int64_t count;
    double sum_sq;       /* of e_i / r_i, finite elements only */
    double max;          /* of |e_i / r_i| */
    int64_t max_at;      /* element index of max; -1 when count is 0 */
    double got, want;    /* the values there; integers: at the first that differs */
    int64_t n_nonfinite; /* not finite where the expected value is, or another infinity, ... */
    int64_t first_nonfinite;
    int64_t n_unequal; /* integers and bool: elements that differ; float: always 0 */
    int64_t first_unequal;
};

#define COMPARE_STATS_INIT              \
    {                                   \
        0, 0, 0, -1, 0, 0, 0, -1, 0, -1 \
    }

/* So many of them; the caller frees it. */
struct compare_stats *compare_stats_new(size_t n);
/* y: the expected values, double for float dtypes and int64 for the others; got: n elements of t.
 * n is a multiple of row_len. A byte other than 0 and 1 is no bool and differs from both.
 * Parallel and deterministic: the same figures for any thread count. */
void compare_output(enum dtype t, const void *y, const void *got, int64_t n,
                    const struct compare_scale *scale, struct compare_stats *ret);
/* Adds b's figures to a's (the extremum with its place is the larger one's). */
void compare_merge(struct compare_stats *a, const struct compare_stats *b);
/* RMS of the finite ones among n doubles, deterministic; 0 when there are none. */
double compare_rms(const double *y, int64_t n);
/* A row's squares are added in segments of this many elements, each in COMPARE_LANES lanes, and
 * these in order: a device that does the same gets the same RMS to the bit. */
int64_t compare_row_segment(int64_t row_len);
#define COMPARE_LANES 8

#endif
