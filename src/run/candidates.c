/* SPDX-License-Identifier: MIT */
#include "run/candidates.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void release(struct candidate *x)
{
    free(x->model);
    free(x->problem);
    free(x->file);
    free(x->origin);
    free(x->skipped);
}

void candidates_release(struct candidates *c)
{
    for (int i = 0; i < c->n; i++)
        release(&c->items[i]);
    for (int i = 0; i < c->n_notes; i++)
        free(c->notes[i]);
    free(c->items);
    free(c->notes);
    problem_refs_free(c->problems, c->n_problems);
    *c = (struct candidates){0};
}

struct candidate *candidates_add(struct candidates *c, const char *model, const char *problem,
                                 int sample, const char *file, const char *skipped)
{
    if ((c->n & (c->n - 1)) == 0) /* a power of two: full */
        c->items = xrealloc(c->items, (size_t)MAX(2 * c->n, 1) * sizeof(*c->items));
    c->items[c->n] = (struct candidate){
        .model = xstrdup(model),
        .problem = xstrdup(problem),
        .sample = sample,
        .file = xstrdup(file),
        .skipped = skipped ? xstrdup(skipped) : NULL,
        .problem_at = -1,
    };
    return &c->items[c->n++];
}

static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || /* line ends */
           (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);        /* direction */
}

bool candidates_printable(const char *name)
{
    json_t *utf8 = json_string(name);

    json_decref(utf8);
    for (const char *p = name; utf8 && *p; p++) {
        unsigned char a = (unsigned char)p[0];
        uint32_t c = a; /* decoded from two or three bytes; longer ones are never controls */

        if ((a & 0xc0) == 0x80)
            continue;
        if ((a & 0xe0) == 0xc0)
            c = (a & 0x1fu) << 6 | (p[1] & 0x3fu);
        else if ((a & 0xf0) == 0xe0)
            c = (a & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
        if (is_control(c))
            return false;
    }
    return utf8 != NULL;
}

void candidates_note(struct candidates *c, const char *fmt, ...)
{
    va_list ap;
    char *text = NULL;

    va_start(ap, fmt);
    text = xvasprintf(fmt, ap);
    va_end(ap);
    c->notes = xrealloc(c->notes, (size_t)(c->n_notes + 1) * sizeof(*c->notes));
    c->notes[c->n_notes++] = text;
}

void candidates_drop(struct candidates *c, int at)
{
    release(&c->items[at]);
    memmove(&c->items[at], &c->items[at + 1], (size_t)(c->n - at - 1) * sizeof(*c->items));
    c->n--;
}

/* --- problems --- */

/* A folder spells level1/19 as "level1_19". */
static char *spell(const char *word)
{
    char *out = xstrdup(word), *bar = strchr(out, '/') ? NULL : strchr(out, '_');
    size_t len = strlen(out);

    if (bar && (len < 4 || strcmp(out + len - 4, ".lua") != 0) && !problem_is_reference(out))
        *bar = '/';
    return out;
}

int candidates_problem(struct candidates *c, const char *share_dir, const char *word,
                       struct err *err)
{
    AUTO(freep) char *name = spell(word);
    struct problem_ref ref = {0};

    if (problem_find(share_dir, name, &ref, err) < 0)
        return -1;
    for (int i = 0; i < c->n_problems; i++)
        if (!strcmp(c->problems[i].name, ref.name)) {
            problem_ref_release(&ref);
            return i;
        }
    c->problems = xrealloc(c->problems, (size_t)(c->n_problems + 1) * sizeof(*c->problems));
    c->problems[c->n_problems] = ref;
    return c->n_problems++;
}

/* Looking for a problem lists a folder, so it is not done once for every sample of it. */
void candidates_resolve(struct candidates *c, const char *share_dir)
{
    AUTO(freep) char *word = NULL;
    struct err err = ERR_INIT;
    int at = -1;

    for (int i = 0; i < c->n; i++) {
        struct candidate *x = &c->items[i];

        if (x->problem_at >= 0)
            continue;
        if (!word || strcmp(word, x->problem) != 0) {
            free(word);
            word = xstrdup(x->problem);
            at = candidates_problem(c, share_dir, word, &err);
        }
        x->problem_at = at;
        free(x->problem);
        x->problem = xstrdup(at < 0 ? word : c->problems[at].name);
        if (at < 0 && !x->skipped)
            x->skipped = xstrdup(err.text);
    }
}

/* --- order and duplicates --- */

static int by_cell(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    int d = strcmp(x->problem, y->problem);

    d = d ? d : strcmp(x->model, y->model);
    d = d ? d : (x->sample > y->sample) - (x->sample < y->sample);
    return d ? d : strcmp(x->file, y->file);
}

static bool same_cell(const struct candidate *a, const struct candidate *b)
{
    return a->sample == b->sample && !strcmp(a->problem, b->problem) && !strcmp(a->model, b->model);
}

/* The first file stands for the cell and is skipped. The second one is noted, with the name of the
 * first. */
static void refuse_both(struct candidates *c, int at)
{
    struct candidate *first = &c->items[at], *second = &c->items[at + 1];

    free(first->skipped);
    first->skipped = xasprintf("two files for one sample: %s and %s", first->file, second->file);
    candidates_note(c, "%s: two files for one sample: the other is %s", second->file, first->file);
    candidates_drop(c, at + 1);
}

void candidates_settle(struct candidates *c)
{
    if (c->n)
        qsort(c->items, (size_t)c->n, sizeof(*c->items), by_cell);
    for (int i = 0; i + 1 < c->n; i++)
        while (i + 1 < c->n && same_cell(&c->items[i], &c->items[i + 1]))
            refuse_both(c, i);
}
