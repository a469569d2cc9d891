/* SPDX-License-Identifier: MIT */
/* Shipped baselines: a file of times that `assay baseline --ship` wrote (ship.h; docs/runs.md has
 * its keys). A run is compared with one kind of it, --baseline shipped:h200:torch:eager. Times of
 * another device are called foreign wherever they are shown. */
#ifndef ASSAY_RESULTS_SHIPPED_H
#define ASSAY_RESULTS_SHIPPED_H

#include "results/results.h"

#define SHIPPED_SCHEMA "assay-baselines/1"
#define SHIPPED_NOTES 2

struct shipped {
    char *label; /* the user's word, after "foreign: " if the run's device is another */
    char *notes[SHIPPED_NOTES + 1]; /* lines for the reader, then NULL */
    struct shipped_time {
        char *problem, *size_hash, *fingerprint, *created;
        double us;
    } * times;
    int n;
};

/* Whether --baseline names a shipped file: "shipped:STEM:KIND" or "shipped:FILE.json:KIND". */
bool shipped_is(const char *word);
/* Takes the times that serve this run: of the kind, of right rows, of the run's sizes, and of
 * problems that are still the same. ERR_INPUT: there is no such file or kind, or it has no times of
 * these sizes. A stem is looked up in SHARE/results/baselines. */
int shipped_open(struct shipped *s, const char *share, const char *word, const struct results *run,
                 struct err *err);
void shipped_release(struct shipped *s);
/* For struct analyze_baseline. If there are several times, that of this very device counts before
 * that of another one, and the last before earlier ones. */
double shipped_cold_us(void *arg, const char *problem, const char *size_hash,
                       const char *fingerprint);

/* --- parts of the above --- */

/* Parses and checks a file's text; `place` is for messages. All keys that the functions below and
 * ship.h use are there and of their types. *ret is a new reference. */
int shipped_parse(const char *text, const char *place, json_t **ret, struct err *err);
int shipped_read(const char *path, json_t **ret, struct err *err);
/* shipped_open() of a file that was read. */
int shipped_take(struct shipped *s, const json_t *file, const char *word, const char *kind,
                 const struct results *run, struct err *err);

#endif
