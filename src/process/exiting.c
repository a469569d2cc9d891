/* SPDX-License-Identifier: MIT */
/* A thread watches runners exit: the judge may wait for a compiler for seconds, and other processes
 * wait for the lock. When the runners are gone, the thread frees the memory that they shared. That
 * is gigabytes, and takes a driver as long again. The lock is released only then, because its next
 * holder may need the memory. The thread touches nothing else; the judge reaps the runners.
 * mem_free() may be called beside whatever the judge has the device do meanwhile (device.h). */
#include "process/exiting.h"

#include <poll.h>

void exiting_add(struct exiting *l, struct rproc *r)
{
    rproc_kill(r);
    if (l->n == PLAN_MAX_RUNNERS)
        rproc_release(&l->runners[--l->n]);
    l->runners[l->n++] = *r;
    *r = (struct rproc)RPROC_INIT;
}

void exiting_free_later(struct exiting *l, const struct device_judge_ops *ops, void *ctx,
                        struct mem *m)
{
    l->ops = ops;
    l->ctx = ctx;
    l->shared[l->n_shared++] = *m;
    *m = (struct mem)MEM_INIT;
}

static void free_shared(struct exiting *l)
{
    while (l->n_shared > 0)
        l->ops->mem_free(l->ctx, &l->shared[--l->n_shared]);
}

static void *watch(void *arg)
{
    struct exiting *l = arg;

    for (int i = 0; i < l->n; i++) {
        struct pollfd p = {l->runners[i].pidfd, POLLIN, 0};

        while (l->runners[i].pid > 0 && poll(&p, 1, -1) <= 0)
            continue;
    }
    free_shared(l);
    devlock_release(&l->lock);
    return NULL;
}

void exiting_hold_lock(struct exiting *l, struct devlock *lock)
{
    if (l->n == 0 && l->n_shared == 0)
        return;
    l->lock = *lock;
    *lock = (struct devlock)DEVLOCK_INIT;
    devlock_share(&l->lock);
    l->watched = pthread_create(&l->watcher, NULL, watch, l) == 0;
    if (!l->watched)
        exiting_await(l);
}

void exiting_await(struct exiting *l)
{
    if (l->watched)
        pthread_join(l->watcher, NULL);
    l->watched = false;
    while (l->n > 0)
        rproc_release(&l->runners[--l->n]);
    free_shared(l); /* needed if no thread watched */
    devlock_release(&l->lock);
}
