/* SPDX-License-Identifier: MIT */
#include "report/leaderboard.h"

#include "base/version.h"
#include "measure/stats.h"
#include "report/json_text.h"
#include "results/analyze.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEADERBOARD_SCHEMA 1

struct cell_figures cell_figures(const struct results_cell *c)
{
    size_t n = (size_t)c->n_sizes;
    AUTO(freep) double *lo = xcalloc(n + 1, sizeof(*lo));
    AUTO(freep) double *hi = xcalloc(n + 1, sizeof(*hi));

    for (size_t i = 0; i < n; i++) {
        const struct results_size *s = &c->sizes[i];

        lo[i] = s->peak_fraction * s->cold_us / s->cold_hi;
        hi[i] = s->peak_fraction * s->cold_us / s->cold_lo;
    }
    if (!n || c->own_code)
        return (struct cell_figures){c->peak_fraction, NAN, NAN, n ? analyze_cold_us(c) : NAN};
    return (struct cell_figures){c->peak_fraction, stats_geomean(lo, n), stats_geomean(hi, n),
                                 analyze_cold_us(c)};
}

char *cell_key(const struct results_cell *c)
{
    if (c->repeat)
        return xasprintf("%s/%s/%d.%d", c->model, c->problem, c->sample, c->repeat);
    return xasprintf("%s/%s/%d", c->model, c->problem, c->sample);
}

/* --- the best of a model's samples of a problem --- */

/* Rank of a cell: how far its candidate came. */
static int rank_of(const struct results_cell *c)
{
    static const int ranks[VERDICT_COUNT] = {
        [VERDICT_PASS] = 7,    [VERDICT_WRONG] = 6, [VERDICT_REJECTED] = 5,
        [VERDICT_TIMEOUT] = 4, [VERDICT_CRASH] = 3, [VERDICT_BUILD_ERROR] = 2,
        [VERDICT_INFRA] = 1,
    };

    return c->record ? ranks[c->verdict] : 0;
}

static bool is_better(const struct results_cell *a, const struct results_cell *b)
{
    int ra = rank_of(a), rb = rank_of(b);

    if (ra != rb)
        return ra > rb;
    if (isnan(a->peak_fraction) && isnan(b->peak_fraction))
        return !isnan(a->own_peak) && !(a->own_peak <= b->own_peak);
    return !isnan(a->peak_fraction) && !(a->peak_fraction <= b->peak_fraction);
}

static bool passed(const struct results_cell *c)
{
    return c->record && c->verdict == VERDICT_PASS;
}

/* The middle one of the passes among n cells; the slower of two. */
static const struct results_cell *middle_pass(const struct results_cell *cells, int n)
{
    int n_passed = 0;

    for (int i = 0; i < n; i++)
        n_passed += passed(&cells[i]);
    for (int i = 0; i < n; i++) {
        int below = 0;

        for (int j = 0; j < n; j++)
            below += passed(&cells[j]) && (is_better(&cells[i], &cells[j]) ||
                                           (j < i && !is_better(&cells[j], &cells[i])));
        if (passed(&cells[i]) && below == (n_passed - 1) / 2)
            return &cells[i];
    }
    return &cells[0];
}

/* A sample that was judged several times is right when it was right every time, and its time is the
 * median (as in analyze.h). Returns the number of its cells. */
static int sample_at(const struct results *r, int first, const struct results_cell **ret)
{
    const struct results_cell *start = &r->cells[first], *worst = start;
    int n = 0;

    for (; first + n < r->n_cells && start[n].model_at == start->model_at &&
           start[n].problem_at == start->problem_at && start[n].sample == start->sample;
         n++)
        if (worst->verdict == VERDICT_INFRA || /* infra is our fault: any other says more */
            (results_cell_counts(&start[n]) && is_better(worst, &start[n])))
            worst = &start[n];
    *ret = passed(worst) ? middle_pass(start, n) : worst;
    return n;
}

/* Samples of one model and problem; cells come in that order. */
struct group {
    const struct results_cell *best;
    int n_cells, n_samples, n_passed;
    int verdicts[VERDICT_COUNT]; /* verdicts of the samples that have a record */
};

static struct group group_at(const struct results *r, int first)
{
    const struct results_cell *start = &r->cells[first];
    struct group g = {NULL, 0, 0, 0, {0}};

    for (int i = first; i < r->n_cells && r->cells[i].model_at == start->model_at &&
                        r->cells[i].problem_at == start->problem_at;) {
        const struct results_cell *c = NULL;
        int n = sample_at(r, i, &c);

        i += n;
        g.n_cells += n;
        g.n_samples++;
        g.n_passed += passed(c);
        if (c->record)
            g.verdicts[c->verdict]++;
        if (!g.best || is_better(c, g.best))
            g.best = c;
    }
    return g;
}

static json_t *result_json(const struct group *g, const struct annotations *notes)
{
    const struct results_cell *c = g->best;
    const struct annotation *note = annotations_record(notes, c->record);
    struct cell_figures f = cell_figures(c);
    AUTO(freep) char *key = cell_key(c);
    json_t *j = json_pack("{s:o, s:o, s:b, s:b}", "cell", json_text(key, strlen(key)), "run_id",
                          json_text_or_null(c->record), "correct", passed(c), "has_solution",
                          c->record != NULL);

    json_object_set_new(j, "verdict",
                        c->record ? json_string(verdict_names[c->verdict]) : json_null());
    json_object_set_new(j, "reason", json_text_or_null(c->record ? c->reason : c->skipped));
    json_object_set_new(j, "peak_fraction", passed(c) ? json_figure(f.peak) : json_null());
    json_object_set_new(j, "peak_lo", passed(c) ? json_figure(f.peak_lo) : json_null());
    json_object_set_new(j, "peak_hi", passed(c) ? json_figure(f.peak_hi) : json_null());
    json_object_set_new(j, "cold_us", passed(c) ? json_figure(f.cold_us) : json_null());
    json_object_set_new(j, "own_code", json_boolean(c->own_code));
    json_object_set_new(j, "own_code_peak_fraction",
                        c->own_code ? json_figure(c->own_peak) : json_null());
    json_object_set_new(j, "samples", json_integer(g->n_samples));
    json_object_set_new(j, "passed", json_integer(g->n_passed));
    json_object_set_new(j, "annotation", note ? json_string(note->verdict) : json_null());
    return j;
}

/* --- per problem --- */

static json_t *new_problem(void)
{
    return json_pack("{s:i, s:i, s:n, s:n, s:[], s:[]}", "n_attempted", 0, "n_passed", 0,
                     "best_peak_fraction", "best_model", "ranked_passes", "ranked_own_code");
}

static void add_count(json_t *object, const char *key, int n)
{
    json_t *v = json_object_get(object, key);

    json_integer_set(v, json_integer_value(v) + n);
}

static double peak_of(const json_t *pass)
{
    return json_number_value(json_object_get(pass, "peak_fraction"));
}

/* Keeps the list sorted, best first; models that are equal stay in the order of their names. */
static void insert_pass(json_t *ranked, const char *model, double peak)
{
    size_t at = 0;

    while (at < json_array_size(ranked) && peak_of(json_array_get(ranked, at)) >= peak)
        at++;
    json_array_insert_new(
        ranked, at,
        json_pack("{s:o, s:f}", "model", json_text(model, strlen(model)), "peak_fraction", peak));
}

static void add_to_problem(json_t *problem, const struct results_cell *best)
{
    json_t *ranked = json_object_get(problem, "ranked_passes");

    add_count(problem, "n_attempted", 1);
    if (!passed(best))
        return;
    add_count(problem, "n_passed", 1);
    if (best->own_code && !isnan(best->own_peak))
        insert_pass(json_object_get(problem, "ranked_own_code"), best->model, best->own_peak);
    if (isnan(best->peak_fraction))
        return;
    insert_pass(ranked, best->model, best->peak_fraction);

    const json_t *first = json_array_get(ranked, 0);

    json_object_set(problem, "best_peak_fraction", json_object_get(first, "peak_fraction"));
    json_object_set(problem, "best_model", json_object_get(first, "model"));
}

/* --- the board --- */

static json_t *new_model(const char *name)
{
    json_t *verdicts = json_object();

    for (int v = 0; v < VERDICT_COUNT; v++)
        json_object_set_new(verdicts, verdict_names[v], json_integer(0));
    return json_pack("{s:o, s:{}, s:i, s:i, s:o}", "label", json_text(name, strlen(name)),
                     "results", "pass_count", 0, "total_runs", 0, "verdicts", verdicts);
}

static void add_group(json_t *model, const struct group *g, const struct annotations *notes)
{
    for (int v = 0; v < VERDICT_COUNT; v++) {
        add_count(model, "total_runs", g->verdicts[v]);
        add_count(json_object_get(model, "verdicts"), verdict_names[v], g->verdicts[v]);
    }
    add_count(model, "pass_count", g->n_passed > 0);
    json_object_set_new(json_object_get(model, "results"), g->best->problem, result_json(g, notes));
}

static json_t *hardware_json(const json_t *devices)
{
    const json_t *d = json_array_get(devices, 0);
    const json_t *sheet = json_object_get(d, "datasheet"), *info = json_object_get(d, "info");

    return json_pack("{s:o, s:o, s:o}", "name", json_copy_of(info, "name"), "device",
                     json_copy_of(d, "device"), "peak_bandwidth_gb_s",
                     json_copy_of(sheet, "bandwidth_gb_s"));
}

json_t *leaderboard_make(const struct results *r, const struct annotations *notes,
                         const json_t *devices)
{
    json_t *models = json_array(), *problems = json_array(), *per_problem = json_object();

    for (int i = 0; i < r->n_problems; i++) {
        json_array_append_new(problems, json_string(r->problems[i].name));
        json_object_set_new(per_problem, r->problems[i].name, new_problem());
    }
    for (int i = 0; i < r->n_models; i++)
        json_array_append_new(models, new_model(r->models[i]));
    for (int i = 0; i < r->n_cells;) {
        struct group g = group_at(r, i);

        add_group(json_array_get(models, (size_t)g.best->model_at), &g, notes);
        if (g.best->record)
            add_to_problem(json_object_get(per_problem, g.best->problem), g.best);
        i += g.n_cells;
    }
    AUTO(freep) char *generator = xasprintf("assay %s", assay_version);

    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "schema_version",
                     LEADERBOARD_SCHEMA, "generator", generator, "run", r->name, "created",
                     r->created, "sizes", r->sizes, "weights", r->weights, "hardware",
                     hardware_json(devices), "problems", problems, "models", models, "per_problem",
                     per_problem);
}

/* --- Markdown --- */

/* A model's name is any text. A bar or a line end in it would break the table, and its markup would
 * take effect. */
static void add_escaped(struct buf *out, const char *s)
{
    for (; *s; s++) {
        if (strchr("\\`*_[]<>|&~$", *s))
            buf_addch(out, '\\');
        buf_addch(out, *s == '\n' || *s == '\r' ? ' ' : *s);
    }
}

static void add_result(struct buf *out, const json_t *result)
{
    const json_t *peak = json_object_get(result, "peak_fraction");
    const json_t *own = json_object_get(result, "own_code_peak_fraction");
    const char *verdict = json_string_value(json_object_get(result, "verdict"));
    const char *reason = json_string_value(json_object_get(result, "reason"));
    const char *note = json_string_value(json_object_get(result, "annotation"));

    if (json_is_number(peak))
        buf_addf(out, "%.1f %%", 100 * json_number_value(peak));
    else
        add_escaped(out, !result ? "" : verdict ? verdict : "skipped");
    if (json_is_number(own))
        buf_addf(out, " (own code: %.1f %%)", 100 * json_number_value(own));
    if (!json_is_number(peak) && verdict && reason) {
        buf_adds(out, ": ");
        add_escaped(out, reason);
    }
    if (note && strcmp(note, "clean") != 0) {
        buf_adds(out, " (");
        add_escaped(out, note);
        buf_adds(out, ")");
    }
}

void leaderboard_markdown(const json_t *board, struct buf *out)
{
    const json_t *problems = json_object_get(board, "problems");
    size_t i, k;
    json_t *model, *problem;

    buf_adds(out, "| model | passed |");
    json_array_foreach(problems, k, problem)
    {
        buf_addch(out, ' ');
        add_escaped(out, json_string_value(problem));
        buf_adds(out, " |");
    }
    buf_adds(out, "\n|---|--:|");
    for (k = 0; k < json_array_size(problems); k++)
        buf_adds(out, "--:|");
    buf_addch(out, '\n');
    json_array_foreach(json_object_get(board, "models"), i, model)
    {
        buf_adds(out, "| ");
        add_escaped(out, json_string_value(json_object_get(model, "label")));
        buf_addf(out, " | %lld/%zu |",
                 (long long)json_integer_value(json_object_get(model, "pass_count")),
                 json_array_size(problems));
        json_array_foreach(problems, k, problem)
        {
            buf_addch(out, ' ');
            add_result(out, json_object_get(json_object_get(model, "results"),
                                            json_string_value(problem)));
            buf_adds(out, " |");
        }
        buf_addch(out, '\n');
    }
}
