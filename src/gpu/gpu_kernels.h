/* SPDX-License-Identifier: MIT */
/* Names and arguments of the kernels that evaluate graphs, for kernels and their callers. CUDA
 * compiles this, too. Addresses are the device's. Every block has CUDA_THREADS threads, grids have
 * one axis. */
#ifndef ASSAY_GPU_GPU_KERNELS_H
#define ASSAY_GPU_GPU_KERNELS_H

#include "device/cuda/cuda_kernels.h"
#include "ops/conv.h"

/* All kernels. F(name): one kernel. R(name): one per real type, name_f64 and name_f32. A(name): one
 * per store, also name_i64. To add one: a line here, the kernel in a .cuh file. */
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

/* An operand: elements of any dtype. `type` is an int, which C and CUDA lay out alike. */
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

/* Writes the place of the first index outside 0..length-1 to *ret, by atomicMin. */
struct gpu_check_index {
    const int64_t *index;
    int64_t n, length;
    unsigned long long *ret;
};

struct gpu_fill {
    void *y;
    int64_t n;
    double value;
    struct line_args line; /* used by iota */
};

/* A pass over elements. An operand without an address is a number. */
struct gpu_pass {
    struct typed in[PASS_MAX_IN];
    struct pass_args pass;
    void *y;
    int64_t n;
    int ahead_bytes; /* bytes of an element of operand 0 if that is contiguous; else 0 */
};

/* Launch arguments of a kernel that was compiled for one pass (gpu_special.c): each operand's
 * address or number. */
struct gpu_special {
    const void *in[PASS_MAX_IN];
    double number[PASS_MAX_IN];
    void *y;
};
#define GPU_NUMBER (-1) /* in such a kernel's text: the type of an operand that is a number */

/* A comparison, a where, or a move of one operand. */
struct gpu_elementwise {
    struct typed in[3];
    struct axes ax[3];
    void *y;
    int64_t n;
    int op;
};

/* A transposition in blocks of GPU_TRANSPOSE x GPU_TRANSPOSE. Its two axes are rows (contiguous in
 * x) and cols (contiguous in y); `from` and `to` walk the other axes. */
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

/* Outputs from..from+n of a reduction, each in `parts` parts of `chunk` terms. reduce_groups:
 * `group` threads per part, any order, results [output][part]. reduce_serial: one thread per part,
 * in order, results [part][output]. */
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

/* Top-k of lines: one thread per line (topk), or one block per long line (topk_long). */
struct gpu_topk {
    struct typed x;
    int64_t *y;
    struct topk_args args;
};

/* Columns of a head's state that one block takes: few enough that the state of OP_DELTA_KEYS keys
 * fits into shared memory. */
#define GPU_DELTA_COLUMNS 16
struct gpu_delta {
    const void *q, *k, *v, *decay, *beta;
    void *y;
    struct delta_args args;
};

/* Several products of one shape: the i-th result lies at c + i * batch_c. */
struct gpu_product {
    struct gemm g;
    int64_t batch, batch_c;
    struct axes batch_a, batch_b;
    const void *a, *b;
    void *c;
};
#define GPU_TILE 64        /* rows and columns of a block's part of c */
#define GPU_LARGE_TILE 128 /* the same for product_large */

/* The matrix of columns of places place..place+n of some images and one group: its terms as
 * [image][term][place]. */
struct gpu_columns {
    struct conv_args c;
    struct conv_phase phase;
    struct typed x;
    void *to;
    int64_t image, images, group, place, n;
};
/* Places and terms of that matrix that one block makes. */
#define GPU_COLUMN_PLACES (4 * CUDA_THREADS)
#define GPU_COLUMN_TERMS 32

struct gpu_phase_weights {
    struct conv_args c;
    struct conv_phase phase;
    const void *w;
    void *to;
};

/* Moves sums [image][output of the group][place] to their output places and adds the bias (or
 * NULL). */
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

/* One step of a recurrence. If sums is NULL, the state is repeated. */
struct gpu_cells {
    const void *gates, *sums, *bias;
    void *h, *c, *y; /* c: NULL except for OP_LSTM; y: the outputs of this step */
    int64_t batch, hidden, row, width;
    int op;
};

#endif
