/* SPDX-License-Identifier: MIT */
/* Medians and their intervals. No mean, no outlier rule: one call that meets a clock change moves a
 * mean of 30 by percents and leaves the median alone. */
#ifndef ASSAY_MEASURE_STATS_H
#define ASSAY_MEASURE_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct interval {
    double median, lo, hi;
};

/* Series: a list of samples that grows. */
struct series {
    double *values; /* owned */
    size_t n, cap;
};
void series_add(struct series *s, double value);
void series_clear(struct series *s);
double series_median(const struct series *s); /* 0 if empty */
double series_quantile(const struct series *s, double q);
/* Quantile of each of so many parts, one after the other in time, and the median of these. A
 * disturbance of the machine that lasts for a while is in a part or two only. */
double series_steady_quantile(const struct series *s, double q, size_t parts);
void series_release(struct series *s);

/* The value at fraction q of the sorted samples (linear between neighbours); 0 for none. */
double stats_quantile(const double *samples, size_t n, double q);
double stats_median(const double *samples, size_t n);
/* 95 % interval of the median from order statistics (binomial, no assumption on the law). Fewer
 * than 6 samples cannot give one: lo and hi are then the extremes. */
struct interval stats_median_interval(const double *samples, size_t n);
/* Several processes measured the same thing; run[i] says which process sample i is from. The median
 * is over all samples. If the processes' own medians differ by more than the interval, the interval
 * is their range. */
struct interval stats_pooled(const double *samples, const int *run, size_t n, int n_runs);
/* Interval of the median with every process's samples moved to the common median. More calls can
 * narrow it. They cannot narrow a difference between processes, so this interval decides when to
 * stop. */
struct interval stats_within(const double *samples, const int *run, size_t n, int n_runs);
/* Whether half the width is within 0.5 % of the median or 50 ns, whichever is larger (samples in
 * ns). */
bool stats_settled(const struct interval *i);
double stats_geomean(const double *values, size_t n);

#endif
