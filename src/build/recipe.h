/* SPDX-License-Identifier: MIT */
/* Inside src/build: one way of turning a source into an artifact. Every toolchain's command line
 * has one form, so that sandbox, cache and messages are the same for all:
 *
 *     PROGRAM FLAGS... -I INCLUDE_DIR -I. -o artifact SOURCE LIBS...
 */
#ifndef ASSAY_BUILD_RECIPE_H
#define ASSAY_BUILD_RECIPE_H

#include "build/build.h"

struct recipe {
    const char *program;        /* absolute */
    const char *name;           /* "gcc 12.2.0": with flags and libs, what a record says of it */
    const char *const *flags;   /* NULL-terminated; they are part of the key */
    const char *const *libs;    /* NULL-terminated; likewise */
    const char *const *hidden;  /* NULL-terminated: words before the flags that are paths of this
                                 * machine, and so in neither the key nor the record */
    const char *const *ro_dirs; /* NULL-terminated: what the tool reads outside /usr */
    const char *own_trouble;    /* a line that begins so tells of no fault of the source, unless the
                                 * source printed it; or NULL */
    int own_trouble_status;     /* the exit status that goes with it and with nothing else; 0: it
                                 * has none, and an empty source has to show it */
    char identity[HASH_HEX];    /* of every program and library that takes part */
    uint64_t mem_bytes;         /* of one process; UINT64_MAX: no limit */
    const struct buf *extra;    /* a file of ours in the tool's folder, which follows from the
                                 * identity; or NULL */
    const char *extra_name;
};

/* From the cache, or by running the program in its sandbox. */
int recipe_build(const struct recipe *r, const struct build_request *req, struct build_result *ret,
                 struct err *err);

/* The user's own file name, so that messages read as expected; but only one that means nothing to a
 * command line. The caller's to free. */
char *recipe_source_name(const char *file_name);

/* The toolchains: see build.c. */
int toolchain_c(const struct build_request *req, struct build_result *ret, struct err *err);
int toolchain_cuda(const struct build_request *req, struct build_result *ret, struct err *err);

#endif
