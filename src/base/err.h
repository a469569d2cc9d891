/* SPDX-License-Identifier: MIT */
/* An error means that we could not find out. It is one line: what happened, where, what to do.
 * What we found out about a kernel is a verdict (terms/verdict.h), never an error. */
#ifndef ASSAY_BASE_ERR_H
#define ASSAY_BASE_ERR_H

#include "base/util.h"

/* The values are the program's exit status. */
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

/* All return -1, so that an error path is one line. */
int fail(struct err *err, enum err_kind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* ERR_SYSTEM, with ": " and the text of errno behind the message. */
int fail_errno(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Puts "message: " before the text that is there. */
int wrap(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
