/* SPDX-License-Identifier: MIT */
/* Runs: which record belongs to which sample of which model. A cell is (run, model, problem,
 * sample, repeat); it names a record, or says why there is none. A record and its cells are added
 * in one transaction, so that a run that was killed is resumed by looking at its cells. */
#ifndef ASSAY_STORE_RUN_STORE_H
#define ASSAY_STORE_RUN_STORE_H

#include "base/buf.h"
#include "store/store.h"

/* Settings that a run was made with. Strings in these structs are not owned: the caller's on the
 * way in, valid during the callback on the way out. */
struct run_row {
    const char *name, *created;
    const char *sizes;  /* "small", "medium", "full" */
    const char *device; /* device as the user named it; "": by suffix */
    const char *source; /* the folder or plan */
    bool check_only, steady;
    const char *weights; /* "per_call", "fixed" */
};

struct run_problem_row {
    const char *name, *hash, *title, *level;
    const char *repaired, *algebra; /* NULL when the file does not say */
};

struct cell_row {
    const char *model, *problem;
    int sample, repeat;
    const char *file;
    const char *candidate_hash, *problem_hash; /* hashes of both files; NULL: never read */
    const char *device;                        /* the device, as "cpu AMD EPYC"; NULL: not judged */
    const char *record;                        /* id of the record, or NULL */
    const char *skipped;                       /* reason if there is no record */
    const char *verdict;                       /* read only: verdict of the record, or NULL */
};

/* Makes the run, or finds it. A run that is found must have the same settings (ERR_INPUT). */
int store_run_begin(struct store *s, const struct run_row *run, struct err *err);
/* Describes a problem of the run; a second time replaces the first. */
int store_run_problem(struct store *s, const char *run, const struct run_problem_row *p,
                      struct err *err);
/* Adds the record (NULL: none) and the cells it fills, as a whole or not at all. Cells that were
 * there are replaced. Other repeats of the sample are dropped if they are of another file or
 * problem. */
int store_run_add(struct store *s, const char *run, const json_t *record, const char *source_hash,
                  const void *source, size_t source_len, const struct cell_row *cells, int n_cells,
                  struct err *err);

/* Reading runs. A callback that returns -1 with err ends the reading. Unknown run: ERR_INPUT. */
int store_run_get(struct store *s, const char *name,
                  int (*each)(void *arg, const struct run_row *run, struct err *err), void *arg,
                  struct err *err);
int store_runs(struct store *s, int (*each)(void *arg, const struct run_row *run, struct err *err),
               void *arg, struct err *err);
int store_run_problems(struct store *s, const char *run,
                       int (*each)(void *arg, const struct run_problem_row *p, struct err *err),
                       void *arg, struct err *err);
/* Reads cells in the order model, problem, sample, repeat. record_json: NULL for a cell without
 * record. */
int store_run_cells(struct store *s, const char *run,
                    int (*each)(void *arg, const struct cell_row *c, const char *record_json,
                                struct err *err),
                    void *arg, struct err *err);
/* Appends one record's text, or a candidate's source by its hash. ERR_INPUT if it is not there. */
int store_record(struct store *s, const char *id, struct buf *ret, struct err *err);
int store_source(struct store *s, const char *hash, struct buf *ret, struct err *err);

#endif
