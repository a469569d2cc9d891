/* SPDX-License-Identifier: MIT */
/* The host as a backend: the loops of a job's store carry it out. */
#include "base/util.h"
#include "ops/eval.h"
#include "ops/threads.h"

#include <stdlib.h>
#include <string.h>

#define ROUND_CHUNK 2048

static void *host_alloc(void *ctx, size_t bytes)
{
    (void)ctx;
    return try_alloc(bytes);
}

static void host_free(void *ctx, void *at)
{
    (void)ctx;
    free(at);
}

static void load(const struct op_job *j)
{
    if (j->type[0] == store_dtype(j->store))
        memcpy(j->y, j->in[0], (size_t)j->count * store_loops(j->store)->size);
    else
        convert_load(j->type[0], j->in[0], j->store, j->y, j->count);
    if (j->round != ROUND_NONE)
        convert_round(j->round, j->y, j->y, j->count);
}

static void round_and_pass(const struct op_job *j)
{
    size_t size = store_loops(j->convert.to)->size;

#pragma omp parallel for num_threads(threads_for((double)j->count)) schedule(static)
    for (int64_t at = 0; at < j->count; at += ROUND_CHUNK) {
        float room[ROUND_CHUNK];
        int64_t len = MIN(ROUND_CHUNK, j->count - at);

        convert_round(j->round, (const float *)j->in[0] + at, room, len);
        convert_through(j->convert.through, STORE_F32, room, j->convert.to,
                        (char *)j->y + (size_t)at * size, len);
    }
}

static void run_convert(const struct op_job *j)
{
    if (!j->convert.passes)
        load(j);
    else if (j->round != ROUND_NONE)
        round_and_pass(j);
    else
        convert_through(j->convert.through, j->store, j->in[0], j->convert.to, j->y, j->count);
}

/* Operand i, rounded if the job asks for it. *ret_own: memory that the caller frees. */
static int rounded_operand(const struct op_job *j, int i, void **ret_own, const void **ret,
                           struct err *err)
{
    int64_t n = j->in_count[i];

    *ret = j->in[i];
    *ret_own = NULL;
    if (j->round == ROUND_NONE)
        return 0;
    *ret_own = loops_scratch((size_t)n * sizeof(float), err);
    if (!*ret_own)
        return -1;
    convert_round(j->round, j->in[i], *ret_own, n);
    *ret = *ret_own;
    return 0;
}

static int run_contraction(const struct op_job *j, struct err *err)
{
    const struct loops *loops = store_loops(j->store);
    AUTO(freep) void *own_a = NULL;
    AUTO(freep) void *own_b = NULL;
    const void *a, *b;

    if (rounded_operand(j, 0, &own_a, &a, err) < 0 || rounded_operand(j, 1, &own_b, &b, err) < 0)
        return -1;
    if (j->kind == OP_JOB_MATMUL)
        return loops->matmul(&j->matmul, a, b, j->y, err);
    return loops->conv(&j->conv, a, b, j->in[2], j->y, err);
}

static int run_grouped(const struct op_job *j, struct err *err)
{
    AUTO(freep) void *own_x = NULL;
    AUTO(freep) void *own_w = NULL;
    const void *x, *w;

    if (job_check_offsets(&j->grouped, j->in[2], err) < 0 ||
        rounded_operand(j, 0, &own_x, &x, err) < 0 || rounded_operand(j, 1, &own_w, &w, err) < 0)
        return -1;
    return store_loops(j->store)->grouped(&j->grouped, x, w, j->in[2], j->y, err);
}

/* Runs a delta rule. q, k and v are rounded if the job asks for it. */
static int run_delta(const struct op_job *j, struct err *err)
{
    const void *in[5] = {NULL, NULL, NULL, j->in[3], j->in[4]};
    void *own[3] = {NULL, NULL, NULL};
    int rc = 0;

    for (int i = 0; i < 3 && rc == 0; i++)
        rc = rounded_operand(j, i, &own[i], &in[i], err);
    if (rc == 0)
        rc = store_loops(j->store)->delta(&j->delta, in, j->y, err);
    for (int i = 0; i < 3; i++)
        free(own[i]);
    return rc;
}

static void run_rows(const struct op_job *j)
{
    const struct rows_args *r = &j->rows;
    size_t size = store_loops(j->store)->size, part = (size_t)r->width * size;
    const char *from = j->in[0];
    char *to = j->y;

#pragma omp parallel for num_threads(threads_for((double)r->rows *(double)r->width))
    for (int64_t i = 0; i < r->rows; i++)
        memcpy(to + (size_t)(i * r->y_row) * size, from + (size_t)i * part, part);
}

/* Fails on an index outside the axis. Indices come with the data and are not checked before. */
static int check_index(const int64_t *index, int64_t n, int64_t length, struct err *err)
{
    for (int64_t i = 0; i < n; i++) {
        if (index[i] < 0 || index[i] >= length)
            return job_index_error(index[i], i, length, err);
    }
    return 0;
}

static int run_indexed(const struct op_job *j, struct err *err)
{
    const struct loops *loops = store_loops(j->store);

    if (j->kind == OP_JOB_GATHER) {
        if (check_index(j->in[1], j->gather.n_index, j->gather.length, err) < 0)
            return -1;
        loops->gather(&j->gather, j->in[0], j->in[1], j->y);
    } else {
        if (check_index(j->in[1], j->take.count, j->take.length, err) < 0)
            return -1;
        loops->take(&j->take, j->in[0], j->in[1], j->y);
    }
    return 0;
}

static void run_elementwise(const struct op_job *j)
{
    const struct loops *loops = store_loops(j->store);

    if (j->kind == OP_JOB_WHERE)
        loops->where(j->ax, j->in[0], j->in[1], j->in[2], j->y);
    else if (j->kind == OP_JOB_COMPARE)
        loops->compare(j->op, j->ax, j->in[0], j->in[1], j->y);
    else if (j->kind == OP_JOB_BINARY)
        loops->binary(j->op, j->ax, j->in[0], j->in[1], j->y);
    else
        loops->unary(j->op, j->in[0], j->y, j->count);
}

static int host_run(void *ctx, const struct op_job *j, struct err *err)
{
    const struct loops *loops = store_loops(j->store);

    (void)ctx;
    switch (j->kind) {
    case OP_JOB_FILL:
        loops->fill(j->y, j->count, j->value);
        return 0;
    case OP_JOB_IOTA:
        loops->iota(&j->line, j->y);
        return 0;
    case OP_JOB_CONVERT:
        run_convert(j);
        return 0;
    case OP_JOB_UNARY:
    case OP_JOB_BINARY:
    case OP_JOB_COMPARE:
    case OP_JOB_WHERE:
        run_elementwise(j);
        return 0;
    case OP_JOB_PASS:
        break; /* never happens: most_steps is 0 */
    case OP_JOB_REDUCE:
        return loops->reduce(j->op, &j->reduce, j->in[0], j->y, err);
    case OP_JOB_ARG:
        loops->arg(j->op, &j->line, j->in[0], j->y);
        return 0;
    case OP_JOB_TOPK:
        loops->topk(&j->topk, j->in[0], j->y);
        return 0;
    case OP_JOB_SCAN:
        loops->scan(j->op, &j->line, j->in[0], j->y);
        return 0;
    case OP_JOB_MATMUL:
    case OP_JOB_CONV:
        return run_contraction(j, err);
    case OP_JOB_GROUPED:
        return run_grouped(j, err);
    case OP_JOB_DELTA:
        return run_delta(j, err);
    case OP_JOB_POOL:
        loops->pool(j->op, &j->pool, j->in[0], j->y);
        return 0;
    case OP_JOB_RECUR:
        return loops->recur(j->op, &j->recur, j->in, j->round, j->y, err);
    case OP_JOB_MOVE:
        loops->move(j->ax, j->in[0], j->y);
        return 0;
    case OP_JOB_ROWS:
        run_rows(j);
        return 0;
    case OP_JOB_PAD:
        loops->pad(&j->pad, j->in[0], j->y);
        return 0;
    case OP_JOB_GATHER:
    case OP_JOB_TAKE:
        return run_indexed(j, err);
    }
    return 0;
}

static const struct backend host = {.alloc = host_alloc, .free = host_free, .run = host_run};

int ops_eval(const struct graph *g, const struct ops_run *run, const void *const *sources,
             void *const *outputs, struct err *err)
{
    return eval_graph(&host, g, run, sources, outputs, err);
}

double ops_peak_bytes(const struct graph *g, enum ops_precision precision)
{
    return eval_peak(&host, g, precision);
}

static int engine_eval(void *ctx, const struct graph *g, const struct ops_run *run,
                       const void *const *sources, void *const *outputs, struct err *err)
{
    (void)ctx;
    return ops_eval(g, run, sources, outputs, err);
}

static double engine_peak(void *ctx, const struct graph *g, enum ops_precision precision)
{
    (void)ctx;
    return ops_peak_bytes(g, precision);
}

const struct ops_engine ops_host = {.eval = engine_eval, .peak_bytes = engine_peak};
