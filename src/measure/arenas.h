/* SPDX-License-Identifier: MIT */
/* Arenas: memory that the judge and one runner share. A call finds its inputs in one of several
 * arenas, and leaves its outputs in one of several others.
 *
 * Every process has its own arenas, which are made anew for it. A used arena holds correct outputs,
 * and the next process of the trial, or the next candidate, is judged on the same contents. */
#ifndef ASSAY_MEASURE_ARENAS_H
#define ASSAY_MEASURE_ARENAS_H

#include "content/pool.h"
#include "process/exiting.h"

/* Deck: chooses the next arena at random, but each as often as the others. Otherwise a median would
 * depend on the arenas that a run happened to use more. {0} is a new deck. */
struct deck {
    uint8_t cards[2 * PLAN_MAX_ARENAS]; /* each arena twice, so that the last one does not tell the
                                           next */
    int left;
};
int deck_draw(struct deck *d, int n_arenas, uint32_t random);

struct arenas {
    struct mem in[PLAN_MAX_ARENAS], out[PLAN_MAX_ARENAS];
    int in_content[PLAN_MAX_ARENAS]; /* the content in each input arena */
    int n;                           /* number of arenas of each kind */
    struct mem params;               /* parameters of every call, if they lie apart, as they lie at
                                      * the end of an input arena; no bytes: they do not */
    int params_content;              /* the content in it */
    struct deck in_deck, out_deck;
};

/* Makes n input arenas and n output arenas. Inputs hold the pool's first content. params_apart: and
 * an arena for parameters, if the problem has any. */
int arenas_make(struct arenas *ret, struct pool *p, int n, bool params_apart, struct err *err);
/* Copies a content into an input arena, and its parameters to where they belong. `anew`: also what
 * is there already. */
int arenas_fill(struct arenas *a, const struct pool *p, int in, const struct pool_slot *slot,
                bool anew, struct err *err);
/* *ret_at: offset of the first byte of inputs or parameters that differs from the content, -1 when
 * none does. */
int arenas_differ(const struct arenas *a, const struct pool *p, int in,
                  const struct pool_slot *slot, int64_t *ret_at, struct err *err);
/* Gives the arenas away, to be freed when the runners are gone. */
void arenas_free_later(struct arenas *a, const struct pool *p, struct exiting *exiting);
void arenas_release(struct arenas *a, const struct pool *p);

#endif
