/* SPDX-License-Identifier: MIT */
#include "run/plan_file.h"

#include "base/fs.h"
#include "base/ydoc.h"
#include "device/device.h"
#include "problem/problem.h"
#include "terms/baseline.h"

#include <stdlib.h>
#include <string.h>

#define PLAN_MAX_BYTES (16 << 20)
#define LIMIT_MAX_MS 86400000
#define SAMPLE_MAX 999999
#define MATRIX_MAX 1000000 /* cells: a hundred samples of every problem for forty models */

void run_settings_release(struct run_settings *s)
{
    free(s->name);
    free(s->device);
    *s = (struct run_settings){0};
}

/* Paths in a plan are relative to the plan's folder. */
static char *beside(const struct ydoc *d, const char *path)
{
    const char *slash = strrchr(d->path, '/');

    if (path[0] == '/' || !slash)
        return xstrdup(path);
    return xasprintf("%.*s/%s", (int)(slash - d->path), d->path, path);
}

/* A problem of the user's own is a file, and so is a reference. */
static char *problem_word(const struct ydoc *d, const char *word)
{
    size_t len = strlen(word);
    bool is_file = (len > 4 && !strcmp(word + len - 4, ".lua")) || problem_is_reference(word);

    return is_file ? beside(d, word) : xstrdup(word);
}

/* A scalar stands for a list of one. */
static int list_length(const struct ynode *list)
{
    return !list ? 0 : list->kind == YNODE_SCALAR ? 1 : list->n;
}

static const struct ynode *list_item(const struct ynode *list, int i)
{
    return list->kind == YNODE_SCALAR ? list : &list->items[i];
}

/* --- settings --- */

static int read_limits(const struct ydoc *d, struct run_settings *s, struct err *err)
{
    static const char *const known[] = {"build_ms", "call_ms", "check_ms", "timing_ms", NULL};
    const struct ynode *limits = ynode_get(&d->root, "limits");
    int64_t *const into[] = {&s->build_ms, &s->call_ms, &s->check_ms, &s->timing_ms};

    if (!limits)
        return 0;
    if (ydoc_check_keys(d, limits, known, err) < 0)
        return -1;
    for (size_t i = 0; known[i]; i++)
        if (ydoc_int(d, limits, known[i], 1, LIMIT_MAX_MS, into[i], err) < 0)
            return -1;
    return 0;
}

/* Index of the word in size_choice_names, or -1. */
static int size_choice(const char *word)
{
    for (int i = 0; size_choice_names[i]; i++)
        if (!strcmp(size_choice_names[i], word))
            return i;
    return -1;
}

static int read_weights(const struct ydoc *d, struct run_settings *s, struct err *err)
{
    const char *word = NULL;
    struct err why = ERR_INIT;

    if (ydoc_string(d, &d->root, "weights", &word, err) < 0)
        return -1;
    if (!word || weights_parse("'weights'", word, &s->weights, &why) == 0)
        return 0;
    return ydoc_fail(d, ynode_get(&d->root, "weights")->line, err, "%s", why.text);
}

static int read_settings(const struct ydoc *d, struct run_settings *s, struct err *err)
{
    const char *name = NULL, *sizes = NULL, *device = NULL;

    if (ydoc_string(d, &d->root, "name", &name, err) < 0 ||
        ydoc_string(d, &d->root, "sizes", &sizes, err) < 0 ||
        ydoc_string(d, &d->root, "device", &device, err) < 0 ||
        ydoc_int(d, &d->root, "repeats", 1, 100, &s->repeats, err) < 0 ||
        ydoc_bool(d, &d->root, "check_only", &s->check_only, err) < 0 ||
        ydoc_bool(d, &d->root, "unadmitted", &s->unadmitted, err) < 0 ||
        ydoc_bool(d, &d->root, "steady", &s->steady, err) < 0 || read_limits(d, s, err) < 0 ||
        read_weights(d, s, err) < 0)
        return -1;
    s->sizes = sizes ? size_choice(sizes) : 0;
    if (s->sizes < 0)
        return ydoc_fail(d, ynode_get(&d->root, "sizes")->line, err,
                         "'sizes' takes auto, small, medium or full, not '%s'", sizes);
    s->name = name ? xstrdup(name) : NULL;
    s->device = device ? xstrdup(device) : NULL;
    return 0;
}

/* --- candidates --- */

static int read_candidate(const struct ydoc *d, const struct ynode *n, struct candidates *ret,
                          struct err *err)
{
    static const char *const known[] = {"model", "problem", "ref", "sample", "file", NULL};
    const char *model = NULL, *problem = NULL, *ref = NULL, *file = NULL;
    int64_t sample = 0;

    if (ydoc_check_keys(d, n, known, err) < 0 || ydoc_string(d, n, "model", &model, err) < 0 ||
        ydoc_string(d, n, "problem", &problem, err) < 0 ||
        ydoc_string(d, n, "ref", &ref, err) < 0 ||
        ydoc_int(d, n, "sample", 0, SAMPLE_MAX, &sample, err) < 0 ||
        ydoc_string(d, n, "file", &file, err) < 0)
        return -1;
    if (!problem && !ref && ydoc_string(d, &d->root, "ref", &ref, err) < 0)
        return -1;
    if (!model || !file || !problem == !ref)
        return ydoc_fail(d, n->line, err,
                         "a candidate needs model, file, and either problem or ref");
    if (ref && !problem_is_reference(ref))
        return ydoc_fail(d, n->line, err, "'ref' takes a .py file, not '%s'", ref);
    if (!candidates_printable(model))
        return ydoc_fail(d, n->line, err, "the model's name is no plain text");

    struct baseline spec;
    bool baseline = baseline_is(file);

    if (baseline && baseline_parse(file, &spec, err) < 0)
        return wrap(err, "%s: line %d", d->path, n->line);

    AUTO(freep) char *path = baseline ? xstrdup(file) : beside(d, file);
    AUTO(freep) char *word = problem_word(d, ref ? ref : problem);
    bool fits = baseline || device_for_file(file);
    struct candidate *c = candidates_add(ret, model, word, (int)sample, path,
                                         fits ? NULL : "no device takes files of this kind");

    c->origin = xasprintf("%s: line %d", d->path, n->line);
    return 0;
}

static int read_candidates(const struct ydoc *d, struct candidates *ret, struct err *err)
{
    const struct ynode *list = ynode_get(&d->root, "candidates");

    if (list && list->kind != YNODE_LIST)
        return ydoc_fail(d, list->line, err, "'candidates' takes a list");
    for (int i = 0; list && i < list->n; i++)
        if (read_candidate(d, &list->items[i], ret, err) < 0)
            return -1;
    return 0;
}

static int scan_folders(const struct ydoc *d, struct candidates *ret, struct err *err)
{
    const struct ynode *folders = NULL;

    if (ydoc_list(d, &d->root, "folders", &folders, err) < 0)
        return -1;
    for (int i = 0; i < list_length(folders); i++) {
        const struct ynode *folder = list_item(folders, i);
        AUTO(freep) char *path = beside(d, folder->text);

        if (candidates_scan(path, ret, err) < 0)
            return wrap(err, "%s: line %d", d->path, folder->line);
    }
    return 0;
}

/* --- models x problems x samples --- */

struct matrix {
    const struct ynode *models; /* NULL: all that are found */
    int *problems;              /* indices in candidates.problems */
    int n_problems;             /* 0: all that are found */
    int64_t samples;            /* 0: all that are found */
};

static bool model_listed(const struct matrix *m, const char *word)
{
    for (int i = 0; i < list_length(m->models); i++)
        if (!strcmp(list_item(m->models, i)->text, word))
            return true;
    return !m->models;
}

static bool problem_listed(const struct matrix *m, int problem)
{
    for (int i = 0; i < m->n_problems; i++)
        if (m->problems[i] == problem)
            return true;
    return !m->n_problems;
}

static void keep_listed(const struct matrix *m, struct candidates *c)
{
    for (int i = c->n - 1; i >= 0; i--) {
        const struct candidate *x = &c->items[i];

        if (!model_listed(m, x->model) || !problem_listed(m, x->problem_at) ||
            (m->samples && x->sample >= m->samples))
            candidates_drop(c, i);
    }
}

static bool there(const struct candidates *c, int n, const char *model, int problem, int sample)
{
    for (int i = 0; i < n; i++)
        if (c->items[i].sample == sample && c->items[i].problem_at == problem &&
            !strcmp(c->items[i].model, model))
            return true;
    return false;
}

static void add_missing_samples(const struct matrix *m, const char *model, int problem, int found,
                                struct candidates *c)
{
    for (int s = 0; s < m->samples; s++)
        if (!there(c, found, model, problem, s))
            candidates_add(c, model, c->problems[problem].name, s, "", "there is no candidate")
                ->problem_at = problem;
}

/* If the plan names the whole matrix, a sample without a file is a cell too: it counts as
 * failed. */
static void add_missing(const struct matrix *m, struct candidates *c)
{
    int found = c->n;

    for (int i = 0; i < list_length(m->models); i++)
        for (int k = 0; k < m->n_problems; k++)
            add_missing_samples(m, list_item(m->models, i)->text, m->problems[k], found, c);
}

/* A problem is dropped if it was found only with candidates that are not listed. */
static void drop_problems(const struct matrix *m, struct candidates *c)
{
    for (int k = c->n_problems - 1; k >= 0; k--) {
        bool wanted = m->n_problems && problem_listed(m, k);

        for (int i = 0; i < c->n; i++)
            wanted = wanted || c->items[i].problem_at == k;
        if (wanted)
            continue;
        problem_ref_release(&c->problems[k]);
        memmove(&c->problems[k], &c->problems[k + 1],
                (size_t)(c->n_problems - k - 1) * sizeof(*c->problems));
        c->n_problems--;
        for (int i = 0; i < c->n; i++)
            c->items[i].problem_at -= c->items[i].problem_at > k;
    }
}

static int read_problems(const struct ydoc *d, const char *share_dir, struct matrix *m,
                         struct candidates *c, struct err *err)
{
    const struct ynode *list = NULL;

    if (ydoc_list(d, &d->root, "problems", &list, err) < 0)
        return -1;
    m->problems = xcalloc((size_t)MAX(list_length(list), 1), sizeof(*m->problems));
    for (int i = 0; i < list_length(list); i++) {
        const struct ynode *item = list_item(list, i);
        AUTO(freep) char *word = problem_word(d, item->text);
        int at = candidates_problem(c, share_dir, word, err);

        if (at < 0)
            return wrap(err, "%s: line %d", d->path, item->line);
        if (m->n_problems && problem_listed(m, at))
            return ydoc_fail(d, item->line, err, "problem %s is given twice", c->problems[at].name);
        m->problems[m->n_problems++] = at;
    }
    return 0;
}

static int read_models(const struct ydoc *d, struct matrix *m, struct err *err)
{
    const struct ynode *list = NULL;

    if (ydoc_list(d, &d->root, "models", &list, err) < 0)
        return -1;
    for (int i = 0; i < list_length(list); i++) {
        const struct ynode *item = list_item(list, i);

        if (!candidates_printable(item->text))
            return ydoc_fail(d, item->line, err, "the model's name is no plain text");
        for (int k = 0; k < i; k++)
            if (!strcmp(list_item(list, k)->text, item->text))
                return ydoc_fail(d, item->line, err, "model %s is given twice", item->text);
    }
    m->models = list_length(list) ? list : NULL;
    return 0;
}

static int apply_matrix(const struct ydoc *d, const char *share_dir, struct candidates *c,
                        struct err *err)
{
    struct matrix m = {0};
    int rc = read_problems(d, share_dir, &m, c, err);

    if (rc == 0)
        rc = read_models(d, &m, err);
    if (rc == 0)
        rc = ydoc_int(d, &d->root, "samples", 1, 10000, &m.samples, err);
    if (rc == 0 && (int64_t)list_length(m.models) * m.n_problems * m.samples > MATRIX_MAX)
        rc = ydoc_fail(d, ynode_get(&d->root, "samples")->line, err,
                       "models x problems x samples are more than %d cells", MATRIX_MAX);
    if (rc == 0) {
        keep_listed(&m, c);
        add_missing(&m, c);
        drop_problems(&m, c);
    }
    free(m.problems);
    return rc;
}

int plan_file_load(const char *path, const char *share_dir, struct run_settings *settings,
                   struct candidates *ret, struct err *err)
{
    static const char *const known[] = {"name",     "sizes",   "device",     "repeats",
                                        "limits",   "folders", "models",     "check_only",
                                        "problems", "samples", "candidates", "steady",
                                        "weights",  "ref",     "unadmitted", NULL};
    AUTO(ydoc_freep) struct ydoc *d = NULL;

    if (ydoc_load(path, PLAN_MAX_BYTES, &d, err) < 0 ||
        ydoc_check_keys(d, &d->root, known, err) < 0 || read_settings(d, settings, err) < 0 ||
        scan_folders(d, ret, err) < 0 || read_candidates(d, ret, err) < 0)
        return -1;
    candidates_resolve(ret, share_dir);
    return apply_matrix(d, share_dir, ret, err);
}
