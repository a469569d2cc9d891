/* SPDX-License-Identifier: MIT */
/* Runners that were killed and whose exit is not yet awaited: a driver takes tens of milliseconds
 * to clean up, in which the next candidate can be built but nobody can be timed. So the device's
 * lock stays with them, and is let go of when the last one is gone. */
#ifndef ASSAY_JUDGE_LEAVING_H
#define ASSAY_JUDGE_LEAVING_H

#include "judge/plan.h"
#include "judge/rproc.h"

#include <pthread.h>

struct leaving { /* does not move while it is watched */
    struct rproc runners[PLAN_MAX_RUNNERS];
    int n;
    int lock; /* owned; -1: none, or let go of. The watcher's, while there is one */
    pthread_t watcher;
    bool watched;
};

#define LEAVING_INIT \
    {                \
        .lock = -1   \
    }

/* Kills it; *r is RPROC_INIT then. Not while they are watched. */
void leaving_add(struct leaving *l, struct rproc *r);
/* Takes the lock over until all are gone, and does not wait for that. Shared from here on: spares
 * may open the device meanwhile, nobody may be timed. */
void leaving_keep(struct leaving *l, int *lock);
/* Waits until all are gone. Before anybody is timed. */
void leaving_await(struct leaving *l);

#endif
