/* SPDX-License-Identifier: MIT */
#include "measure/score.h"

#include "base/util.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ALL_LAWS (-1)
#define LAWS_AGREE 0.01 /* share of the larger median */
/* A gap between two groups of times is this share of their median. So many samples lie on either
 * side: one in five, and never a single one, because one late call is no group. */
#define GAP_SHARE 0.1
#define GAP_SIDE 5
#define GAP_LEAST 2

/* --- samples of one law --- */

struct selection {
    double *ns;
    int *run;
    size_t n;
};

static void selection_release(struct selection *s)
{
    free(s->ns);
    free(s->run);
}

static struct selection select_law(const struct sample *samples, int n, int law)
{
    struct selection s = {xcalloc((size_t)MAX(n, 1), sizeof(*s.ns)),
                          xcalloc((size_t)MAX(n, 1), sizeof(*s.run)), 0};

    for (int i = 0; i < n; i++)
        if (law == ALL_LAWS || samples[i].law == law) {
            s.ns[s.n] = samples[i].ns;
            s.run[s.n++] = samples[i].run;
        }
    return s;
}

static struct interval interval_of(const struct sample *samples, int n, int n_runs, int law)
{
    AUTO(selection_release) struct selection s = select_law(samples, n, law);

    return stats_pooled(s.ns, s.run, s.n, n_runs);
}

/* --- do the laws agree? --- */

static bool within(double value, const struct interval *i)
{
    return i->lo <= value && value <= i->hi;
}

static bool agree(const struct interval *a, const struct interval *b)
{
    return fabs(a->median - b->median) <= LAWS_AGREE * fmax(a->median, b->median) ||
           (within(a->median, b) && within(b->median, a));
}

/* The law whose median is the score, or ALL_LAWS if laws agree. */
static int binding_law(const struct sample *samples, int n, int n_runs)
{
    int n_laws = 0, slowest = ALL_LAWS;
    bool all_agree = true;

    for (int i = 0; i < n; i++)
        n_laws = MAX(n_laws, samples[i].law + 1);

    AUTO(freep) struct interval *of = xcalloc((size_t)MAX(n_laws, 1), sizeof(*of));
    AUTO(freep) bool *seen = xcalloc((size_t)MAX(n_laws, 1), sizeof(*seen));

    for (int i = 0; i < n; i++)
        seen[samples[i].law] = true;
    for (int law = 0; law < n_laws; law++) {
        if (!seen[law])
            continue;
        of[law] = interval_of(samples, n, n_runs, law);
        for (int other = 0; other < law; other++)
            all_agree = all_agree && (!seen[other] || agree(&of[law], &of[other]));
        if (slowest == ALL_LAWS || of[law].median > of[slowest].median)
            slowest = law;
    }
    return all_agree ? ALL_LAWS : slowest;
}

/* --- two groups of times --- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static bool has_gap(double *ns, int n)
{
    int side = MAX(GAP_LEAST, (n + GAP_SIDE - 1) / GAP_SIDE);

    qsort(ns, (size_t)n, sizeof(*ns), by_value);

    double gap = GAP_SHARE * stats_median(ns, (size_t)n);

    for (int i = side; i <= n - side; i++)
        if (ns[i] - ns[i - 1] > gap)
            return true;
    return false;
}

static bool same_place(const struct sample *a, const struct sample *b)
{
    return a->law == b->law && a->run == b->run && a->in == b->in && a->out == b->out;
}

/* Looks for a gap among calls of one law in one pair of arenas: the place of a buffer, and its
 * content, may honestly matter. */
static bool is_bimodal(const struct sample *samples, int n)
{
    AUTO(freep) double *ns = xcalloc((size_t)MAX(n, 1), sizeof(*ns));
    AUTO(freep) bool *done = xcalloc((size_t)MAX(n, 1), sizeof(*done));

    for (int i = 0; i < n; i++) {
        int m = 0;

        for (int k = i; k < n && !done[i]; k++)
            if (same_place(&samples[i], &samples[k])) {
                ns[m++] = samples[k].ns;
                done[k] = k > i;
            }
        if (has_gap(ns, m))
            return true;
    }
    return false;
}

/* --- the score --- */

struct score score_of(const struct sample *samples, int n, int n_runs)
{
    struct score out = {.law = binding_law(samples, n, n_runs), .bimodal = is_bimodal(samples, n)};
    AUTO(selection_release) struct selection s = select_law(samples, n, out.law);
    struct interval inside = stats_within(s.ns, s.run, s.n, n_runs);

    out.cold = stats_pooled(s.ns, s.run, s.n, n_runs);
    out.settled = n > 0 && stats_settled(&inside) && !out.bimodal;
    return out;
}

double score_head(const struct sample *samples, int n, double q, double slack_ns)
{
    AUTO(series_release) struct series heads = {0};
    double median = score_median(samples, n, offsetof(struct sample, ns));

    for (int i = 0; i < n; i++)
        if (samples[i].ns <= median + slack_ns)
            series_add(&heads, samples[i].head_ns);
    return series_quantile(&heads, q);
}

double score_median(const struct sample *samples, int n, size_t field)
{
    AUTO(freep) double *values = xcalloc((size_t)MAX(n, 1), sizeof(*values));

    for (int i = 0; i < n; i++)
        memcpy(&values[i], (const char *)&samples[i] + field, sizeof(*values));
    return stats_median(values, (size_t)n);
}
