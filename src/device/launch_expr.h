/* SPDX-License-Identifier: MIT */
/* The words and expressions of launch lines (cuda_launch.h), for cuda_launch.c alone. Recursive
 * descent that computes while it reads: a line is evaluated a handful of times in a runner's life,
 * so there is no tree. Without a call every tensor's size counts as 1 and what depends on values
 * (ranges, division by zero) is left for the runner to find. */
#ifndef ASSAY_DEVICE_LAUNCH_EXPR_H
#define ASSAY_DEVICE_LAUNCH_EXPR_H

#include "device/cuda_launch.h"

struct launch_parser {
    const char *start, *at, *end;
    const struct device_call *call; /* NULL: only the form matters; not owned */
    int depth;
    struct err *err;
};

/* ERR_INPUT, said to be at `at`; returns -1. */
int launch_bad(struct launch_parser *p, const char *at, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The next character that is not blank; '\0' at the end. */
char launch_peek(struct launch_parser *p);
bool launch_take(struct launch_parser *p, char c);
int launch_expect(struct launch_parser *p, char c);
/* A name of C; "" when there is none. */
int launch_word(struct launch_parser *p, char out[CUDA_LAUNCH_MAX_NAME]);
/* "in12" or "out3": where it stands among the call's, or false for any other word. */
bool launch_tensor_word(const char *word, bool *ret_out, int *ret_index);
/* NULL without a call, and on failure (err filled). */
const struct tensor_slot *launch_tensor(struct launch_parser *p, const char *at, bool out,
                                        int index);
/* A whole expression. */
int launch_sum(struct launch_parser *p, int64_t *ret);

#endif
