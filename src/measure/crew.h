/* SPDX-License-Identifier: MIT */
/* Crew: the processes of one trial, several of one candidate side by side. Each has arenas of its
 * own; the memory of the device that they take is watched. */
#ifndef ASSAY_MEASURE_CREW_H
#define ASSAY_MEASURE_CREW_H

#include "measure/arenas.h"
#include "process/budget.h"
#include "process/exiting.h"
#include "process/rproc.h"
#include "process/spares.h"
#include "terms/plan.h"

struct crew {
    /* Given by the trial; not owned. */
    const struct plan *plan;
    struct pool *pool;
    const struct rproc_config *runner; /* config of each runner, but for its arenas */
    struct spares *spares;
    struct exiting *exiting;

    struct rproc_config configs[PLAN_MAX_RUNNERS];
    struct arenas arenas[PLAN_MAX_RUNNERS]; /* arenas of each runner */
    struct rproc runners[PLAN_MAX_RUNNERS];
    int n;
    int n_warm;           /* runners that were spares, so far */
    uint32_t layers;      /* sandbox layers every runner had */
    char *text;           /* text of the first process that printed, capped; owned */
    uint64_t text_bytes;  /* bytes that this process printed in all */
    char *note;           /* words of the first process on what it loaded; owned */
    struct budget budget; /* limit of the device's memory */
    int64_t free_bytes;   /* free memory of the device before there were runners; -1: not known */
    int64_t left_bytes;   /* free memory of the device once runners starved the judge */
    bool starved;         /* runners held most of the device's memory */
};

int crew_make_arenas(struct crew *c, struct err *err);
void crew_release_arenas(struct crew *c); /* called once the runners are gone */
/* Starts as many runners as the plan wants. Each is stopped, with the candidate set up in it. */
int crew_start(struct crew *c, struct verdict *v, struct err *err);
/* Ends the runners and waits for that: nobody is timed beside a driver that cleans up. */
void crew_end(struct crew *c);
/* Ends the runners and does not wait: whoever is timed next does (process/exiting.h). */
void crew_kill(struct crew *c);
/* Keeps the text that runners printed so far. */
void crew_keep_text(struct crew *c);

/* Notes how much of the device's memory is free before there are runners. */
void crew_note_memory(struct crew *c);
/* Notes whether the runners left the judge too little memory. n_calls: their calls so far. */
void crew_note_starving(struct crew *c, int n_calls);
/* Explains why the judge failed (*err). -1: its own fault. 1 with *v: the runners had left it no
 * memory, which is free again now that they are gone. */
int crew_blame_memory(struct crew *c, int n_calls, struct verdict *v, struct err *err);

#endif
