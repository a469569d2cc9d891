/* SPDX-License-Identifier: MIT */
#include "terms/phases.h"

#include "base/clock.h"

#include <math.h>
#include <stddef.h>

const char *const phase_names[PHASE_COUNT] = {
    [PHASE_LOAD] = "load",         [PHASE_OPEN] = "open",           [PHASE_BUILD] = "build",
    [PHASE_EVIDENCE] = "evidence", [PHASE_QUEUE] = "queue",         [PHASE_INPUTS] = "inputs",
    [PHASE_EXPECTED] = "expected", [PHASE_HONEST] = "honest",       [PHASE_START] = "start",
    [PHASE_CHECKS] = "checks",     [PHASE_TIMING] = "timing",       [PHASE_AUDIT] = "audit",
    [PHASE_END] = "end",           [PHASE_CANDIDATE] = "candidate", [PHASE_REMADE] = "remade",
    [PHASE_TOTAL] = "total",
};

static double charged_ms(const struct phases *p)
{
    double sum = 0;

    for (int i = 0; i < PHASE_COUNT; i++)
        if (i != PHASE_CANDIDATE && i != PHASE_TOTAL)
            sum += p->ms[i];
    return sum;
}

struct phase_timer phase_begin(struct phases *to, enum phase phase)
{
    return (struct phase_timer){to, phase, clock_ns(), charged_ms(to)};
}

void phase_end(struct phase_timer *t)
{
    if (!t->to)
        return;

    double inner_ms = charged_ms(t->to) - t->before_ms;

    t->to->ms[t->phase] += fmax(clock_ms_since(t->start_ns) - inner_ms, 0);
    t->to = NULL;
}
