/* SPDX-License-Identifier: MIT */
#include "process/bound.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

const char *const bound_rule_names[BOUND_RULES] = {
    [BOUND_NAME] = "name",   [BOUND_ARGUMENT] = "argument", [BOUND_NORMALISED] = "normalised",
    [BOUND_SHAPE] = "shape", [BOUND_ORDER] = "order",
};

static bool is_printable(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] < 0x20 || text[i] > 0x7e)
            return false;
    return true;
}

static bool needs_name(enum bound_rule rule)
{
    return rule != BOUND_NAME && rule != BOUND_ARGUMENT;
}

static bool read_line(const char *line, size_t len, struct bound_parameter *ret)
{
    const char *space = memchr(line, ' ', len);
    size_t word = space ? (size_t)(space - line) : len;
    size_t rest = space ? len - word - 1 : 0;

    for (int r = 0; r < BOUND_RULES; r++) {
        if (strlen(bound_rule_names[r]) != word || strncmp(bound_rule_names[r], line, word) != 0)
            continue;
        ret->rule = (enum bound_rule)r;
        if (!needs_name(ret->rule))
            return !space;
        if (rest == 0 || rest > BOUND_NAME_MAX || !is_printable(space + 1, rest))
            return false;
        ret->name = xstrndup(space + 1, rest);
        return true;
    }
    return false;
}

bool bound_read(const char *text, int n, struct bound *ret)
{
    AUTO(bound_release) struct bound b = {0};

    *ret = b;
    if (!text || n <= 0)
        return false;
    b.parameters = xcalloc((size_t)n, sizeof(*b.parameters));
    for (; b.n < n; b.n++) {
        size_t len = strcspn(text, "\n");

        if (text[len] != '\n' || !read_line(text, len, &b.parameters[b.n]))
            return false;
        text += len + 1;
    }
    if (*text)
        return false;
    *ret = b;
    b = (struct bound){0};
    return true;
}

void bound_release(struct bound *b)
{
    for (int i = 0; i < b->n; i++)
        free(b->parameters[i].name);
    free(b->parameters);
    *b = (struct bound){0};
}

bool bound_is_plain(const struct bound *b)
{
    for (int i = 0; i < b->n; i++)
        if (needs_name(b->parameters[i].rule) || b->parameters[i].rule != b->parameters[0].rule)
            return false;
    return b->n > 0;
}
