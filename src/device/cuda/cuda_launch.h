/* SPDX-License-Identifier: MIT */
/*
 * Candidates without host code: lines of text say how their kernels are launched.
 *
 *   launch NAME grid=EXPR,EXPR,EXPR block=EXPR,EXPR,EXPR smem=EXPR args=ARG,ARG,...
 *
 * grid and block take one to three values, smem (bytes of dynamic shared memory) may be left out
 * and is then 0, args may be left out if a kernel takes none. Fields come in any order.
 *
 *   EXPR  whole numbers, in0.shape[1], in0.numel, out0.numel, + - * / % ( ),
 *         ceil_div(a, b), min(a, b, ...), max(a, b, ...)
 *   ARG   in0, out0 (device pointers), EXPR:i32, EXPR:i64, EXPR:f32; for f32 there may be decimal
 *         fractions in it, and `/` gives one: 1e-5:f32, 1/in0.shape[1]:f32
 *
 * "@LINE:COLUMN " counts as blank, and tells where the text behind it stands in the source: a
 * launch may come from several lines there (launch_lines.h).
 *
 * The artifact is text and machine code in one piece:
 *
 *   ASSAY-LAUNCH 1\n
 *   launch ...\n          one or more, run in this order on one stream
 *   \n
 *   the cubin
 *
 * No driver is needed here: the builder checks lines with the same code by which the runner
 * evaluates them.
 */
#ifndef ASSAY_DEVICE_CUDA_LAUNCH_H
#define ASSAY_DEVICE_CUDA_LAUNCH_H

#include "base/buf.h"
#include "base/err.h"
#include "device/device.h"

#define CUDA_LAUNCH_MAGIC "ASSAY-LAUNCH 1\n"
#define CUDA_LAUNCH_MAX_NAME 256
#define CUDA_LAUNCH_MAX_ARGS 64
#define CUDA_LAUNCH_MAX_LINE 4096
#define CUDA_LAUNCH_MAX_LINES 64

enum cuda_arg_type { CUDA_ARG_POINTER, CUDA_ARG_I32, CUDA_ARG_I64, CUDA_ARG_F32 };
extern const char *const cuda_arg_names[]; /* "pointer", "i32", ... */
size_t cuda_arg_size(enum cuda_arg_type t);

struct cuda_arg {
    enum cuda_arg_type type;
    uint64_t bits; /* the value's bytes, the first cuda_arg_size() of them count */
};

/* One launch line, evaluated. */
struct cuda_launch {
    char name[CUDA_LAUNCH_MAX_NAME];
    unsigned grid[3], block[3], smem;
    int n_args;
    struct cuda_arg args[CUDA_LAUNCH_MAX_ARGS];
};

struct cuda_text {
    const char *at; /* not owned */
    size_t len;
};

struct cuda_place {
    int line; /* line of the source; 0: not known, and the column is one of the launch's text */
    int column;
};

/* Parses a line, without its line end. With a call, tensors have its shapes and addresses (NULL in
 * setup), and values out of CUDA's range are errors. Without one (NULL) only the form and constants
 * are checked, and *ret has only the name, n_args and the arguments' types. ERR_INPUT "line N,
 * column M: ...", or "column M: ..." for a line without marks. */
int cuda_launch_parse(const char *line, size_t len, const struct device_call *call,
                      struct cuda_launch *ret, struct err *err);
/* Parses a line without a call. On failure *ret_where is the place, which err's text lacks. */
int cuda_launch_check(const char *line, size_t len, struct cuda_launch *ret,
                      struct cuda_place *ret_where, struct err *err);
/* The line of the source where the launch begins; 0: not known. */
int cuda_launch_line(const struct cuda_text *line);

/* An artifact taken apart; everything points into its bytes. */
struct cuda_program {
    int n_lines;
    struct cuda_text lines[CUDA_LAUNCH_MAX_LINES];
    struct cuda_text cubin;
};

bool cuda_program_is(const void *bytes, size_t len);
/* Checks the form of every line too. ERR_INPUT "launch line N: column M: ...". */
int cuda_program_split(const char *bytes, size_t len, struct cuda_program *ret, struct err *err);
/* Appends the artifact of p to out: the opposite of cuda_program_split(). */
void cuda_program_join(const struct cuda_program *p, struct buf *out);

#endif
