/* SPDX-License-Identifier: MIT */
/* Jobs: what is left to be judged, in this order: by device, problem, repeat. So inputs and
 * expected values are made once. */
#ifndef ASSAY_RUN_JOBS_H
#define ASSAY_RUN_JOBS_H

#include "run/run.h"

enum job_state { JOB_WAITS, JOB_BUILDING, JOB_BUILT, JOB_DONE };

struct job {
    const struct candidate *candidate; /* not owned */
    const struct device *device;
    int repeat;
    char hash[HASH_HEX]; /* hash of the file when the run began */
    struct job *twin;    /* the next job with the same content; it gets the same record */
    enum job_state state;
    struct prebuilt built; /* with JOB_BUILT. No source: our fault, the judge builds it */
};

/* Jobs of one problem on one device, as many as one pool serves. */
struct batch {
    int first, n; /* range of jobs.order */
};

struct run_problem {
    char *name, *path, *hash, *header;
};

struct jobs {
    struct job *items; /* all jobs, twins included */
    int n;
    struct job **order; /* jobs without twins */
    int n_order;
    struct batch *batches;
    int n_batches;
    struct run_problem *problems; /* like candidates.problems; name NULL: not loaded */
    int n_problems;
};

/* The meaning of `--sizes auto` for candidates that go to the chosen device, or by suffix if that
 * is NULL. A run has one set of sizes. So candidates of several devices get the smallest set that
 * any of these has. */
enum size_set jobs_auto_sizes(const struct candidates *c, const struct device *chosen);

/* Loads the problems, reads the files and reports skipped candidates. Writes the cells of those
 * that will never be judged, and leaves out jobs that the run holds already. */
int jobs_plan(const struct run_config *config, struct candidates *candidates,
              struct run_progress *progress, struct jobs *ret, struct err *err);
void jobs_release(struct jobs *j);

/* Name of the device that a cell is tied to, such as "cpu AMD EPYC". The caller frees it. */
char *jobs_device_name(const struct device *device, const struct device_info *info);

#endif
