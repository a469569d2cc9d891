/* SPDX-License-Identifier: MIT */
#include "process/python_reason.h"

#include "base/util.h"
#include "terms/fault_name.h"

#include <string.h>

static const enum reason of_loading[] = {
    REASON_BUILD_ERROR_IMPORT,    REASON_BUILD_ERROR_MODULE,     REASON_BUILD_ERROR_CONSTRUCT,
    REASON_BUILD_ERROR_SIGNATURE, REASON_BUILD_ERROR_PARAMETERS, REASON_BUILD_ERROR_LOAD,
    REASON_BUILD_ERROR_REHEARSAL,
};

static const enum reason of_calls[] = {REASON_WRONG_TYPE, REASON_WRONG_SHAPE, REASON_WRONG_DTYPE,
                                       REASON_CRASH_PROGRAM};

/* The reason whose code is the text's first word, and *rest what follows it; REASON_NONE: none. */
static enum reason find(const char *text, const enum reason *list, size_t n, const char **rest)
{
    size_t len = strcspn(text, ":");

    *rest = text;
    for (size_t i = 0; i < n; i++) {
        const char *code = reason_table[list[i]].code;

        if (strlen(code) == len && !strncmp(code, text, len)) {
            *rest = text + len + (text[len] == ':') + (text[len] == ':' && text[len + 1] == ' ');
            return list[i];
        }
    }
    return REASON_NONE;
}

int python_load_verdict(const char *text, struct verdict *v)
{
    const char *rest;
    enum reason reason = find(text, of_loading, ARRAY_SIZE(of_loading), &rest);

    verdict_set(v, reason == REASON_NONE ? REASON_BUILD_ERROR_LOAD : reason, "%s", rest);
    v->quotes = true;
    return 1;
}

int python_call_verdict(const char *text, struct verdict *v)
{
    static const char raised[] = "PYTHON: "; /* the code says it already */
    const char *rest;
    enum reason reason = find(text, of_calls, ARRAY_SIZE(of_calls), &rest);

    if (reason == REASON_NONE)
        verdict_set_named(v, REASON_CRASH_FAULT, fault_name(text), "call: %s",
                          strncmp(text, raised, strlen(raised)) ? text : text + strlen(raised));
    else
        verdict_set(v, reason, "call: %s", rest);
    v->quotes = true;
    return 1;
}
