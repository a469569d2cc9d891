/* SPDX-License-Identifier: MIT */
/* Phases: where the time of an evaluation went, the record's phases_ms (docs/record.md says what
 * each one means). A phase inside another one is taken off the outer one, so that they add up. Two
 * overlap the others: PHASE_CANDIDATE and PHASE_TOTAL. To add one: a line here and its name in
 * phases.c. */
#ifndef ASSAY_TERMS_PHASES_H
#define ASSAY_TERMS_PHASES_H

#include <stdint.h>

enum phase {
    PHASE_LOAD,
    PHASE_OPEN,
    PHASE_BUILD,
    PHASE_EVIDENCE,
    PHASE_QUEUE,
    PHASE_INPUTS,
    PHASE_EXPECTED,
    PHASE_HONEST,
    PHASE_START,
    PHASE_CHECKS,
    PHASE_TIMING,
    PHASE_AUDIT,
    PHASE_END,
    PHASE_CANDIDATE,
    PHASE_REMADE,
    PHASE_TOTAL,
    PHASE_COUNT,
};
extern const char *const phase_names[PHASE_COUNT]; /* keys of phases_ms */

/* Time of each phase; all zero is empty. One thread at a time writes to it. */
struct phases {
    double ms[PHASE_COUNT];
};

/* unused: a timer is a guard that no code may read, and clang would warn of each. */
struct __attribute__((unused)) phase_timer {
    struct phases *to; /* not owned; NULL: ended */
    enum phase phase;
    uint64_t start_ns;
    double before_ms; /* sum of all phases that do not overlap, at the start */
};

/* AUTO(phase_end) struct phase_timer timer = phase_begin(phases, PHASE_HONEST); charges the phase
 * with the time until the scope ends, less what other phases were charged with meanwhile. */
struct phase_timer phase_begin(struct phases *to, enum phase phase);
/* Ends a timer before its scope does; a second time does nothing. */
void phase_end(struct phase_timer *t);

#endif
