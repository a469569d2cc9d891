/* SPDX-License-Identifier: MIT */
/* A growable byte buffer, always NUL-terminated behind len once something was added. */
#ifndef ASSAY_BASE_BUF_H
#define ASSAY_BASE_BUF_H

#include "base/util.h"

struct buf {
    char *ptr;
    size_t len, cap;
};

#define BUF_INIT   \
    {              \
        NULL, 0, 0 \
    }

void buf_release(struct buf *b);
void buf_reset(struct buf *b); /* len 0, memory kept */
void buf_reserve(struct buf *b, size_t more);
void buf_add(struct buf *b, const void *data, size_t len);
void buf_adds(struct buf *b, const char *s);
void buf_addch(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_add_word(struct buf *b, const char *s); /* one word to a shell, quoted where it must be */
void buf_fill(struct buf *b, char c, int count); /* count <= 0 adds nothing */
/* The text so far, "" when empty; valid until the next change. */
const char *buf_str(const struct buf *b);
/* The text as a heap string of the caller's; the buffer is empty afterwards. */
char *buf_steal(struct buf *b);

#endif
