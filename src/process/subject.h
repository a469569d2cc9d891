/* SPDX-License-Identifier: MIT */
/* Subject: a candidate, or a baseline that stands in its place. Everything that differs between
 * them is a column of the table in subject.c; a new kind is a new row there. */
#ifndef ASSAY_PROCESS_SUBJECT_H
#define ASSAY_PROCESS_SUBJECT_H

#include "device/device.h"
#include "problem/problem.h"
#include "terms/baseline.h"
#include "terms/plan.h"

struct worker;
struct zygote;
struct subject;

enum subject_launcher {
    LAUNCH_RUNNER, /* assay-runner, with an artifact that was built from a candidate's text */
    LAUNCH_PLAIN,  /* assay-plain, with the problem itself */
    LAUNCH_WORKER, /* a process that PyTorch's worker forks, with a module in Python */
    LAUNCH_ZYGOTE, /* a process that the zygote forks: a runner with walls, inside Python */
};

/* To add a kind: see CONTRIBUTING.md, "A subject". */
struct subject_kind {
    const char *name;
    enum subject_launcher launcher;
    bool is_baseline;    /* baselines are not held to physics; the record's `kind` */
    bool sandboxed;      /* false: our own code, which the record calls `trusted` */
    bool own_clock;      /* the subject's claim is the score, and nobody audits it */
    bool memory_counted; /* memory is counted against the problem's budget */
    bool takes_spares;
    bool wrong_excused;  /* measuring goes on after a wrong answer, which stays the verdict */
    bool group_killed;   /* helpers in the subject's process group are killed with it */
    bool imported_first; /* the build is to load it once, in a process that gets no content */
    bool born_large;     /* the process holds much memory before it has a candidate */
    bool has_scratch;    /* a folder of its own belongs to its walls */
    /* A failure begins with a word that says what failed; the reason is that of the word, if it is
     * on the judge's list (python_reason.h). */
    bool names_reasons;
    bool built_by_start; /* the start takes as long as a build may */
    bool params_apart;   /* parameters lie in an arena of their own, at one address */
    bool holds_weights;  /* can be judged with fixed weights, in memory of its own */
    bool loads_late;     /* libraries load code when it is first used, which ends a hold */
    /* The process reads files that others read, too. Which ones it read shows in their times and in
     * the page cache, so it could tell the next candidate what it saw. */
    bool reads_files;
    bool starts_programs; /* a rehearsal: compilers may be started */
    bool saves_folder;  /* the judge asks for a file: a rehearsal writes what is in the candidate's
                         * folder, a reference its description */
    int start_limit_ms; /* limit of the start; 0: the plan's */
    /* Writes the text and the toolchain that the record shows. */
    int (*write_source)(const struct subject *s, const struct problem *p, enum size_set sizes,
                        const char *share, struct buf *text, struct buf *toolchain,
                        struct err *err);
    /* Writes what runs at one size, from the source `text`; NULL: the artifact runs at every
     * size. */
    void (*write_module)(const struct subject *s, const struct problem *p, enum size_set sizes,
                         int size, const struct buf *text, struct buf *out);
};

struct subject {
    const struct subject_kind *kind;
    struct baseline baseline; /* set if is_baseline */
    struct worker *worker;    /* set with LAUNCH_WORKER. Not owned */
    struct zygote *zygote;    /* set with LAUNCH_ZYGOTE. Not owned */
    const char *file;         /* name of a candidate's file. Not owned */
    bool results_read;        /* the judge reads results where they lie in the process */
    const char *entry;        /* class or function that the user chose; NULL: none. Not owned */
    enum weights weights;     /* set if holds_weights; others get parameters in every call */
    const struct buf *frozen; /* files that the rehearsal left (bundle.h); NULL: none. Not owned */
};

/* A candidate in C or CUDA, and one in Python. */
extern const struct subject_kind subject_native, subject_python;
/* A candidate in Python while it is built: with compilers, and then without, for tuning. No verdict
 * depends on what it answers. */
extern const struct subject_kind subject_rehearsal, subject_tuning;
/* A module that says what is right, in place of a problem's graph (judge/reference.h). It is not
 * judged itself. */
extern const struct subject_kind subject_reference;

/* The kind of a candidate's file. */
const struct subject_kind *subject_kind_of_file(const char *file);
/* SANDBOX_* layers without which a subject's walls are not complete. */
uint32_t subject_layers(const struct subject *s);

/* worker: needed if subject_needs_worker(). */
struct subject subject_baseline(const struct baseline *b, struct worker *worker);
bool subject_needs_worker(const struct baseline *b);

/* The clock that is the score on this device. */
enum device_clock subject_clock(const struct subject *s, const struct device *device);
/* The record's name for the clock that is the score. */
const char *subject_clock_name(const struct subject *s, const struct device *device);

#endif
