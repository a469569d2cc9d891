/* SPDX-License-Identifier: MIT */
#include "device/cuda/launch_lines.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FORM "write it as // assay: launch NAME grid=X block=X, with // assay: on every line of it"

struct line_text {
    const char *at;
    size_t len;
};

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* Skips blanks and the word; NULL when the word is not there. */
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

/* Finds the text behind `// assay:`, without blanks around it; false for any other line. */
static bool directive(const char *at, const char *end, struct line_text *ret)
{
    at = skip_word(at, end, "//");
    at = at ? skip_word(at, end, "assay:") : NULL;
    if (!at)
        return false;
    at = skip_blanks(at, end);
    while (end > at && is_blank(end[-1]))
        end--;
    *ret = (struct line_text){at, (size_t)(end - at)};
    return true;
}

static bool begins_launch(const struct line_text *t)
{
    const char *after = skip_word(t->at, t->at + t->len, "launch");

    return after && (after == t->at + t->len || is_blank(*after));
}

/* Finds the next directive, without going past it; false at the end. */
static bool peek(struct launch_lines *l, struct line_text *ret, const char **ret_next)
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
    struct line_text t;

    buf_reset(ret);
    while (peek(l, &t, &next) && !(ret->len && begins_launch(&t))) {
        int column = (int)(t.at - l->at) + 1;

        l->at = next;
        l->read++;
        if (!ret->len && !begins_launch(&t))
            continue; /* continues no launch */
        if (ret->len)
            buf_addch(ret, ' ');
        else
            *ret_line = l->read;
        buf_addf(ret, "@%d:%d ", l->read, column);
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

/* ---- comments that were meant to be launch lines ---- */

/* The word at the beginning of t, up to a blank or a '='; a long one is cut. */
static void first_word(const struct line_text *t, char out[32])
{
    size_t n = 0;

    while (n < t->len && n < 31 && isgraph((unsigned char)t->at[n]) && t->at[n] != '=')
        n++;
    memcpy(out, t->at, n);
    out[n] = '\0';
}

static bool has_field(const struct line_text *t)
{
    static const char *const fields[] = {"grid=", "block=", "smem=", "args="};

    for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
        if (memmem(t->at, t->len, fields[i], strlen(fields[i])))
            return true;
    return false;
}

/* True if a line `// assay:` that belongs to a launch has a '@' in it. */
static bool has_mark(const struct line_text *t, struct launch_stray *ret)
{
    const char *at = memchr(t->at, '@', t->len);

    if (!at)
        return false;
    ret->column += (int)(at - t->at); /* such marks are ours alone (cuda_launch.h) */
    snprintf(ret->why, sizeof(ret->why), "'@' has no meaning in a launch line");
    return true;
}

/* True if a line `// assay:` with no launch line before it was meant to belong to one. */
static bool stray_directive(const struct line_text *t, struct launch_stray *ret)
{
    static const char *const names[] = {"launch"};
    char word[32];

    first_word(t, word);
    if (nearest(word, names, 1))
        snprintf(ret->why, sizeof(ret->why), "did you mean 'launch' by '%s'?", word);
    else if (has_field(t))
        snprintf(ret->why, sizeof(ret->why),
                 "no launch line above that this could continue: " FORM);
    return *ret->why != '\0'; /* else it is a sentence like any other */
}

/* True for `// Assay: launch`, `//assay launch`, or the same in a block comment, if a word of
 * launch lines comes first and a field follows. Anything else is a sentence like any other. */
static bool nearly_directive(const char *at, const char *end)
{
    static const char *const names[] = {"launch", "grid", "block", "smem", "args"};
    const char *slash = skip_word(at, end, "//"), *star = skip_word(at, end, "/*");
    struct line_text t;
    char word[32];

    at = skip_blanks(slash ? slash : star ? star : end, end);
    if (end - at < 5 || strncasecmp(at, "assay", 5) != 0)
        return false;
    at = skip_blanks(at + 5, end);
    at = skip_blanks(at < end && *at == ':' ? at + 1 : at, end);
    t = (struct line_text){at, (size_t)(end - at)};
    first_word(&t, word);
    return nearest(word, names, ARRAY_SIZE(names)) && has_field(&t);
}

bool launch_lines_stray(const char *text, size_t len, struct launch_stray *ret)
{
    const char *end = text + len, *eol;
    struct launch_stray s = {.line = 1};
    bool in_launch = false;
    struct line_text t;

    for (const char *at = text; at < end; at = eol + 1, s.line++) {
        eol = memchr(at, '\n', (size_t)(end - at));
        if (!eol)
            eol = end;
        s.column = (int)(skip_blanks(at, eol) - at) + 1;
        if (directive(at, eol, &t)) {
            s.column = (int)(t.at - at) + 1;
            in_launch = in_launch || begins_launch(&t);
            if (in_launch ? has_mark(&t, &s) : stray_directive(&t, &s))
                break;
        } else if (nearly_directive(at, eol)) {
            snprintf(s.why, sizeof(s.why), "no launch line: " FORM);
            break;
        }
    }
    if (*s.why)
        *ret = s;
    return *s.why != '\0';
}
