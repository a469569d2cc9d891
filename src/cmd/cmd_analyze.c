/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"
#include "cmd/text.h"

#include "results/analyze_json.h"
#include "results/foreign.h"
#include "results/named_baseline.h"
#include "terms/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct analyze_options {
    const char *against, *baseline, *foreign;
    bool json, csv, cells;
};

#define FIELD(name) offsetof(struct analyze_options, name)

static const struct opt analyze_table[] = {
    {"against", 'a', OPT_STRING, FIELD(against), "NAME", "compare with an earlier run", NULL, 0, 0},
    {"baseline", 'b', OPT_STRING, FIELD(baseline), "WHICH",
     "speed-ups over a model, [RUN:]MODEL, or over shipped:FILE:KIND", NULL, 0, 0},
    {"foreign", 0, OPT_STRING, FIELD(foreign), "FILE",
     "speed-ups over KernelBench's baseline JSON (another device)", NULL, 0, 0},
    {"cells", 'c', OPT_FLAG, FIELD(cells), NULL, "also every model on every problem", NULL, 0, 0},
    {"json", 'j', OPT_FLAG, FIELD(json), NULL, "everything, as one JSON object", NULL, 0, 0},
    {"csv", 0, OPT_FLAG, FIELD(csv), NULL, "one line for every model and problem", NULL, 0, 0},
    {0},
};

/* --- text --- */

static void add_percent(struct table *t, double rate)
{
    if (isnan(rate))
        table_add(t, TEXT_DIM, "-");
    else
        table_add(t, TEXT_PLAIN, "%.1f %%", 100 * rate);
}

static void add_times(struct table *t, double ratio)
{
    if (isnan(ratio))
        table_add(t, TEXT_DIM, "-");
    else
        table_add(t, TEXT_PLAIN, "%.2fx", ratio);
}

static void print_models(const struct analysis *a, bool color, struct buf *out)
{
    static const char *const heads[] = {
        "model",    "samples", "compiled", "correct", "fast_0.5",    "fast_0.8", "fast_1",
        "fast_1.5", "fast_2",  "fast_4",   "geomean", "geomean all", "peak"};
    struct table t;

    table_init(&t, "lrrrrrrrrrrrr", heads);
    for (int i = 0; i < a->results->n_models; i++) {
        const struct analyze_model *m = &a->models[ANALYZE_ALL][i];

        table_add(&t, TEXT_PLAIN, "%s", a->results->models[i]);
        table_add(&t, TEXT_PLAIN, "%d", m->samples);
        add_percent(&t, m->compile_rate);
        add_percent(&t, m->correct_rate);
        for (int p = 1; p < ANALYZE_P; p++)
            add_percent(&t, m->fast[p]);
        add_times(&t, m->geomean_correct);
        add_times(&t, m->geomean_all);
        add_percent(&t, m->peak_mean);
    }
    table_print(&t, color, out);
    table_release(&t);
}

/* Number of k for which some model has enough samples of every problem. */
static int n_ks(const struct analysis *a)
{
    int n = 0;

    for (int m = 0; m < a->results->n_models; m++)
        for (int k = 0; k < ANALYZE_K; k++)
            if (!isnan(a->models[ANALYZE_ALL][m].pass_at[k]))
                n = MAX(n, k + 1);
    return n;
}

static void print_pass_at_k(const struct analysis *a, bool color, struct buf *out)
{
    char heads[ANALYZE_K + 1][16] = {"model"}, align[ANALYZE_K + 2] = "l";
    const char *names[ANALYZE_K + 1] = {heads[0]};
    int n = n_ks(a);
    struct table t;

    if (n < 2)
        return;
    for (int k = 0; k < n; k++) {
        snprintf(heads[k + 1], sizeof(heads[0]), "pass@%d", analyze_k[k]);
        names[k + 1] = heads[k + 1];
        align[k + 1] = 'r';
    }
    table_init(&t, align, names);
    for (int m = 0; m < a->results->n_models; m++) {
        table_add(&t, TEXT_PLAIN, "%s", a->results->models[m]);
        for (int k = 0; k < n; k++)
            add_percent(&t, a->models[ANALYZE_ALL][m].pass_at[k]);
    }
    buf_addch(out, '\n');
    table_print(&t, color, out);
    table_release(&t);
}

static int n_kinds(const struct analysis *a)
{
    bool seen[ANALYZE_KINDS] = {false};
    int n = 0;

    for (int p = 0; p < a->results->n_problems; p++)
        seen[a->kinds[p]] = true;
    for (int k = 0; k < ANALYZE_KINDS; k++)
        n += seen[k];
    return n;
}

/* Repaired problems are not the published ones, and algebra may leave out work. So each kind has
 * its own rows. */
static void print_kinds(const struct analysis *a, bool color, struct buf *out)
{
    static const char *const heads[] = {"problems", "model",  "number",  "correct",
                                        "fast_1",   "fast_2", "geomean", "peak"};
    struct table t;

    if (n_kinds(a) < 2)
        return;
    table_init(&t, "llrrrrrr", heads);
    for (int k = ANALYZE_PLAIN; k < ANALYZE_KINDS; k++)
        for (int i = 0; i < a->results->n_models; i++) {
            const struct analyze_model *m = &a->models[k][i];

            if (!m->problems)
                continue;
            table_add(&t, TEXT_PLAIN, "%s", analyze_kind_names[k]);
            table_add(&t, TEXT_PLAIN, "%s", a->results->models[i]);
            table_add(&t, TEXT_PLAIN, "%d", m->problems);
            add_percent(&t, m->correct_rate);
            add_percent(&t, m->fast[3]);
            add_percent(&t, m->fast[5]);
            add_times(&t, m->geomean_correct);
            add_percent(&t, m->peak_mean);
        }
    buf_addch(out, '\n');
    table_print(&t, color, out);
    table_release(&t);
}

static void print_problems(const struct analysis *a, bool color, struct buf *out)
{
    static const char *const heads[] = {"problem", "kind",      "correct",  "models",
                                        "best us", "best peak", "speed-up", "by"};
    const struct results *r = a->results;
    struct table t;

    table_init(&t, "llrrrrrl", heads);
    for (int p = 0; p < r->n_problems; p++) {
        const struct analyze_ceiling *c = &a->ceilings[p];
        AUTO(buf_release) struct buf us = BUF_INIT;

        if (isnan(c->best_cold_us))
            buf_addch(&us, '-');
        else
            text_us(c->best_cold_us, &us);
        table_add(&t, TEXT_PLAIN, "%s", r->problems[p].name);
        table_add(&t, TEXT_PLAIN, "%s", analyze_kind_names[a->kinds[p]]);
        table_add(&t, TEXT_PLAIN, "%d/%d", c->correct, c->samples);
        table_add(&t, TEXT_PLAIN, "%d/%d", c->models_correct, r->n_models);
        table_add(&t, TEXT_PLAIN, "%s", buf_str(&us));
        add_percent(&t, c->best_peak);
        add_times(&t, c->best_speedup);
        if (c->best_peak_model >= 0)
            table_add(&t, TEXT_PLAIN, "%s #%d", r->models[c->best_peak_model], c->best_peak_sample);
        else
            table_add(&t, TEXT_PLAIN, "%s", "");
    }
    buf_addch(out, '\n');
    table_print(&t, color, out);
    table_release(&t);
}

static void add_figure(struct table *t, const struct analyze_figure *f, double scale,
                       const char *unit)
{
    if (isnan(f->median))
        table_add(t, TEXT_DIM, "-");
    else if (isnan(f->lo))
        table_add(t, TEXT_PLAIN, "%.2f%s", scale * f->median, unit);
    else
        table_add(t, TEXT_PLAIN, "%.2f%s [%.2f, %.2f]", scale * f->median, unit, scale * f->lo,
                  scale * f->hi);
}

static void print_cells(const struct analysis *a, bool color, struct buf *out)
{
    static const char *const heads[] = {"problem",     "model",     "correct",        "compiled",
                                        "peak median", "peak best", "speed-up median"};
    const struct results *r = a->results;
    struct table t;

    table_init(&t, "llrrrrr", heads);
    for (int p = 0; p < r->n_problems; p++)
        for (int m = 0; m < r->n_models; m++) {
            const struct analyze_cell *c = &a->cells[m * r->n_problems + p];

            table_add(&t, TEXT_PLAIN, "%s", r->problems[p].name);
            table_add(&t, TEXT_PLAIN, "%s", r->models[m]);
            table_add(&t, TEXT_PLAIN, "%d/%d", c->correct, c->samples);
            table_add(&t, TEXT_PLAIN, "%d", c->compiled);
            add_figure(&t, &c->peak, 100, " %");
            add_percent(&t, c->peak.best);
            add_figure(&t, &c->speedup, 1, "x");
        }
    buf_addch(out, '\n');
    table_print(&t, color, out);
    table_release(&t);
}

/* Passes whose code was only seen in part are no part of the figures above. */
static void print_own_code(const struct analysis *a, struct buf *out)
{
    const struct results *r = a->results;

    for (int p = 0; p < r->n_problems; p++)
        for (int m = 0; m < r->n_models; m++) {
            const struct analyze_cell *c = &a->cells[m * r->n_problems + p];

            if (!c->own_code)
                continue;
            buf_addf(out, "own code only, ranked apart: %s %s: %d of %d right", r->problems[p].name,
                     r->models[m], c->own_code, c->correct);
            if (!isnan(c->own_peak.best))
                buf_addf(out, ", best peak %.1f %%", 100 * c->own_peak.best);
            buf_addch(out, '\n');
        }
}

static void print_notes(const struct analysis *a, const struct named_baseline *baseline,
                        struct buf *out)
{
    const struct analyze_reversals *v = &a->reversals;
    int infra = 0, skipped = 0, missing = 0, without = 0;

    for (int m = 0; m < a->results->n_models; m++) {
        infra += a->models[ANALYZE_ALL][m].infra;
        skipped += a->models[ANALYZE_ALL][m].skipped;
        missing += a->models[ANALYZE_ALL][m].missing;
    }
    for (int i = 0; i < a->results->n_models * a->results->n_problems; i++)
        without += a->cells[i].without_baseline;
    buf_addch(out, '\n');
    if (infra)
        buf_addf(out, "%d samples could not be judged (infra) and count nowhere\n", infra);
    if (skipped || missing)
        buf_addf(out, "%d samples were skipped and %d are missing: they count as failed\n", skipped,
                 missing);
    print_own_code(a, out);
    if (!a->baseline)
        buf_adds(out, "no baseline: fast_p and speed-ups need one (--baseline)\n");
    else if (without)
        buf_addf(out, "%d right samples have no baseline: fast_p is not shown for their models\n",
                 without);
    for (const char *const *note = baseline->notes; *note; note++)
        buf_addf(out, "%s\n", *note);
    if (v->repeats > 1)
        buf_addf(out,
                 "%d repeats: %d of %d samples changed between right and wrong; %lld of %lld pairs "
                 "changed their order, %lld of them with disjoint intervals\n",
                 v->repeats, v->verdicts, v->samples, (long long)v->orders, (long long)v->pairs,
                 (long long)v->clear);
}

static void print_changes(const char *what, const struct analyze_change *list, int n,
                          struct buf *out)
{
    for (int i = 0; i < n; i++)
        buf_addf(out, "  %s: %s %s #%d: %s -> %s\n", what, list[i].after->model,
                 list[i].after->problem, list[i].after->sample,
                 verdict_names[list[i].before->verdict], verdict_names[list[i].after->verdict]);
}

static void print_comparison(const struct comparison *c, const char *against, struct buf *out)
{
    buf_addf(out, "\nagainst %s: %d samples in both, correct %d -> %d\n", against, c->both,
             c->right_before, c->right_after);
    print_changes("gained", c->gained, c->n_gained, out);
    print_changes("lost", c->lost, c->n_lost, out);
    if (c->timed)
        buf_addf(out,
                 "  %d right and timed in both: %.3fx as fast (geometric mean), %d clearly faster, "
                 "%d clearly slower\n",
                 c->timed, c->ratio, c->faster, c->slower);
}

static bool weights_are_usual(const struct results *r)
{
    return !strcmp(r->weights, weights_names[WEIGHTS_PER_CALL]);
}

static void print_text(const struct analysis *a, const struct analyze_options *o,
                       const struct named_baseline *baseline, bool color, struct buf *out)
{
    const struct results *r = a->results;

    text_colored(out, color, TEXT_BOLD, "%s", r->name);
    buf_addf(out, "  %d model%s, %d problem%s, sizes %s%s%s%s%s%s\n\n", r->n_models,
             r->n_models == 1 ? "" : "s", r->n_problems, r->n_problems == 1 ? "" : "s", r->sizes,
             weights_are_usual(r) ? "" : ", weights ", weights_are_usual(r) ? "" : r->weights,
             r->check_only ? ", not timed" : "", a->baseline ? ", baseline " : "",
             a->baseline ? a->baseline : "");
    print_models(a, color, out);
    print_pass_at_k(a, color, out);
    print_kinds(a, color, out);
    print_problems(a, color, out);
    if (o->cells)
        print_cells(a, color, out);
    print_notes(a, baseline, out);
}

/* --- the command --- */

/* KernelBench knows one size of each problem: our full one. */
static int open_foreign(const char *path, const struct results *run, struct foreign *foreign,
                        struct analyze_baseline *ret, struct err *err)
{
    if (!path)
        return 0;
    if (ret->name)
        return fail(err, ERR_USAGE, "analyze: --baseline or --foreign, not both");
    if (strcmp(run->sizes, "full") != 0)
        return fail(err, ERR_INPUT,
                    "%s: KernelBench's times are for full sizes, but run %s has sizes %s", path,
                    run->name, run->sizes);
    if (foreign_load(path, foreign, err) < 0)
        return -1;
    *ret = (struct analyze_baseline){foreign->label, foreign_cold_us, foreign};
    return 0;
}

/* A module may precompute from fixed weights, so its times are others. */
static int open_earlier(struct store *s, const char *name, const struct results *run,
                        struct results **ret, struct err *err)
{
    if (results_load(s, name, ret, err) < 0)
        return -1;
    if (strcmp((*ret)->weights, run->weights) != 0)
        return fail(err, ERR_INPUT,
                    "run %s has weights %s and run %s has %s: they are not compared", run->name,
                    run->weights, (*ret)->name, (*ret)->weights);
    return 0;
}

static void print(struct app *app, const struct analyze_options *o, const struct analysis *a,
                  const struct named_baseline *baseline, const struct comparison *c)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    if (o->csv) {
        analyze_csv(a, &text);
    } else if (o->json) {
        json_t *j = analyze_json(a);

        json_object_set_new(j, "baseline_notes", named_baseline_notes(baseline));
        if (c)
            json_object_set_new(j, "against", comparison_json(c));

        AUTO(freep) char *line = json_dumps(j, JSON_COMPACT);

        buf_addf(&text, "%s\n", line);
        json_decref(j);
    } else {
        print_text(a, o, baseline, app->color, &text);
        if (c)
            print_comparison(c, o->against, &text);
    }
    fputs(buf_str(&text), stdout);
}

static int analyze_main(struct app *app, const void *options, int argc, char **argv,
                        struct err *err)
{
    const struct analyze_options *o = options;
    AUTO(results_freep) struct results *run = NULL, *before = NULL;
    AUTO(named_baseline_release) struct named_baseline baseline = {0};
    AUTO(analysis_release) struct analysis a = {0};
    AUTO(comparison_release) struct comparison c = {0};
    AUTO(foreign_release) struct foreign foreign = {0};

    if (argc != 1)
        return fail(err, ERR_USAGE, "analyze: takes the name of a run");
    if (o->json && o->csv)
        return fail(err, ERR_USAGE, "analyze: --json or --csv, not both");
    if (store_open(app->places.home, &app->store, err) < 0 ||
        results_load(app->store, argv[0], &run, err) < 0 ||
        named_baseline_open(&baseline, app->store, app->places.share, o->baseline, run, err) < 0 ||
        open_foreign(o->foreign, run, &foreign, &baseline.times, err) < 0 ||
        (o->against && open_earlier(app->store, o->against, run, &before, err) < 0))
        return -1;
    analyze(run, &baseline.times, &a);
    if (before)
        analyze_compare(before, run, &c);
    print(app, o, &a, &baseline, before ? &c : NULL);
    return 0;
}

const struct cmd cmd_analyze = {
    .name = "analyze",
    .args = "NAME",
    .summary = "figures of a run: correctness, fast_p, pass@k, peak_fraction",
    .options = analyze_table,
    .options_size = sizeof(struct analyze_options),
    .details = "The rules behind the figures are in docs/runs.md.\n",
    .run = analyze_main,
};
