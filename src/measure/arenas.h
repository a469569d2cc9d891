/* SPDX-License-Identifier: MIT */
/* The memory that the judge and one runner share: calls find their inputs in one of several arenas,
 * and leave their outputs in one of several others.
 *
 * Every process has its own, and they are made anew for it. What it leaves there are answers, and
 * the next process of the trial, or the next candidate, is judged on the same contents. */
#ifndef ASSAY_MEASURE_ARENAS_H
#define ASSAY_MEASURE_ARENAS_H

#include "content/pool.h"
#include "process/exiting.h"

/* Which arena comes next: at random, but each as often as the others, or a median would depend on
 * which of them a run happened to use more. {0} is a new one. */
struct deck {
    uint8_t cards[2 * PLAN_MAX_ARENAS]; /* each arena twice, so that nobody knows the next from the
                                         * last */
    int left;
};
int deck_draw(struct deck *d, int n_arenas, uint32_t random);

struct arenas {
    struct mem in[PLAN_MAX_ARENAS], out[PLAN_MAX_ARENAS];
    int in_content[PLAN_MAX_ARENAS]; /* which content lies there */
    int n;                           /* of either */
    struct deck in_deck, out_deck;
};

/* n of either kind. Inputs hold the pool's first content. */
int arenas_make(struct arenas *ret, struct pool *p, int n, struct err *err);
/* Gives them away, to be freed when the runners are gone. */
void arenas_free_later(struct arenas *a, const struct pool *p, struct exiting *exiting);
void arenas_release(struct arenas *a, const struct pool *p);

#endif
