/* SPDX-License-Identifier: MIT */
/* Rates that a GPU reaches: copies by the judge's own ops, the rest as the device measures it. */
#include "hardware/calibration.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>

#define ROUNDS 12
#define COPY_BYTES ((size_t)1 << 30)

static int measure_copy(const struct device_judge_ops *ops, void *ctx, struct mem *from,
                        struct mem *to, double *ret_bytes_s, struct err *err)
{
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t start = clock_ns();

        if (ops->copy(ctx, to, 0, from, 0, COPY_BYTES, err) < 0)
            return -1;
        *ret_bytes_s = fmax(*ret_bytes_s, 2.0 * COPY_BYTES / (double)(clock_ns() - start) * 1e9);
    }
    return 0;
}

int calibrate_gpu(const struct device_judge_ops *ops, void *ctx, struct calibration *ret,
                  struct err *err)
{
    struct device_rates rates = {.partial = true};
    struct mem mems[2] = {MEM_INIT, MEM_INIT};
    int rc = ops->mem_alloc(ctx, MEM_PRIVATE, COPY_BYTES, &mems[0], err);

    if (rc == 0)
        rc = ops->mem_alloc(ctx, MEM_PRIVATE, COPY_BYTES, &mems[1], err);
    if (rc == 0)
        rc = measure_copy(ops, ctx, &mems[0], &mems[1], &ret->copy_bytes_s, err);
    for (int i = 0; i < 2; i++)
        ops->mem_free(ctx, &mems[i]);
    if (rc == 0 && ops->rates)
        rc = ops->rates(ctx, &rates, err);
    ret->read_bytes_s = rates.read_bytes_s;
    memcpy(ret->flops_s, rates.flops_s, sizeof(ret->flops_s));
    ret->partial = rates.partial;
    return rc;
}
