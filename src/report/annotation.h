/* SPDX-License-Identifier: MIT */
/* Annotation: what a person found when reading a candidate. It is one YAML file per record, beside
 * the records and never inside them; docs/report.md shows one. Everything is checked on load: a
 * note that quotes lines which are not there is worse than none. */
#ifndef ASSAY_REPORT_ANNOTATION_H
#define ASSAY_REPORT_ANNOTATION_H

#include "base/err.h"

#include <jansson.h>

struct quote {
    char *file;
    int first, last; /* lines, from 1 */
    char *label;     /* NULL: none */
    char *text;      /* verbatim */
    int yaml_line;   /* line of the quote in the note, for messages */
};

struct annotation {
    char *path;
    char *record;        /* id of a record of ours, or NULL */
    char *run_id;        /* id of a cell of a published leaderboard, or NULL */
    char *problem;       /* NULL if not stated; has to be the record's */
    const char *verdict; /* one of annotation_verdicts */
    char *summary;
    char *implication; /* NULL: none */
    struct quote *quotes;
    int n_quotes;
};

extern const char *const annotation_verdicts[]; /* "clean", ..., NULL */

int annotation_load(const char *path, struct annotation **ret, struct err *err);
void annotation_free(struct annotation *a);
void annotation_freep(struct annotation **a);
/* Checks that the quoted lines are in this source, as they are quoted (spaces around lines aside).
 * `file` is the candidate's path. */
int annotation_check(const struct annotation *a, const char *file, const char *source, size_t len,
                     struct err *err);
/* JSON for the page: verdict, summary, implication, quotes. */
json_t *annotation_json(const struct annotation *a);

struct annotations {
    struct annotation **list;
    int n;
};
#define ANNOTATIONS_INIT \
    {                    \
        NULL, 0          \
    }

/* Loads every .yaml and .yml file of the folder; two for one record are an error. */
int annotations_load(const char *dir, struct annotations *ret, struct err *err);
void annotations_release(struct annotations *a);
/* The note on a record or run; NULL if there is none, or for a NULL id. */
const struct annotation *annotations_record(const struct annotations *a, const char *record);
const struct annotation *annotations_run_id(const struct annotations *a, const char *run_id);

#endif
