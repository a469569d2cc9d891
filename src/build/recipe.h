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
    const char *name;           /* "gcc 12.2.0"; a record has it with flags and libs */
    const char *const *flags;   /* NULL-terminated; part of the cache key */
    const char *const *libs;    /* NULL-terminated; part of the cache key */
    const char *const *hidden;  /* NULL-terminated: words before the flags that are paths of this
                                 * machine, and so in neither the key nor the record */
    const char *const *ro_dirs; /* NULL-terminated: folders that the tool reads outside /usr */
    const char *own_trouble;    /* a line that begins so reports trouble of the tool and no fault of
                                 * the source, unless the source printed it; or NULL */
    int own_trouble_status;     /* the tool's exit status with that line, and with nothing else; 0:
                                 * there is none, and an empty source has to show the line */
    char identity[HASH_HEX];    /* identity of every program and library that takes part */
    uint64_t mem_bytes;         /* limit for one process; UINT64_MAX: none */
    const struct buf *extra;    /* a file of ours in the tool's folder, which follows from the
                                 * identity; or NULL */
    const char *extra_name;
};

/* Takes the artifact from the cache, or runs the program in its sandbox. */
int recipe_build(const struct recipe *r, const struct build_request *req, struct build_result *ret,
                 struct err *err);

/* The user's own file name, so that messages read as expected, if it means nothing special to a
 * command line; else another name. The caller frees it. */
char *recipe_source_name(const char *file_name);

/* Takes the candidate's text itself as the artifact. name: that of the toolchain. */
int recipe_take_text(const char *name, const struct build_request *req, struct build_result *ret,
                     struct err *err);

/* Toolchains, which devices name (device/NAME/NAME_for_judge.c). */
extern const struct toolchain toolchain_c, toolchain_cuda, toolchain_fake, toolchain_python;

#endif
