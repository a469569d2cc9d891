/* SPDX-License-Identifier: MIT */
#include "results/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy(const char *s)
{
    return s ? xstrdup(s) : NULL;
}

static double number(const json_t *object, const char *key)
{
    const json_t *v = json_object_get(object, key);

    return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *string(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));

    return s ? s : "";
}

/* --- the run and its problems --- */

static int take_run(void *arg, const struct run_row *run, struct err *err)
{
    struct results *r = arg;

    (void)err;
    r->name = xstrdup(run->name);
    r->created = xstrdup(run->created);
    r->sizes = xstrdup(run->sizes);
    r->device = xstrdup(run->device);
    r->source = xstrdup(run->source);
    r->weights = xstrdup(run->weights);
    r->check_only = run->check_only;
    return 0;
}

static int take_problem(void *arg, const struct run_problem_row *p, struct err *err)
{
    struct results *r = arg;

    (void)err;
    r->problems = xrealloc(r->problems, (size_t)(r->n_problems + 1) * sizeof(*r->problems));
    r->problems[r->n_problems++] =
        (struct results_problem){xstrdup(p->name),  xstrdup(p->hash),  xstrdup(p->title),
                                 xstrdup(p->level), copy(p->repaired), copy(p->algebra)};
    return 0;
}

static int add_name(void *arg, const struct run_row *run, struct err *err)
{
    struct buf *names = arg;

    (void)err;
    buf_addf(names, "%s%s", names->len ? ", " : "", run->name);
    return 0;
}

static int unknown_run(struct store *s, const char *name, struct err *err)
{
    AUTO(buf_release) struct buf names = BUF_INIT;
    struct err why = ERR_INIT;

    if (err->kind != ERR_INPUT)
        return -1;
    if (store_runs(s, add_name, &names, &why) < 0) {
        *err = why;
        return -1;
    }
    if (!names.len)
        return fail(err, ERR_INPUT, "there is no run '%s', nor any other: `assay run` makes one",
                    name);
    return fail(err, ERR_INPUT, "there is no run '%s'; there are: %.1000s", name, buf_str(&names));
}

/* --- cells --- */

static int by_problem(const void *key, const void *item)
{
    return strcmp(key, ((const struct results_problem *)item)->name);
}

/* Cells come ordered by model, so a new model goes to the end. */
static int model_index(struct results *r, const char *model)
{
    if (r->n_models && !strcmp(r->models[r->n_models - 1], model))
        return r->n_models - 1;
    r->models = xrealloc(r->models, (size_t)(r->n_models + 1) * sizeof(*r->models));
    r->models[r->n_models] = xstrdup(model);
    return r->n_models++;
}

static enum verdict_kind verdict_of(const char *word)
{
    for (int i = 0; i < VERDICT_COUNT; i++)
        if (!strcmp(verdict_names[i], word))
            return (enum verdict_kind)i;
    return VERDICT_INFRA;
}

static void take_sizes(struct results_cell *c, const json_t *sizes)
{
    c->sizes = xcalloc(MAX(json_array_size(sizes), 1), sizeof(*c->sizes));
    for (size_t i = 0; i < json_array_size(sizes); i++) {
        const json_t *j = json_array_get(sizes, i);
        struct results_size *s = &c->sizes[c->n_sizes];

        if (isnan(number(j, "cold_us")))
            continue;
        snprintf(s->hash, sizeof(s->hash), "%s", string(j, "hash"));
        s->cold_us = number(j, "cold_us");
        s->cold_lo = number(j, "cold_lo");
        s->cold_hi = number(j, "cold_hi");
        s->peak_fraction = number(j, "peak_fraction");
        c->n_sizes++;
    }
}

/* Code of libraries that the candidate calls was not seen, although the problem requires a class.
 */
static bool is_partly_seen(const json_t *record)
{
    const json_t *evidence = json_object_get(record, "evidence");

    return !strcmp(string(evidence, "scope"), "own_code") && *string(evidence, "requires");
}

static void set_apart(struct results_cell *c)
{
    c->own_code = true;
    c->own_peak = c->peak_fraction;
    c->peak_fraction = NAN;
}

static int take_record(struct results_cell *c, const char *text, struct err *err)
{
    json_error_t where;
    json_t *j = json_loads(text, 0, &where);

    if (!j)
        return fail(err, ERR_SYSTEM, "record %s is damaged: %s", c->record, where.text);
    c->verdict = verdict_of(string(j, "verdict"));
    c->reason = xstrdup(string(j, "reason"));
    c->device = xstrdup(string(j, "device"));
    c->is_baseline = !strcmp(string(j, "kind"), "baseline");
    c->fingerprint = xstrdup(string(json_object_get(j, "device_info"), "fingerprint"));
    c->device_name = xstrdup(string(json_object_get(j, "device_info"), "name"));
    c->peak_fraction = number(j, "peak_fraction");
    c->sol = number(j, "sol");
    take_sizes(c, json_object_get(j, "sizes"));
    if (c->verdict == VERDICT_PASS && is_partly_seen(j))
        set_apart(c);
    json_decref(j);
    return 0;
}

static int take_cell(void *arg, const struct cell_row *row, const char *record_json,
                     struct err *err)
{
    struct results *r = arg;
    const struct results_problem *p =
        r->n_problems ? bsearch(row->problem, r->problems, (size_t)r->n_problems,
                                sizeof(*r->problems), by_problem)
                      : NULL;

    if (!p)
        return fail(err, ERR_SYSTEM, "run %s: the store has no entry for problem %s", r->name,
                    row->problem);
    if ((r->n_cells & (r->n_cells - 1)) == 0) /* a power of two: full */
        r->cells = xrealloc(r->cells, (size_t)MAX(2 * r->n_cells, 1) * sizeof(*r->cells));

    struct results_cell *c = &r->cells[r->n_cells++];

    *c = (struct results_cell){.problem = p->name,
                               .problem_at = (int)(p - r->problems),
                               .sample = row->sample,
                               .repeat = row->repeat,
                               .file = xstrdup(row->file),
                               .record = copy(record_json ? row->record : NULL),
                               .skipped = copy(row->skipped),
                               .own_peak = NAN,
                               .peak_fraction = NAN,
                               .sol = NAN};
    c->model_at = model_index(r, row->model);
    c->model = r->models[c->model_at];
    return record_json ? take_record(c, record_json, err) : 0;
}

int results_load(struct store *s, const char *name, struct results **ret, struct err *err)
{
    AUTO(results_freep) struct results *r = xcalloc(1, sizeof(*r));

    if (store_run_get(s, name, take_run, r, err) < 0)
        return unknown_run(s, name, err);
    if (store_run_problems(s, name, take_problem, r, err) < 0 ||
        store_run_cells(s, name, take_cell, r, err) < 0)
        return -1;
    *ret = steal(&r);
    return 0;
}

int results_record(struct store *s, const char *id, json_t **ret, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    json_error_t where;

    if (store_record(s, id, &text, err) < 0)
        return -1;
    *ret = json_loads(buf_str(&text), 0, &where);
    return *ret ? 0 : fail(err, ERR_SYSTEM, "record %s is damaged: %s", id, where.text);
}

int results_model(const struct results *r, const char *model)
{
    for (int m = 0; m < r->n_models; m++)
        if (!strcmp(r->models[m], model))
            return m;
    return -1;
}

bool results_cell_counts(const struct results_cell *c)
{
    return c->record && c->verdict != VERDICT_INFRA;
}

int results_sample_end(const struct results *r, int first)
{
    const struct results_cell *a = &r->cells[first];
    int end = first + 1;

    while (end < r->n_cells && r->cells[end].model_at == a->model_at &&
           r->cells[end].problem_at == a->problem_at && r->cells[end].sample == a->sample)
        end++;
    return end;
}

/* --- freeing --- */

static void release_cell(struct results_cell *c)
{
    free(c->file);
    free(c->record);
    free(c->skipped);
    free(c->reason);
    free(c->device);
    free(c->fingerprint);
    free(c->device_name);
    free(c->sizes);
}

static void release_problem(struct results_problem *p)
{
    free(p->name);
    free(p->hash);
    free(p->title);
    free(p->level);
    free(p->repaired);
    free(p->algebra);
}

void results_free(struct results *r)
{
    if (!r)
        return;
    for (int i = 0; i < r->n_cells; i++)
        release_cell(&r->cells[i]);
    for (int i = 0; i < r->n_problems; i++)
        release_problem(&r->problems[i]);
    for (int i = 0; i < r->n_models; i++)
        free(r->models[i]);
    free(r->cells);
    free(r->problems);
    free(r->models);
    free(r->name);
    free(r->created);
    free(r->sizes);
    free(r->device);
    free(r->source);
    free(r->weights);
    free(r);
}

void results_freep(struct results **r)
{
    results_free(*r);
    *r = NULL;
}
