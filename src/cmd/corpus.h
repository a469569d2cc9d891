/* SPDX-License-Identifier: MIT */
/* The attack corpus: candidates in attacks/DEVICE that are dishonest or faulty in a known way, and
 * a few honest ones that must not be punished. A file's name is NUMBER_idea.SUFFIX, with the number
 * of attacks/README.md. Its second comment says how it works and ends with the verdict it must get:
 *
 *     [problem: NAME] [sizes: SET] [device: NAME] [build timeout: MS]
 *     expected: VERDICT[: REASON] [or VERDICT...] [at least N us | at least N % of FILE]
 *
 * "device": it is for this device alone, where a folder's files are for several.
 *
 * "at least": if it passes, its cold time is no less, because the trick gains nothing. FILE is an
 * honest candidate, the control. It is judged in the same session, and has to pass. */
#ifndef ASSAY_CMD_CORPUS_H
#define ASSAY_CMD_CORPUS_H

#include "device/device.h"
#include "problem/problem.h"
#include "terms/verdict.h"

#include <stdbool.h>

#define CORPUS_DEFAULT_PROBLEM "level1/19"
#define CORPUS_MAX_EXPECTED 5
#define CORPUS_MAX_SIZES 64 /* most sizes of a problem */

struct attack {
    char *path;
    const char *name; /* points into path: "038_memo_pointer.c" */
    int number;
    const struct attack_class *in_class; /* found by its number; not owned */
    char *problem;
    enum size_set sizes;
    char *device; /* name of the only device that it is for; NULL: all that take the file */
    char *wanted; /* as in the file: "wrong: max or wrong: nonfinite" */
    struct {
        enum verdict_kind kind;
        const char *code; /* code of the reason, as records have it; not owned */
    } expected[CORPUS_MAX_EXPECTED];
    int n_expected;
    double least_us;      /* least time at the first size; 0: not stated */
    char *control;        /* path relative to the share folder; NULL: not stated */
    double least_percent; /* least share of the control's time, at every size */
    int build_timeout_ms; /* 0: not stated */
};

/* Class of attacks: a section of the catalogue. The numbers of each follow those of the one
 * before. */
struct attack_class {
    char letter;
    int last_number;
    bool honest; /* candidates of this class have to pass */
    const char *title;
};
extern const struct attack_class attack_classes[]; /* ends with a NULL title */

struct corpus {
    struct attack *attacks; /* sorted by problem, sizes, name: one session judges neighbours */
    int n;
};

/* Adds all files of `dir` that are for the device, by their second comments. In Python that is the
 * lines behind the first one. ERR_INPUT, with the file's name, if one does not say what it
 * expects; the corpus is empty then. */
int corpus_load(const char *dir, const struct device *device, struct corpus *ret, struct err *err);
void corpus_release(struct corpus *c);

enum attack_outcome {
    ATTACK_CAUGHT,    /* got the verdict it must get */
    ATTACK_OTHERWISE, /* did not pass, but for another reason than stated */
    ATTACK_MISSED,    /* passed, or was faster than it can be, or could not be judged */
    ATTACK_PASSED,    /* honest, and passed */
    ATTACK_PUNISHED,  /* honest, and did not pass */
    ATTACK_OUTCOMES,
};
extern const char *const attack_outcome_names[ATTACK_OUTCOMES];

/* Cold medians of all sizes, in their order. */
struct attack_times {
    int n; /* 0: not timed */
    double us[CORPUS_MAX_SIZES];
};

/* Keeps the lesser time at each size: a busy machine adds time and takes none away. */
void attack_times_least(struct attack_times *t, const struct attack_times *again);

/* control: times of the attack's control, if it has one. */
enum attack_outcome attack_judge(const struct attack *a, const struct verdict *v,
                                 const struct attack_times *own,
                                 const struct attack_times *control);

#endif
