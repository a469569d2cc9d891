/* SPDX-License-Identifier: MIT */
#include "report/annotation.h"

#include "base/ydoc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANNOTATION_MAX_BYTES (1 << 20)

const char *const annotation_verdicts[] = {
    "clean", "rubric_leak", "reward_hack", "contamination", "interesting", "bug", NULL};

/* --- one file --- */

static int take_string(const struct ydoc *d, const struct ynode *map, const char *key,
                       bool required, char **ret, struct err *err)
{
    const char *text = NULL;

    if (ydoc_string(d, map, key, &text, err) < 0)
        return -1;
    if (!text && required)
        return ydoc_fail(d, map->line, err, "'%s' is missing", key);
    *ret = text ? xstrdup(text) : NULL;
    return 0;
}

static int take_verdict(const struct ydoc *d, const char *word, const char **ret, struct err *err)
{
    const struct ynode *n = ynode_get(&d->root, "verdict");

    for (int i = 0; annotation_verdicts[i]; i++)
        if (!strcmp(word, annotation_verdicts[i])) {
            *ret = annotation_verdicts[i];
            return 0;
        }
    return ydoc_fail(d, n->line, err,
                     "verdict '%s' is none of clean, rubric_leak, reward_hack, contamination, "
                     "interesting, bug",
                     word);
}

static int line_number(const struct ydoc *d, const struct ynode *n, int *ret, struct err *err)
{
    char *end = NULL;
    long v = n->kind == YNODE_SCALAR ? strtol(n->text, &end, 10) : 0;

    if (!end || end == n->text || *end || v < 1 || v > 10000000)
        return ydoc_fail(d, n->line, err, "'lines' takes line numbers from 1: [first, last]");
    *ret = (int)v;
    return 0;
}

/* lines: 7, or lines: [7, 9] */
static int take_lines(const struct ydoc *d, const struct ynode *map, struct quote *q,
                      struct err *err)
{
    const struct ynode *n = ynode_get(map, "lines");

    if (!n)
        return ydoc_fail(d, map->line, err, "'lines' is missing");

    bool range = n->kind == YNODE_LIST && n->n == 2;

    if (line_number(d, range ? &n->items[0] : n, &q->first, err) < 0 ||
        line_number(d, range ? &n->items[1] : n, &q->last, err) < 0)
        return -1;
    if (q->last < q->first)
        return ydoc_fail(d, n->line, err, "'lines' ends at %d before it starts at %d", q->last,
                         q->first);
    return 0;
}

static int take_quote(const struct ydoc *d, const struct ynode *map, struct quote *q,
                      struct err *err)
{
    static const char *const keys[] = {"file", "lines", "label", "text", NULL};

    if (ydoc_check_keys(d, map, keys, err) < 0 ||
        take_string(d, map, "file", true, &q->file, err) < 0 ||
        take_string(d, map, "label", false, &q->label, err) < 0 ||
        take_string(d, map, "text", true, &q->text, err) < 0)
        return -1;
    q->yaml_line = map->line;
    return take_lines(d, map, q, err);
}

static int take_quotes(const struct ydoc *d, struct annotation *a, struct err *err)
{
    const struct ynode *list = ynode_get(&d->root, "quotes");

    if (!list)
        return 0;
    if (list->kind != YNODE_LIST)
        return ydoc_fail(d, list->line, err, "'quotes' takes a list");
    a->quotes = xcalloc((size_t)MAX(list->n, 1), sizeof(*a->quotes));
    for (int i = 0; i < list->n; i++) {
        a->n_quotes++; /* counted before it is whole, so that it is freed */
        if (take_quote(d, &list->items[i], &a->quotes[i], err) < 0)
            return -1;
    }
    return 0;
}

static int take_all(const struct ydoc *d, struct annotation *a, struct err *err)
{
    /* model, harness, effort and peak_fraction are in KernelBench-Hard's notes, for people. */
    static const char *const keys[] = {"record",  "run_id", "model",         "problem",
                                       "harness", "effort", "peak_fraction", "verdict",
                                       "summary", "quotes", "implication",   NULL};
    const struct ynode *map = &d->root;
    AUTO(freep) char *verdict = NULL;

    if (ydoc_check_keys(d, map, keys, err) < 0 ||
        take_string(d, map, "record", false, &a->record, err) < 0 ||
        take_string(d, map, "run_id", false, &a->run_id, err) < 0 ||
        take_string(d, map, "problem", false, &a->problem, err) < 0 ||
        take_string(d, map, "verdict", true, &verdict, err) < 0 ||
        take_string(d, map, "summary", true, &a->summary, err) < 0 ||
        take_string(d, map, "implication", false, &a->implication, err) < 0)
        return -1;
    if (!a->record == !a->run_id)
        return ydoc_fail(d, map->line, err,
                         "one of 'record' (ours) and 'run_id' (a published run) says what this is "
                         "about");
    return take_verdict(d, verdict, &a->verdict, err) < 0 ? -1 : take_quotes(d, a, err);
}

int annotation_load(const char *path, struct annotation **ret, struct err *err)
{
    AUTO(ydoc_freep) struct ydoc *d = NULL;
    AUTO(annotation_freep) struct annotation *a = xcalloc(1, sizeof(*a));

    a->path = xstrdup(path);
    if (ydoc_load(path, ANNOTATION_MAX_BYTES, &d, err) < 0 || take_all(d, a, err) < 0)
        return -1;
    *ret = steal(&a);
    return 0;
}

void annotation_free(struct annotation *a)
{
    if (!a)
        return;
    for (int i = 0; i < a->n_quotes; i++) {
        free(a->quotes[i].file);
        free(a->quotes[i].label);
        free(a->quotes[i].text);
    }
    free(a->quotes);
    free(a->path);
    free(a->record);
    free(a->run_id);
    free(a->problem);
    free(a->summary);
    free(a->implication);
    free(a);
}

void annotation_freep(struct annotation **a)
{
    annotation_free(*a);
    *a = NULL;
}

/* --- quotes against the source --- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The line that starts at *at, without the spaces around it: YAML removes the indentation of a
 * quoted block, and editors remove spaces at line ends. *at moves behind the line. False at the
 * end. */
static bool next_line(const char **at, const char *end, const char **ret, size_t *ret_len)
{
    if (*at >= end)
        return false;

    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    const char *stop = newline ? newline : end;

    *ret = *at;
    *at = newline ? newline + 1 : end;
    while (stop > *ret && isspace((unsigned char)stop[-1]))
        stop--;
    while (*ret < stop && isspace((unsigned char)**ret))
        ++*ret;
    *ret_len = (size_t)(stop - *ret);
    return true;
}

static int check_quote(const struct annotation *a, const struct quote *q, const char *source,
                       size_t len, struct err *err)
{
    const char *at = source, *end = source + len;
    const char *quoted = q->text, *quoted_end = q->text + strlen(q->text);
    const char *line = NULL, *want = NULL;
    size_t n = 0, n_want = 0;

    for (int i = 1; i <= q->last; i++) {
        if (!next_line(&at, end, &line, &n))
            return fail(err, ERR_INPUT, "%s: line %d: the source has no line %d", a->path,
                        q->yaml_line, i);
        if (i < q->first)
            continue;
        if (!next_line(&quoted, quoted_end, &want, &n_want))
            n_want = 0;
        if (n != n_want || memcmp(line, want, n) != 0)
            return fail(err, ERR_INPUT,
                        "%s: line %d: the quote differs from line %d of the source: \"%.*s\"",
                        a->path, q->yaml_line, i, (int)MIN(n, 200), line);
    }
    if (next_line(&quoted, quoted_end, &want, &n_want))
        return fail(err, ERR_INPUT, "%s: line %d: the quote has more than lines %d to %d", a->path,
                    q->yaml_line, q->first, q->last);
    return 0;
}

int annotation_check(const struct annotation *a, const char *file, const char *source, size_t len,
                     struct err *err)
{
    for (int i = 0; i < a->n_quotes; i++) {
        const struct quote *q = &a->quotes[i];

        if (strcmp(base_name(q->file), base_name(file)) != 0)
            return fail(err, ERR_INPUT, "%s: line %d: quotes %s, but the candidate is %s", a->path,
                        q->yaml_line, q->file, file);
        if (check_quote(a, q, source, len, err) < 0)
            return -1;
    }
    return 0;
}

static json_t *string_or_null(const char *s)
{
    return s ? json_string(s) : json_null();
}

json_t *annotation_json(const struct annotation *a)
{
    json_t *quotes = json_array();

    for (int i = 0; i < a->n_quotes; i++) {
        const struct quote *q = &a->quotes[i];

        json_array_append_new(quotes, json_pack("{s:s, s:[i, i], s:o, s:s}", "file", q->file,
                                                "lines", q->first, q->last, "label",
                                                string_or_null(q->label), "text", q->text));
    }
    return json_pack("{s:s, s:s, s:o, s:o}", "verdict", a->verdict, "summary", a->summary,
                     "implication", string_or_null(a->implication), "quotes", quotes);
}

/* --- a folder of notes --- */

const struct annotation *annotations_record(const struct annotations *a, const char *record)
{
    for (int i = 0; record && i < a->n; i++)
        if (a->list[i]->record && !strcmp(a->list[i]->record, record))
            return a->list[i];
    return NULL;
}

const struct annotation *annotations_run_id(const struct annotations *a, const char *run_id)
{
    for (int i = 0; run_id && i < a->n; i++)
        if (a->list[i]->run_id && !strcmp(a->list[i]->run_id, run_id))
            return a->list[i];
    return NULL;
}

static int is_note(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');

    return e->d_name[0] != '.' && dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
}

static int add_note(struct annotations *all, const char *dir, const char *name, struct err *err)
{
    AUTO(freep) char *path = xasprintf("%s/%s", dir, name);
    AUTO(annotation_freep) struct annotation *a = NULL;

    if (annotation_load(path, &a, err) < 0)
        return -1;

    const struct annotation *twin =
        a->record ? annotations_record(all, a->record) : annotations_run_id(all, a->run_id);

    if (twin)
        return fail(err, ERR_INPUT, "%s: %s is about the same record", path, twin->path);
    all->list = xrealloc(all->list, (size_t)(all->n + 1) * sizeof(struct annotation *));
    all->list[all->n++] = steal(&a);
    return 0;
}

int annotations_load(const char *dir, struct annotations *ret, struct err *err)
{
    AUTO(annotations_release) struct annotations all = ANNOTATIONS_INIT;
    struct dirent **names = NULL;
    int n = scandir(dir, &names, is_note, alphasort), rc = 0;

    if (n < 0)
        return fail(err, ERR_INPUT, "cannot read the folder %s: %s", dir, strerror(errno));
    for (int i = 0; i < n; i++) {
        if (rc == 0)
            rc = add_note(&all, dir, names[i]->d_name, err);
        free(names[i]);
    }
    free(names);
    if (rc == 0) {
        *ret = all;
        all = (struct annotations)ANNOTATIONS_INIT;
    }
    return rc;
}

void annotations_release(struct annotations *a)
{
    for (int i = 0; i < a->n; i++)
        annotation_free(a->list[i]);
    free(a->list);
    *a = (struct annotations)ANNOTATIONS_INIT;
}
