/* SPDX-License-Identifier: MIT */
/* Recall: outputs that were compared before. A content that does not stay in memory is shown to a
 * candidate twice, and to many candidates. Most answers to it are the same bits again. So the last
 * few answers to each output are remembered: their fingerprints (tensor/fingerprint.h) and the
 * figures that comparing them gave. An answer with a known fingerprint has these figures and needs
 * no expected values. Whether the figures are good enough is decided anew each time. The
 * fingerprints' key is secret, because a candidate could otherwise aim at one. */
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

/* Answers to one output of one content; all zeros: none. */
struct recall_output {
    struct recall_answer answers[RECALL_ANSWERS];
    int n, next;        /* number of answers; index of the oldest, which makes room */
    uint32_t candidate; /* the last candidate that gave an answer; 0: none */
};

struct recall {
    uint64_t key;
    uint32_t candidate; /* number of the current candidate, from 1 on */
    /* Whether the last attempt found this candidate's answer: [false] on an output that it had not
     * answered before, [true] on one that it had. */
    bool hit[2];
};

void recall_init(struct recall *r);
/* Begins with the answers of another candidate. */
void recall_begin(struct recall *r);

/* Whether this candidate answered as others had, as far as that was tried. */
bool recall_worth_trying(const struct recall *r);
/* Whether making an answer's fingerprint before it is compared is worth the time. */
bool recall_may_hit(const struct recall *r, const struct recall_output *o);
/* Whether an answer with this fingerprint is known; *ret: its figures. */
bool recall_find(struct recall *r, struct recall_output *o, const struct fingerprint *print,
                 struct compare_stats *ret);
/* Remembers the figures of an answer that was compared. */
void recall_add(struct recall *r, struct recall_output *o, const struct fingerprint *print,
                const struct compare_stats *stats);

#endif
