/* SPDX-License-Identifier: MIT */
/* The memory that a judge and a runner share: calls find their inputs in one of several arenas, and
 * leave their outputs in one of several others.
 *
 * Where a tensor lies in a GPU's memory moves a short kernel's time by some percent, from one
 * allocation to the next. So the arenas of a session's candidates are the same ones, unless they
 * are so large that others need the room; what a candidate left in them is gone before the next
 * one's process sees them. */
#ifndef ASSAY_JUDGE_ARENAS_H
#define ASSAY_JUDGE_ARENAS_H

#include "judge/leaving.h"
#include "judge/pool.h"

struct arenas {
    struct mem in[PLAN_MAX_ARENAS], out[PLAN_MAX_ARENAS];
    int n;      /* of either; 0: none yet */
    bool fresh; /* no candidate has seen them */
};

/* Which arena comes next: at random, but each as often as the others, or a median would depend on
 * which of them a run happened to use more. {0} is a new one. */
struct deck {
    uint8_t cards[2 * PLAN_MAX_ARENAS]; /* each arena twice, so that nobody knows the next from the
                                         * last */
    int left;
};
int deck_draw(struct deck *d, int n_arenas, uint32_t random);

/* As many as wanted, fewer where they are large, unless they are there. */
int arenas_make(struct arenas *a, const struct pool *p, int wanted, struct err *err);
/* For the next candidate: inputs hold the pool's first content, outputs nothing of another's. Makes
 * them where nobody has. */
int arenas_prepare(struct arenas *a, struct pool *p, int wanted, uint64_t poison, struct err *err);
/* When the runners leave: kept for the next candidate, or given away to be freed once they are
 * gone. */
void arenas_leave(struct arenas *a, const struct pool *p, struct leaving *leaving);
void arenas_release(struct arenas *a, const struct device_judge_ops *ops, void *ctx);

#endif
