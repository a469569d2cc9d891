/* SPDX-License-Identifier: MIT */
/* Bundle: what a runner gets of a candidate in Python. A line of JSON says what the problem wants
 * of it, then come the bytes of its files. workers/assay_python/bundle.py reads it. */
#ifndef ASSAY_PROCESS_BUNDLE_H
#define ASSAY_PROCESS_BUNDLE_H

#include "base/buf.h"
#include "problem/problem.h"

struct bundle_request {
    const struct problem *problem;
    const struct size *size;
    const char *file;   /* the candidate's file name; folders before it are left out */
    const char *entry;  /* the class or function that the user chose; NULL: by rank */
    bool results_named; /* results stay where they are; else they are copied to the arena */
    const struct buf *text;
};

void bundle_write(const struct bundle_request *r, struct buf *out);

#endif
