/* SPDX-License-Identifier: MIT */
/* Shared by the files of the judge's cuda face: cuda_judge.c opens and describes, cuda_memory.c
 * allocates and copies, cuda_content.c fills, poisons and flushes, cuda_compare.c compares,
 * cuda_rates.c and cuda_gemm.c measure. */
#ifndef ASSAY_DEVICE_CUDA_CTX_H
#define ASSAY_DEVICE_CUDA_CTX_H

#include "device/cuda/cuda_driver.h"
#include "device/cuda/cuda_judge.h"
#include "device/cuda/cuda_kernels.h"
#include "device/cuda/nvml.h"
#include "device/cuda/nvrtc.h"

#include <pthread.h>

enum kernel {
    FILL_ROWS,
    FILL_SPREAD,
    FILL_NORMAL,
    FILL_UNIFORM,
    FILL_HEAVY,
    FILL_NEEDLE,
    FILL_REALS,
    FILL_INTEGERS,
    POISON,
    POISON_CHECK,
    PEEK,
    DIFFER,
    STORE_REALS,
    STORE_INTEGERS,
    SHORT_ROW_RMS,
    SEGMENT_SUMS,
    LONG_ROW_RMS,
    COMPARE_FINISH,
    FLUSH_WRITE,
    FLUSH_READ,
    FMA_F32,
    FMA_F64,
    KERNEL_COUNT,
};

/* Device memory of the judge's own that grows when asked for more. */
struct cuda_room {
    CUdeviceptr at;
    size_t bytes;
};

#define CUDA_OPENED_MAX 32

struct cuda_ctx {
    const struct cuda_driver *cu;
    CUdevice device;
    CUcontext context; /* the primary context; NULL: not retained */
    CUstream stream;
    CUmodule module;
    CUfunction kernels[KERNEL_COUNT];
    /* Fetched when they are first needed: loading a kernel takes a millisecond. */
    CUfunction compare[DT_COUNT], print[DT_COUNT];
    struct nvml *nvml; /* NULL: no NVML here */
    pthread_t nvml_opener;
    bool opens_nvml; /* a thread opens nvml, which is the thread's until it is joined */
    int sms, sm;     /* number of SMs, and their kind: 90 for sm_90 */
    size_t l2_bytes, memory_bytes, granularity;
    /* Bytes that cuda_mem_alloc() and cuda_reserve() hold, as the driver rounds them. Atomic: see
     * mem_free() in device.h. */
    _Atomic int64_t own_bytes;
    struct cuda_room scratch;  /* tables, parts, results: valid in one call only */
    struct cuda_room unread;   /* flush: memory to be read, as large as the sweep */
    struct cuda_room sum;      /* flush: sum of the words that it wrote */
    struct device_sweep sweep; /* flush: memory to be written; no bytes: not made yet */
    /* Memory of runners that is open here (cuda_locate.c). */
    struct cuda_opened {
        struct cu_ipc_handle handle;
        CUdeviceptr base;
        size_t bytes;
    } opened[CUDA_OPENED_MAX];
    int n_opened;
};

/* Properties of shared memory; fills and returns prop. */
const struct cu_mem_prop *cuda_shared_prop(const struct cuda_ctx *c, struct cu_mem_prop *prop);

/* cuda_enter() begins every op. An op that queued work ends with cuda_finish(), or reads a result,
 * which waits as well: the stream is a blocking one. */
int cuda_enter(struct cuda_ctx *c, struct err *err);
int cuda_finish(struct cuda_ctx *c, const char *what, struct err *err);

/* Compiles a program of ours for this device, or finds it in the cache, and loads it. `what` names
 * it in messages. */
int cuda_load_program(struct cuda_ctx *c, const struct nvrtc_program *p, const char *what,
                      CUmodule *ret, struct err *err);

/* The device's address of [at, at + bytes), or 0 with an error when that leaves the memory. */
CUdeviceptr cuda_span(const struct mem *m, size_t at, size_t bytes, struct err *err);
/* The device's address of n elements, or 0 with an error. They have to be aligned, because the
 * device reads and writes them whole. */
CUdeviceptr cuda_span_of(const struct mem *m, size_t at, int64_t n, size_t element,
                         struct err *err);

/* Makes room for so many bytes at least; if it grows, its old contents are lost. */
int cuda_reserve(struct cuda_ctx *c, struct cuda_room *r, size_t bytes, struct err *err);
void cuda_unreserve(struct cuda_ctx *c, struct cuda_room *r);
size_t cuda_aligned(size_t bytes); /* rounded up to a multiple of 256 */

/* Enough blocks to fill the device; kernels stride over the rest. */
unsigned cuda_blocks(const struct cuda_ctx *c, int64_t threads);
/* Queues a kernel; args as cuLaunchKernel takes them. */
int cuda_launch(struct cuda_ctx *c, CUfunction kernel, unsigned blocks, void **args,
                const char *what, struct err *err);

/* Gets a kernel of a module of the judge's, unless *ret has it already. A driver loads a kernel
 * when it is asked for, and few of many are needed at a time. */
int cuda_get_kernel(struct cuda_ctx *c, CUmodule module, const char *name, CUfunction *ret,
                    struct err *err);

/* A comparison without its addresses; print may be NULL. */
struct cuda_compare cuda_compare_job(enum dtype t, int64_t n, const struct compare_scale *scale,
                                     const struct fingerprint *print);
/* Carries out a comparison by the kernel for t, or by one that makes the expected values itself
 * (gpu/gpu_compare.cuh): then job has the rows' RMS, and `more` is the kernel's third argument. */
int cuda_compare_by(struct cuda_ctx *c, CUfunction kernel, enum dtype t, struct cuda_compare *job,
                    void *more, struct compare_stats *ret, struct fingerprint *print,
                    struct err *err);

/* Functions for the slots of struct device_judge_ops. */
int cuda_mem_alloc(void *ctx, enum mem_kind kind, size_t bytes, struct mem *ret, struct err *err);
void cuda_mem_free(void *ctx, struct mem *m);
int cuda_copy(void *ctx, struct mem *dst, size_t dst_at, const struct mem *src, size_t src_at,
              size_t bytes, struct err *err);
int cuda_upload(void *ctx, struct mem *dst, size_t at, const void *host, size_t bytes,
                struct err *err);
int cuda_download(void *ctx, const struct mem *src, size_t at, void *host, size_t bytes,
                  struct err *err);
int cuda_fill(void *ctx, const struct device_fill *what, struct err *err);
int cuda_poison(void *ctx, struct mem *m, size_t at, size_t bytes, uint64_t key, struct err *err);
int cuda_poison_check(void *ctx, const struct mem *m, size_t at, size_t bytes, uint64_t key,
                      int64_t *ret_at, struct err *err);
int cuda_peek(void *ctx, const struct mem *m, const struct peeks *where, uint32_t *ret_words,
              struct err *err);
int cuda_locate(void *ctx, const struct device_result *named, size_t bytes, struct mem *ret,
                struct err *err);
void cuda_forget(void *ctx);
int cuda_differ(void *ctx, const struct mem *a, const struct mem *b, size_t bytes, int64_t *ret_at,
                struct err *err);
int cuda_store(void *ctx, const struct mem *values, size_t values_at, enum dtype t, int64_t n,
               struct mem *dst, size_t at, struct err *err);
const struct device_sweep *cuda_sweep(void *ctx, struct err *err);
int cuda_flush(void *ctx, struct mem *const *mems, int n, struct err *err);
int cuda_compare(void *ctx, const struct device_compare *what, struct compare_stats *ret,
                 struct err *err);
int cuda_fingerprint(void *ctx, const struct mem *got, size_t at, enum dtype t, int64_t n,
                     struct fingerprint *print, struct err *err);
int cuda_row_rms(void *ctx, const struct mem *y, size_t y_at, int64_t n, int64_t row_len,
                 struct mem *rms, size_t rms_at, struct err *err);
int cuda_rms(void *ctx, const struct mem *y, size_t at, int64_t n, double *ret, struct err *err);
int cuda_others_bytes(void *ctx, int64_t *ret, struct err *err);
int cuda_rates(void *ctx, struct device_rates *ret, struct err *err);

/* cuda_rates.c: the shortest time of several runs of the work that `work` queues, by events around
 * it. *ret_s stays as it is if nothing ran (work returned 1: not possible). */
typedef int (*cuda_work)(struct cuda_ctx *c, void *arg, struct err *err);
int cuda_shortest(struct cuda_ctx *c, cuda_work work, void *arg, double *ret_s, struct err *err);
/* cuda_gemm.c: rates of tensor units, by cuBLASLt; without it ret->partial stays true. */
int cuda_gemm_rates(struct cuda_ctx *c, struct device_rates *ret, struct err *err);

#endif
