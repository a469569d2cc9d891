/* SPDX-License-Identifier: MIT */
/* Figures of a run. The rules (docs/runs.md):
 *
 * - A sample is judged `repeats` times. It is right when it is right every time, and its times are
 *   the medians over repeats. If all of them are infra, it counts nowhere.
 * - Denominators are fixed: every problem of the run, for every model, with as many samples as any
 *   model has there. A sample that is missing or was skipped counts as failed.
 * - Rates of a model are means over problems, so that a problem with many samples weighs no more.
 * - Speed-up of a sample: geometric mean over sizes of baseline / cold time. Over all samples, one
 *   that is not right counts as 1, since one would go on using the baseline. fast_p: right and
 *   faster than p times the baseline, strictly, as KernelBench has it; fast_0 needs no baseline.
 * - A right sample whose code was only seen in part, where the problem requires a class, has no
 *   peak and no speed-up among these figures. Its peaks are figures of their own.
 *
 * To add one: a field below, its value in analyze.c, its key in analyze_json.c; print it in
 * cmd/cmd_analyze.c; its rule in docs/runs.md; samples whose answer is known in
 * tests/unit/test_analyze.c, and the output of tests/cli/analyze. */
#ifndef ASSAY_RESULTS_ANALYZE_H
#define ASSAY_RESULTS_ANALYZE_H

#include "results/results.h"

#define ANALYZE_P 7
extern const double analyze_p[ANALYZE_P]; /* 0 0.5 0.8 1 1.5 2 4 */
#define ANALYZE_K 8
extern const int analyze_k[ANALYZE_K]; /* 1 2 4 8 16 32 64 128 */

/* Times that candidates are compared with; NAN if nothing is known of a size on that device. */
struct analyze_baseline {
    const char *name; /* NULL: no baseline */
    double (*cold_us)(void *arg, const char *problem, const char *size_hash,
                      const char *fingerprint);
    void *arg;
};

struct analyze_figure { /* NAN when there is none; lo, hi: 95 % bootstrap over samples, from 2 on */
    double median, lo, hi, best;
    int best_sample; /* -1 when there is none */
};

/* One model on one problem. */
struct analyze_cell {
    int samples; /* samples that count: judged, skipped, missing; without infra */
    int compiled, correct;
    int infra, skipped, missing;
    int own_code;         /* right samples of which only the own code was seen */
    int without_baseline; /* right and timed samples without a baseline */
    int faster[ANALYZE_P];
    double log_speedups; /* sum over right samples with a baseline */
    int n_speedups;
    struct analyze_figure peak, speedup; /* figures over right samples, without own_code */
    struct analyze_figure own_peak;      /* figure over those of own_code */
};

enum analyze_kind {
    ANALYZE_ALL,
    ANALYZE_PLAIN,
    ANALYZE_REPAIRED,
    ANALYZE_ALGEBRA,
    ANALYZE_REFERENCE, /* modules of users' own (docs/references.md) */
    ANALYZE_KINDS
};
extern const char *const analyze_kind_names[ANALYZE_KINDS];

/* One model over the problems of a kind. NAN: the figure cannot be given. */
struct analyze_model {
    int problems; /* problems with a sample that counts */
    int samples, compiled, correct, infra, skipped, missing;
    double compile_rate, correct_rate;
    double fast[ANALYZE_P];
    double pass_at[ANALYZE_K]; /* NAN unless every problem has that many samples */
    double geomean_correct, geomean_all;
    double peak_mean; /* mean of the best per problem, 0 if nothing is right */
};

/* One problem over all models. */
struct analyze_ceiling {
    int samples, correct, models_correct;
    double best_peak, best_speedup;        /* NAN: none */
    int best_peak_model, best_peak_sample; /* -1: none */
    double best_cold_us;                   /* time of that sample, geometric mean over sizes */
};

/* Reversals between consecutive repeats: in the verdict on one sample, in the order of two. */
struct analyze_reversals {
    int repeats;
    int samples, verdicts;        /* samples judged twice or more; those right once and not again */
    int64_t pairs, orders, clear; /* pairs of right samples of a problem; those whose order turned;
                                     those with disjoint intervals both times */
};

struct analysis {
    const struct results *results; /* not owned */
    const char *baseline;          /* not owned; NULL: none */
    struct analyze_cell *cells;    /* [model * n_problems + problem] */
    struct analyze_model *models[ANALYZE_KINDS];
    enum analyze_kind *kinds; /* kind of every problem; algebra comes before repaired */
    struct analyze_ceiling *ceilings;
    struct analyze_reversals reversals;
};

void analyze(const struct results *r, const struct analyze_baseline *baseline,
             struct analysis *ret);
void analysis_release(struct analysis *a);

/* 1 - C(n - c, k) / C(n, k); NAN when n < k. */
double analyze_pass_at_k(int n, int c, int k);
/* Geometric mean of the cell's cold times over sizes; NAN for none. */
double analyze_cold_us(const struct results_cell *c);
/* The time of one sample at one size on one device: the median over its repeats, which lie side by
 * side. NAN if one of them is not right, or none was timed there. */
double analyze_sample_us(const struct results_cell *cells, int repeats, const char *size_hash,
                         const char *fingerprint);

/* --- two runs --- */

struct analyze_change { /* a cell that both runs hold */
    const struct results_cell *before, *after;
};

struct comparison {
    int both, right_before, right_after; /* cells that both runs hold */
    struct analyze_change *gained, *lost;
    int n_gained, n_lost;
    int timed;          /* right and timed in both */
    double ratio;       /* geometric mean of time before / after; NAN for none */
    int faster, slower; /* clearly faster or slower at every size: intervals are disjoint */
};

void analyze_compare(const struct results *before, const struct results *after,
                     struct comparison *ret);
void comparison_release(struct comparison *c);

#endif
