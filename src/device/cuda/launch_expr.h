/* SPDX-License-Identifier: MIT */
/* Words and expressions of launch lines (cuda_launch.h), for cuda_launch.c alone. Recursive descent
 * that computes while it reads: a line is evaluated a handful of times in a runner's life, so there
 * is no tree. Without a call every tensor's size counts as 1. Faults that depend on it (ranges,
 * division by zero) are then not reported: the runner finds them. */
#ifndef ASSAY_DEVICE_LAUNCH_EXPR_H
#define ASSAY_DEVICE_LAUNCH_EXPR_H

#include "device/cuda/cuda_launch.h"

struct launch_parser {
    const char *start, *at, *end;
    const struct device_call *call; /* NULL: only the form matters; not owned */
    int depth;
    struct cuda_place bad; /* the place that launch_bad() was told */
    struct err *err;
};

/* Value of an expression: as a whole number, and as a real one, for which `/` leaves fractions. */
struct launch_value {
    int64_t whole; /* 0 for a fraction */
    double real;
    bool fraction; /* a number like 1e-5 is in it: no whole number */
    bool known;    /* false: a tensor's size is in it, and there is no call */
};

/* The place of `at`: by the mark before it, else in this text. */
struct cuda_place launch_place(const char *start, const char *at, const char *end);
/* Reports ERR_INPUT, without the place, which goes to p->bad; returns -1. */
int launch_bad(struct launch_parser *p, const char *at, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The next character that is not blank; '\0' at the end. */
char launch_peek(struct launch_parser *p);
bool launch_take(struct launch_parser *p, char c);
int launch_expect(struct launch_parser *p, char c);
/* Reads a C name; "" when there is none. */
int launch_word(struct launch_parser *p, char out[CUDA_LAUNCH_MAX_NAME]);
/* Reads "in12" or "out3" as the number of an input or output; false for any other word. */
bool launch_tensor_word(const char *word, bool *ret_out, int *ret_index);
/* A tensor of the call; NULL without a call, and on failure (err filled). */
const struct tensor_slot *launch_tensor(struct launch_parser *p, const char *at, bool out,
                                        int index);
/* Evaluates a whole expression. */
int launch_sum(struct launch_parser *p, struct launch_value *ret);

#endif
