/* SPDX-License-Identifier: MIT */
/* Inside src/gpu: gpu_engine.c opens and evaluates, most other files carry out jobs (ops/op_job.h).
 */
#ifndef ASSAY_GPU_GPU_CTX_H
#define ASSAY_GPU_GPU_CTX_H

#include "base/util.h"
#include "device/cuda/cuda_ctx.h"
#include "gpu/cublas.h"
#include "gpu/gpu_kernels.h"
#include "ops/eval.h"

/* Kernels as GPU_NAME. If a kernel exists per type, this is the first; add the store to it. */
enum gpu_kernel {
#define GPU_ENUM(name) GPU_##name,
#define GPU_ENUM_REAL(name) GPU_##name, GPU_##name##_f32,
#define GPU_ENUM_ALL(name) GPU_##name, GPU_##name##_f32_, GPU_##name##_i64_,
    GPU_KERNELS(GPU_ENUM, GPU_ENUM_REAL, GPU_ENUM_ALL)
#undef GPU_ENUM
#undef GPU_ENUM_REAL
#undef GPU_ENUM_ALL
        GPU_KERNEL_COUNT,
};

#define GPU_PIECE_BYTES 0x1p30
/* The least elements of a pass that gets a kernel of its own, and the most such kernels at a time.
 */
#define GPU_SPECIAL_LEAST ((int64_t)1 << 27)
#define GPU_SPECIALS 32

struct gpu_block {
    void *at;
    size_t bytes;
};

/* A kernel that was compiled for one pass (gpu_special.c). */
struct gpu_made_special {
    char *text; /* NULL: this slot is empty */
    CUmodule module;
    CUfunction kernel; /* NULL: the text did not compile */
};

struct gpu {
    struct cuda_ctx *c; /* not owned */
    CUmodule module;
    CUfunction kernels[GPU_KERNEL_COUNT]; /* looked up when first used */
    CUmemoryPool pool;                    /* the device's default pool */
    struct gpu_block *live;               /* blocks that are allocated now */
    int n_live, cap_live;
    double now_bytes, peak_bytes;
    /* Most bytes of the columns of convolutions and of the lanes of sums at a time. */
    double columns_bytes, lanes_bytes;
    int most_steps;        /* most steps of a pass over elements */
    int64_t special_least; /* least elements of a pass that gets a kernel of its own */
    struct gpu_made_special specials[GPU_SPECIALS];
    int n_specials;      /* number of all specials that were ever made */
    struct cublas *blas; /* NULL: no cuBLAS, or not tried yet */
    bool blas_tried;
};

/* ---- memory: stream-ordered, kept in a pool between evaluations ---- */

void *gpu_alloc(void *ctx, size_t bytes);
void gpu_free(void *ctx, void *at);

/* Scratch memory. Use: AUTO(gpu_room_release) struct gpu_room r = {g, NULL}; */
struct gpu_room {
    struct gpu *g;
    void *at;
};
void gpu_room_release(struct gpu_room *r);
/* Takes scratch memory. ERR_SYSTEM with the size when there is too little. */
int gpu_room_take(struct gpu_room *r, double bytes, struct err *err);

/* ---- launching ---- */

/* Launches a kernel with enough threads for n elements; kernels stride over the rest. */
int gpu_launch(struct gpu *g, int kernel, int64_t n, void *args, struct err *err);
int gpu_launch_blocks(struct gpu *g, int kernel, int64_t blocks, void *args, struct err *err);

static inline struct typed gpu_operand(const struct op_job *j, int i)
{
    return (struct typed){j->in[i], (int)j->type[i]};
}

static inline size_t gpu_store_size(enum store s)
{
    return s == STORE_F32 ? 4 : 8;
}

/* Whether operand i has to be copied for an op that reads only the store's type, because its dtype
 * differs or the job rounds it. */
bool gpu_needs_copy(const struct op_job *j, int i, enum store store);
double gpu_copy_bytes(const struct op_job *j, int i, enum store store);
/* *ret is operand i in the store's type, rounded as the job asks; in r if it had to be copied. */
int gpu_plain(struct gpu *g, const struct op_job *j, int i, enum store store, struct gpu_room *r,
              const void **ret, struct err *err);

/* ---- passes with a kernel of their own ---- */

struct gpu_pass gpu_pass_of(const struct op_job *j);
/* Writes the program of a pass: everything but addresses and numbers. */
void gpu_special_text(const struct gpu_pass *a, enum store store, struct buf *to);
/* Writes the program of a pass in double whose values are not stored, but compared with elements of
 * dtype t (gpu_compare.cuh). */
void gpu_compare_text(const struct gpu_pass *a, enum dtype t, struct buf *to);
/* The kernel of gpu_special_text() or gpu_compare_text(), compiled unless it was before; NULL: the
 * pass is too short, its addresses are not aligned, or the text does not compile. */
CUfunction gpu_special_kernel(struct gpu *g, const struct gpu_pass *a, enum store store);
CUfunction gpu_compare_kernel(struct gpu *g, const struct gpu_pass *a, enum dtype t);
struct gpu_special gpu_special_args(const struct gpu_pass *a);
int gpu_special_launch(struct gpu *g, CUfunction kernel, const struct gpu_pass *a, struct err *err);
/* Unloads all kernels of passes; none of them may be running. */
void gpu_specials_drop(struct gpu *g);

/* compares() and compare() of struct ops_engine. */
bool gpu_compares(void *ctx, const struct graph *graph, const void *const *sources, int output,
                  enum dtype type);
int gpu_compare(void *ctx, const struct graph *graph, const void *const *sources,
                const struct ops_compare *what, struct compare_stats *ret, struct err *err);

/* ---- jobs ---- */

typedef int gpu_job_fn(struct gpu *g, const struct op_job *j, struct err *err);
gpu_job_fn gpu_run_convert, gpu_run_made, gpu_run_pass, gpu_run_elementwise;
gpu_job_fn gpu_run_move, gpu_run_rows, gpu_run_pad, gpu_run_indexed;
gpu_job_fn gpu_run_reduce, gpu_run_topk, gpu_run_lines;
gpu_job_fn gpu_run_matmul, gpu_run_grouped, gpu_run_conv, gpu_run_pool, gpu_run_recur,
    gpu_run_delta;

/* Bytes of scratch memory of each kind of job, for scratch() of struct backend. */
double gpu_indexed_scratch(const struct gpu *g, const struct op_job *j);
double gpu_reduce_scratch(const struct gpu *g, const struct op_job *j);
double gpu_matmul_scratch(const struct gpu *g, const struct op_job *j);
double gpu_conv_scratch(const struct gpu *g, const struct op_job *j);
double gpu_recur_scratch(const struct gpu *g, const struct op_job *j);
double gpu_grouped_scratch(const struct gpu *g, const struct op_job *j);
double gpu_delta_scratch(const struct gpu *g, const struct op_job *j);

/* cuBLAS, opened when it is first used; NULL: there is none. */
struct cublas *gpu_blas(struct gpu *g);
/* Computes one product or a batch, by cuBLAS if that is allowed. */
int gpu_multiply(struct gpu *g, enum store store, const struct gpu_product *q, struct err *err);
/* The memory that cuBLAS takes for itself, roughly. */
#define GPU_BLAS_BYTES (64.0 * (1 << 20))

#endif
