/* SPDX-License-Identifier: MIT */
/* Pools of contents. */
#ifndef TESTS_POOL_RIG_H
#define TESTS_POOL_RIG_H

#include "problem_rig.h"

#include "content/pool.h"
#include "ops/ops.h"

#define POOL_CONTENTS 8

static inline struct pool_config cpu_pool_config(const struct problem *p, uint64_t seed,
                                                 int64_t memory, void *ctx)
{
    return (struct pool_config){.device = &device_cpu,
                                .ctx = ctx,
                                .engine = &ops_host,
                                .graph = small(p),
                                .seed = seed,
                                .contents = POOL_CONTENTS,
                                .least_slots = 1,
                                .memory_bytes = memory};
}

/* In the memory of the CPU. The device is opened if *ctx is NULL. */
static inline int open_cpu_pool(const struct problem *p, uint64_t seed, int64_t memory,
                                struct pool *pool, void **ctx, struct err *err)
{
    if (!*ctx)
        assert_int_equal(device_cpu.judge->open(0, ctx, err), 0);

    const struct pool_config c = cpu_pool_config(p, seed, memory, *ctx);

    return pool_open(&c, pool, err);
}

/* A content with its expected values. */
static inline const struct pool_slot *get(struct pool *p, int content)
{
    const struct pool_slot *slot = NULL;
    struct err err = ERR_INIT;

    must(pool_get_expected(p, content, &slot, &err), &err);
    return slot;
}

#endif
