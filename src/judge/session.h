/* SPDX-License-Identifier: MIT */
/* Session: one problem on one device, candidate after candidate. Inputs and expected values are
 * made once and serve up to POOL_CANDIDATES candidates; then they are drawn anew. */
#ifndef ASSAY_JUDGE_SESSION_H
#define ASSAY_JUDGE_SESSION_H

#include "build/prebuild.h"
#include "hardware/limits.h"
#include "judge/reference.h"
#include "judge/station.h"
#include "measure/trial.h"
#include "problem/problem.h"
#include "process/bound.h"
#include "terms/plan.h"
#include "terms/verdict.h"

#define POOL_CANDIDATES 50

/* The meaning of `--sizes auto` on a device: full on a GPU, medium on a CPU, small on the fake
 * device, whose times are stated by its candidates. */
enum size_set session_auto_sizes(const struct device *device);

struct session_options {
    const struct device *device;
    int device_index;
    enum size_set sizes;
    bool seed_chosen; /* --seed, for repeating; otherwise the seed is secret */
    bool single;      /* there is one candidate only: its record may state the seed */
    int candidates;   /* number of candidates to come, for spares; 0: not known, maybe many */
    uint64_t seed;
    struct plan plan;
    /* Says what is right in place of the problem's graph; NULL: the graph does. Joined to the
     * session's station. Not owned. */
    struct reference *reference;
};

struct session {
    struct station *station;       /* not owned */
    const struct problem *problem; /* not owned */
    struct session_options options;
    struct rproc_config runner; /* config that every runner is started with */
    struct plan *plans;         /* options.plan, as far as each size allows */
    uint64_t runner_bytes;      /* memory that a runner may take, whatever the size */
    struct pool *pools;         /* one pool per size; opened at first use */
    int n_sizes;
    int served;           /* candidates that these pools served */
    bool told;            /* one of them reads_files, and may tell others what it saw */
    int begun;            /* candidates in all */
    struct phases phases; /* time of the present candidate; pools and trials add to it */
    double open_ms;       /* time of opening; the first candidate's record has it */
    char *problem_h;
    char *plain; /* the program assay-plain, which lies beside the runner */
    /* For candidates in Python: the zygote, or NULL with the reason why there is none. Not owned.
     */
    struct zygote *zygote;
    const struct err *no_zygote;
    const char *entry; /* class or function of the next one; NULL: by rank */
};

/* Opens a session on a station of options->device. The station outlives it and has one session at a
 * time. If the station is not ready yet, it is made so; *ret_calibration_made is as station_ready()
 * says. */
int session_open(struct station *station, const struct problem *problem,
                 const struct session_options *options, struct session **ret,
                 bool *ret_calibration_made, struct err *err);
void session_close(struct session *s);
void session_closep(struct session **s);

struct size_result {
    const struct size *size; /* not owned */
    struct trial_result trial;
    struct limits limits;
    double peak_fraction, sol; /* 0 when not timed */
    bool tried;
};

struct evaluation {
    struct subject subject;
    struct verdict verdict;
    enum err_kind infra_kind; /* ERR_SYSTEM or ERR_DEVICE, with VERDICT_INFRA */
    char id[33];
    char created[21];
    char *file_name;
    char source_hash[HASH_HEX];
    char *source;
    size_t source_len;
    struct build_result build;
    struct buf frozen; /* files that a rehearsal in Python left (bundle.h) */
    struct {
        bool made, cached;
        double ms;
        int64_t bytes;
    } rehearsal;              /* a step of the build; all 0: there was none */
    struct evidence evidence; /* empty unless something was built */
    bool evidence_ready;      /* the builder made it */
    struct bound bound;       /* parameters of a candidate in Python, by its word */
    struct size_result *sizes;
    int n_sizes;
    double peak_fraction, sol; /* geometric means; 0 when not timed */
    uint64_t seed;
    bool seed_spent;     /* nobody is judged on the seed any more: the record states it */
    char pool[HASH_HEX]; /* a commitment to the seed, stated in every record */
    struct phases phases;
};

/* Judges one candidate. Its runners are reaped when the next one is timed, or the station is freed;
 * until they are gone nobody else is timed on the device. A failure on our side becomes
 * VERDICT_INFRA. built: what a builder made of the same text, whose contents are taken; NULL: it is
 * built now. */
void session_eval(struct session *s, const struct source_text *source, struct prebuilt *built,
                  struct evaluation *ret);
/* Judges a baseline, which `word` names in the record, like a candidate. -1 means that there is
 * nothing to record: the baseline is not available here. */
int session_eval_baseline(struct session *s, const struct subject *subject, const char *word,
                          struct evaluation *ret, struct err *err);
void evaluation_release(struct evaluation *e);

#endif
