/* SPDX-License-Identifier: MIT */
/* Which files a run judges: (model, problem, sample) each, from folders and plans. What cannot be
 * judged is kept too, with the reason, so that the rest of the run goes on without it. */
#ifndef ASSAY_RUN_CANDIDATES_H
#define ASSAY_RUN_CANDIDATES_H

#include "problem/problem.h"

struct candidate {
    char *model;
    char *problem; /* as written ("level1_19"); its full name once it is resolved */
    int sample;
    char *file;      /* or a baseline's word, "torch:eager" */
    size_t root_len; /* of file: the folder it was found in (struct source_file); 0: it was named */
    char *origin;    /* "plan.yaml: line 7", NULL for files that were found */
    char *skipped;   /* why it is not judged, or NULL */
    int problem_at;  /* of candidates.problems once it is resolved; -1 before, and when unknown */
};

struct candidates {
    struct candidate *items;
    int n;
    char **notes; /* what was passed over that is no candidate of anything: one line each */
    int n_notes;
    struct problem_ref *problems;
    int n_problems;
};

void candidates_release(struct candidates *c);
/* Copies its strings. skipped: NULL, or why it is not judged. */
struct candidate *candidates_add(struct candidates *c, const char *model, const char *problem,
                                 int sample, const char *file, const char *skipped);
/* Names of models end up in tables, on terminals, in JSON and HTML: UTF-8 without control
 * characters, nor those that turn the direction of what follows. */
bool candidates_printable(const char *name);
void candidates_note(struct candidates *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Everything below `dir` in one of two layouts, which may be mixed:
 *   MODEL/PROBLEM/sampleN.EXT   with PROBLEM as level1_19, hard_01 or in two folders, level1/19
 *   level_L_problem_P_sample_S_kernel.EXT   KernelBench's run folder; the model is the folder's
 * name. Links beneath `dir` are not followed, and only plain files are candidates: what else is
 * called like one is skipped. -1 only when `dir` itself cannot be read. */
int candidates_scan(const char *dir, struct candidates *ret, struct err *err);

/* The problem that a word means (level1_19, level1/19, a .lua file), among c->problems: found there
 * or added; -1 with err when there is none. */
int candidates_problem(struct candidates *c, const char *share_dir, const char *word,
                       struct err *err);
/* Gives every candidate its problem; one whose problem nobody knows is skipped. Those that have one
 * keep it. */
void candidates_resolve(struct candidates *c, const char *share_dir);
void candidates_drop(struct candidates *c, int at);

/* By problem, model, sample; where two files stand for one sample, neither is judged. */
void candidates_settle(struct candidates *c);

#endif
