/* SPDX-License-Identifier: MIT */
/* What is left to be judged, in the order in which it is: by device, problem, repeat, so that
 * inputs and expected values are made once. */
#ifndef ASSAY_RUN_JOBS_H
#define ASSAY_RUN_JOBS_H

#include "run/run.h"

enum job_state { JOB_WAITS, JOB_BUILDING, JOB_BUILT, JOB_DONE };

struct job {
    const struct candidate *candidate; /* not owned */
    const struct device *device;
    int repeat;
    char hash[HASH_HEX]; /* of the file when the run began */
    struct job *twin;    /* the next one with the same content; it gets this one's record */
    enum job_state state;
    struct prebuilt built; /* JOB_BUILT; without a source: our fault, the judge tries itself */
};

/* Jobs of one problem on one device, as many as one pool serves. */
struct batch {
    int first, n; /* of jobs.order */
};

struct run_problem {
    char *name, *path, *hash, *header;
};

struct jobs {
    struct job *items; /* twins among them */
    int n;
    struct job **order; /* without twins */
    int n_order;
    struct batch *batches;
    int n_batches;
    struct run_problem *problems; /* as candidates.problems; name NULL: not needed or not loaded */
    int n_problems;
};

/* What `--sizes auto` means for candidates that go to the device chosen, or by suffix where it is
 * NULL. Candidates of several devices get the smallest set that any of these has: a run has one. */
enum size_set jobs_auto_sizes(const struct candidates *c, const struct device *chosen);

/* Loads the problems, reads the files, says what was skipped, writes the cells of what never will
 * be judged, and leaves out what the run holds already. */
int jobs_plan(const struct run_config *config, struct candidates *candidates,
              struct run_progress *progress, struct jobs *ret, struct err *err);
void jobs_release(struct jobs *j);

/* "cpu AMD EPYC": what a cell is tied to. A heap string of the caller's. */
char *jobs_device_name(const struct device *device, const struct device_info *info);

#endif
