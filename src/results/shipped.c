/* SPDX-License-Identifier: MIT */
#include "results/shipped.h"

#include "base/fs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHIPPED_MAX_BYTES (64 << 20)
#define PREFIX "shipped:"

static const char *string(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* --- checking a file --- */

/* Some texts are printed. A file may be a stranger's, and a terminal obeys control characters (C1
 * begins with 0xc2 in UTF-8). */
static bool is_plain(const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if (*p < 0x20 || *p == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0))
            return false;
    return true;
}

/* Fails unless the object has all these keys, and each is a string of one line. */
static int need_strings(const json_t *object, const char *const *keys, struct err *err)
{
    if (!json_is_object(object))
        return fail(err, ERR_INPUT, "no object");
    for (; *keys; keys++)
        if (!string(object, *keys) || !is_plain(string(object, *keys)))
            return fail(err, ERR_INPUT, "it has no text '%s'", *keys);
    return 0;
}

static int need_array(const json_t *object, const char *key, struct err *err)
{
    return json_is_array(json_object_get(object, key))
               ? 0
               : fail(err, ERR_INPUT, "it has no list '%s'", key);
}

static int check_size(const json_t *size, struct err *err)
{
    static const char *const texts[] = {"hash", NULL};
    static const char *const numbers[] = {"cold_us", "cold_lo", "cold_hi"};

    if (need_strings(size, texts, err) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        if (!(json_number_value(json_object_get(size, numbers[i])) > 0))
            return fail(err, ERR_INPUT, "it has no positive '%s'", numbers[i]);
    return 0;
}

static int check_row(const json_t *row, struct err *err)
{
    static const char *const texts[] = {"problem", "hash", "kind", "created", "verdict", NULL};
    const json_t *sizes = json_object_get(row, "sizes");

    if (need_strings(row, texts, err) < 0 || need_array(row, "sizes", err) < 0)
        return -1;
    for (size_t i = 0; i < json_array_size(sizes); i++)
        if (check_size(json_array_get(sizes, i), err) < 0)
            return wrap(err, "size %zu", i + 1);
    return 0;
}

static int check_origin(const json_t *origin, struct err *err)
{
    static const char *const texts[] = {"fingerprint", "driver",  "toolchain", "assay",
                                        "sizes",       "weights", NULL};
    const json_t *rows = json_object_get(origin, "rows");

    if (need_strings(origin, texts, err) < 0 || need_array(origin, "rows", err) < 0)
        return -1;
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (check_row(json_array_get(rows, i), err) < 0)
            return wrap(err, "row %zu", i + 1);
    return 0;
}

static int check_file(const json_t *file, struct err *err)
{
    static const char *const texts[] = {"device", "name", NULL};
    const json_t *origins = json_object_get(file, "origins");
    const char *schema = string(file, "schema");

    if (!schema || strcmp(schema, SHIPPED_SCHEMA) != 0)
        return fail(err, ERR_INPUT,
                    "no file of baselines: its schema is not %s; `assay baseline --ship` writes "
                    "one",
                    SHIPPED_SCHEMA);
    if (need_strings(file, texts, err) < 0 || need_array(file, "origins", err) < 0)
        return -1;
    for (size_t i = 0; i < json_array_size(origins); i++)
        if (check_origin(json_array_get(origins, i), err) < 0)
            return wrap(err, "origin %zu", i + 1);
    return 0;
}

int shipped_parse(const char *text, const char *place, json_t **ret, struct err *err)
{
    json_error_t where;
    json_t *file = json_loads(text, 0, &where);

    if (!file && is_plain(where.text))
        return fail(err, ERR_INPUT, "%s: line %d: %s", place, where.line, where.text);
    if (!file) /* jansson quotes what it stumbled over */
        return fail(err, ERR_INPUT, "%s: line %d: no JSON", place, where.line);
    if (check_file(file, err) < 0) {
        json_decref(file);
        return wrap(err, "%s", place);
    }
    *ret = file;
    return 0;
}

int shipped_read(const char *path, json_t **ret, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    if (fs_read(path, SHIPPED_MAX_BYTES, &text, err) < 0)
        return -1;
    return shipped_parse(buf_str(&text), path, ret, err);
}

/* --- the user's word --- */

bool shipped_is(const char *word)
{
    return strncmp(word, PREFIX, strlen(PREFIX)) == 0;
}

/* A kind has a colon of its own, and a path may have some: so the word is read from its end. */
static const char *kind_of(const char *word)
{
    const char *at = word + strlen(word), *first = word + strlen(PREFIX);

    for (int colons = 0; at > first; at--)
        if (at[-1] == ':' && ++colons == 2)
            return at;
    return NULL;
}

static bool is_path(const char *place)
{
    size_t len = strlen(place);

    return len > 5 && !strcmp(place + len - 5, ".json");
}

/* *ret_path is the caller's, *ret_kind lies in word. */
static int split(const char *word, const char *share, char **ret_path, const char **ret_kind,
                 struct err *err)
{
    const char *place = word + strlen(PREFIX), *kind = kind_of(word);
    AUTO(freep) char *stem = kind ? xstrndup(place, (size_t)(kind - 1 - place)) : NULL;

    if (!stem || !*stem || !kind[0])
        return fail(err, ERR_INPUT,
                    "'%s' names no shipped baseline: write it as in shipped:h200:torch:eager or "
                    "shipped:FILE.json:torch:eager",
                    word);
    *ret_kind = kind;
    if (is_path(stem)) {
        *ret_path = steal(&stem);
        return 0;
    }
    if (strchr(stem, '/'))
        return fail(err, ERR_INPUT,
                    "%s: '%s' has a slash, so it names no file in results/baselines; a path of "
                    "your own ends with .json",
                    word, stem);
    *ret_path = xasprintf("%s/results/baselines/%s.json", share, stem);
    if (!fs_exists(*ret_path))
        return fail(err, ERR_INPUT, "%s: no baselines are shipped for '%s': there is no file %s",
                    word, stem, *ret_path);
    return 0;
}

/* --- rows that serve the run --- */

/* Calls each(arg, origin, row) for the rows of a kind. */
static void each_row(const json_t *file, const char *kind,
                     void (*each)(void *arg, const json_t *origin, const json_t *row), void *arg)
{
    const json_t *origins = json_object_get(file, "origins");

    for (size_t i = 0; i < json_array_size(origins); i++) {
        const json_t *origin = json_array_get(origins, i);
        const json_t *rows = json_object_get(origin, "rows");

        for (size_t k = 0; k < json_array_size(rows); k++) {
            const json_t *row = json_array_get(rows, k);

            if (!kind || !strcmp(string(row, "kind"), kind))
                each(arg, origin, row);
        }
    }
}

/* Rows of one kind in a file, beside the problems of a run. */
struct selection {
    const struct results *run;
    struct shipped *into;
    struct buf sizes; /* names of the sizes of all rows of the kind, for a message */
    bool same_sizes;  /* some row has the run's */
    enum { UNKNOWN, SAME, CHANGED } * problems; /* for each of the run's problems */
};

static void add_time(struct shipped *s, const json_t *origin, const json_t *row, const json_t *size)
{
    if ((s->n & (s->n - 1)) == 0) /* a power of two: full */
        s->times = xrealloc(s->times, (size_t)MAX(2 * s->n, 1) * sizeof(*s->times));
    s->times[s->n++] =
        (struct shipped_time){.problem = xstrdup(string(row, "problem")),
                              .size_hash = xstrdup(string(size, "hash")),
                              .fingerprint = xstrdup(string(origin, "fingerprint")),
                              .created = xstrdup(string(row, "created")),
                              .us = json_number_value(json_object_get(size, "cold_us"))};
}

static int find_problem(const struct results *run, const char *name)
{
    for (int i = 0; i < run->n_problems; i++)
        if (!strcmp(run->problems[i].name, name))
            return i;
    return -1;
}

static void take_row(void *arg, const json_t *origin, const json_t *row)
{
    struct selection *s = arg;
    const json_t *sizes = json_object_get(row, "sizes");
    const char *set = string(origin, "sizes");
    int at = find_problem(s->run, string(row, "problem"));

    if (!strstr(buf_str(&s->sizes), set))
        buf_addf(&s->sizes, "%s%s", s->sizes.len ? ", " : "", set);
    if (strcmp(set, s->run->sizes) != 0)
        return;
    s->same_sizes = true;
    if (at < 0 || strcmp(string(row, "verdict"), verdict_names[VERDICT_PASS]) != 0)
        return;
    if (strcmp(string(row, "hash"), s->run->problems[at].hash) != 0) {
        s->problems[at] = s->problems[at] == SAME ? SAME : CHANGED;
        return;
    }
    s->problems[at] = SAME;
    for (size_t i = 0; i < json_array_size(sizes); i++)
        add_time(s->into, origin, row, json_array_get(sizes, i));
}

static void add_kind(void *arg, const json_t *origin, const json_t *row)
{
    json_t *kinds = arg;

    (void)origin;
    json_object_set_new(kinds, string(row, "kind"), json_true());
}

static int no_kind(const json_t *file, const char *word, const char *kind, struct err *err)
{
    AUTO(buf_release) struct buf names = BUF_INIT;
    json_t *kinds = json_object(), *value;
    const char *name;

    each_row(file, NULL, add_kind, kinds);
    json_object_foreach(kinds, name, value) buf_addf(&names, "%s%s", names.len ? ", " : "", name);
    json_decref(kinds);
    return fail(err, ERR_INPUT, "%s: there is no kind '%s' in it; it has: %.1000s", word, kind,
                names.len ? buf_str(&names) : "none");
}

/* --- the device --- */

enum fit { FIT_SAME, FIT_NAME, FIT_NONE }; /* later ones are worse */

static enum fit fit_of(const json_t *file, const struct results_cell *c)
{
    const json_t *origins = json_object_get(file, "origins");

    for (size_t i = 0; i < json_array_size(origins); i++)
        if (!strcmp(string(json_array_get(origins, i), "fingerprint"), c->fingerprint))
            return FIT_SAME;
    return !strcmp(string(file, "device"), c->device) &&
                   !strcmp(string(file, "name"), c->device_name)
               ? FIT_NAME
               : FIT_NONE;
}

/* The worst over all samples that were timed. */
static enum fit fit_of_run(const json_t *file, const struct results *run)
{
    enum fit worst = FIT_SAME;

    for (int i = 0; i < run->n_cells; i++)
        if (results_cell_counts(&run->cells[i]) && run->cells[i].n_sizes)
            worst = MAX(worst, fit_of(file, &run->cells[i]));
    return worst;
}

static void describe(struct shipped *s, const json_t *file, const char *word,
                     const struct selection *found)
{
    const struct results *run = found->run;
    enum fit fit = fit_of_run(file, run);
    int n = 0, changed = 0;

    for (int i = 0; i < run->n_problems; i++)
        changed += found->problems[i] == CHANGED;
    s->label = xasprintf("%s%s", fit == FIT_NONE ? "foreign: " : "", word);
    if (fit != FIT_SAME)
        s->notes[n++] = xasprintf("the baseline's times are of another device%s: %s",
                                  fit == FIT_NAME ? " of the same name" : "", string(file, "name"));
    if (changed)
        s->notes[n++] =
            xasprintf("%d problem%s changed since the baseline was measured: %s not used", changed,
                      changed == 1 ? "" : "s", changed == 1 ? "its times are" : "their times are");
}

/* --- opening --- */

int shipped_take(struct shipped *s, const json_t *file, const char *word, const char *kind,
                 const struct results *run, struct err *err)
{
    AUTO(shipped_release) struct shipped taken = {0};
    struct selection found = {.run = run, .into = &taken, .sizes = BUF_INIT};
    int rc = 0;

    found.problems = xcalloc((size_t)MAX(run->n_problems, 1), sizeof(*found.problems));
    each_row(file, kind, take_row, &found);
    if (!found.sizes.len)
        rc = no_kind(file, word, kind, err);
    else if (!found.same_sizes)
        rc = fail(err, ERR_INPUT, "%s: its times are for %.100s sizes, but run %s has sizes %s",
                  word, buf_str(&found.sizes), run->name, run->sizes);
    else
        describe(&taken, file, word, &found);
    buf_release(&found.sizes);
    free(found.problems);
    if (rc < 0)
        return -1;
    *s = taken;
    taken = (struct shipped){0};
    return 0;
}

int shipped_open(struct shipped *s, const char *share, const char *word, const struct results *run,
                 struct err *err)
{
    AUTO(freep) char *path = NULL;
    const char *kind = NULL;
    json_t *file = NULL;

    if (split(word, share, &path, &kind, err) < 0 || shipped_read(path, &file, err) < 0)
        return -1;

    int rc = shipped_take(s, file, word, kind, run, err);

    json_decref(file);
    return rc;
}

void shipped_release(struct shipped *s)
{
    for (int i = 0; i < s->n; i++) {
        free(s->times[i].problem);
        free(s->times[i].size_hash);
        free(s->times[i].fingerprint);
        free(s->times[i].created);
    }
    free(s->times);
    for (char **note = s->notes; *note; note++)
        free(*note);
    free(s->label);
    *s = (struct shipped){0};
}

/* Whether a serves a sample of this device better than b. */
static bool is_better(const struct shipped_time *a, const struct shipped_time *b,
                      const char *fingerprint)
{
    bool a_same = !strcmp(a->fingerprint, fingerprint),
         b_same = !strcmp(b->fingerprint, fingerprint);

    return a_same != b_same ? a_same : strcmp(a->created, b->created) > 0;
}

double shipped_cold_us(void *arg, const char *problem, const char *size_hash,
                       const char *fingerprint)
{
    const struct shipped *s = arg;
    const struct shipped_time *best = NULL;

    for (int i = 0; i < s->n; i++) {
        const struct shipped_time *t = &s->times[i];

        if (!strcmp(t->size_hash, size_hash) && !strcmp(t->problem, problem) &&
            (!best || is_better(t, best, fingerprint)))
            best = t;
    }
    return best ? best->us : NAN;
}
