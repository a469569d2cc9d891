/* SPDX-License-Identifier: MIT */
/* Bundle: what a runner gets of a candidate in Python. A line of JSON says what the problem wants
 * of it, then come the bytes of its files. workers/assay_python/bundle.py reads it. */
#ifndef ASSAY_PROCESS_BUNDLE_H
#define ASSAY_PROCESS_BUNDLE_H

#include "base/buf.h"
#include "base/err.h"
#include "content/layout.h"
#include "problem/problem.h"
#include "terms/plan.h"

struct bundle_request {
    const struct problem *problem;
    const struct size *size;
    const char *file;         /* the candidate's file name; folders before it are left out */
    const char *entry;        /* the class or function that the user chose; NULL: by rank */
    bool results_named;       /* results stay where they are; else they are copied to the arena */
    enum weights weights;     /* fixed: the class is constructed twice */
    const struct buf *frozen; /* files that the rehearsal left; NULL: none */
    const struct buf *text;
};

/* The candidate's folder and its caches, in its own mount namespace
 * (workers/assay_python/bundle.py). */
#define BUNDLE_PLACE "/dev/shm"

#define BUNDLE_FROZEN_FILES 4000
#define BUNDLE_FROZEN_BYTES ((size_t)48 << 20)

/* Checks what a rehearsal wrote: {"files": [[NAME, BYTES], ...]} in a line, then the bytes of these
 * files. A candidate may have written anything. ERR_INPUT says what is wrong. */
int bundle_check_frozen(const struct buf *frozen, struct err *err);

/* Called with each file that a rehearsal left; the bytes are aligned to nothing. Anything but 0
 * ends the walk. */
typedef int bundle_visit(void *arg, const char *name, const char *bytes, size_t len);
/* Walks over these files, which were checked; nothing is owned. Returns 0, or what visit returned.
 */
int bundle_each_frozen(const struct buf *frozen, bundle_visit *visit, void *arg);

/* Takes files whose name ends so out of what a rehearsal left, which was checked. */
void bundle_drop_frozen(struct buf *frozen, const char *suffix);

/* The bundle of a reference (judge/reference.h). graph, in: the problem that it described, and the
 * layout of its sources; both NULL while it is asked to describe itself. */
struct bundle_reference {
    const char *file;
    const struct buf *text;
    const struct graph *graph;
    const struct layout *in;
    enum weights weights;
    bool drafts; /* the process writes a draft of a problem file, in place of its description */
};
void bundle_write_reference(const struct bundle_reference *r, struct buf *out);

void bundle_write(const struct bundle_request *r, struct buf *out);

#endif
