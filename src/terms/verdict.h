/* SPDX-License-Identifier: MIT */
/* Verdict: what we found out about a candidate. It is data, stored and reported. An error
 * (base/err.h) means that we could not find out; it becomes VERDICT_INFRA when it is recorded. */
#ifndef ASSAY_TERMS_VERDICT_H
#define ASSAY_TERMS_VERDICT_H

#include "base/buf.h"
#include "base/err.h"
#include "terms/reasons.h"

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

/* REASON_WRONG_MAX and so on: one for each line of reasons.h. */
enum reason {
    REASON_NONE, /* a pass */
#define REASON_ENUM(verdict, name, code, meaning) REASON_##verdict##_##name,
    REASONS(REASON_ENUM)
#undef REASON_ENUM
        REASON_COUNT,
};

struct reason_row {
    enum verdict_kind kind;
    const char *code; /* code in records */
    const char *meaning;
};
extern const struct reason_row reason_table[REASON_COUNT];

/* Finding on a candidate; all zero is a pass. Kind and code follow from the reason: only the
 * functions below set these three. */
struct verdict {
    enum reason reason;
    enum verdict_kind kind;
    char code[48];     /* "rms", "unwritten", "SIGSEGV", "sandbox"; "" for a pass */
    char detail[1024]; /* one line for people: which check, where, how much */
    bool quotes;       /* `detail` quotes what the candidate's process wrote */
};

#define VERDICT_INIT                             \
    {                                            \
        REASON_NONE, VERDICT_PASS, "", "", false \
    }

/* Fills v and always returns 1, "the candidate's fault". So a caller can `return verdict_set(...)`
 * where 0 is fine and -1 an error of ours. */
int verdict_set(struct verdict *v, enum reason reason, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The same as verdict_set() for a reason whose code is the name of what happened:
 * REASON_CRASH_SIGNAL and REASON_CRASH_FAULT. The name comes from fault_name.h, never from the
 * candidate's text. */
int verdict_set_named(struct verdict *v, enum reason reason, const char *name, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* Gives the same finding another reason; detail and quotes stay. */
void verdict_change(struct verdict *v, enum reason reason);

/* The code of a verdict as records have it, if the first len bytes of text are one; else NULL. */
const char *verdict_find_code(enum verdict_kind kind, const char *text, size_t len);

/* Prints all reasons as Markdown: docs/reasons.md. */
void reasons_print(struct buf *out);

#endif
