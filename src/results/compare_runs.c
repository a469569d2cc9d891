/* SPDX-License-Identifier: MIT */
/* Compares two runs, cell by cell: cells that only one run finds right, and which run is faster. */
#include "results/analyze.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_cell(const struct results_cell *a, const struct results_cell *b)
{
    int d = strcmp(a->model, b->model);

    d = d ? d : strcmp(a->problem, b->problem);
    d = d ? d : (a->sample > b->sample) - (a->sample < b->sample);
    return d ? d : (a->repeat > b->repeat) - (a->repeat < b->repeat);
}

static bool right(const struct results_cell *c)
{
    return results_cell_counts(c) && c->verdict == VERDICT_PASS;
}

static void add(struct analyze_change **list, int *n, const struct results_cell *before,
                const struct results_cell *after)
{
    *list = xrealloc(*list, (size_t)(*n + 1) * sizeof(**list));
    (*list)[(*n)++] = (struct analyze_change){before, after};
}

/* Whether a is clearly faster than b at every size. */
static bool clearly_faster(const struct results_cell *a, const struct results_cell *b)
{
    for (int i = 0; i < a->n_sizes; i++)
        if (!(a->sizes[i].cold_hi < b->sizes[i].cold_lo))
            return false;
    return true;
}

static bool same_sizes(const struct results_cell *a, const struct results_cell *b)
{
    if (a->n_sizes != b->n_sizes || !a->n_sizes)
        return false;
    for (int i = 0; i < a->n_sizes; i++)
        if (strcmp(a->sizes[i].hash, b->sizes[i].hash) != 0)
            return false;
    return true;
}

static void compare_times(const struct results_cell *before, const struct results_cell *after,
                          struct comparison *ret, double *log_ratio)
{
    if (!same_sizes(before, after))
        return;
    ret->timed++;
    *log_ratio += log(analyze_cold_us(before) / analyze_cold_us(after));
    ret->faster += clearly_faster(after, before);
    ret->slower += clearly_faster(before, after);
}

/* Infra is a fault of ours, and no change. */
static void compare_cell(const struct results_cell *before, const struct results_cell *after,
                         struct comparison *ret, double *log_ratio)
{
    if (!results_cell_counts(before) || !results_cell_counts(after))
        return;
    ret->both++;
    ret->right_before += right(before);
    ret->right_after += right(after);
    if (right(after) && !right(before))
        add(&ret->gained, &ret->n_gained, before, after);
    if (right(before) && !right(after))
        add(&ret->lost, &ret->n_lost, before, after);
    if (right(before) && right(after))
        compare_times(before, after, ret, log_ratio);
}

void analyze_compare(const struct results *before, const struct results *after,
                     struct comparison *ret)
{
    double log_ratio = 0;

    *ret = (struct comparison){.ratio = NAN};
    for (int i = 0, k = 0; i < before->n_cells && k < after->n_cells;) {
        int d = by_cell(&before->cells[i], &after->cells[k]);

        if (d == 0)
            compare_cell(&before->cells[i], &after->cells[k], ret, &log_ratio);
        i += d <= 0;
        k += d >= 0;
    }
    if (ret->timed)
        ret->ratio = exp(log_ratio / ret->timed);
}

void comparison_release(struct comparison *c)
{
    free(c->gained);
    free(c->lost);
    *c = (struct comparison){0};
}
