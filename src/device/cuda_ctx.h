/* SPDX-License-Identifier: MIT */
/* What the files of the judge's cuda face share: cuda_judge.c opens and describes, cuda_memory.c
 * allocates and copies, cuda_content.c fills, poisons and flushes, cuda_compare.c compares. */
#ifndef ASSAY_DEVICE_CUDA_CTX_H
#define ASSAY_DEVICE_CUDA_CTX_H

#include "device/cuda_driver.h"
#include "device/cuda_judge.h"
#include "device/cuda_kernels.h"
#include "device/nvml.h"

enum kernel {
    FILL_ROWS,
    FILL_REALS,
    FILL_INTEGERS,
    POISON,
    POISON_CHECK,
    SHORT_ROW_LOWS,
    SEGMENT_SUMS,
    LONG_ROW_LOWS,
    COMPARE_FINISH,
    FLUSH_WRITE,
    FLUSH_READ,
    KERNEL_COUNT,
};

/* Device memory of the judge's own that grows when asked for more. */
struct cuda_room {
    CUdeviceptr at;
    size_t bytes;
};

struct cuda_ctx {
    const struct cuda_driver *cu;
    CUdevice device;
    CUcontext context; /* the primary one; NULL: not retained */
    CUstream stream;
    CUmodule module;
    CUfunction kernels[KERNEL_COUNT];
    CUfunction compare[DT_COUNT];
    struct nvml *nvml; /* NULL: not asked yet, or not there */
    bool nvml_asked;
    int sms;
    size_t l2_bytes, memory_bytes, granularity;
    struct cuda_room scratch; /* tables, parts, results: of one call only */
    struct cuda_room sweep;   /* flush: half to write, half to read */
};

/* What shared memory is made of; fills and returns prop. */
const struct cu_mem_prop *cuda_shared_prop(const struct cuda_ctx *c, struct cu_mem_prop *prop);

/* Every op starts with the one, and those that queued work end with the other. */
int cuda_enter(struct cuda_ctx *c, struct err *err);
int cuda_finish(struct cuda_ctx *c, const char *what, struct err *err);

/* The device's address of [at, at + bytes), or 0 with an error when that leaves the memory. */
CUdeviceptr cuda_span(const struct mem *m, size_t at, size_t bytes, struct err *err);
/* The same for n elements, which the device reads and writes whole: they must lie for it. */
CUdeviceptr cuda_span_of(const struct mem *m, size_t at, int64_t n, size_t element,
                         struct err *err);

/* At least so many bytes; what was there before is lost. */
int cuda_reserve(struct cuda_ctx *c, struct cuda_room *r, size_t bytes, struct err *err);
void cuda_unreserve(struct cuda_ctx *c, struct cuda_room *r);
size_t cuda_aligned(size_t bytes); /* up to a multiple of 256 */

/* Enough blocks to fill the device; kernels stride over what is left. */
unsigned cuda_blocks(const struct cuda_ctx *c, int64_t threads);
/* Queues it; args as cuLaunchKernel takes them. */
int cuda_launch(struct cuda_ctx *c, CUfunction kernel, unsigned blocks, void **args,
                const char *what, struct err *err);

/* The slots of struct device_judge_ops. */
int cuda_mem_alloc(void *ctx, enum mem_kind kind, size_t bytes, struct mem *ret, struct err *err);
void cuda_mem_free(void *ctx, struct mem *m);
int cuda_copy(void *ctx, struct mem *dst, size_t dst_at, const struct mem *src, size_t src_at,
              size_t bytes, struct err *err);
int cuda_upload(void *ctx, struct mem *dst, size_t at, const void *host, size_t bytes,
                struct err *err);
int cuda_download(void *ctx, const struct mem *src, size_t at, void *host, size_t bytes,
                  struct err *err);
int cuda_fill(void *ctx, struct mem *m, size_t at, const struct law *law, uint64_t seed,
              enum dtype t, const struct shape *shape, struct err *err);
int cuda_poison(void *ctx, struct mem *m, size_t at, size_t bytes, uint64_t key, struct err *err);
int cuda_poison_check(void *ctx, const struct mem *m, size_t at, size_t bytes, uint64_t key,
                      int64_t *ret_at, struct err *err);
int cuda_flush(void *ctx, struct mem *const *mems, int n, struct err *err);
int cuda_compare(void *ctx, const struct mem *y, size_t y_at, const struct mem *got, size_t got_at,
                 enum dtype t, int64_t n, const struct compare_scale *scale,
                 struct compare_stats *ret, struct err *err);

#endif
