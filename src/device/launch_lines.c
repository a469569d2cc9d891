/* SPDX-License-Identifier: MIT */
#include "device/launch_lines.h"

#include <string.h>

struct text {
    const char *at;
    size_t len;
};

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* Behind the word, with blanks before it; NULL when it is not there. */
static const char *skip_word(const char *at, const char *end, const char *word)
{
    size_t len = strlen(word);

    at = skip_blanks(at, end);
    return (size_t)(end - at) >= len && memcmp(at, word, len) == 0 ? at + len : NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* What stands behind `// assay:`, without blanks around it. */
static bool directive(const char *at, const char *end, struct text *ret)
{
    at = skip_word(at, end, "//");
    at = at ? skip_word(at, end, "assay:") : NULL;
    if (!at)
        return false;
    at = skip_blanks(at, end);
    while (end > at && is_blank(end[-1]))
        end--;
    *ret = (struct text){at, (size_t)(end - at)};
    return true;
}

static bool begins_launch(const struct text *t)
{
    const char *after = skip_word(t->at, t->at + t->len, "launch");

    return after && (after == t->at + t->len || is_blank(*after));
}

/* The next directive, without going past it; false at the end. */
static bool peek(struct launch_lines *l, struct text *ret, const char **ret_next)
{
    while (l->at < l->end) {
        const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at));

        *ret_next = newline ? newline + 1 : l->end;
        if (directive(l->at, newline ? newline : l->end, ret))
            return true;
        l->at = *ret_next;
        l->read++;
    }
    return false;
}

bool launch_lines_next(struct launch_lines *l, struct buf *ret, int *ret_line)
{
    const char *next;
    struct text t;

    buf_reset(ret);
    while (peek(l, &t, &next) && !(ret->len && begins_launch(&t))) {
        l->at = next;
        l->read++;
        if (!ret->len && !begins_launch(&t))
            continue; /* goes on with nothing */
        if (ret->len)
            buf_addch(ret, ' ');
        else
            *ret_line = l->read;
        buf_add(ret, t.at, t.len);
    }
    return ret->len > 0;
}

bool launch_lines_any(const char *text, size_t len)
{
    struct launch_lines l = {text, text + len, 0};
    AUTO(buf_release) struct buf ignored = BUF_INIT;
    int line;

    return launch_lines_next(&l, &ignored, &line);
}
