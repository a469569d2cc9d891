/* SPDX-License-Identifier: MIT */
#include "tensor/arith.h"

#include "base/util.h"

#include <math.h>
#include <string.h>

const char *const arith_names[ARITH_COUNT] = {
    [ARITH_FP64] = "fp64", [ARITH_FP64_TENSOR] = "fp64_tensor",
    [ARITH_FP32] = "fp32", [ARITH_TF32] = "tf32",
    [ARITH_BF16] = "bf16", [ARITH_FP16] = "fp16",
    [ARITH_FP8] = "fp8",   [ARITH_FP4] = "fp4",
    [ARITH_INT8] = "int8",
};

bool arith_parse(const char *name, enum arith *ret)
{
    for (int a = 0; a < ARITH_COUNT; a++)
        if (!strcmp(name, arith_names[a])) {
            *ret = (enum arith)a;
            return true;
        }
    return false;
}

enum arith arith_of(enum dtype t)
{
    switch (t) {
    case DT_F64:
        return ARITH_FP64;
    case DT_F16:
        return ARITH_FP16;
    case DT_BF16:
        return ARITH_BF16;
    case DT_F8E4M3:
    case DT_F8E5M2:
        return ARITH_FP8;
    case DT_I8:
    case DT_U8:
        return ARITH_INT8;
    default:
        return ARITH_FP32;
    }
}

/* The class whose unit multiplies the numbers of a class that has no unit of its own: the next one
 * that holds them exactly. */
static const enum arith wider[ARITH_COUNT] = {
    [ARITH_FP64] = ARITH_FP64, [ARITH_FP64_TENSOR] = ARITH_FP64, [ARITH_FP32] = ARITH_FP32,
    [ARITH_TF32] = ARITH_FP32, [ARITH_BF16] = ARITH_FP32,        [ARITH_FP16] = ARITH_FP32,
    [ARITH_FP8] = ARITH_FP16,  [ARITH_FP4] = ARITH_FP8,          [ARITH_INT8] = ARITH_FP16,
};

double arith_rate(const double rates[ARITH_COUNT], enum arith a)
{
    if (a == ARITH_FP64)
        return fmax(rates[ARITH_FP64], rates[ARITH_FP64_TENSOR]);
    while (rates[a] <= 0 && wider[a] != a)
        a = wider[a];
    return rates[a];
}

/* Wide numbers as sums of narrow ones: how many narrow products make one wide product. fp32 is two
 * tf32 or two scaled fp16 (lo * lo is dropped: 3 products) or three bf16 (6); fp64 is at least
 * seven slices of int8 (28). */
static const struct {
    enum arith wide, narrow;
    int products;
} splits[] = {
    {ARITH_FP32, ARITH_TF32, 3},
    {ARITH_FP32, ARITH_FP16, 3},
    {ARITH_FP32, ARITH_BF16, 6},
    {ARITH_FP64, ARITH_INT8, 28},
};

double arith_bound(const double rates[ARITH_COUNT], enum arith a)
{
    double best = arith_rate(rates, a);

    for (size_t i = 0; i < ARRAY_SIZE(splits); i++)
        if (splits[i].wide == a)
            best = fmax(best, rates[splits[i].narrow] / splits[i].products);
    return best;
}
