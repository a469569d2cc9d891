/* SPDX-License-Identifier: MIT */
/* Many candidates: builders on all cores ahead of one judge per device.
 *
 * A run is resumed by content: cells that it holds already (the same file, problem, sizes and
 * device) are not judged again. Files that are the same byte for byte share a record. Killing any
 * process at any moment loses at most the evaluations that were going on. */
#ifndef ASSAY_RUN_RUN_H
#define ASSAY_RUN_RUN_H

#include "judge/session.h"
#include "run/candidates.h"

struct store;

struct run_progress {
    int cells;                   /* cells to be filled: candidates x repeats */
    int known;                   /* cells that an earlier start filled */
    int filled;                  /* cells filled now */
    int built;                   /* with build_only: cells whose file compiled */
    int verdicts[VERDICT_COUNT]; /* verdicts of the cells filled now */
    int skipped;                 /* candidates that cannot be judged, and files that are none */
    int unjudged; /* cells left because of a fault of ours: the next start tries again */
    enum err_kind unjudged_kind;
    double seconds; /* time since judging began */
};

/* Callbacks of a run. Several threads call them, one at a time; they must not block for long. */
struct run_watcher {
    void (*skipped)(void *arg, const char *what);
    void (*trouble)(void *arg, const char *what); /* a fault of ours, one line */
    void (*calibrated)(void *arg, const char *device);
    void (*progress)(void *arg, const struct run_progress *p); /* about ten times a second */
    void *arg;
};

struct run_config {
    const struct places *places;
    struct store *store;
    const char *name;   /* letters, digits, . _ - */
    const char *source; /* origin of the candidates, for the record */
    const char *device; /* "cpu", "cuda", "cuda:1"; without a number: all. NULL: by suffix */
    enum size_set sizes;
    bool auto_sizes; /* take the run's sizes, or else those its devices have by default */
    int repeats;
    bool unadmitted; /* references are used that candidates can satisfy without their work */
    bool build_only; /* fill the cache of builds, judge nothing */
    struct plan plan;
    struct run_watcher watcher;
};

#define RUN_NAME_MAX 100
/* ERR_USAGE when it is not a valid name for a run. */
int run_check_name(const char *name, struct err *err);

/* Judges the candidates that are left (they are resolved and settled here). A candidate that cannot
 * be judged is no error: see *ret. */
int run_execute(const struct run_config *wanted, struct candidates *candidates,
                struct run_progress *ret, struct err *err);

#endif
