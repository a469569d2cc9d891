/* SPDX-License-Identifier: MIT */
/* Runners that were killed and whose exit is not yet awaited. A driver takes tens of milliseconds
 * to clean up; meanwhile the next candidate can be built, but nobody can be timed. So the device's
 * lock stays with these runners. So does the memory that they shared, which a driver is slow to
 * take back from a dying process. When the last runner is gone the memory is freed, and then the
 * lock released. */
#ifndef ASSAY_PROCESS_EXITING_H
#define ASSAY_PROCESS_EXITING_H

#include "process/devlock.h"
#include "process/rproc.h"
#include "terms/plan.h"

#include <pthread.h>

struct exiting { /* must not move while a thread watches */
    struct rproc runners[PLAN_MAX_RUNNERS];
    int n;
    const struct device_judge_ops *ops; /* the device of `shared` */
    void *ctx;
    /* Used by the watching thread alone while there is one. */
    struct mem shared[PLAN_MAX_RUNNERS * (2 * PLAN_MAX_ARENAS + 1)];
    int n_shared;
    struct devlock lock; /* owned; DEVLOCK_INIT once released */
    pthread_t watcher;
    bool watched;
};

#define EXITING_INIT         \
    {                        \
        .lock = DEVLOCK_INIT \
    }

/* Kills the runner and takes it over; *r is RPROC_INIT then. Not while a thread watches. */
void exiting_add(struct exiting *l, struct rproc *r);
/* Takes *m over, to be freed when the runners are gone; *m is MEM_INIT then. Not while a thread
 * watches. */
void exiting_free_later(struct exiting *l, const struct device_judge_ops *ops, void *ctx,
                        struct mem *m);
/* Takes the lock over until all runners are gone, and does not wait for that. The lock is shared
 * from here on: spares may open the device meanwhile, nobody may be timed. */
void exiting_hold_lock(struct exiting *l, struct devlock *lock);
/* Waits until all runners are gone, and their memory is freed. Called before anybody is timed, and
 * before the device is closed. */
void exiting_await(struct exiting *l);

#endif
