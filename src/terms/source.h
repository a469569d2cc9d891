/* SPDX-License-Identifier: MIT */
/* A candidate's text, and the file it comes from. */
#ifndef ASSAY_TERMS_SOURCE_H
#define ASSAY_TERMS_SOURCE_H

#include <stddef.h>

#define SOURCE_MAX (4 << 20)

/* The text of a candidate that is a folder: this head with the number of files, a line "BYTES NAME"
 * for each, then their bytes. The first is the one that is called. No program in Python begins like
 * that. */
#define SOURCE_FOLDER_HEAD "assay-folder 1 "

/* A candidate: a name, whose suffix says how it is built, and its text. Not owned. */
struct source_text {
    const char *name;
    const char *text;
    size_t len;
};

/* File that a candidate's text comes from. */
struct source_file {
    const char *path;
    /* Length of the folder that the user named, the first part of path: beneath it no link is
     * followed. 0: the user named the file itself, and its links lead where they lead. */
    size_t root_len;
};

#endif
