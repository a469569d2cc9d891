/* SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_release(struct buf *b)
{
    free(b->ptr);
    *b = (struct buf)BUF_INIT;
}

void buf_reset(struct buf *b)
{
    b->len = 0;
    if (b->ptr)
        b->ptr[0] = '\0';
}

void buf_reserve(struct buf *b, size_t more)
{
    size_t need = b->len + more + 1;

    if (need <= b->cap)
        return;
    b->cap = MAX(need, MAX(b->cap * 2, (size_t)64));
    b->ptr = xrealloc(b->ptr, b->cap);
}

void buf_add(struct buf *b, const void *data, size_t len)
{
    buf_reserve(b, len);
    if (len)
        memcpy(b->ptr + b->len, data, len);
    b->len += len;
    b->ptr[b->len] = '\0';
}

void buf_adds(struct buf *b, const char *s)
{
    buf_add(b, s, strlen(s));
}

void buf_addch(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
    va_list ap, again;

    va_start(ap, fmt);
    va_copy(again, ap);

    int n = vsnprintf(NULL, 0, fmt, ap);

    buf_reserve(b, (size_t)n);
    vsnprintf(b->ptr + b->len, (size_t)n + 1, fmt, again);
    b->len += (size_t)n;
    va_end(again);
    va_end(ap);
}

void buf_add_word(struct buf *b, const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./:+=@%,";

    if (*s && s[strspn(s, plain)] == '\0') {
        buf_adds(b, s);
        return;
    }
    buf_addch(b, '\'');
    for (; *s; s++) {
        if (*s == '\'')
            buf_adds(b, "'\\''");
        else
            buf_addch(b, *s);
    }
    buf_addch(b, '\'');
}

void buf_fill(struct buf *b, char c, int count)
{
    for (; count > 0; count--)
        buf_addch(b, c);
}

const char *buf_str(const struct buf *b)
{
    return b->ptr ? b->ptr : "";
}

char *buf_steal(struct buf *b)
{
    if (!b->ptr)
        buf_adds(b, "");

    char *out = b->ptr;

    *b = (struct buf)BUF_INIT;
    return out;
}
