/* SPDX-License-Identifier: MIT */
/* Admission: a problem is worth judging on only if candidates that do not do its work fail and
 * honest ones pass. The judge makes both itself, from the expected values or by evaluating the
 * graph another way, and puts them through the same gates as a candidate's outputs. No candidate
 * code runs. */
#ifndef ASSAY_JUDGE_ADMIT_H
#define ASSAY_JUDGE_ADMIT_H

#include "content/pool.h"

enum admit_outcome {
    ADMIT_CAUGHT,   /* a null that failed, as it must */
    ADMIT_MISSED,   /* a null that passed: the problem has a hole */
    ADMIT_PASSED,   /* an honest candidate that passed, as it must */
    ADMIT_PUNISHED, /* an honest candidate that failed */
    ADMIT_KEPT,     /* a rule that scored contents keep, as they must */
    ADMIT_BROKEN,   /* a rule that scored contents break */
    ADMIT_NONE,     /* does not exist for this problem (no reduction to truncate, ...) */
    ADMIT_SKIPPED,  /* the problem file says why */
};
extern const char *const admit_outcome_names[];

#define ADMIT_MAX_CASES 32

struct admit_case {
    const char *name; /* not owned: a name of ours or of the graph */
    bool honest;
    enum admit_outcome outcome;
    char detail[256]; /* why the null fails, why the rule is broken, or why there is no such case */
};

struct admit_result {
    /* Built-in cases, then the problem's own nulls, then the rules for scored contents. */
    struct admit_case cases[ADMIT_MAX_CASES];
    int n_cases;
    bool admitted;
    char refusal[256]; /* the first reason, if not admitted */
    double honest_rms; /* honest error of the worst law */
};

/* Place where problems are admitted: a device and the engine that evaluates there. */
struct admit_place {
    const struct device *device; /* NULL: not open */
    void *ctx;
    struct ops_engine engine;
    const struct drawer *drawer; /* NULL: the graph's laws draw. Not owned */
    struct device_info info;
    const struct progress *progress; /* may be NULL; the caller's */
};

int admit_open(const struct device *device, int index, struct admit_place *ret, struct err *err);
void admit_close(struct admit_place *at); /* a zeroed one is fine */

/* Judges one size. If memory does not hold four contents of every law, two of each are judged on,
 * and made again when they are wanted. */
int admit_size(const struct admit_place *at, const struct problem *p, const struct graph *g,
               uint64_t seed, struct admit_result *ret, struct err *err);

#endif
