/* SPDX-License-Identifier: MIT */
/* What the GPU's kernels do differently by size, stride and type, on the emulated GPU against the
 * host. */
#ifndef TESTS_GPU_KERNELS_RIG_H
#define TESTS_GPU_KERNELS_RIG_H

#define RIG_ON_GPU
#include "ops_rig.h"

static inline int64_t between(int64_t low, int64_t high)
{
    return low + (int64_t)((noise() + 1) / 2 * (double)(high - low + 1));
}

/* All the ways a graph is run. */
static inline void run_all_ways(struct rig *r, int node)
{
    static const struct ops_run runs[] = {
        {.precision = OPS_DOUBLE},
        {.precision = OPS_DOUBLE, .truncate = true},
        {.precision = OPS_FLOAT},
        {.precision = OPS_FLOAT, .rotation = 7},
        {.precision = OPS_FLOAT, .truncate = true, .rotation = 3},
        {.precision = OPS_FLOAT, .round_operands = ROUND_TF32},
        {.precision = OPS_FLOAT, .round_operands = ROUND_BF16, .round_storage = ROUND_E4M3},
    };

    finish(r, node);
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        assert_int_equal(evaluate(r, &runs[i]), 0);
    rig_end(r);
}

static inline int open_engine(void **state)
{
    (void)state;
    gpu_open(true);
    return 0;
}

static inline int close_engine(void **state)
{
    (void)state;
    gpu_engine_trim(&engine);
    gpu_engine_close(&engine);
    gpu_engine_close(&engine);
    judge->close(judge_ctx);
    return 0;
}

#endif
