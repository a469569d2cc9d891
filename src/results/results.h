/* SPDX-License-Identifier: MIT */
/* Results of a run in memory: its problems and one small struct per cell. The whole records (raw
 * samples, evidence, compiler's text) stay in the store and are fetched one by one. */
#ifndef ASSAY_RESULTS_RESULTS_H
#define ASSAY_RESULTS_RESULTS_H

#include "store/run_store.h"
#include "terms/verdict.h"

struct results_problem {
    char *name, *hash, *title, *level;
    char *repaired, *algebra; /* NULL when the file does not say */
};

/* Figures of one size that was timed. */
struct results_size {
    char hash[65]; /* hash of the size's graph, by which baselines are matched */
    double cold_us, cold_lo, cold_hi;
    double peak_fraction;
};

struct results_cell {
    const char *model;   /* one of results.models */
    const char *problem; /* one of results.problems[].name */
    int model_at, problem_at;
    int sample, repeat;
    char *file;
    char *record;  /* id for results_record(), or NULL */
    char *skipped; /* reason if there is no record */
    /* Set if there is a record: */
    enum verdict_kind verdict;
    char *reason;      /* "" for a pass */
    char *device;      /* "cpu", "cuda" */
    bool is_baseline;  /* no candidate: its time is the same whatever the weights */
    char *fingerprint; /* fingerprint of the device */
    char *device_name; /* "NVIDIA H200" */
    /* A pass for which a class of tensor cores was required, but only the candidate's own code was
     * seen (docs/problems.md). It is right, and ranked apart: its peak_fraction is in own_peak. */
    bool own_code;
    double own_peak;           /* NAN unless own_code */
    double peak_fraction, sol; /* NAN when not timed */
    struct results_size *sizes;
    int n_sizes;
};

struct results {
    char *name, *created, *sizes, *device, *source, *weights;
    bool check_only;
    char **models; /* sorted */
    int n_models;
    struct results_problem *problems; /* sorted by name */
    int n_problems;
    struct results_cell *cells; /* sorted by model, problem, sample, repeat */
    int n_cells;
};

/* An unknown run is ERR_INPUT, with the names of the runs there are. */
int results_load(struct store *s, const char *name, struct results **ret, struct err *err);
void results_free(struct results *r);
void results_freep(struct results **r);
/* The whole record (docs/record.md), as a new reference. store_source() gives the candidate's
 * source. */
int results_record(struct store *s, const char *id, json_t **ret, struct err *err);

/* Index of a model, or -1. */
int results_model(const struct results *r, const char *model);
/* Whether the cell was judged, without a fault of ours. */
bool results_cell_counts(const struct results_cell *c);
/* Index after the last repeat of the sample that begins at cell `first`. */
int results_sample_end(const struct results *r, int first);

#endif
