/* SPDX-License-Identifier: MIT */
#include "terms/verdict.h"

#include "base/util.h"
#include "terms/fault_name.h"

#include <stdio.h>
#include <string.h>

const char *const verdict_names[VERDICT_COUNT] = {
    [VERDICT_PASS] = "pass",
    [VERDICT_WRONG] = "wrong",
    [VERDICT_CRASH] = "crash",
    [VERDICT_TIMEOUT] = "timeout",
    [VERDICT_BUILD_ERROR] = "build_error",
    [VERDICT_REJECTED] = "rejected",
    [VERDICT_INFRA] = "infra",
};

#define REASON_ROW(verdict, name, code, meaning) \
    [REASON_##verdict##_##name] = {VERDICT_##verdict, code, meaning},
const struct reason_row reason_table[REASON_COUNT] = {
    [REASON_NONE] = {VERDICT_PASS, "", "The candidate passed."}, REASONS(REASON_ROW)};

/* --- setting a verdict --- */

/* A detail may quote the candidate. So it is one line, without anything that moves a terminal's
 * cursor. */
static void print_detail(struct verdict *v, const char *fmt, va_list ap)
{
    vsnprintf(v->detail, sizeof(v->detail), fmt, ap);
    for (char *p = v->detail; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = ' ';
    v->quotes = false;
}

void verdict_change(struct verdict *v, enum reason reason)
{
    v->reason = reason;
    v->kind = reason_table[reason].kind;
    snprintf(v->code, sizeof(v->code), "%s", reason_table[reason].code);
}

int verdict_set(struct verdict *v, enum reason reason, const char *fmt, ...)
{
    va_list ap;

    verdict_change(v, reason);
    va_start(ap, fmt);
    print_detail(v, fmt, ap);
    va_end(ap);
    return 1;
}

int verdict_set_named(struct verdict *v, enum reason reason, const char *name, const char *fmt, ...)
{
    va_list ap;

    verdict_change(v, reason);
    snprintf(v->code, sizeof(v->code), "%s", name);
    va_start(ap, fmt);
    print_detail(v, fmt, ap);
    va_end(ap);
    return 1;
}

/* --- the list of reasons --- */

static const char *find_crash_name(const char *text, size_t len)
{
    const char *name = fault_find(text, len);

    return name ? name : signal_find(text, len);
}

const char *verdict_find_code(enum verdict_kind kind, const char *text, size_t len)
{
    for (int r = 0; r < REASON_COUNT; r++)
        if (reason_table[r].kind == kind && strlen(reason_table[r].code) == len &&
            strncmp(reason_table[r].code, text, len) == 0)
            return reason_table[r].code;
    return kind == VERDICT_CRASH ? find_crash_name(text, len) : NULL;
}

static const char *const kind_meanings[VERDICT_COUNT] = {
    [VERDICT_WRONG] = "The outputs are not what the problem asks for.",
    [VERDICT_CRASH] = "The candidate failed by itself.",
    [VERDICT_TIMEOUT] = "The candidate took too long; the code says at what.",
    [VERDICT_BUILD_ERROR] = "There is nothing to run.",
    [VERDICT_REJECTED] = "The candidate did what no honest one does, or not what the problem "
                         "requires.",
    [VERDICT_INFRA] = "Assay could not judge. This is never the candidate's fault.",
};

void reasons_print(struct buf *out)
{
    buf_adds(out,
             "# Reasons\n\nWhat stands in the record's keys `verdict` and `reason`. A pass has "
             "the reason `null`. `assay list --reasons` prints this page.\n");
    for (int k = VERDICT_PASS + 1; k < VERDICT_COUNT; k++) {
        buf_addf(out, "\n## %s\n\n%s\n\n| reason | meaning |\n|---|---|\n", verdict_names[k],
                 kind_meanings[k]);
        for (int r = 0; r < REASON_COUNT; r++)
            if ((int)reason_table[r].kind == k)
                buf_addf(out, "| `%s` | %s |\n", reason_table[r].code, reason_table[r].meaning);
    }
}
