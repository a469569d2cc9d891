/* SPDX-License-Identifier: MIT */
#include "tensor/shape.h"

#include <inttypes.h>

/* Rows shorter than this say too little about their own scale (docs/correctness.md). */
#define ROW_MIN 16

/* A dimension of 0 does not hide that the product of the others is too large: strides are made of
 * that product. */
int64_t shape_count(const struct shape *s)
{
    int64_t count = 1;
    bool empty = false;

    for (int i = 0; i < s->rank; i++) {
        if (s->dim[i] < 0 || s->dim[i] > SHAPE_MAX_COUNT / count)
            return -1;
        if (s->dim[i] == 0)
            empty = true;
        else
            count *= s->dim[i];
    }
    return empty ? 0 : count;
}

bool shape_equal(const struct shape *a, const struct shape *b)
{
    if (a->rank != b->rank)
        return false;
    for (int i = 0; i < a->rank; i++) {
        if (a->dim[i] != b->dim[i])
            return false;
    }
    return true;
}

void shape_strides(const struct shape *s, int64_t strides[SHAPE_MAX_RANK])
{
    int64_t stride = 1;

    for (int i = s->rank - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= s->dim[i];
    }
}

bool shape_broadcast(const struct shape *a, const struct shape *b, struct shape *ret)
{
    struct shape out = {.rank = MAX(a->rank, b->rank)};

    for (int i = 0; i < out.rank; i++) {
        int in_a = i - (out.rank - a->rank), in_b = i - (out.rank - b->rank);
        int64_t da = in_a < 0 ? 1 : a->dim[in_a];
        int64_t db = in_b < 0 ? 1 : b->dim[in_b];

        if (da != db && da != 1 && db != 1)
            return false;
        out.dim[i] = da == 1 ? db : da;
    }
    *ret = out;
    return true;
}

void shape_print(const struct shape *s, struct buf *out)
{
    buf_addch(out, '[');
    for (int i = 0; i < s->rank; i++)
        buf_addf(out, "%s%" PRId64, i ? ", " : "", s->dim[i]);
    buf_addch(out, ']');
}

int64_t shape_row(const struct shape *s, bool *ret_whole)
{
    int64_t last = s->rank ? s->dim[s->rank - 1] : 1;

    *ret_whole = last < ROW_MIN;
    return *ret_whole ? shape_count(s) : last;
}
