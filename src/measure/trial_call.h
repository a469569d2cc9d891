/* SPDX-License-Identifier: MIT */
/* One call of a trial: what it is about, how it is made, how it is checked. */
#ifndef ASSAY_MEASURE_TRIAL_CALL_H
#define ASSAY_MEASURE_TRIAL_CALL_H

#include "measure/crew.h"
#include "measure/trial.h"

/* Target of an order: a content, arenas of the runner, and the poison around it. */
struct call_target {
    struct arenas *arenas;
    int content, in, out;
    uint64_t poison;    /* a candidate can read poison and undo it: nothing else follows from it */
    uint32_t looks;     /* chooses looks at inputs and memory that nobody can guess */
    struct peeks peeks; /* secret places of the output to look at */
};

enum trial_phase { TRIAL_CHECK, TRIAL_WARM_UP, TRIAL_SCORE };

/* Work in a call beside calling, by the pool's residency. */
struct call_policy {
    bool copies_each;      /* a content is copied even if it lies in the arena already */
    bool scores_more;      /* contents beyond the least number are drawn while they are cheap */
    bool hot_on_latest;    /* hot calls take the latest content, scored or not */
    int input_check_every; /* inputs are checked in one call of so many, which nobody can guess */
    int most_warm_ups;     /* warm-ups, where the plan has more */
};

struct trial {
    const struct trial_config *config;
    const struct call_policy *policy;
    const struct device_judge_ops *ops;
    struct crew crew;
    uint64_t key; /* secret; for poison and the choice of arenas */
    uint32_t n_calls;
    struct compare_stats *pooled; /* [law * n_outputs + output], over every call */
    struct compare_stats last;    /* figures of the last call's first output */
    struct call_target target;    /* target of the last call */
    struct series wakes, flushes, holds, queues, callers; /* callers: outside times of warm-ups */
    struct series probes;                                 /* the judge's first work after "done" */
    uint32_t seen[DEVICE_PEEKS];        /* words of the output that the last probe saw */
    struct mem views[WIRE_MAX_RESULTS]; /* results of the last call in the runner's own memory */
    int n_views;                        /* 0: they are in the output arena */
    bool holding;                       /* calls are held, as long as the candidate lets it */
    bool hold_lost;                     /* the hold ended in the middle of a phase */
    int crowded;                        /* held calls in a row whose flush was late */
    int crowds;                         /* how often a crowded device ended the hold */
    bool tried_again;     /* the hold was tried again after a crowded device ended it */
    double empty[2];      /* time of an empty order: [held] */
    double empty_head;    /* CPUs: an empty order's unexplained CPU time (AUDIT_HEAD_LOW) */
    struct verdict wrong; /* finding on a vendor's library, which is timed all the same */
    enum trial_phase phase;
    cpu_set_t all_cpus;
    bool spread; /* the judge works on all cores at the moment */
    struct trial_result *result;
};

/* Whether the score is a claim, which the judge's clock has to confirm. */
bool trial_audited(const struct trial *t);
const struct subject_kind *trial_subject(const struct trial *t);
struct phases *trial_phases(const struct trial *t); /* phases of its pool */
void trial_draw_in(struct trial *t);
void trial_spread_out(struct trial *t);

int trial_checks(const struct trial *t); /* number of checks */
int trial_first_scored(const struct trial *t);
int trial_fresh(const struct trial *t); /* contents for scored calls, at any cost */
int trial_old_content(const struct trial *t, int i);

struct call_target trial_choose_target(struct trial *t, const struct rproc *r, int content);
int trial_flush(struct trial *t, const struct call_target *s, struct series *times,
                struct err *err);
int trial_probe(struct trial *t, const struct call_target *s, struct series *times,
                struct err *err);
/* An order that is not checked, for empty ones. */
int trial_order(struct trial *t, struct rproc *r, const struct call_target *s, enum wire_order what,
                int count, bool hold, struct rproc_reply *reply, struct verdict *v,
                struct err *err);
int trial_call(struct trial *t, struct rproc *r, int content, int count, bool hold,
               struct rproc_reply *reply, struct verdict *v, struct err *err);
int trial_held_call(struct trial *t, struct rproc *r, int content, struct rproc_reply *reply,
                    struct verdict *v, struct err *err);
int trial_judge_pooled(struct trial *t, struct verdict *v, struct err *err);
bool trial_past(int limit_ms, uint64_t start); /* limit_ms 0: no limit */

#endif
