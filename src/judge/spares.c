/* SPDX-License-Identifier: MIT */
/*
 * A spare inherits the device's lock (shared) and lets go of it itself when its device is open, or
 * by dying: no thread of the judge's has to watch it meanwhile. So whoever wants to time takes the
 * lock alone and thereby waits for spares that are still starting. A judge first settles its own:
 * a driver that hangs would keep it waiting for ever, and nobody else would end that process.
 */
#include "judge/spares.h"

#include "judge/devlock.h"

#include <string.h>

void spares_init(struct spares *s, const struct rproc_config *config, int need, int full)
{
    *s = (struct spares){.config = *config, .full = MIN(full, SPARES_MAX)};
    s->need = MIN(need, s->full);
}

void spares_fill(struct spares *s)
{
    AUTO(fd_closep) int lock = -1;
    struct err ignored = ERR_INIT;

    if (s->n >= s->need ||
        devlock_try(s->config.device->name, s->config.device_index, &lock, &ignored) != 0)
        return;
    while (s->n < s->full && rproc_spawn(&s->waiting[s->n], &s->config, lock, &ignored) == 0)
        s->n++;
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
