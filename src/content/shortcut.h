/* SPDX-License-Identifier: MIT */
/* Shortcuts: how an answer is compared, and how expected values come back. Each way is a layer: one
 * function that serves what it is asked for, or leaves it to the next layer. The last layer serves
 * all, so every other one is a shortcut: without it the same figures take longer. Nothing else
 * depends on one.
 *
 *   recall   the answer's bits were compared before, and their figures are known
 *   fused    the answer is compared with expected values as they are made; these are not stored
 *   digest   expected values are made again, in fewer passes, from what is kept of the content
 *   in full  expected values are made by the problem's own graph; the answer is compared with them
 *
 * To add one: a function and its row in shortcut.c, and a case in tests/unit/test_shortcut.c. */
#ifndef ASSAY_CONTENT_SHORTCUT_H
#define ASSAY_CONTENT_SHORTCUT_H

#include "content/pool.h"

/* Request to a layer: figures of an answer, or only that the content's expected values lie in its
 * slot. */
struct ask {
    int content;
    const struct mem *got; /* the answer; NULL: only expected values are wanted. Not owned */
    size_t at;             /* offset of the output in `got` */
    int output;
    enum dtype type;           /* type of the answer's elements */
    struct fingerprint *print; /* NULL, or filled by the layer that reads the answer. Not owned */
};

/* Makes the content's expected values, if they do not lie in its slot. The content does. */
int shortcut_expect(struct pool *p, int content, struct err *err);

/* Compares with expected values that lie in the slot, and takes no shortcut: for honest runs. */
int shortcut_compare_stored(struct pool *p, const struct pool_slot *slot, const struct ask *a,
                            struct compare_stats *ret, struct err *err);

/* Whether answers to this content are likely to need no stored expected values. */
bool shortcut_spares_expected(const struct pool *p, const struct pool_slot *slot);

/* Has the engine compile what fused comparison needs, while nobody waits. The slot's content has
 * its kept values. */
void shortcut_prepare(const struct pool *p, const struct pool_slot *slot);

#endif
