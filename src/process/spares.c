/* SPDX-License-Identifier: MIT */
/* A spare holds the device's lock (shared) while it opens its device. It releases the lock itself,
 * or by dying, so no thread of the judge has to watch it. A judge that wants to time takes the lock
 * alone, and thereby waits for spares that are still starting. It settles its own spares first: a
 * driver that hangs would keep it waiting for ever, and nobody else would end that process.
 *
 * While somebody is timed on a GPU, a spare is started all the same. It waits for the lock before
 * it touches the driver; otherwise its judge would wait for it later. On the CPU device none is
 * started then, because starting a process would disturb. */
#include "process/spares.h"

#include "process/devlock.h"

#include <string.h>

/* Whether waiting spares can serve what is wanted. A driver's runner gets its memory limit with the
 * candidate; other runners are born with theirs. */
static bool suits(const struct rproc_config *waiting, const struct rproc_config *wanted)
{
    return waiting->subject.kind == wanted->subject.kind && waiting->device == wanted->device &&
           waiting->device_index == wanted->device_index &&
           waiting->require_sandbox == wanted->require_sandbox &&
           (wanted->device->maps_beyond_memory || waiting->mem_bytes == wanted->mem_bytes);
}

void spares_serve(struct spares *s, const struct rproc_config *config, int need)
{
    if (s->n && !suits(&s->config, config))
        spares_release(s);
    s->config = *config;
    s->need = need;
}

static void spawn_missing(struct spares *s, const struct devlock *lock)
{
    struct err ignored = ERR_INIT;

    while (s->n < s->full && rproc_spawn(&s->waiting[s->n], &s->config, lock, &ignored) == 0)
        s->n++;
}

void spares_fill(struct spares *s)
{
    AUTO(devlock_release) struct devlock lock = DEVLOCK_INIT;

    if (s->n < MIN(s->need, s->full) &&
        devlock_for_spares(s->config.device, s->config.device_index, &lock))
        spawn_missing(s, &lock);
}

static void drop(struct spares *s, int i)
{
    rproc_release(&s->waiting[i]);
    s->n--;
    memmove(&s->waiting[i], &s->waiting[i + 1], (size_t)(s->n - i) * sizeof(s->waiting[0]));
}

void spares_settle(struct spares *s)
{
    for (int i = 0; i < s->n;) {
        struct err ignored = ERR_INIT;

        if (rproc_await_warm(&s->waiting[i], &ignored) == 0)
            i++;
        else
            drop(s, i);
    }
}

bool spares_take(struct spares *s, const struct rproc_config *config, struct rproc *ret)
{
    struct err ignored = ERR_INIT;

    if (config->subject.kind != s->config.subject.kind)
        return false;
    while (s->n > 0) {
        struct rproc *oldest = &s->waiting[0];

        if (rproc_hand_over(oldest, config, &ignored) == 0) {
            *ret = *oldest;
            *oldest = (struct rproc)RPROC_INIT; /* drop() then only closes the gap */
            drop(s, 0);
            return true;
        }
        drop(s, 0);
    }
    return false;
}

void spares_release(struct spares *s)
{
    while (s->n > 0)
        drop(s, s->n - 1);
}
