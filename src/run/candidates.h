/* SPDX-License-Identifier: MIT */
/* Files that a run judges: (model, problem, sample) each, from folders and plans. Those that cannot
 * be judged are kept too, with the reason, so that the rest of the run goes on without them. */
#ifndef ASSAY_RUN_CANDIDATES_H
#define ASSAY_RUN_CANDIDATES_H

#include "problem/problem.h"

struct candidate {
    char *model;
    char *problem; /* as written ("level1_19"); the full name once resolved */
    int sample;
    char *file;      /* a path, or a baseline's word, "torch:eager" */
    size_t root_len; /* length of the folder in `file`; 0: the file itself was named */
    char *origin;    /* "plan.yaml: line 7", NULL for files that were found */
    char *skipped;   /* why the candidate is not judged, or NULL */
    int problem_at;  /* index in candidates.problems once resolved; -1 before, and if unknown */
};

struct candidates {
    struct candidate *items;
    int n;
    char **notes; /* one line for each thing that was passed over and is no candidate */
    int n_notes;
    struct problem_ref *problems;
    int n_problems;
};

void candidates_release(struct candidates *c);
/* Copies the strings. skipped: NULL, or why the candidate is not judged. */
struct candidate *candidates_add(struct candidates *c, const char *model, const char *problem,
                                 int sample, const char *file, const char *skipped);
/* Whether a model's name is UTF-8 without control characters, and without those that turn the
 * direction of what follows. Names end up in tables, on terminals, in JSON and HTML. */
bool candidates_printable(const char *name);
void candidates_note(struct candidates *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Adds everything below `dir` in one of two layouts, which may be mixed:
 *   MODEL/PROBLEM/sampleN.EXT   with PROBLEM as level1_19, hard_01 or in two folders, level1/19
 *   level_L_problem_P_sample_S_kernel.EXT   KernelBench's run folder; its name is the model
 * Links beneath `dir` are not followed, and only plain files are candidates. Anything else with
 * such a name is skipped. -1 only when `dir` itself cannot be read. */
int candidates_scan(const char *dir, struct candidates *ret, struct err *err);

/* Index in c->problems of the problem that a word means (level1_19, level1/19, a .lua file). It is
 * added if it is new. -1 with err when there is no such problem. */
int candidates_problem(struct candidates *c, const char *share_dir, const char *word,
                       struct err *err);
/* Gives a problem to every candidate without one. A candidate whose problem is unknown is
 * skipped. */
void candidates_resolve(struct candidates *c, const char *share_dir);
void candidates_drop(struct candidates *c, int at);

/* Sorts by problem, model, sample. If two files stand for one sample, neither is judged. */
void candidates_settle(struct candidates *c);

#endif
