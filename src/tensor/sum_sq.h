/* SPDX-License-Identifier: MIT */
/* Sum of squares of the finite elements, and their root mean square, from which a row's scale is
 * made. CUDA compiles this, too, so that scales are the same bits on a device. */
#ifndef ASSAY_TENSOR_SUM_SQ_H
#define ASSAY_TENSOR_SUM_SQ_H

#include "tensor/portable.h"

struct sum_sq {
    double sum;
    int64_t count;
};

LAW_FN void sum_sq_add(struct sum_sq *a, struct sum_sq b)
{
    a->sum += b.sum;
    a->count += b.count;
}

LAW_FN struct sum_sq sum_sq_careful(const double *y, int64_t n)
{
    struct sum_sq s = {0, 0};

    for (int64_t i = 0; i < n; i++) {
        if (isfinite(y[i])) {
            s.sum += y[i] * y[i];
            s.count++;
        }
    }
    return s;
}

/* RMS of numbers so large that their squares overflow double, which is rare. */
LAW_FN double sum_sq_rms_scaled(const double *y, int64_t n)
{
    double max = 0, sum = 0;
    int64_t count = 0;

    for (int64_t i = 0; i < n; i++) {
        if (isfinite(y[i]))
            max = fmax(max, fabs(y[i]));
    }
    for (int64_t i = 0; i < n; i++) {
        if (isfinite(y[i])) {
            sum += (y[i] / max) * (y[i] / max);
            count++;
        }
    }
    return max * sqrt(sum / (double)count);
}

/* RMS of the finite elements of y; 0 when none is finite. s is the sum of squares over y. */
LAW_FN double sum_sq_rms(struct sum_sq s, const double *y, int64_t n)
{
    if (s.count == 0)
        return 0;
    return isfinite(s.sum) ? sqrt(s.sum / (double)s.count) : sum_sq_rms_scaled(y, n);
}

#endif
