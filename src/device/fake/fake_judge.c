/* SPDX-License-Identifier: MIT */
/* The judge's face of the fake device: host memory, and a flush that is none. */
#include "device/fake/fake_device.h"

#include "device/hostmem.h"

static void fake_close(void *ctx)
{
    (void)ctx;
}

static int fake_describe(void *ctx, struct device_info *ret, struct err *err)
{
    (void)ctx;
    (void)err;
    *ret = (struct device_info){.name = "fake device",
                                .driver = "none",
                                .fingerprint = "fake",
                                .memory_bytes = (int64_t)8 << 30,
                                .cache_bytes = (int64_t)1 << 20,
                                .cores = 1};
    return 0;
}

/* Inputs are as on a GPU: a runner maps them read-only, and can lift that. */
static int fake_alloc(void *ctx, enum mem_kind kind, size_t bytes, struct mem *ret, struct err *err)
{
    if (hostmem_alloc(ctx, kind == MEM_INPUT ? MEM_OUTPUT : kind, bytes, ret, err) < 0)
        return -1;
    ret->kind = kind;
    return 0;
}

static int fake_flush(void *ctx, struct mem *const *mems, int n, struct err *err)
{
    (void)ctx;
    (void)mems;
    (void)n;
    (void)err;
    return 0;
}

const struct device_judge_ops fake_judge_ops = {
    .open = fake_open,
    .close = fake_close,
    .describe = fake_describe,
    .mem_alloc = fake_alloc,
    .mem_free = hostmem_free,
    .copy = hostmem_copy,
    .upload = hostmem_upload,
    .download = hostmem_download,
    .fill = hostmem_fill,
    .poison = hostmem_poison,
    .poison_check = hostmem_poison_check,
    .peek = hostmem_peek,
    .differ = hostmem_differ,
    .store = hostmem_store,
    .compare = hostmem_compare,
    .rms = hostmem_rms,
    .flush = fake_flush,
};
