/* SPDX-License-Identifier: MIT */
/* Loops of integers and bool: no functions, and products element by element (they are rare). */
#include "problem/graph.h"

#define REAL int64_t
#define ITEM(name) item_##name##_i64
#define ITEM_INTEGER 1
#include "ops/loops_body.h"

static int matmul(const struct matmul_args *m, const void *a, const void *b, void *y,
                  struct err *err)
{
    int64_t n = m->batch * m->gemm.m * m->gemm.n;

    (void)err;
    PARALLEL_FOR((double)n * (double)m->gemm.k.count)
    for (int64_t i = 0; i < n; i++)
        ((int64_t *)y)[i] = ITEM(matmul)(m, a, b, i);
    return 0;
}

const struct loops loops_i64 = {
    .size = sizeof(int64_t),
    .fill = fill,
    .iota = iota,
    .unary = unary,
    .binary = binary,
    .compare = compare,
    .where = where,
    .reduce = reduce,
    .arg = arg,
    .topk = topk,
    .scan = scan,
    .matmul = matmul,
    .move = move,
    .pad = pad,
    .gather = gather,
    .take = take,
};
