/* SPDX-License-Identifier: MIT */
/* Who is judged: a candidate, or what stands in its place. Everything that differs between them is
 * a column of the table in subject.c; a new kind is a new row there. */
#ifndef ASSAY_PROCESS_SUBJECT_H
#define ASSAY_PROCESS_SUBJECT_H

#include "device/device.h"
#include "problem/problem.h"
#include "terms/baseline.h"

struct worker;
struct subject;

enum subject_launcher {
    LAUNCH_RUNNER, /* assay-runner, with an artifact that was built from a candidate's text */
    LAUNCH_PLAIN,  /* assay-plain, with the problem itself */
    LAUNCH_WORKER, /* a process that PyTorch's worker forks, with a module in Python */
};

/* To add a kind: see CONTRIBUTING.md, "A subject". */
struct subject_kind {
    const char *name;
    enum subject_launcher launcher;
    bool is_baseline;    /* ours, and not held to physics; the record's `kind` */
    bool sandboxed;      /* what is not is our own code; the record says `trusted` */
    bool own_clock;      /* its claim is the score, and nobody audits it */
    bool memory_counted; /* against the problem's budget */
    bool takes_spares;
    bool wrong_excused; /* measuring goes on; the finding stays the verdict */
    bool group_killed;  /* it has helpers of its own, in its process group */
    int start_limit_ms; /* 0: as the plan says */
    /* What its record shows as its text, and as its toolchain. */
    int (*write_source)(const struct subject *s, const struct problem *p, enum size_set sizes,
                        const char *share, struct buf *text, struct buf *toolchain,
                        struct err *err);
    /* What it runs at one size, `text` being its source; NULL: the artifact, at every size. */
    void (*write_module)(const struct subject *s, const struct problem *p, enum size_set sizes,
                         int size, const struct buf *text, struct buf *out);
};

struct subject {
    const struct subject_kind *kind;
    struct baseline baseline; /* where it is one */
    struct worker *worker;    /* with LAUNCH_WORKER. Not owned */
};

/* A candidate in C or CUDA. */
extern const struct subject_kind subject_native;

/* worker: where subject_needs_worker(). */
struct subject subject_baseline(const struct baseline *b, struct worker *worker);
bool subject_needs_worker(const struct baseline *b);

/* Whose clock is the score, on this device. */
enum device_clock subject_clock(const struct subject *s, const struct device *device);
/* As the record calls it. */
const char *subject_clock_name(const struct subject *s, const struct device *device);

#endif
