/* SPDX-License-Identifier: MIT */
/* Plan: how an evaluation is carried out; part of the record. */
#ifndef ASSAY_TERMS_PLAN_H
#define ASSAY_TERMS_PLAN_H

#include "base/err.h"
#include "terms/progress.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_MAX_RUNNERS 8
#define PLAN_MIN_ARENAS 2 /* a content is seen at more than one address */
#define PLAN_MAX_ARENAS 16
/* Contents that are made for scored calls whatever they cost: so many, and so many of each scored
 * law. */
#define PLAN_FRESH 16
#define PLAN_FRESH_LAW 6
/* Least number of scored calls that a median rests on, however few a plan asks for. */
#define PLAN_LEAST_CALLS 12

/* Weights: when a module in Python gets the values of its parameters. Results of different weights
 * are never compared. To add one: a line here and its name in plan.c. */
enum weights {
    WEIGHTS_PER_CALL, /* other parameters in every content */
    WEIGHTS_FIXED, /* one set for all contents, which is in place when the class is constructed */
    WEIGHTS_SEED,  /* reference and candidate draw their own, from one seed: KernelBench's rule */
};
extern const char *const weights_names[]; /* by value; ends with NULL */
/* The value of a word; ERR_USAGE names `what` took it, such as "--weights". */
int weights_parse(const char *what, const char *word, enum weights *ret, struct err *err);

struct plan {
    int checks;    /* calls on fresh contents before anything is timed; at least one of every law */
    int warmups;   /* number of warm-ups, over all runners */
    int min_calls; /* scored calls per size, over all runners */
    int max_calls;
    int budget_ms;  /* time for the scored calls of one size */
    int content_ms; /* time for contents beyond those of plan_fresh(), per size */
    int runners;    /* fresh processes per size, interleaved */
    int spares;     /* runners kept warm; 0: the device decides, -1: none */
    int arenas;     /* input arenas, and as many output arenas; 0: PLAN_MIN_ARENAS */
    bool steady;    /* `runners` is the largest number: plan_fit() */
    int hot_ms;     /* length of one back-to-back batch */
    int call_timeout_ms;
    int build_timeout_ms;
    int check_limit_ms;  /* limit for the checks of one size, 0: none; past it: timeout */
    int timing_limit_ms; /* limit for scored calls of one size, 0: none; past it fewer will do */
    bool check_only;     /* no timing: verdict on correctness alone */
    enum weights weights;
    bool require_sandbox;
    bool no_cache;
    struct progress progress;
};

static inline int plan_runners(const struct plan *p)
{
    return p->check_only ? 1 : p->runners;
}

/* Contents that are made for scored calls whatever they cost, and the least number of scored calls;
 * both are whole rounds over the processes. */
int plan_fresh(const struct plan *p, int scored_laws);
int plan_least_calls(const struct plan *p, int scored_laws);

/* Default plan. session_open() chooses the number of processes: three on a CPU, because medians
 * differ between processes more than inside one (facts measured on a CPU). */
#define PLAN_DEFAULT                                                                       \
    {                                                                                      \
        .checks = 5, .warmups = 10, .min_calls = 30, .max_calls = 400, .budget_ms = 500,   \
        .content_ms = 10, .hot_ms = 1, .call_timeout_ms = 10000, .build_timeout_ms = 60000 \
    }

/* Changes the plan for figures to be published: so many processes, buffers and calls that judging a
 * candidate again gives its median again, within 0.1 us or 1 % on a GPU. */
void plan_make_steady(struct plan *p);
/* Fits the plan to a size whose inputs and outputs take so many bytes. Large tensors lie everywhere
 * in memory, and their calls take long. So they need fewer buffers and, in a steady plan, fewer
 * processes with as many calls each. */
void plan_fit(struct plan *p, size_t tensor_bytes);

/* Whether both plans ask for the same calls. Spares, the build and the progress do not count. */
bool plan_same_calls(const struct plan *a, const struct plan *b);

#endif
