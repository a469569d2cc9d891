/* SPDX-License-Identifier: MIT */
/* A growable byte buffer. Once something was added, a NUL stands behind its len bytes. */
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
void buf_reset(struct buf *b); /* sets len to 0 and keeps the memory */
void buf_reserve(struct buf *b, size_t more);
void buf_add(struct buf *b, const void *data, size_t len);
void buf_adds(struct buf *b, const char *s);
void buf_addch(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_add_word(struct buf *b, const char *s); /* adds one shell word, quoted if needed */
void buf_fill(struct buf *b, char c, int count); /* count <= 0 adds nothing */
/* The buffer's text, "" when it is empty; valid until the next change. */
const char *buf_str(const struct buf *b);
/* Returns the text as a heap string that the caller owns; the buffer is empty afterwards. */
char *buf_steal(struct buf *b);

#endif
