/* SPDX-License-Identifier: MIT */
#include "results/analyze_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static json_t *number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *figure_json(const struct analyze_figure *f)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "median", number(f->median), "lo", number(f->lo),
                     "hi", number(f->hi), "best", number(f->best), "best_sample",
                     f->best_sample < 0 ? json_null() : json_integer(f->best_sample));
}

static json_t *cell_json(const struct analysis *a, int m, int p)
{
    const struct results *r = a->results;
    const struct analyze_cell *c = &a->cells[m * r->n_problems + p];

    return json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:i, s:o}", "model",
                     r->models[m], "problem", r->problems[p].name, "samples", c->samples,
                     "compiled", c->compiled, "correct", c->correct, "infra", c->infra, "skipped",
                     c->skipped, "missing", c->missing, "peak_fraction", figure_json(&c->peak),
                     "speedup", figure_json(&c->speedup), "own_code", c->own_code,
                     "own_code_peak_fraction", figure_json(&c->own_peak));
}

static json_t *by_p(const double *v)
{
    json_t *j = json_object();

    for (int p = 0; p < ANALYZE_P; p++) {
        char key[16];

        snprintf(key, sizeof(key), "%g", analyze_p[p]);
        json_object_set_new(j, key, number(v[p]));
    }
    return j;
}

/* Has only those k for which every problem has enough samples. */
static json_t *by_k(const double *v)
{
    json_t *j = json_object();

    for (int k = 0; k < ANALYZE_K; k++) {
        char key[16];

        snprintf(key, sizeof(key), "%d", analyze_k[k]);
        if (!isnan(v[k]))
            json_object_set_new(j, key, number(v[k]));
    }
    return j;
}

static json_t *model_json(const struct analyze_model *m)
{
    json_t *j = json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "problems", m->problems, "samples",
                          m->samples, "compiled", m->compiled, "correct", m->correct, "infra",
                          m->infra, "skipped", m->skipped, "missing", m->missing);

    json_object_set_new(j, "compile_rate", number(m->compile_rate));
    json_object_set_new(j, "correct_rate", number(m->correct_rate));
    json_object_set_new(j, "fast_p", by_p(m->fast));
    json_object_set_new(j, "pass_at_k", by_k(m->pass_at));
    json_object_set_new(j, "geomean_speedup_correct", number(m->geomean_correct));
    json_object_set_new(j, "geomean_speedup_all", number(m->geomean_all));
    json_object_set_new(j, "peak_fraction_mean", number(m->peak_mean));
    return j;
}

static json_t *models_json(const struct analysis *a)
{
    const struct results *r = a->results;
    json_t *list = json_array();

    for (int m = 0; m < r->n_models; m++) {
        json_t *j = json_pack("{s:s}", "model", r->models[m]);

        for (int k = 0; k < ANALYZE_KINDS; k++)
            if (k == ANALYZE_ALL || a->models[k][m].problems)
                json_object_set_new(j, analyze_kind_names[k], model_json(&a->models[k][m]));
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *string_or_null(const char *s)
{
    return s ? json_string(s) : json_null();
}

static json_t *problem_json(const struct analysis *a, int p)
{
    const struct results_problem *info = &a->results->problems[p];
    const struct analyze_ceiling *c = &a->ceilings[p];
    json_t *j = json_pack("{s:s, s:s, s:s, s:s}", "problem", info->name, "title", info->title,
                          "level", info->level, "kind", analyze_kind_names[a->kinds[p]]);

    json_object_set_new(j, "repaired", string_or_null(info->repaired));
    json_object_set_new(j, "algebra", string_or_null(info->algebra));
    json_object_set_new(j, "samples", json_integer(c->samples));
    json_object_set_new(j, "correct", json_integer(c->correct));
    json_object_set_new(j, "models_correct", json_integer(c->models_correct));
    json_object_set_new(j, "best_peak_fraction", number(c->best_peak));
    json_object_set_new(
        j, "best_model",
        string_or_null(c->best_peak_model < 0 ? NULL : a->results->models[c->best_peak_model]));
    json_object_set_new(j, "best_sample",
                        c->best_peak_model < 0 ? json_null() : json_integer(c->best_peak_sample));
    json_object_set_new(j, "best_cold_us", number(c->best_cold_us));
    json_object_set_new(j, "best_speedup", number(c->best_speedup));
    return j;
}

static json_t *reversals_json(const struct analyze_reversals *v)
{
    return json_pack("{s:i, s:i, s:i, s:I, s:I, s:I}", "repeats", v->repeats, "samples", v->samples,
                     "verdicts", v->verdicts, "pairs", (json_int_t)v->pairs, "orders",
                     (json_int_t)v->orders, "clear", (json_int_t)v->clear);
}

json_t *analyze_json(const struct analysis *a)
{
    const struct results *r = a->results;
    json_t *problems = json_array(), *cells = json_array();

    for (int p = 0; p < r->n_problems; p++)
        json_array_append_new(problems, problem_json(a, p));
    for (int m = 0; m < r->n_models; m++)
        for (int p = 0; p < r->n_problems; p++)
            json_array_append_new(cells, cell_json(a, m, p));
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "run", r->name,
                     "created", r->created, "sizes", r->sizes, "weights", r->weights, "check_only",
                     r->check_only, "baseline", string_or_null(a->baseline), "models",
                     models_json(a), "problems", problems, "cells", cells, "reversals",
                     reversals_json(&a->reversals));
}

static json_t *changes_json(const struct analyze_change *list, int n)
{
    json_t *j = json_array();

    for (int i = 0; i < n; i++)
        json_array_append_new(
            j,
            json_pack("{s:s, s:s, s:i, s:i, s:s, s:s, s:s, s:s}", "model", list[i].after->model,
                      "problem", list[i].after->problem, "sample", list[i].after->sample, "repeat",
                      list[i].after->repeat, "before", verdict_names[list[i].before->verdict],
                      "after", verdict_names[list[i].after->verdict], "before_record",
                      list[i].before->record, "after_record", list[i].after->record));
    return j;
}

json_t *comparison_json(const struct comparison *c)
{
    return json_pack("{s:i, s:i, s:i, s:o, s:o, s:i, s:o, s:i, s:i}", "both", c->both,
                     "correct_before", c->right_before, "correct_after", c->right_after, "gained",
                     changes_json(c->gained, c->n_gained), "lost", changes_json(c->lost, c->n_lost),
                     "timed", c->timed, "speedup", number(c->ratio), "faster", c->faster, "slower",
                     c->slower);
}

/* --- CSV --- */

/* A name may hold commas and quotes. */
static void add_text(struct buf *out, const char *s)
{
    if (!strpbrk(s, ",\"\n\r")) {
        buf_adds(out, s);
        return;
    }
    buf_addch(out, '"');
    for (; *s; s++) {
        if (*s == '"')
            buf_addch(out, '"');
        buf_addch(out, *s);
    }
    buf_addch(out, '"');
}

static void add_number(struct buf *out, double v)
{
    if (isfinite(v))
        buf_addf(out, ",%.6g", v);
    else
        buf_addch(out, ',');
}

void analyze_csv(const struct analysis *a, struct buf *out)
{
    const struct results *r = a->results;

    buf_adds(out, "run,model,problem,kind,samples,compiled,correct,infra,skipped,missing,"
                  "peak_median,peak_lo,peak_hi,peak_best,speedup_median,speedup_lo,speedup_hi,"
                  "speedup_best\n");
    for (int i = 0; i < r->n_models * r->n_problems; i++) {
        const struct analyze_cell *c = &a->cells[i];
        int m = i / r->n_problems, p = i % r->n_problems;
        const double figures[] = {c->peak.median,    c->peak.lo,    c->peak.hi,    c->peak.best,
                                  c->speedup.median, c->speedup.lo, c->speedup.hi, c->speedup.best};

        add_text(out, r->name);
        buf_addch(out, ',');
        add_text(out, r->models[m]);
        buf_addch(out, ',');
        add_text(out, r->problems[p].name);
        buf_addf(out, ",%s,%d,%d,%d,%d,%d,%d", analyze_kind_names[a->kinds[p]], c->samples,
                 c->compiled, c->correct, c->infra, c->skipped, c->missing);
        for (size_t k = 0; k < ARRAY_SIZE(figures); k++)
            add_number(out, figures[k]);
        buf_addch(out, '\n');
    }
}
