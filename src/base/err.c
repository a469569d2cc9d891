/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int fail(struct err *err, enum err_kind kind, const char *fmt, ...)
{
    va_list ap;

    err->kind = kind;
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, ap);
    va_end(ap);
    return -1;
}

int fail_errno(struct err *err, const char *fmt, ...)
{
    int saved = errno;
    va_list ap;

    err->kind = ERR_SYSTEM;
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, ap);
    va_end(ap);

    size_t len = strlen(err->text);

    snprintf(err->text + len, sizeof(err->text) - len, ": %s", strerror(saved));
    return -1;
}

int wrap(struct err *err, const char *fmt, ...)
{
    char text[sizeof(err->text)], prefix[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(prefix, sizeof(prefix), fmt, ap);
    va_end(ap);
    memcpy(text, err->text, sizeof(text));
    snprintf(err->text, sizeof(err->text), "%s: %.1500s", prefix, text);
    return -1;
}
