/* SPDX-License-Identifier: MIT */
/* Writing shipped baselines (shipped.h). A file holds baselines of one device, by its name. Rows
 * lie in origins: an origin is a fingerprint, a driver, versions, sizes and weights that its rows
 * share. A run that is shipped again replaces its own rows and keeps all others, so a file can be
 * made in parts. The order is always the same, with one row a line, so that diffs are small. */
#ifndef ASSAY_RESULTS_SHIP_H
#define ASSAY_RESULTS_SHIP_H

#include "base/buf.h"
#include "store/run_store.h"

struct ship_counts {
    int rows;  /* rows of the run */
    int added; /* rows that replaced none */
    int total; /* rows in the file */
};

/* Fails if ship_run() could not merge into this file: to be asked before measuring for hours. */
int ship_check(const char *path, struct err *err);
/* Adds the baselines of a run to the file, which need not exist. A baseline that could not be
 * judged (infra) is left out. ERR_INPUT: no such run, none in it, or the file is another device's.
 */
int ship_run(struct store *s, const char *run, const char *path, struct ship_counts *ret,
             struct err *err);

/* --- parts of the above --- */

json_t *ship_new(void);
/* Adds one baseline of one problem: n >= 1 records, its repeats. */
int ship_add(json_t *file, json_t *const *records, int n, const char *weights,
             struct ship_counts *counts, struct err *err);
/* Sorts origins and rows, renews each origin's summary, and appends the file's text. */
void ship_text(json_t *file, struct buf *out);

#endif
