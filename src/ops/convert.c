/* SPDX-License-Identifier: MIT */
#include "ops/convert.h"

#include "base/util.h"
#include "ops/threads.h"

#include <string.h>

#define CHUNK 2048 /* elements that are converted at a time, in a buffer on the stack */

enum store store_of(enum dtype t, enum ops_precision precision)
{
    if (!dtype_is_float(t))
        return STORE_I64;
    return precision == OPS_DOUBLE ? STORE_F64 : STORE_F32;
}

const struct loops *store_loops(enum store s)
{
    static const struct loops *const loops[] = {
        [STORE_F64] = &loops_f64, [STORE_F32] = &loops_f32, [STORE_I64] = &loops_i64};

    return loops[s];
}

enum dtype store_dtype(enum store s)
{
    static const enum dtype types[] = {
        [STORE_F64] = DT_F64, [STORE_F32] = DT_F32, [STORE_I64] = DT_I64};

    return types[s];
}

void convert_load(enum dtype t, const void *src, enum store to, void *dst, int64_t n)
{
    switch (to) {
    case STORE_F64:
        dtype_to_f64(t, src, dst, n);
        break;
    case STORE_F32:
        dtype_to_f32(t, src, dst, n);
        break;
    case STORE_I64:
        dtype_to_i64(t, src, dst, n);
        break;
    }
}

static void convert_save(enum dtype t, enum store from, const void *src, void *dst, int64_t n)
{
    switch (from) {
    case STORE_F64:
        dtype_from_f64(t, src, dst, n);
        break;
    case STORE_F32:
        dtype_from_f32(t, src, dst, n);
        break;
    case STORE_I64:
        dtype_from_i64(t, src, dst, n);
        break;
    }
}

void convert_through(enum dtype t, enum store from, const void *src, enum store to, void *dst,
                     int64_t n)
{
    size_t from_size = store_loops(from)->size, to_size = store_loops(to)->size;

    if (from == to && store_dtype(from) == t) {
        memmove(dst, src, (size_t)n * from_size);
        return;
    }
#pragma omp parallel for num_threads(threads_for((double)n)) schedule(static)
    for (int64_t at = 0; at < n; at += CHUNK) {
        int64_t room[CHUNK], len = MIN(CHUNK, n - at);

        convert_save(t, from, (const char *)src + (size_t)at * from_size, room, len);
        convert_load(t, room, to, (char *)dst + (size_t)at * to_size, len);
    }
}

void convert_round(enum rounding r, const float *src, float *dst, int64_t n)
{
#pragma omp parallel for num_threads(threads_for((double)n)) schedule(static)
    for (int64_t i = 0; i < n; i++)
        dst[i] = round_to(r, src[i]);
}
