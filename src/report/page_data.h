/* SPDX-License-Identifier: MIT */
/* Data of the page, in two parts. The index is read when the page opens (tables and charts of all
 * cells), the details (records, sources) when a cell is opened. */
#ifndef ASSAY_REPORT_PAGE_DATA_H
#define ASSAY_REPORT_PAGE_DATA_H

#include "report/annotation.h"
#include "results/results.h"

struct page_data {
    const struct results *results;   /* not owned */
    const struct annotations *notes; /* not owned */
    json_t *devices;                 /* one per fingerprint: device, info, calibration, datasheet */
    json_t *problems;                /* like results->problems, with the sizes that were seen */
    json_t *cells;                   /* index of results->cells */
    json_t *records;                 /* details of each cell, trimmed; null without a record */
    json_t *sources;                 /* distinct texts; records name them by position */
    json_t *source_at;               /* candidate hash -> position, while collecting */
};

void page_data_init(struct page_data *d, const struct results *r, const struct annotations *notes);
void page_data_release(struct page_data *d);
/* Adds a cell; cells come in the order of results->cells. `record` is NULL for a skipped one. The
 * note on a record is held against its source here: ERR_INPUT when it quotes lines that are not
 * there. */
int page_data_add(struct page_data *d, const struct results_cell *c, const json_t *record,
                  const char *source, size_t source_len, struct err *err);
/* Adds all cells of the run, from the store. */
int page_data_collect(struct page_data *d, struct store *s, struct err *err);

/* The two parts, as new references. metrics: analyze_json() without cells and problems, or NULL;
 * beside: a leaderboard from elsewhere, or NULL. */
json_t *page_index(const struct page_data *d, const json_t *board, const json_t *metrics,
                   const json_t *beside);
json_t *page_details(const struct page_data *d);

#endif
