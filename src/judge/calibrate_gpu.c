/* SPDX-License-Identifier: MIT */
/* Peaks of a GPU: the datasheet's where there is one; memory bandwidth is measured as well, by the
 * judge's own copies. */
#include "judge/calibration.h"

#include "base/clock.h"
#include "judge/hardware.h"

#include <math.h>

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
    const struct hardware *known = hardware_find(ret->device);
    struct mem mems[2] = {MEM_INIT, MEM_INIT};
    int rc = ops->mem_alloc(ctx, MEM_PRIVATE, COPY_BYTES, &mems[0], err);

    if (rc == 0)
        rc = ops->mem_alloc(ctx, MEM_PRIVATE, COPY_BYTES, &mems[1], err);
    if (rc == 0)
        rc = measure_copy(ops, ctx, &mems[0], &mems[1], &ret->copy_bytes_s, err);
    for (int i = 0; i < 2; i++)
        ops->mem_free(ctx, &mems[i]);
    ret->read_bytes_s = known ? known->bytes_s : ret->copy_bytes_s;
    ret->f32_flops_s = known ? known->f32_flops_s : 0;
    ret->f64_flops_s = known ? known->f64_flops_s : 0;
    return rc;
}
