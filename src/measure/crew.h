/* SPDX-License-Identifier: MIT */
/* The processes of one trial: several of a candidate's side by side, each with arenas of its own,
 * and the device's memory they may take. */
#ifndef ASSAY_MEASURE_CREW_H
#define ASSAY_MEASURE_CREW_H

#include "measure/arenas.h"
#include "process/budget.h"
#include "process/exiting.h"
#include "process/rproc.h"
#include "process/spares.h"
#include "terms/plan.h"

struct crew {
    /* What they are started with; not owned. */
    const struct plan *plan;
    struct pool *pool;
    const struct rproc_config *runner; /* of each, but for its arenas */
    struct spares *spares;
    struct exiting *exiting;

    struct rproc_config configs[PLAN_MAX_RUNNERS];
    struct arenas arenas[PLAN_MAX_RUNNERS]; /* each runner's own */
    struct rproc runners[PLAN_MAX_RUNNERS];
    int n;
    int n_warm;           /* runners that were spares, so far */
    uint32_t layers;      /* sandbox layers every runner had */
    char *text;           /* what the first process that printed did print, capped; owned */
    uint64_t text_bytes;  /* what it printed in all */
    struct budget budget; /* of the device's memory */
    int64_t free_bytes;   /* of it, before there were runners; -1: not known */
    int64_t left_bytes;   /* of it, beside them, once they starved the judge */
    bool starved;         /* they held most of it */
};

int crew_make_arenas(struct crew *c, struct err *err);
void crew_release_arenas(struct crew *c); /* once the runners are gone */
/* Starts as many as the plan wants; each is stopped, with the candidate set up in it. */
int crew_start(struct crew *c, struct verdict *v, struct err *err);
/* Ends them and awaits that: nobody is timed beside a driver that cleans up. */
void crew_end(struct crew *c);
/* Ends them and awaits nothing: the next who is timed does (process/exiting.h). */
void crew_kill(struct crew *c);
/* What they printed so far. */
void crew_keep_text(struct crew *c);

/* Notes how much of the device's memory is free before there are runners. */
void crew_note_memory(struct crew *c);
/* Sees whether they left the judge any memory; n_calls: that they had so far. */
void crew_note_starving(struct crew *c, int n_calls);
/* A judge failed (*err). -1 by its own fault; 1 with *v because they had left it no memory, which
 * is free again now that they are gone. */
int crew_blame_memory(struct crew *c, int n_calls, struct verdict *v, struct err *err);

#endif
