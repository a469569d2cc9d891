/* SPDX-License-Identifier: MIT */
#include "results/analyze.h"

#include "measure/stats.h"
#include "tensor/philox.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BOOTSTRAPS 2000

const double analyze_p[ANALYZE_P] = {0, 0.5, 0.8, 1, 1.5, 2, 4};
const int analyze_k[ANALYZE_K] = {1, 2, 4, 8, 16, 32, 64, 128};
const char *const analyze_kind_names[ANALYZE_KINDS] = {"all", "published", "repaired", "algebra",
                                                       "reference"};

double analyze_pass_at_k(int n, int c, int k)
{
    double none = 1;

    if (n < k)
        return NAN;
    for (int i = n - c + 1; i <= n; i++)
        none *= i > k ? 1 - (double)k / i : 0;
    return 1 - none;
}

/* --- one sample, over its repeats --- */

struct judged_sample {
    const struct results_cell *cells; /* `repeats` cells of results.cells */
    int repeats;
    bool counts, skipped, compiled, right, own_code;
    double peak, own_peak, speedup; /* NAN: none */
    bool timed;
};

static double geomean(const double *values, int n)
{
    return n ? stats_geomean(values, (size_t)n) : NAN;
}

double analyze_cold_us(const struct results_cell *c)
{
    AUTO(freep) double *cold = xcalloc((size_t)MAX(c->n_sizes, 1), sizeof(*cold));

    for (int i = 0; i < c->n_sizes; i++)
        cold[i] = c->sizes[i].cold_us;
    return geomean(cold, c->n_sizes);
}

/* NAN when this cell has no time of that size and device. */
static double cell_us(const struct results_cell *c, const char *size_hash, const char *fingerprint)
{
    for (int i = 0; i < c->n_sizes && !strcmp(c->fingerprint, fingerprint); i++)
        if (!strcmp(c->sizes[i].hash, size_hash))
            return c->sizes[i].cold_us;
    return NAN;
}

double analyze_sample_us(const struct results_cell *cells, int repeats, const char *size_hash,
                         const char *fingerprint)
{
    AUTO(freep) double *us = xcalloc((size_t)MAX(repeats, 1), sizeof(*us));
    size_t n = 0;

    for (int i = 0; i < repeats; i++) {
        if (!results_cell_counts(&cells[i]))
            continue;
        if (cells[i].verdict != VERDICT_PASS)
            return NAN;
        us[n] = cell_us(&cells[i], size_hash, fingerprint);
        n += !isnan(us[n]);
    }
    return n ? stats_median(us, n) : NAN;
}

static double peak_of(const struct results_cell *c)
{
    return c->peak_fraction;
}

static double own_peak_of(const struct results_cell *c)
{
    return c->own_peak;
}

/* Median over the repeats that were judged and have this figure; NAN: none. */
static double median_over(const struct results_cell *cells, int repeats,
                          double (*of)(const struct results_cell *))
{
    AUTO(freep) double *v = xcalloc((size_t)MAX(repeats, 1), sizeof(*v));
    size_t n = 0;

    for (int i = 0; i < repeats; i++)
        if (results_cell_counts(&cells[i]) && !isnan(of(&cells[i])))
            v[n++] = of(&cells[i]);
    return n ? stats_median(v, n) : NAN;
}

/* Speed-up from times that are medians, not the median of ratios: so a model is as fast as
 * itself. */
static double speedup_on(const struct judged_sample *s, const struct results_cell *c,
                         const struct analyze_baseline *b)
{
    AUTO(freep) double *ratios = xcalloc((size_t)MAX(c->n_sizes, 1), sizeof(*ratios));

    for (int i = 0; i < c->n_sizes; i++) {
        const char *hash = c->sizes[i].hash;

        ratios[i] = b->cold_us(b->arg, c->problem, hash, c->fingerprint) /
                    analyze_sample_us(s->cells, s->repeats, hash, c->fingerprint);
    }
    return geomean(ratios, c->n_sizes); /* one NAN makes the mean NAN */
}

/* Speed-up on the first device that both were timed on. */
static double speedup_of(const struct judged_sample *s, const struct analyze_baseline *b)
{
    double speedup = NAN;

    for (int i = 0; i < s->repeats && isnan(speedup); i++)
        if (results_cell_counts(&s->cells[i]))
            speedup = speedup_on(s, &s->cells[i], b);
    return speedup;
}

static struct judged_sample merge(const struct results_cell *cells, int repeats,
                                  const struct analyze_baseline *baseline)
{
    struct judged_sample s = {.cells = cells,
                              .repeats = repeats,
                              .right = true,
                              .peak = NAN,
                              .own_peak = NAN,
                              .speedup = NAN};
    bool judged = false;

    for (int i = 0; i < repeats; i++) {
        const struct results_cell *c = &cells[i];

        judged = judged || c->record;
        if (!results_cell_counts(c))
            continue;
        s.counts = true;
        s.compiled = s.compiled || c->verdict != VERDICT_BUILD_ERROR;
        s.right = s.right && c->verdict == VERDICT_PASS;
        s.own_code = s.own_code || c->own_code;
        s.timed = s.timed || c->n_sizes > 0;
    }
    s.right = s.right && s.counts;
    s.skipped = !judged;
    s.counts = s.counts || s.skipped; /* skipped counts as failed, infra alone not at all */
    s.own_code = s.own_code && s.right;
    if (s.own_code) {
        s.own_peak = median_over(cells, repeats, own_peak_of);
    } else if (s.right) {
        s.peak = median_over(cells, repeats, peak_of);
        if (baseline->name)
            s.speedup = speedup_of(&s, baseline);
    }
    return s;
}

/* --- figures over samples --- */

struct figures {
    double *values;
    int *samples;
    int n;
};

static void figures_release(struct figures *f)
{
    free(f->values);
    free(f->samples);
}

static void figures_add(struct figures *f, double value, int sample)
{
    if (isnan(value))
        return;
    f->values = xrealloc(f->values, (size_t)(f->n + 1) * sizeof(*f->values));
    f->samples = xrealloc(f->samples, (size_t)(f->n + 1) * sizeof(*f->samples));
    f->values[f->n] = value;
    f->samples[f->n++] = sample;
}

/* The generator's key is fixed, so that the same numbers give the same interval. */
static void bootstrap(const struct figures *f, double *ret_lo, double *ret_hi)
{
    AUTO(freep) double *medians = xcalloc(BOOTSTRAPS, sizeof(*medians));
    AUTO(freep) double *drawn = xcalloc((size_t)f->n, sizeof(*drawn));

    for (uint32_t b = 0; b < BOOTSTRAPS; b++) {
        for (int i = 0; i < f->n; i++) {
            struct philox p = philox4x32(b, (uint32_t)i, 0, 0, 0, 0);

            drawn[i] = f->values[p.v[0] % (uint32_t)f->n];
        }
        medians[b] = stats_median(drawn, (size_t)f->n);
    }
    *ret_lo = stats_quantile(medians, BOOTSTRAPS, 0.025);
    *ret_hi = stats_quantile(medians, BOOTSTRAPS, 0.975);
}

static struct analyze_figure summarise(const struct figures *f)
{
    struct analyze_figure out = {NAN, NAN, NAN, NAN, -1};

    if (!f->n)
        return out;
    out.median = stats_median(f->values, (size_t)f->n);
    for (int i = 0; i < f->n; i++)
        if (out.best_sample < 0 || f->values[i] > out.best) {
            out.best = f->values[i];
            out.best_sample = f->samples[i];
        }
    if (f->n > 1)
        bootstrap(f, &out.lo, &out.hi);
    return out;
}

/* --- cells --- */

static void count_sample(struct analyze_cell *c, const struct judged_sample *s)
{
    if (!s->counts) {
        c->infra++;
        return;
    }
    c->samples++;
    c->skipped += s->skipped;
    c->compiled += s->compiled;
    c->correct += s->right;
    if (!s->right)
        return;
    c->faster[0]++;
    c->own_code += s->own_code;
    c->without_baseline += s->timed && !s->own_code && isnan(s->speedup);
    if (isnan(s->speedup))
        return;
    c->log_speedups += log(s->speedup);
    c->n_speedups++;
    for (int p = 1; p < ANALYZE_P; p++)
        c->faster[p] += s->speedup > analyze_p[p];
}

/* Adds the samples of one model and problem, from cell `first` on; returns the end. */
static int fill_cell(const struct results *r, int first, const struct analyze_baseline *baseline,
                     struct analyze_cell *ret)
{
    AUTO(figures_release) struct figures peaks = {0}, own_peaks = {0}, speedups = {0};
    int i = first;

    while (i < r->n_cells && r->cells[i].model_at == r->cells[first].model_at &&
           r->cells[i].problem_at == r->cells[first].problem_at) {
        int end = results_sample_end(r, i);
        struct judged_sample s = merge(&r->cells[i], end - i, baseline);

        count_sample(ret, &s);
        figures_add(&peaks, s.peak, r->cells[i].sample);
        figures_add(&own_peaks, s.own_peak, r->cells[i].sample);
        figures_add(&speedups, s.speedup, r->cells[i].sample);
        i = end;
    }
    ret->peak = summarise(&peaks);
    ret->own_peak = summarise(&own_peaks);
    ret->speedup = summarise(&speedups);
    return i;
}

/* Samples of a problem that a model lacks are missing. The number to reach is that of the model
 * with most samples, infra included. */
static void add_missing(const struct results *r, struct analyze_cell *cells)
{
    for (int p = 0; p < r->n_problems; p++) {
        int most = 0;

        for (int m = 0; m < r->n_models; m++) {
            const struct analyze_cell *c = &cells[m * r->n_problems + p];

            most = MAX(most, c->samples + c->infra);
        }
        for (int m = 0; m < r->n_models; m++) {
            struct analyze_cell *c = &cells[m * r->n_problems + p];

            c->missing = most - c->samples - c->infra;
            c->samples += c->missing;
        }
    }
}

static void fill_cells(const struct results *r, const struct analyze_baseline *baseline,
                       struct analyze_cell *cells)
{
    for (int i = 0; i < r->n_models * r->n_problems; i++)
        cells[i].peak = cells[i].own_peak = cells[i].speedup =
            (struct analyze_figure){NAN, NAN, NAN, NAN, -1};
    for (int i = 0; i < r->n_cells;)
        i = fill_cell(r, i, baseline,
                      &cells[r->cells[i].model_at * r->n_problems + r->cells[i].problem_at]);
    add_missing(r, cells);
}

/* --- models --- */

/* Sums over cells, from which rates and means are made. */
struct sums {
    double compile, correct, fast[ANALYZE_P], pass_at[ANALYZE_K], peak;
    double log_correct, log_all;
    int n_correct, n_all;
    int without_baseline;
};

static void add_cell(struct analyze_model *m, struct sums *s, const struct analyze_cell *c)
{
    double n = c->samples;

    m->infra += c->infra;
    if (!c->samples)
        return;
    m->problems++;
    m->samples += c->samples;
    m->compiled += c->compiled;
    m->correct += c->correct;
    m->skipped += c->skipped;
    m->missing += c->missing;
    s->compile += c->compiled / n;
    s->correct += c->correct / n;
    for (int p = 0; p < ANALYZE_P; p++)
        s->fast[p] += c->faster[p] / n;
    for (int k = 0; k < ANALYZE_K; k++) /* a NAN stays in the sum */
        s->pass_at[k] += analyze_pass_at_k(c->samples, c->correct, analyze_k[k]);
    s->peak += isnan(c->peak.best) ? 0 : c->peak.best;
    s->log_correct += c->log_speedups;
    s->n_correct += c->n_speedups;
    s->log_all += c->log_speedups / n; /* speed-up of the other samples is 1 */
    s->n_all++;
    s->without_baseline += c->without_baseline;
}

static void divide(struct analyze_model *m, const struct sums *s, bool baseline, bool timed)
{
    double n = m->problems ? m->problems : NAN;
    /* A right sample without a baseline would be counted as slow. Then no figure is given. */
    bool complete = baseline && timed && !s->without_baseline;

    m->compile_rate = s->compile / n;
    m->correct_rate = s->correct / n;
    for (int p = 0; p < ANALYZE_P; p++)
        m->fast[p] = p == 0 || complete ? s->fast[p] / n : NAN;
    for (int k = 0; k < ANALYZE_K; k++)
        m->pass_at[k] = s->pass_at[k] / n;
    m->peak_mean = timed ? s->peak / n : NAN;
    m->geomean_correct = complete && s->n_correct ? exp(s->log_correct / s->n_correct) : NAN;
    m->geomean_all = complete && s->n_all ? exp(s->log_all / s->n_all) : NAN;
}

static void fill_models(const struct results *r, struct analysis *a, enum analyze_kind kind)
{
    a->models[kind] = xcalloc((size_t)MAX(r->n_models, 1), sizeof(*a->models[kind]));
    for (int m = 0; m < r->n_models; m++) {
        struct sums s = {0};

        for (int p = 0; p < r->n_problems; p++)
            if (kind == ANALYZE_ALL || a->kinds[p] == kind)
                add_cell(&a->models[kind][m], &s, &a->cells[m * r->n_problems + p]);
        divide(&a->models[kind][m], &s, a->baseline != NULL, !r->check_only);
    }
}

static enum analyze_kind kind_of(const struct results_problem *p)
{
    if (!strcmp(p->level, "ref"))
        return ANALYZE_REFERENCE;
    return p->algebra ? ANALYZE_ALGEBRA : p->repaired ? ANALYZE_REPAIRED : ANALYZE_PLAIN;
}

static void sort_problems(const struct results *r, struct analysis *a)
{
    a->kinds = xcalloc((size_t)MAX(r->n_problems, 1), sizeof(*a->kinds));
    for (int p = 0; p < r->n_problems; p++)
        a->kinds[p] = kind_of(&r->problems[p]);
}

/* --- ceilings --- */

static double best_cold(const struct results *r, int model, int problem, int sample)
{
    for (int i = 0, end; i < r->n_cells; i = end) {
        const struct results_cell *c = &r->cells[i];

        end = results_sample_end(r, i);
        if (c->model_at == model && c->problem_at == problem && c->sample == sample)
            return median_over(c, end - i, analyze_cold_us);
    }
    return NAN;
}

static void fill_ceiling(const struct results *r, const struct analyze_cell *cells, int problem,
                         struct analyze_ceiling *ret)
{
    *ret = (struct analyze_ceiling){.best_peak = NAN,
                                    .best_speedup = NAN,
                                    .best_peak_model = -1,
                                    .best_peak_sample = -1,
                                    .best_cold_us = NAN};
    for (int m = 0; m < r->n_models; m++) {
        const struct analyze_cell *c = &cells[m * r->n_problems + problem];

        ret->samples += c->samples;
        ret->correct += c->correct;
        ret->models_correct += c->correct > 0;
        ret->best_speedup = fmax(ret->best_speedup, c->speedup.best); /* fmax() ignores a NAN */
        if (c->peak.best_sample >= 0 &&
            (ret->best_peak_model < 0 || c->peak.best > ret->best_peak)) {
            ret->best_peak = c->peak.best;
            ret->best_peak_model = m;
            ret->best_peak_sample = c->peak.best_sample;
        }
    }
    if (ret->best_peak_model >= 0)
        ret->best_cold_us = best_cold(r, ret->best_peak_model, problem, ret->best_peak_sample);
}

/* --- reversals --- */

/* Logarithms of geometric means over the sizes of one judged repeat. */
struct sample_span {
    double cold, lo, hi;
};

static bool span_of(const struct results_cell *c, struct sample_span *ret)
{
    if (!results_cell_counts(c) || c->verdict != VERDICT_PASS || !c->n_sizes)
        return false;
    *ret = (struct sample_span){0, 0, 0};
    for (int i = 0; i < c->n_sizes; i++) {
        ret->cold += log(c->sizes[i].cold_us) / c->n_sizes;
        ret->lo += log(c->sizes[i].cold_lo) / c->n_sizes;
        ret->hi += log(c->sizes[i].cold_hi) / c->n_sizes;
    }
    return true;
}

static bool disjoint(const struct sample_span *a, const struct sample_span *b)
{
    return a->hi < b->lo || b->hi < a->lo;
}

/* a, b: two samples of one problem, each at a repeat and the next one. */
static void compare_order(const struct results_cell *a, const struct results_cell *b,
                          struct analyze_reversals *v)
{
    struct sample_span a0, a1, b0, b1;

    if (!span_of(&a[0], &a0) || !span_of(&a[1], &a1) || !span_of(&b[0], &b0) ||
        !span_of(&b[1], &b1))
        return;
    v->pairs++;
    if ((a0.cold - b0.cold) * (a1.cold - b1.cold) >= 0)
        return;
    v->orders++;
    v->clear += disjoint(&a0, &b0) && disjoint(&a1, &b1);
}

static void count_verdicts(const struct results *r, int first, int end, struct analyze_reversals *v)
{
    int judged = 0, right = 0;

    for (int i = first; i < end; i++) {
        judged += results_cell_counts(&r->cells[i]);
        right += results_cell_counts(&r->cells[i]) && r->cells[i].verdict == VERDICT_PASS;
    }
    if (judged < 2)
        return;
    v->samples++;
    v->verdicts += right > 0 && right < judged;
}

static void compare_with_later(const struct results *r, int first, int end,
                               struct analyze_reversals *v)
{
    for (int i = end; i < r->n_cells; i = results_sample_end(r, i)) {
        int repeats = MIN(end - first, results_sample_end(r, i) - i);

        if (r->cells[i].problem_at != r->cells[first].problem_at)
            continue;
        for (int k = 0; k + 1 < repeats; k++)
            compare_order(&r->cells[first + k], &r->cells[i + k], v);
    }
}

static void find_reversals(const struct results *r, struct analyze_reversals *v)
{
    *v = (struct analyze_reversals){.repeats = 1};
    for (int i = 0; i < r->n_cells; i++)
        v->repeats = MAX(v->repeats, r->cells[i].repeat + 1);
    if (v->repeats < 2)
        return;
    for (int i = 0; i < r->n_cells;) {
        int end = results_sample_end(r, i);

        count_verdicts(r, i, end, v);
        compare_with_later(r, i, end, v);
        i = end;
    }
}

/* --- all figures --- */

void analyze(const struct results *r, const struct analyze_baseline *baseline, struct analysis *ret)
{
    *ret = (struct analysis){.results = r, .baseline = baseline->name};
    ret->cells = xcalloc((size_t)MAX(r->n_models * r->n_problems, 1), sizeof(*ret->cells));
    ret->ceilings = xcalloc((size_t)MAX(r->n_problems, 1), sizeof(*ret->ceilings));
    fill_cells(r, baseline, ret->cells);
    sort_problems(r, ret);
    for (int k = 0; k < ANALYZE_KINDS; k++)
        fill_models(r, ret, (enum analyze_kind)k);
    for (int p = 0; p < r->n_problems; p++)
        fill_ceiling(r, ret->cells, p, &ret->ceilings[p]);
    find_reversals(r, &ret->reversals);
}

void analysis_release(struct analysis *a)
{
    free(a->cells);
    for (int k = 0; k < ANALYZE_KINDS; k++)
        free(a->models[k]);
    free(a->kinds);
    free(a->ceilings);
    *a = (struct analysis){0};
}
