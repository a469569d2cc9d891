/* SPDX-License-Identifier: MIT */
/* Many candidates: builders on all cores ahead of one judge per device.
 *
 * Resumed by content: what the run's cells hold already (the same file, problem, sizes and device)
 * is not judged again; files that are the same byte for byte share a record. Killing any process at
 * any moment loses at most the evaluations that were going on. */
#ifndef ASSAY_RUN_RUN_H
#define ASSAY_RUN_RUN_H

#include "judge/session.h"
#include "run/candidates.h"

struct store;

struct run_progress {
    int cells;                   /* to be filled: candidates x repeats */
    int known;                   /* of these, filled by an earlier start */
    int filled;                  /* of these, now */
    int built;                   /* with build_only: that compiled */
    int verdicts[VERDICT_COUNT]; /* of the cells filled now */
    int skipped;                 /* candidates that cannot be judged, and files that are none */
    int unjudged; /* left over because of a fault of ours: the next start tries again */
    enum err_kind unjudged_kind;
    double seconds; /* since judging began */
};

/* Called by several threads, one at a time; must not block for long. */
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
    const char *source; /* where the candidates are from, for the record */
    const char
        *device; /* "cpu", "cuda", "cuda:1"; NULL: by suffix. Without a number: all of them */
    enum size_set sizes;
    bool auto_sizes; /* sizes is not set: what the run has, or what its devices take by default */
    int repeats;
    bool build_only; /* fill the cache of builds, judge nothing */
    struct plan plan;
    struct run_watcher watcher;
};

#define RUN_NAME_MAX 100
/* ERR_USAGE when it is no name for a run. */
int run_check_name(const char *name, struct err *err);

/* Judges what is left of the candidates (which are resolved and settled here). A candidate that
 * cannot be judged is no error: see *ret. */
int run_execute(const struct run_config *wanted, struct candidates *candidates,
                struct run_progress *ret, struct err *err);

#endif
