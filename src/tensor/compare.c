/* SPDX-License-Identifier: MIT */
/* The figures do not depend on the thread count: the elements are cut into blocks whose bounds
 * depend on n and the row length alone, and the blocks' figures are added in order. A block is cut
 * into tiles that fit the first-level cache, and these into runs that share a row's scale.
 *
 * A run is first measured without a branch, in eight lanes. A value that is not finite, or a scale
 * of 0, makes the sum of squares infinite or NaN. The run is then measured again with care, so that
 * no NaN gets lost in a maximum. */
#include "tensor/compare.h"
#include "base/util.h"
#include "tensor/sum_sq.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#define PARALLEL_MIN 65536
#define BLOCK_MIN 16384 /* elements */
#define BLOCKS_MAX 512  /* the blocks' figures lie on the stack */
#define TILE 512
#define LANES COMPARE_LANES

/* Elements per block: a multiple of unit, and large enough for at most BLOCKS_MAX blocks. */
static int64_t block_size(int64_t n, int64_t unit)
{
    int64_t size = MAX(BLOCK_MIN, n / BLOCKS_MAX + 1);

    return (size + unit - 1) / unit * unit;
}

static struct sum_sq sum_sq(const double *y, int64_t n)
{
    double lane[LANES] = {0};
    struct sum_sq s = {0, n};
    int64_t i = 0;

    for (; i + LANES <= n; i += LANES) {
        for (int l = 0; l < LANES; l++)
            lane[l] += y[i + l] * y[i + l];
    }
    for (; i < n; i++)
        lane[0] += y[i] * y[i];
    for (int l = 0; l < LANES; l++)
        s.sum += lane[l];
    return isfinite(s.sum) ? s : sum_sq_careful(y, n);
}

int64_t compare_row_segment(int64_t row_len)
{
    return row_len < PARALLEL_MIN ? row_len : block_size(row_len, 1);
}

double compare_rms(const double *y, int64_t n)
{
    struct sum_sq part[BLOCKS_MAX], all = {0, 0};
    int64_t size = block_size(n, 1), blocks = (n + size - 1) / size;

    if (n < PARALLEL_MIN) {
        for (int64_t b = 0; b < blocks; b++)
            part[b] = sum_sq(y + b * size, MIN(size, n - b * size));
    } else {
#pragma omp parallel for schedule(static)
        for (int64_t b = 0; b < blocks; b++)
            part[b] = sum_sq(y + b * size, MIN(size, n - b * size));
    }
    for (int64_t b = 0; b < blocks; b++)
        sum_sq_add(&all, part[b]);
    return sum_sq_rms(all, y, n);
}

struct compare_stats *compare_stats_new(size_t n)
{
    struct compare_stats *ret = xcalloc(n, sizeof(*ret));

    for (size_t i = 0; i < n; i++)
        ret[i] = (struct compare_stats)COMPARE_STATS_INIT;
    return ret;
}

void compare_merge(struct compare_stats *a, const struct compare_stats *b)
{
    a->count += b->count;
    a->sum_sq += b->sum_sq;
    if (b->max_at >= 0 && (a->max_at < 0 || b->max > a->max)) {
        a->max = b->max;
        a->max_at = b->max_at;
        a->got = b->got;
        a->want = b->want;
    }
    if (a->n_nonfinite == 0)
        a->first_nonfinite = b->first_nonfinite;
    a->n_nonfinite += b->n_nonfinite;
    if (a->n_unequal == 0)
        a->first_unequal = b->first_unequal;
    a->n_unequal += b->n_unequal;
}

static void set_max(struct compare_stats *s, double ratio, int64_t at, double got, double want)
{
    s->max = ratio;
    s->max_at = at;
    s->got = got;
    s->want = want;
}

/* |e / r|: the error in units of the scale. low is the larger of the row's RMS and the floor. */
static inline double ratio_of(double y, double got, double low)
{
    double r = fabs(y) > low ? fabs(y) : low;

    return fabs(got - y) / r;
}

/* Measures elements at .. at + n - 1 of the tensor one by one, some of which are not finite or have
 * a scale of 0. */
static void run_careful(struct compare_stats *s, const double *y, const double *got, int64_t n,
                        double low, int64_t at)
{
    for (int64_t i = 0; i < n; i++) {
        double ratio = 0;

        if (isfinite(y[i]) && isfinite(got[i])) {
            if (got[i] != y[i])
                ratio = ratio_of(y[i], got[i], low);
        } else if (!(got[i] == y[i] || (isnan(got[i]) && isnan(y[i])))) {
            if (s->n_nonfinite++ == 0)
                s->first_nonfinite = at + i;
        }
        if (isfinite(ratio))
            s->sum_sq += ratio * ratio;
        if (ratio > s->max || s->max_at < 0)
            set_max(s, ratio, at + i, got[i], y[i]);
    }
}

/* Measures a run of elements that share a scale. Both compilers make vector code of its three plain
 * loops. */
static void run(struct compare_stats *s, const double *y, const double *got, int64_t n, double low,
                int64_t at)
{
    double ratio[TILE], sum = 0, max = 0, sums[LANES] = {0}, maxs[LANES] = {0};
    int64_t i;

    for (i = 0; i < n; i++)
        ratio[i] = ratio_of(y[i], got[i], low);
    for (i = 0; i + LANES <= n; i += LANES) {
        for (int l = 0; l < LANES; l++) {
            sums[l] += ratio[i + l] * ratio[i + l];
            maxs[l] = ratio[i + l] > maxs[l] ? ratio[i + l] : maxs[l];
        }
    }
    for (; i < n; i++) {
        sum += ratio[i] * ratio[i];
        max = ratio[i] > max ? ratio[i] : max;
    }
    for (int l = 0; l < LANES; l++) {
        sum += sums[l];
        max = maxs[l] > max ? maxs[l] : max;
    }
    if (!isfinite(sum)) {
        run_careful(s, y, got, n, low, at);
        return;
    }
    s->sum_sq += sum;
    if (max > s->max || s->max_at < 0) {
        for (i = 0; ratio[i] != max;)
            i++;
        set_max(s, max, at + i, got[i], y[i]);
    }
}

/* Two tensors to compare, and the scale of their errors. */
struct compare_job {
    enum dtype dtype;
    const void *y;
    const char *got;
    int64_t row_len; /* 0: low holds for every element */
    double low, floor;
};

static double row_low(const struct compare_job *job, int64_t at)
{
    const double *row = (const double *)job->y + at;

    return MAX(sum_sq_rms(sum_sq(row, job->row_len), row, job->row_len), job->floor);
}

/* Compares one block of floats: whole rows, or any n elements if row_len is 0. */
static void block_reals(const struct compare_job *job, int64_t from, int64_t n,
                        struct compare_stats *s)
{
    const double *y = job->y;
    int64_t left = job->row_len ? 0 : n; /* elements of the current row still to come */
    double got[TILE], low = job->low;

    for (int64_t at = from; at < from + n;) {
        int64_t tile = MIN(TILE, from + n - at);

        dtype_to_f64(job->dtype, job->got + at * (int64_t)dtype_size(job->dtype), got, tile);
        for (int64_t i = 0, len; i < tile; i += len) {
            if (left == 0) {
                low = row_low(job, at + i);
                left = job->row_len;
            }
            len = MIN(left, tile - i);
            run(s, y + at + i, got + i, len, low, at + i);
            left -= len;
        }
        at += tile;
    }
}

static void block_integers(const struct compare_job *job, int64_t from, int64_t n,
                           struct compare_stats *s)
{
    const int64_t *y = (const int64_t *)job->y + from;
    int64_t got[TILE];

    for (int64_t at = 0; at < n; at += TILE) {
        int64_t tile = MIN(TILE, n - at);

        dtype_to_i64(job->dtype, job->got + (from + at) * (int64_t)dtype_size(job->dtype), got,
                     tile);
        for (int64_t i = 0; i < tile; i++) {
            if (got[i] != y[at + i] && s->n_unequal++ == 0)
                s->first_unequal = from + at + i;
        }
    }
}

static struct compare_stats block(const struct compare_job *job, int64_t from, int64_t n)
{
    struct compare_stats s = COMPARE_STATS_INIT;

    s.count = n;
    if (dtype_is_float(job->dtype))
        block_reals(job, from, n, &s);
    else
        block_integers(job, from, n, &s);
    return s;
}

/* Adds the figures of elements from .. from + n - 1 to ret. */
static void compare_range(const struct compare_job *job, int64_t from, int64_t n,
                          struct compare_stats *ret)
{
    struct compare_stats part[BLOCKS_MAX];
    int64_t size = block_size(n, job->row_len ? job->row_len : 1), blocks = (n + size - 1) / size;

    if (n < PARALLEL_MIN) {
        for (int64_t b = 0; b < blocks; b++)
            part[b] = block(job, from + b * size, MIN(size, n - b * size));
    } else {
#pragma omp parallel for schedule(static)
        for (int64_t b = 0; b < blocks; b++)
            part[b] = block(job, from + b * size, MIN(size, n - b * size));
    }
    for (int64_t b = 0; b < blocks; b++)
        compare_merge(ret, &part[b]);
}

/* Compares rows so long that all threads share each one. */
static void compare_long_rows(struct compare_job job, int64_t n, struct compare_stats *ret)
{
    int64_t row_len = job.row_len;

    job.row_len = 0;
    for (int64_t at = 0; at < n; at += row_len) {
        job.low = MAX(compare_rms((const double *)job.y + at, row_len), job.floor);
        compare_range(&job, at, row_len, ret);
    }
}

/* Integers have no scale; max_at, got and want show the first element that differs. */
static void show_unequal(const struct compare_job *job, struct compare_stats *s)
{
    int64_t got, at = MAX(s->first_unequal, 0);

    if (s->count == 0)
        return;
    dtype_to_i64(job->dtype, job->got + at * (int64_t)dtype_size(job->dtype), &got, 1);
    set_max(s, 0, at, (double)got, (double)((const int64_t *)job->y)[at]);
}

/* 0 instead of a scale that is not finite or not positive, which would hide every error. */
static double sane(double scale)
{
    return isfinite(scale) && scale > 0 ? scale : 0;
}

void compare_output(enum dtype t, const void *y, const void *got, int64_t n,
                    const struct compare_scale *scale, struct compare_stats *ret)
{
    struct compare_job job = {.dtype = t, .y = y, .got = got, .floor = sane(scale->floor)};
    struct compare_stats stats = COMPARE_STATS_INIT;

    /* A byte that is neither 0 nor 1 is no bool, and may be poison. */
    if (t == DT_BOOL)
        job.dtype = DT_U8;
    if (dtype_is_float(t)) {
        job.row_len = scale->row_len;
        job.low = MAX(sane(scale->pooled_rms), job.floor);
        assert(job.row_len >= 0 && (job.row_len == 0 || n % job.row_len == 0));
    }
    if (job.row_len >= PARALLEL_MIN)
        compare_long_rows(job, n, &stats);
    else
        compare_range(&job, 0, n, &stats);
    if (!dtype_is_float(t))
        show_unequal(&job, &stats);
    *ret = stats;
}
