/* SPDX-License-Identifier: MIT */
/* What we found out about a candidate: data, stored and reported. Not to be confused with an error
 * (base/err.h), which means that we could not find out; an error becomes VERDICT_INFRA when it is
 * recorded. */
#ifndef ASSAY_JUDGE_VERDICT_H
#define ASSAY_JUDGE_VERDICT_H

#include "base/err.h"

enum verdict_kind {
    VERDICT_PASS,
    VERDICT_WRONG,
    VERDICT_CRASH,
    VERDICT_TIMEOUT,
    VERDICT_BUILD_ERROR,
    VERDICT_REJECTED,
    VERDICT_INFRA,
    VERDICT_COUNT,
};
extern const char *const verdict_names[VERDICT_COUNT];

struct verdict {
    enum verdict_kind kind;
    char reason[48];   /* a code: "rms", "unwritten", "SIGSEGV", "sandbox"; "" for a pass */
    char detail[1024]; /* one line for people: which check, where, how much */
    bool quotes;       /* part of it is what the candidate's process wrote */
};

#define VERDICT_INIT                \
    {                               \
        VERDICT_PASS, "", "", false \
    }

/* Fills v; always returns 1, "the candidate's fault", so that a caller can `return
 * verdict_set(...)` where 0 is fine and -1 an error of ours. */
int verdict_set(struct verdict *v, enum verdict_kind kind, const char *reason, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

#endif
