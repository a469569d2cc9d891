/* SPDX-License-Identifier: MIT */
/* First comes the RMS of rows (as compare.c sums them, to the bit), then the figures of every
 * block, then those of all blocks. With the figures comes a fingerprint of the very bits that were
 * compared, at no further read of memory. */
#include "device/cuda/cuda_ctx.h"
#include "device/cuda/cuda_source.h"
#include "tensor/sum_sq.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Places of a comparison's own data in the scratch memory. */
struct compare_room {
    CUdeviceptr result;    /* one struct cuda_figures */
    CUdeviceptr parts;     /* one struct cuda_figures per block */
    CUdeviceptr rms, sums; /* figures of rows */
};

static int reserve_compare(struct cuda_ctx *c, int64_t n_rows, int64_t n_sums,
                           struct compare_room *ret, struct err *err)
{
    size_t parts = cuda_aligned(sizeof(struct cuda_figures));
    size_t rms = parts + cuda_aligned(CUDA_COMPARE_BLOCKS * sizeof(struct cuda_figures));
    size_t sums = rms + cuda_aligned((size_t)n_rows * sizeof(double));
    size_t end = sums + (size_t)n_sums * sizeof(struct sum_sq);

    if (cuda_reserve(c, &c->scratch, end, err) < 0)
        return -1;
    *ret = (struct compare_room){c->scratch.at, c->scratch.at + parts, c->scratch.at + rms,
                                 c->scratch.at + sums};
    return 0;
}

static int short_rms(struct cuda_ctx *c, CUdeviceptr y, int64_t row_len, int64_t n_rows,
                     struct compare_room *room, struct err *err)
{
    void *args[] = {&y, &row_len, &n_rows, &room->rms};

    return cuda_launch(c, c->kernels[SHORT_ROW_RMS], cuda_blocks(c, n_rows * COMPARE_LANES), args,
                       "row sums", err);
}

static int long_rms(struct cuda_ctx *c, CUdeviceptr y, int64_t row_len, int64_t n_rows,
                    struct compare_room *room, struct err *err)
{
    int64_t segment = compare_row_segment(row_len), per_row = (row_len + segment - 1) / segment;
    int64_t n_sums = n_rows * per_row;
    void *sum_args[] = {&y, &row_len, &segment, &per_row, &n_sums, &room->sums};
    void *rms_args[] = {&y, &row_len, &per_row, &n_rows, &room->sums, &room->rms};

    if (cuda_launch(c, c->kernels[SEGMENT_SUMS], cuda_blocks(c, n_sums * COMPARE_LANES), sum_args,
                    "row sums", err) < 0)
        return -1;
    return cuda_launch(c, c->kernels[LONG_ROW_RMS], cuda_blocks(c, n_rows), rms_args, "row sums",
                       err);
}

/* A scale that is no number would hide every error behind it. */
static double sane(double scale)
{
    return isfinite(scale) && scale > 0 ? scale : 0;
}

static int64_t segments_per_row(int64_t row_len)
{
    return row_len ? (row_len - 1) / compare_row_segment(row_len) + 1 : 1;
}

static int queue_rms(struct cuda_ctx *c, CUdeviceptr y, int64_t row_len, int64_t n_rows,
                     struct compare_room *room, struct err *err)
{
    if (segments_per_row(row_len) > 1)
        return long_rms(c, y, row_len, n_rows, room, err);
    return short_rms(c, y, row_len, n_rows, room, err);
}

static int compare_blocks(int64_t n)
{
    int64_t chunks = (n + CUDA_COMPARE_CHUNK - 1) / CUDA_COMPARE_CHUNK;

    return (int)MIN(chunks, CUDA_COMPARE_BLOCKS);
}

/* Launches everything up to the parts. job has all but the rows' RMS, which is made here unless it
 * was made before. */
static int compare_parts(struct cuda_ctx *c, CUfunction kernel, struct cuda_compare *job,
                         void *more, struct compare_room *room, struct err *err)
{
    int64_t n_rows = job->row_len && !job->row_rms ? job->n / job->row_len : 0;
    int64_t per_row = segments_per_row(job->row_len);
    CUdeviceptr y = (CUdeviceptr)(uintptr_t)job->y;
    void *args[] = {job, &room->parts, more};

    if (reserve_compare(c, n_rows, per_row > 1 ? n_rows * per_row : 0, room, err) < 0)
        return -1;
    if (n_rows > 0) {
        job->row_rms = (const double *)(uintptr_t)room->rms;
        if (queue_rms(c, y, job->row_len, n_rows, room, err) < 0)
            return -1;
    }
    return cuda_launch(c, kernel, (unsigned)compare_blocks(job->n), args, "compare", err);
}

static int read_figures(struct cuda_ctx *c, int64_t n, struct compare_room *room,
                        struct cuda_figures *ret, struct err *err)
{
    int blocks = compare_blocks(n);
    void *args[] = {&room->parts, &blocks, &room->result};
    CUresult rc;

    if (cuda_launch(c, c->kernels[COMPARE_FINISH], 1, args, "compare", err) < 0)
        return -1;
    rc = c->cu->cuMemcpyDtoH_v2(ret, room->result, sizeof(*ret));
    return rc ? cuda_fail(c->cu, rc, err, "compare") : 0;
}

static void set_print(struct fingerprint *print, const struct cuda_figures *f)
{
    for (int row = 0; row < FINGERPRINT_ROWS; row++)
        print->v[row] = f->print[row];
}

static int get_print(struct cuda_ctx *c, enum dtype t, struct err *err)
{
    AUTO(freep) char *name = xasprintf("fingerprint_%zu", dtype_size(t));

    return cuda_get_kernel(c, c->module, name, &c->print[t], err);
}

static int get_compare(struct cuda_ctx *c, enum dtype t, struct err *err)
{
    AUTO(freep) char *name = xasprintf("compare_%s", dtype_name(t));

    return cuda_get_kernel(c, c->module, name, &c->compare[t], err);
}

int cuda_fingerprint(void *ctx, const struct mem *got, size_t at, enum dtype t, int64_t n,
                     struct fingerprint *print, struct err *err)
{
    struct cuda_ctx *c = ctx;
    CUdeviceptr have = cuda_span_of(got, at, n, dtype_size(t), err);
    struct cuda_compare job = {.got = (const void *)(uintptr_t)have,
                               .n = n,
                               .secrets = fingerprint_secrets_of(print->key)};
    struct cuda_figures f = {.sum_sq = 0};
    struct compare_room room;
    void *args[] = {&job, &room.parts};

    if (!have || cuda_enter(c, err) < 0 || get_print(c, t, err) < 0)
        return -1;
    if (n > 0 &&
        (reserve_compare(c, 0, 0, &room, err) < 0 ||
         cuda_launch(c, c->print[t], (unsigned)compare_blocks(n), args, "fingerprint", err) < 0 ||
         read_figures(c, n, &room, &f, err) < 0))
        return -1;
    set_print(print, &f);
    return 0;
}

static int64_t place(int64_t at)
{
    return at == CUDA_NOWHERE ? -1 : at;
}

int cuda_row_rms(void *ctx, const struct mem *y, size_t y_at, int64_t n, int64_t row_len,
                 struct mem *rms, size_t rms_at, struct err *err)
{
    struct cuda_ctx *c = ctx;
    int64_t n_rows = row_len ? n / row_len : 0, per_row = segments_per_row(row_len);
    CUdeviceptr from = cuda_span_of(y, y_at, n, sizeof(double), err);
    CUdeviceptr to = from ? cuda_span_of(rms, rms_at, n_rows, sizeof(double), err) : 0;
    struct compare_room room;

    if (!to || cuda_enter(c, err) < 0)
        return -1;
    if (n_rows == 0)
        return 0;
    if (reserve_compare(c, 0, per_row > 1 ? n_rows * per_row : 0, &room, err) < 0)
        return -1;
    room.rms = to;
    if (queue_rms(c, from, row_len, n_rows, &room, err) < 0)
        return -1;
    return cuda_finish(c, "row sums", err);
}

/* The address of the RMS that row_rms() has made, or 0. */
static int given_rms(const struct mem *rms, size_t at, int64_t n_rows, CUdeviceptr *ret,
                     struct err *err)
{
    *ret = 0;
    if (!rms || n_rows == 0)
        return 0;
    *ret = cuda_span_of(rms, at, n_rows, sizeof(double), err);
    return *ret ? 0 : -1;
}

static struct compare_stats stats_of(const struct cuda_figures *f, enum dtype t, int64_t n)
{
    return (struct compare_stats){
        .count = n,
        .sum_sq = f->sum_sq,
        .max = dtype_is_float(t) ? f->max : 0,
        .max_at = place(f->max_at),
        .got = f->got,
        .want = f->want,
        .n_nonfinite = f->n_nonfinite,
        .first_nonfinite = place(f->first_nonfinite),
        .n_unequal = f->n_unequal,
        .first_unequal = place(f->first_unequal),
    };
}

struct cuda_compare cuda_compare_job(enum dtype t, int64_t n, const struct compare_scale *scale,
                                     const struct fingerprint *print)
{
    struct cuda_compare job = {
        .n = n,
        .row_len = dtype_is_float(t) ? scale->row_len : 0,
        .floor = sane(scale->floor),
        .low = MAX(sane(scale->pooled_rms), sane(scale->floor)),
        .secrets = fingerprint_secrets_of(print ? print->key : 0),
    };

    assert(job.row_len >= 0 && (job.row_len == 0 || n % job.row_len == 0));
    return job;
}

int cuda_compare_by(struct cuda_ctx *c, CUfunction kernel, enum dtype t, struct cuda_compare *job,
                    void *more, struct compare_stats *ret, struct fingerprint *print,
                    struct err *err)
{
    struct compare_stats stats = COMPARE_STATS_INIT;
    struct cuda_figures f = {.sum_sq = 0};
    struct compare_room room;

    if (job->n > 0) {
        if (compare_parts(c, kernel, job, more, &room, err) < 0 ||
            read_figures(c, job->n, &room, &f, err) < 0)
            return -1;
        stats = stats_of(&f, t, job->n);
    }
    if (print)
        set_print(print, &f);
    *ret = stats;
    return 0;
}

int cuda_compare(void *ctx, const struct device_compare *what, struct compare_stats *ret,
                 struct err *err)
{
    struct cuda_ctx *c = ctx;
    enum dtype t = what->type;
    int64_t n = what->n;
    CUdeviceptr want = cuda_span_of(what->y, what->y_at, n, sizeof(double), err), rows = 0;
    CUdeviceptr have = want ? cuda_span_of(what->got, what->got_at, n, dtype_size(t), err) : 0;
    struct cuda_compare job = cuda_compare_job(t, n, what->scale, what->print);

    if (!have ||
        given_rms(what->row_rms, what->rms_at, job.row_len ? n / job.row_len : 0, &rows, err) < 0 ||
        cuda_enter(c, err) < 0 || get_compare(c, t, err) < 0)
        return -1;
    job.y = (const void *)(uintptr_t)want;
    job.got = (const void *)(uintptr_t)have;
    job.row_rms = (const double *)(uintptr_t)rows;
    return cuda_compare_by(c, c->compare[t], t, &job, NULL, ret, what->print, err);
}

/* ---- the size of a tensor ---- */

#define RMS_SEGMENT 4096 /* elements: many short sums keep the whole device busy */

static int read_sums(struct cuda_ctx *c, int64_t n_sums, struct sum_sq *ret, struct err *err)
{
    CUresult rc = c->cu->cuMemcpyDtoH_v2(ret, c->scratch.at, (size_t)n_sums * sizeof(*ret));

    return rc ? cuda_fail(c->cu, rc, err, "rms") : 0;
}

int cuda_rms(void *ctx, const struct mem *y, size_t at, int64_t n, double *ret, struct err *err)
{
    struct cuda_ctx *c = ctx;
    CUdeviceptr from = cuda_span_of(y, at, n, sizeof(double), err);
    int64_t segment = RMS_SEGMENT, n_sums = (n + segment - 1) / segment;
    void *args[] = {&from, &n, &segment, &n_sums, &n_sums, &c->scratch.at};
    AUTO(freep) struct sum_sq *sums = xcalloc((size_t)n_sums, sizeof(*sums));
    struct sum_sq all = {0, 0};

    *ret = 0;
    if (!from || cuda_enter(c, err) < 0)
        return -1;
    if (n == 0)
        return 0;
    if (cuda_reserve(c, &c->scratch, (size_t)n_sums * sizeof(*sums), err) < 0 ||
        cuda_launch(c, c->kernels[SEGMENT_SUMS], cuda_blocks(c, n_sums * COMPARE_LANES), args,
                    "rms", err) < 0 ||
        read_sums(c, n_sums, sums, err) < 0)
        return -1;
    for (int64_t i = 0; i < n_sums; i++)
        sum_sq_add(&all, sums[i]);
    *ret = all.count > 0 ? sqrt(all.sum / (double)all.count) : 0;
    return 0;
}
