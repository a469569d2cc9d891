/* SPDX-License-Identifier: MIT */
#include "measure/stats.h"

#include "base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void series_add(struct series *s, double value)
{
    if (s->n == s->cap) {
        s->cap = MAX(64, 2 * s->cap);
        s->values = xrealloc(s->values, s->cap * sizeof(*s->values));
    }
    s->values[s->n++] = value;
}

void series_clear(struct series *s)
{
    s->n = 0;
}

double series_median(const struct series *s)
{
    return stats_median(s->values, s->n);
}

double series_quantile(const struct series *s, double q)
{
    return stats_quantile(s->values, s->n, q);
}

double series_steady_quantile(const struct series *s, double q, size_t parts)
{
    AUTO(series_release) struct series of = {0};

    for (size_t i = 0; i < parts; i++) {
        size_t start = s->n * i / parts, end = s->n * (i + 1) / parts;

        if (end > start)
            series_add(&of, stats_quantile(s->values + start, end - start, q));
    }
    return series_median(&of);
}

void series_release(struct series *s)
{
    free(s->values);
    *s = (struct series){0};
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double *sorted(const double *samples, size_t n)
{
    double *copy = xmalloc(n * sizeof(*copy));

    memcpy(copy, samples, n * sizeof(*copy));
    qsort(copy, n, sizeof(*copy), by_value);
    return copy;
}

static double quantile_sorted(const double *s, size_t n, double q)
{
    double at = q * (double)(n - 1);
    size_t i = (size_t)at;

    return i + 1 < n ? s[i] + (at - (double)i) * (s[i + 1] - s[i]) : s[n - 1];
}

double stats_quantile(const double *samples, size_t n, double q)
{
    if (n == 0)
        return 0;

    AUTO(freep) double *s = sorted(samples, n);

    return quantile_sorted(s, n, q);
}

double stats_median(const double *samples, size_t n)
{
    return stats_quantile(samples, n, 0.5);
}

/* The largest k with P(Binomial(n, 1/2) < k) <= 2.5 %: then s[k-1] and s[n-k] hold the median
 * between them with 95 %. */
static size_t order_rank(size_t n)
{
    double term = exp(-(double)n * M_LN2), below = 0;
    size_t k = 0;

    if (n > 1000) /* the sum underflows; the normal approximation is exact enough by then */
        return (size_t)(0.5 * (double)n - 0.98 * sqrt((double)n));
    while (below + term <= 0.025) {
        below += term;
        term *= (double)(n - k) / (double)(k + 1);
        k++;
    }
    return k;
}

struct interval stats_median_interval(const double *samples, size_t n)
{
    struct interval out = {0, 0, 0};

    if (n == 0)
        return out;

    AUTO(freep) double *s = sorted(samples, n);
    size_t k = order_rank(n);

    out.median = quantile_sorted(s, n, 0.5);
    out.lo = k ? s[k - 1] : s[0];
    out.hi = k ? s[n - k] : s[n - 1];
    return out;
}

/* Copies the samples of one process into own[], and returns their number. */
static size_t select_run(const double *samples, const int *run, size_t n, int r, double *own)
{
    size_t m = 0;

    for (size_t i = 0; i < n; i++)
        if (run[i] == r)
            own[m++] = samples[i];
    return m;
}

struct interval stats_pooled(const double *samples, const int *run, size_t n, int n_runs)
{
    struct interval out = stats_median_interval(samples, n);
    AUTO(freep) double *own = xmalloc(n * sizeof(*own));
    double lo = INFINITY, hi = -INFINITY;

    for (int r = 0; r < n_runs; r++) {
        size_t m = select_run(samples, run, n, r, own);

        if (m > 0) {
            lo = fmin(lo, stats_median(own, m));
            hi = fmax(hi, stats_median(own, m));
        }
    }
    if (hi - lo > out.hi - out.lo) {
        out.lo = lo;
        out.hi = hi;
    }
    return out;
}

struct interval stats_within(const double *samples, const int *run, size_t n, int n_runs)
{
    AUTO(freep) double *own = xmalloc(n * sizeof(*own));
    AUTO(freep) double *moved = xmalloc(n * sizeof(*moved));
    double common = stats_median(samples, n);

    for (int r = 0; r < n_runs; r++) {
        double median = stats_median(own, select_run(samples, run, n, r, own));

        for (size_t i = 0; i < n; i++)
            if (run[i] == r)
                moved[i] = samples[i] - median + common;
    }
    return stats_median_interval(moved, n);
}

bool stats_settled(const struct interval *i)
{
    return (i->hi - i->lo) / 2 <= fmax(0.005 * i->median, 50);
}

double stats_geomean(const double *values, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += log(values[i]);
    return n ? exp(sum / (double)n) : 0;
}
