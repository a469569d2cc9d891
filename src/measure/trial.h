/* SPDX-License-Identifier: MIT */
/* Trial: one candidate on one size. Its calls, each checked, and what the clocks said. */
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

/* Time of the judge's own work on the device, in ns. */
struct own_work {
    double flush_ns; /* a flush between calls */
    double probe_ns; /* a probe, next to no work, right after a call */
};

struct trial_result {
    /* Times in ns; cold is the score. Samples are raw: the empty order is taken off, time hidden
     * before or behind the call is added, nothing else. */
    struct interval cold, hot;
    struct sample *samples;
    int n_samples;
    int law_bound;    /* the law whose median is the score; -1: the laws agree */
    bool bimodal;     /* see struct score */
    bool settled;     /* the interval met the stopping rule */
    double empty_ns;  /* empty order of the kind that was scored */
    double hidden_ns; /* added to every sample: time that all calls hid from the clock */
    double head_ns;   /* CPUs: median CPU time of scored calls that the calls do not explain */
    bool held;        /* scored calls queued up on a device that was held back */
    double hold_ns;   /* median time from ready until the device was held; 0: not held */
    double queue_ns;  /* median time from go until all was queued; 0: not held */
    double call_ns;   /* time that a caller waits: median outside time of calls that are not held */
    bool host_bound;
    double hot_outside_ns;        /* the judge's clock on hot calls, the empty order taken off */
    struct own_work idle, busy;   /* own work before there was a runner, and between its calls */
    int runs;                     /* goes at timing: another one after a doubt or a lost hold */
    struct device_state state[2]; /* state before and after the timed calls */
    double wake_ns;               /* median time from SIGCONT to a spinning runner */
    int n_calls;                  /* calls in all, every one checked */
    int n_contents;
    enum residency residency; /* residency of the pool */
    bool deterministic;
    int wrong_content; /* content of the call whose values were wrong; -1: none, or errors of all
                          calls together */
    struct trial_error error;
    int64_t scratch_bytes; /* most memory of the device that was seen; 0: not counted */
    uint32_t layers;       /* sandbox layers every runner had */
    char *text;            /* text that the candidate printed, capped */
    uint64_t text_bytes;
    char *note; /* the process's words on what it loaded; NULL: none */
    int n_warm; /* runners that were spares */
};
void trial_result_release(struct trial_result *r);

struct trial_config {
    const struct plan *plan;
    struct pool *pool;
    struct rproc_config runner;      /* arenas are filled in by the trial */
    struct spares *spares;           /* started with the same config; settled */
    struct exiting *exiting;         /* takes killed runners; awaited before anything else */
    cpu_set_t judge_cpus;            /* used with runner.pin */
    const struct calibration *usual; /* times of honest calls. Not owned */
};

/* The clock that is the score. */
enum device_clock trial_clock(const struct trial_config *c);

/* 0 pass, 1 the candidate's fault (*v), -1 ours (*err). *ret is filled as far as things went. The
 * time goes to the phases of the pool. */
int trial_run(const struct trial_config *c, struct trial_result *ret, struct verdict *v,
              struct err *err);

/* Whether the subject is right about a content if a fresh process has the content's parameters
 * before it constructs anything: to explain a call that was wrong without that. config: with a
 * module for fixed weights. A failure of ours counts as no. */
bool trial_right_in_place(const struct trial_config *c, int content);

#endif
