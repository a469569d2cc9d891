/* SPDX-License-Identifier: MIT */
/*
 * A thread watches them go: the judge may be at a compiler for seconds, and others wait for the
 * lock. It touches nothing but their pidfds and the lock; reaping is the judge's.
 */
#include "judge/leaving.h"

#include "base/fs.h"
#include "judge/devlock.h"

#include <poll.h>

void leaving_add(struct leaving *l, struct rproc *r)
{
    rproc_kill(r);
    if (l->n == PLAN_MAX_RUNNERS)
        rproc_release(&l->runners[--l->n]);
    l->runners[l->n++] = *r;
    *r = (struct rproc)RPROC_INIT;
}

void leaving_share(struct leaving *l, const struct device_judge_ops *ops, void *ctx, struct mem *m)
{
    l->ops = ops;
    l->ctx = ctx;
    l->shared[l->n_shared++] = *m;
    *m = (struct mem)MEM_INIT;
}

static void *watch(void *arg)
{
    struct leaving *l = arg;

    for (int i = 0; i < l->n; i++) {
        struct pollfd p = {l->runners[i].pidfd, POLLIN, 0};

        while (l->runners[i].pid > 0 && poll(&p, 1, -1) <= 0)
            continue;
    }
    fd_closep(&l->lock);
    return NULL;
}

void leaving_keep(struct leaving *l, int *lock)
{
    if (l->n == 0)
        return;
    l->lock = fd_steal(lock);
    devlock_share(l->lock);
    l->watched = pthread_create(&l->watcher, NULL, watch, l) == 0;
    if (!l->watched)
        leaving_await(l);
}

void leaving_await(struct leaving *l)
{
    if (l->watched)
        pthread_join(l->watcher, NULL);
    l->watched = false;
    while (l->n > 0)
        rproc_release(&l->runners[--l->n]);
    fd_closep(&l->lock);
    while (l->n_shared > 0)
        l->ops->mem_free(l->ctx, &l->shared[--l->n_shared]);
}
