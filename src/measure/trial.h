/* SPDX-License-Identifier: MIT */
/* One candidate on one size: the calls, each checked, and what the clocks said. */
#ifndef ASSAY_MEASURE_TRIAL_H
#define ASSAY_MEASURE_TRIAL_H

#include "content/pool.h"
#include "hardware/calibration.h"
#include "measure/arenas.h"
#include "measure/score.h"
#include "measure/stats.h"
#include "process/exiting.h"
#include "process/rproc.h"
#include "process/spares.h"
#include "terms/plan.h"

struct trial_error { /* the worst output under the worst law, in units of the honest run */
    double rms, max, honest_rms, honest_max;
    const char *output; /* not owned */
    int law;
};

/* What the judge's own work on the device takes, in ns. */
struct own_work {
    double flush_ns; /* between calls */
    double probe_ns; /* next to nothing, at once after a call */
};

struct trial_result {
    /* In ns. cold: the score. Samples are raw: the empty order is taken off, what was hidden before
     * or behind the call is added, nothing else. */
    struct interval cold, hot;
    struct sample *samples;
    int n_samples;
    int law_bound;    /* the law whose median is the score; -1: the laws agree */
    bool bimodal;     /* struct score */
    bool settled;     /* the interval met the stopping rule */
    double empty_ns;  /* of the orders that were scored */
    double hidden_ns; /* added to every sample: what all calls hid from the clock that counts */
    double head_ns;   /* CPUs: median CPU time of scored calls that the calls do not explain */
    bool held;        /* scored calls queued up on a device that was held back */
    double hold_ns;   /* median time from ready until the device was held; 0: it was not */
    double queue_ns;  /* when held: median time from go until all was queued */
    double call_ns;   /* what a caller waits: median outside time of calls whose work is not held */
    bool host_bound;
    double hot_outside_ns;        /* the judge's clock on hot calls, the empty order taken off */
    struct own_work idle, busy;   /* before any runner was there, and between its calls */
    int runs;                     /* how often it was timed: again after a doubt */
    struct device_state state[2]; /* before and after the timed calls */
    double wake_ns;               /* median time from SIGCONT to a spinning runner */
    int n_calls;                  /* in all, every one checked */
    int n_contents;
    enum residency residency; /* of the pool */
    bool deterministic;
    struct trial_error error;
    int64_t scratch_bytes; /* most of the device's memory that was seen; 0: nobody looked */
    uint32_t layers;       /* sandbox layers every runner had */
    char *text;            /* what the candidate printed, capped */
    uint64_t text_bytes;
    int n_warm; /* runners that were spares */
};
void trial_result_release(struct trial_result *r);

struct trial_config {
    const struct plan *plan;
    struct pool *pool;
    struct rproc_config runner;      /* arenas are filled in here */
    struct spares *spares;           /* started with the same; settled */
    struct exiting *exiting;         /* where runners end up; awaited before anything else */
    cpu_set_t judge_cpus;            /* with runner.pin */
    const struct calibration *usual; /* what honest calls take. Not owned */
};

/* Whose clock is the score. */
enum device_clock trial_clock(const struct trial_config *c);

/* 0 pass, 1 the candidate's fault (*v), -1 ours (*err). *ret is filled as far as things went. The
 * time goes to the phases of the pool. */
int trial_run(const struct trial_config *c, struct trial_result *ret, struct verdict *v,
              struct err *err);

#endif
