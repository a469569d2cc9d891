/* SPDX-License-Identifier: MIT */
/* The table of models and problems: leaderboard.json, in the layout KernelBench-Hard published with
 * more keys (docs/report.md), and the same as Markdown. A cell is the best of its samples. */
#ifndef ASSAY_REPORT_LEADERBOARD_H
#define ASSAY_REPORT_LEADERBOARD_H

#include "base/buf.h"
#include "report/annotation.h"
#include "results/results.h"

/* Figures of one candidate over its sizes; NAN where it was not timed. */
struct cell_figures {
    double peak, peak_lo, peak_hi; /* geometric mean of the sizes' fractions, at the ends of their
                                      times' intervals */
    double cold_us;                /* geometric mean */
};
struct cell_figures cell_figures(const struct results_cell *c);
/* "model/problem/3", or "model/problem/3.1" for a repeat: what a cell is linked by. */
char *cell_key(const struct results_cell *c);

/* devices: an array of {name, device, ...}, as the page has it; a new reference. */
json_t *leaderboard_make(const struct results *r, const struct annotations *notes,
                         const json_t *devices);
void leaderboard_markdown(const json_t *board, struct buf *out);

/* Reads a leaderboard of ours or a published one of KernelBench-Hard, as a reference to be shown
 * beside a run: only what the page shows is kept, and the `title` says where it is from. Notes with
 * a run_id of it are attached. Another layout: ERR_INPUT. */
int leaderboard_import(const char *path, const struct annotations *notes, json_t **ret,
                       struct err *err);

#endif
