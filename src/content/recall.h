/* SPDX-License-Identifier: MIT */
/* Outputs that were compared before. A content that does not stay in memory is shown to a candidate
 * twice, and to many candidates, and most of what it is answered with are the same bits again. So
 * of each of its outputs the last few answers are remembered: their fingerprints
 * (tensor/fingerprint.h) and what comparing them gave. An answer with a fingerprint that is known
 * has these figures, and no expected values are needed for it; whether they are good enough is
 * decided anew each time. The fingerprints' key is secret, or a candidate could aim at one. */
#ifndef ASSAY_CONTENT_RECALL_H
#define ASSAY_CONTENT_RECALL_H

#include "tensor/compare.h"
#include "tensor/fingerprint.h"

#include <stdbool.h>

#define RECALL_ANSWERS 4

struct recall_answer {
    struct fingerprint print;
    struct compare_stats stats;
};

/* Of one output of one content; all zeros: nothing. */
struct recall_output {
    struct recall_answer answers[RECALL_ANSWERS];
    int n, next;        /* there are; the oldest, which makes room */
    uint32_t candidate; /* the last one whose answer came; 0: none */
};

struct recall {
    uint64_t key;
    uint32_t candidate; /* from 1 on */
    /* Whether the last attempt was of use, for this candidate: on an output that it had not
     * answered before, and on one that it had. */
    bool hit[2];
};

void recall_init(struct recall *r);
/* Another candidate's answers come. */
void recall_begin(struct recall *r);

/* Whether this candidate answered as others had, as far as that was tried. */
bool recall_worth_trying(const struct recall *r);
/* Whether it is worth its time to make an answer's fingerprint before it is compared. */
bool recall_may_hit(const struct recall *r, const struct recall_output *o);
/* Whether such an answer is known; *ret: its figures. */
bool recall_find(struct recall *r, struct recall_output *o, const struct fingerprint *print,
                 struct compare_stats *ret);
/* The answer was compared; remembers its figures. */
void recall_add(struct recall *r, struct recall_output *o, const struct fingerprint *print,
                const struct compare_stats *stats);

#endif
