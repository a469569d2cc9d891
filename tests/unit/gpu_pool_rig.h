/* SPDX-License-Identifier: MIT */
/* Pools in the memory of the emulated GPU. */
#ifndef TESTS_GPU_POOL_RIG_H
#define TESTS_GPU_POOL_RIG_H

#include "emulated.h"
#include "pool_rig.h"

#include "gpu/gpu.h"

#define CONTENTS 6
#define MEMORY ((int64_t)1 << 30)

static void *cuda, *cpu;
static struct ops_engine engine;

static inline int gpu_pool_set_up(void **state)
{
    struct err err = ERR_INIT;

    (void)state;
    emulated_load(true);
    if (device_cuda.judge->open(0, &cuda, &err) < 0 || gpu_engine_open(cuda, &engine, &err) < 0 ||
        device_cpu.judge->open(0, &cpu, &err) < 0)
        fail_msg("%s", err.text);
    return 0;
}

static inline int gpu_pool_tear_down(void **state)
{
    (void)state;
    gpu_engine_close(&engine);
    device_cuda.judge->close(cuda);
    device_cpu.judge->close(cpu);
    return 0;
}

static inline struct pool_config config_of(const struct graph *g, bool on_gpu, int least_slots,
                                           int64_t memory)
{
    return (struct pool_config){.device = on_gpu ? &device_cuda : &device_cpu,
                                .ctx = on_gpu ? cuda : cpu,
                                .engine = on_gpu ? &engine : &ops_host,
                                .graph = g,
                                .seed = 7,
                                .contents = CONTENTS,
                                .least_slots = least_slots,
                                .memory_bytes = memory};
}

static inline void open_pool(const struct graph *g, bool on_gpu, int64_t memory, struct pool *ret)
{
    struct pool_config c = config_of(g, on_gpu, 1, memory);
    struct err err = ERR_INIT;

    must(pool_open(&c, ret, &err), &err);
}

static inline void *download(const struct mem *m, size_t bytes)
{
    struct err err = ERR_INIT;
    void *host = xmalloc(bytes);

    must(device_cuda.judge->download(cuda, m, 0, host, bytes, &err), &err);
    return host;
}

/* With the least memory that two contents side by side take. */
static inline void open_narrow(const struct graph *g, bool on_gpu, struct pool *ret)
{
    struct err err = ERR_INIT;
    int rc = -1;

    for (int64_t memory = 1 << 18; rc < 0 && memory < MEMORY; memory += memory / 8) {
        struct pool_config c = config_of(g, on_gpu, 2, memory);

        rc = pool_open(&c, ret, &err);
    }
    assert_int_equal(rc, 0);
    assert_true(ret->cap_slots < CONTENTS);
}

/* No single pass, and so never compared in passing. */
static const char sums[] =
    "problem { 'P', level = 1, id = 1 }\n"
    "sizes { full = { M = 256, N = 320 }, small = { M = 256, N = 320 } }\n"
    "output('y', cumsum(input('x', f32, { M, N }, spread(), normal(), heavy()), { dim = 1 }))\n";

/* With the least memory that one content takes. */
static inline void open_for_one(const struct graph *g, struct pool *p)
{
    struct err err = ERR_INIT;
    int rc = -1;

    for (int64_t memory = 5 << 19; rc < 0 && memory < MEMORY; memory += memory / 8) {
        struct pool_config c = config_of(g, true, 1, memory);

        rc = pool_open(&c, p, &err);
    }
    assert_int_equal(rc, 0);
    assert_int_equal(p->cap_slots, 1);
}

#endif
