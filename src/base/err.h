/* SPDX-License-Identifier: MIT */
/* An error means that Assay could not do something. It is one line: what happened, where, what to
 * do. A finding about a kernel is a verdict (terms/verdict.h), never an error. */
#ifndef ASSAY_BASE_ERR_H
#define ASSAY_BASE_ERR_H

#include "base/util.h"

/* Kinds of errors. Each value is the program's exit status. */
enum err_kind {
    ERR_NONE = 0,
    ERR_USAGE = 2,  /* the command line is wrong */
    ERR_INPUT = 3,  /* a file or a name the user gave is wrong */
    ERR_SYSTEM = 4, /* the machine refused: disk, memory, a tool that is missing */
    ERR_DEVICE = 5, /* the device refused */
};

struct err {
    enum err_kind kind;
    char text[2048];
};

#define ERR_INIT     \
    {                \
        ERR_NONE, "" \
    }

/* Sets an error and returns -1, so that an error path is one line. */
int fail(struct err *err, enum err_kind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Sets an ERR_SYSTEM (the message, ": " and the text of errno) and returns -1. */
int fail_errno(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Puts "message: " before the text of an error that is already set, and returns -1. */
int wrap(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
