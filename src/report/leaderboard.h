/* SPDX-License-Identifier: MIT */
/* Leaderboard: the table of models and problems. leaderboard.json has the layout that
 * KernelBench-Hard published, with more keys (docs/report.md). The same table is written as
 * Markdown. A cell is the best of its samples. */
#ifndef ASSAY_REPORT_LEADERBOARD_H
#define ASSAY_REPORT_LEADERBOARD_H

#include "base/buf.h"
#include "report/annotation.h"
#include "results/results.h"

/* Figures of one candidate over its sizes; NAN if it was not timed. */
struct cell_figures {
    double peak, peak_lo, peak_hi; /* geometric means over sizes: of the fraction, and of the
                                      fraction at either end of the time's interval */
    double cold_us;                /* geometric mean over sizes */
};
struct cell_figures cell_figures(const struct results_cell *c);
/* The key that links to a cell: "model/problem/3", or "model/problem/3.1" for a repeat. */
char *cell_key(const struct results_cell *c);

/* devices: an array of {device, info, calibration, datasheet}, as in page_data.h. Returns a new
 * reference. */
json_t *leaderboard_make(const struct results *r, const struct annotations *notes,
                         const json_t *devices);
void leaderboard_markdown(const json_t *board, struct buf *out);

/* Reads a leaderboard of ours or a published one of KernelBench-Hard, to be shown beside a run.
 * Only what the page shows is kept; `title` says where it is from, `weights` is null if the board
 * does not say. Notes with a run_id of it are
 * attached. Another layout: ERR_INPUT. */
int leaderboard_import(const char *path, const struct annotations *notes, json_t **ret,
                       struct err *err);

#endif
