/* SPDX-License-Identifier: MIT */
/* What the kernels that evaluate graphs and their callers share: names and arguments. CUDA compiles
 * this too. Addresses are the device's. Every block has CUDA_THREADS threads, grids have one axis.
 */
#ifndef ASSAY_GPU_GPU_KERNELS_H
#define ASSAY_GPU_GPU_KERNELS_H

#include "device/cuda/cuda_kernels.h"
#include "ops/conv.h"

/* F(name): a kernel for itself. R(name): one per real type, name_f64 and name_f32. A(name): one per
 * store, and name_i64. To add one: a line here, the kernel in a .cuh file. */
#define GPU_KERNELS(F, R, A) \
    F(convert)               \
    F(check_index)           \
    A(fill)                  \
    A(iota)                  \
    A(pass)                  \
    A(relation)              \
    A(where)                 \
    A(move)                  \
    A(transpose)             \
    A(rows)                  \
    A(pad)                   \
    A(gather)                \
    A(take)                  \
    A(reduce_groups)         \
    A(reduce_serial)         \
    A(arg)                   \
    A(topk)                  \
    A(topk_long)             \
    A(scan)                  \
    F(compensated_f32)       \
    F(reduce_lanes_f32)      \
    F(combine_lanes_f32)     \
    F(product_large_f32)     \
    A(product)               \
    R(columns)               \
    R(phase_weights)         \
    R(scatter)               \
    R(add_bias)              \
    R(conv)                  \
    R(pool)                  \
    R(cells)                 \
    R(delta_rule)

/* An operand: elements of a dtype (an int, for C and CUDA alike). */
struct typed {
    const void *at;
    int type;
};

struct gpu_convert {
    struct typed x;
    void *y;
    int64_t n;
    /* enum store, enum rounding; through: enum dtype or -1; to: enum store */
    int store, round, through, to;
};

/* The first index outside 0..length goes to *ret, by atomicMin. */
struct gpu_check_index {
    const int64_t *index;
    int64_t n, length;
    unsigned long long *ret;
};

struct gpu_fill {
    void *y;
    int64_t n;
    double value;
    struct line_args line; /* iota */
};

/* An operand without an address is a number. */
struct gpu_pass {
    struct typed in[PASS_MAX_IN];
    struct pass_args pass;
    void *y;
    int64_t n;
    int ahead_bytes; /* of an element of the first operand, where it lies from end to end; else 0 */
};

/* What a pass that is compiled for what it does (gpu_special.c) is told when it is launched: each
 * operand's address or number. */
struct gpu_special {
    const void *in[PASS_MAX_IN];
    double number[PASS_MAX_IN];
    void *y;
};
#define GPU_NUMBER (-1) /* in its text, the type of an operand that is a number */

/* A comparison, a where, or one operand moved. */
struct gpu_elementwise {
    struct typed in[3];
    struct axes ax[3];
    void *y;
    int64_t n;
    int op;
};

/* One block of GPU_TRANSPOSE x GPU_TRANSPOSE at a time: `from` and `to` walk the other axes, the
 * two axes are rows (contiguous in x) and cols (contiguous in y). */
#define GPU_TRANSPOSE 32
struct gpu_transpose {
    struct typed x;
    void *y;
    struct axes from, to;
    int64_t outer, rows, cols, x_row, y_row;
};

struct gpu_rows {
    struct typed x;
    void *y;
    int64_t rows, width, y_row;
};

struct gpu_pad {
    struct typed x;
    void *y;
    int64_t n;
    struct pad_args pad;
};

struct gpu_indexed {
    struct typed x;
    const int64_t *index;
    void *y;
    int64_t n;
    struct gather_args gather;
    struct take_args take;
};

/* Outputs from..from+n, each in `parts` parts of `chunk` terms. groups: `group` threads to a part,
 * any order, results [output][part]. serial: a thread to a part, in order, results [part][output].
 */
struct gpu_reduce {
    struct typed x;
    void *y;
    struct reduce_args r;
    int64_t from, n, parts, chunk;
    int group, op;
};

struct gpu_lines {
    struct typed x;
    void *y;
    struct line_args line;
    int op;
};

/* A thread to a line, or a block to a long one. */
struct gpu_topk {
    struct typed x;
    int64_t *y;
    struct topk_args args;
};

/* A block to GPU_DELTA_COLUMNS columns of a head's state: so many that the state of OP_DELTA_KEYS
 * keys lies in shared memory. */
#define GPU_DELTA_COLUMNS 16
struct gpu_delta {
    const void *q, *k, *v, *decay, *beta;
    void *y;
    struct delta_args args;
};

/* Several products of one shape: c + i * batch_c is the i-th. */
struct gpu_product {
    struct gemm g;
    int64_t batch, batch_c;
    struct axes batch_a, batch_b;
    const void *a, *b;
    void *c;
};
#define GPU_TILE 64        /* rows and columns of a block's part of c */
#define GPU_LARGE_TILE 128 /* product_large */

/* Terms of places place..place+n of some images and one group, as [image][term][place]. */
struct gpu_columns {
    struct conv_args c;
    struct conv_phase phase;
    struct typed x;
    void *to;
    int64_t image, images, group, place, n;
};
/* A block's share of them. */
#define GPU_COLUMN_PLACES (4 * CUDA_THREADS)
#define GPU_COLUMN_TERMS 32

struct gpu_phase_weights {
    struct conv_args c;
    struct conv_phase phase;
    const void *w;
    void *to;
};

/* Sums [image][output of the group][place] to their places, with bias (or NULL) added. */
struct gpu_scatter {
    struct conv_args c;
    struct conv_phase phase;
    const void *sums, *bias;
    void *y;
    int64_t image, images, group, place, n;
};

struct gpu_add_bias {
    void *y;
    const void *bias;
    int64_t n, channels, size;
};

struct gpu_conv {
    struct conv_args c;
    struct typed x;
    const void *w, *bias;
    void *y;
    int64_t n;
};

struct gpu_pool {
    struct pool_args p;
    struct typed x;
    void *y;
    int64_t n;
    int op;
};

/* One step of a recurrence; sums NULL: the state is repeated. */
struct gpu_cells {
    const void *gates, *sums, *bias;
    void *h, *c, *y; /* c: NULL but for OP_LSTM; y: the step's row of outputs */
    int64_t batch, hidden, row, width;
    int op;
};

#endif
