/* SPDX-License-Identifier: MIT */
#include "judge/verdict.h"

#include <stdio.h>

const char *const verdict_names[VERDICT_COUNT] = {
    [VERDICT_PASS] = "pass",
    [VERDICT_WRONG] = "wrong",
    [VERDICT_CRASH] = "crash",
    [VERDICT_TIMEOUT] = "timeout",
    [VERDICT_BUILD_ERROR] = "build_error",
    [VERDICT_REJECTED] = "rejected",
    [VERDICT_INFRA] = "infra",
};

int verdict_set(struct verdict *v, enum verdict_kind kind, const char *reason, const char *fmt, ...)
{
    va_list ap;

    v->kind = kind;
    v->quotes = false;
    snprintf(v->reason, sizeof(v->reason), "%s", reason);
    va_start(ap, fmt);
    vsnprintf(v->detail, sizeof(v->detail), fmt, ap);
    va_end(ap);
    /* Part of it may be the candidate's words: one line, nothing that moves a terminal's cursor. */
    for (char *p = v->detail; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = ' ';
    return 1;
}
