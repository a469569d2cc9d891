/* SPDX-License-Identifier: MIT */
/* Runners that were killed and whose exit is not yet awaited: a driver takes tens of milliseconds
 * to clean up, in which the next candidate can be built but nobody can be timed. So the device's
 * lock stays with them, and so does the memory that they shared, which a driver is slow to take
 * back from somebody who dies. When the last one is gone that is freed, and then the lock let go
 * of. */
#ifndef ASSAY_PROCESS_EXITING_H
#define ASSAY_PROCESS_EXITING_H

#include "process/devlock.h"
#include "process/rproc.h"
#include "terms/plan.h"

#include <pthread.h>

struct exiting { /* does not move while it is watched */
    struct rproc runners[PLAN_MAX_RUNNERS];
    int n;
    const struct device_judge_ops *ops; /* whose memory `shared` is */
    void *ctx;
    /* The watcher's, while there is one. */
    struct mem shared[PLAN_MAX_RUNNERS * 2 * PLAN_MAX_ARENAS];
    int n_shared;
    struct devlock lock; /* owned; none once it is let go of */
    pthread_t watcher;
    bool watched;
};

#define EXITING_INIT         \
    {                        \
        .lock = DEVLOCK_INIT \
    }

/* Kills it; *r is RPROC_INIT then. Not while they are watched. */
void exiting_add(struct exiting *l, struct rproc *r);
/* Takes *m over, to be freed when they are gone: *m is MEM_INIT then. Not while they are watched.
 */
void exiting_free_later(struct exiting *l, const struct device_judge_ops *ops, void *ctx,
                        struct mem *m);
/* Takes the lock over until all are gone, and does not wait for that. Shared from here on: spares
 * may open the device meanwhile, nobody may be timed. */
void exiting_hold_lock(struct exiting *l, struct devlock *lock);
/* Waits until all are gone, and their memory with them. Before anybody is timed, and before the
 * device is closed. */
void exiting_await(struct exiting *l);

#endif
