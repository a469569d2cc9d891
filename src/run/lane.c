/* SPDX-License-Identifier: MIT */
/*
 *   builders (one per core) --> queue --> judge (one per device) --> store
 *
 * A builder holds no device. A judge keeps its device open from the first problem to the last, and
 * its session, with inputs and expected values, while the problem stays the same. What looks as if
 * something outside had come in between (infra; a runner or a compiler that was killed) is judged
 * again, with a fresh session.
 */
#include "run/lane.h"

#include "base/clock.h"
#include "base/interrupt.h"
#include "judge/record.h"
#include "judge/worker.h"
#include "run/queue.h"
#include "sandbox/sandbox.h"
#include "store/run_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MIN_DEPTH 32 /* jobs ahead of the judges, at least */
#define MAX_BUILDERS 64
#define MAX_JUDGES 64
#define INFRA_IN_A_ROW 3 /* then the rest of the problem waits for the next start */
#define TICK_MS 100

struct lane {
    struct run_state *run;
    const struct device *device;
    int first_device, n_devices;
    struct session_options options;
    struct station *first;   /* opened before there are judges; the first judge's */
    struct device_info info; /* its own: what code is built for */
    struct queue queue;
    pthread_mutex_t ended_mutex;
    pthread_cond_t ended;
    int judges_left;
    struct err err; /* the first that ended the run */
};

/* --- telling --- */

static void say(struct run_state *run, void (*tell)(void *, const char *), const char *text)
{
    pthread_mutex_lock(&run->mutex);
    if (tell)
        tell(run->config->watcher.arg, text);
    pthread_mutex_unlock(&run->mutex);
}

static void stop_lane(struct lane *l, const struct err *err)
{
    pthread_mutex_lock(&l->ended_mutex);
    if (l->err.kind == ERR_NONE)
        l->err = *err;
    pthread_mutex_unlock(&l->ended_mutex);
    queue_stop(&l->queue);
}

static int twins_of(const struct job *j)
{
    int n = 0;

    for (; j; j = j->twin)
        n++;
    return n;
}

static void leave_unjudged(struct lane *l, const struct job *j, const struct err *why)
{
    struct run_state *run = l->run;

    pthread_mutex_lock(&run->mutex);
    run->progress.unjudged += twins_of(j);
    run->progress.unjudged_kind = MAX(run->progress.unjudged_kind, why->kind);
    pthread_mutex_unlock(&run->mutex);
}

/* --- builders --- */

static void build_job(struct lane *l, struct job *j)
{
    const struct run_state *run = l->run;
    const struct prebuild_request req = {
        .places = run->config->places,
        .device = l->options.device,
        .device_index = l->options.device_index,
        .plan = &l->options.plan,
        .info = &l->info,
        .problem_h = run->jobs->problems[j->candidate->problem_at].header,
        .file = {j->candidate->file, j->candidate->root_len},
    };
    struct err err = ERR_INIT;

    if (baseline_is(j->candidate->file))
        return;
    for (int attempt = 0; attempt <= SANDBOX_KILLED_AGAIN; attempt++) {
        prebuilt_release(&j->built);
        if (prebuild(&req, &j->built, &err) == 0)
            return;
    }
}

static void *builder_main(void *arg)
{
    struct lane *l = arg;
    struct job *j;

    while ((j = queue_take(&l->queue))) {
        build_job(l, j);
        queue_built(&l->queue, j);
    }
    return NULL;
}

/* --- judges --- */

struct judge {
    struct lane *lane;
    int index; /* of the device */
    pthread_t thread;
    int problem_at; /* of the session, -1 without one */
    struct problem *problem;
    struct station *station; /* stays from problem to problem */
    struct session *session;
    char pool[HASH_HEX], seed[24]; /* the session's, to be revealed when it is retired */
    int infra_in_a_row;
    int to_come; /* candidates from the present job on, as far as spares go; no baselines */
    struct worker *worker; /* for baselines; opened at the first one */
    struct err no_worker;  /* why there is none: asking again takes seconds */
};

/* A pool that nobody is judged on any more: its seed is no secret. */
static int reveal(struct judge *g, struct err *err)
{
    struct run_state *run = g->lane->run;
    int rc = 0;

    if (!g->pool[0])
        return 0;
    pthread_mutex_lock(&run->mutex);
    rc = store_reveal(run->config->store, g->pool, g->seed, err);
    pthread_mutex_unlock(&run->mutex);
    g->pool[0] = '\0';
    return rc;
}

static int note_pool(struct judge *g, const struct evaluation *e, struct err *err)
{
    if (strcmp(g->pool, e->pool) != 0 && reveal(g, err) < 0)
        return -1;
    memcpy(g->pool, e->pool, sizeof(g->pool));
    snprintf(g->seed, sizeof(g->seed), "%llu", (unsigned long long)e->seed);
    return 0;
}

static int close_session(struct judge *g, struct err *err)
{
    session_closep(&g->session);
    problem_freep(&g->problem);
    g->problem_at = -1;
    return reveal(g, err);
}

/* How many spares are worth starting; for baselines none. */
static void tell_to_come(const struct judge *g, struct session_options *o, int begun)
{
    o->candidates = begun + g->to_come;
    o->plan.spares = g->to_come ? g->lane->options.plan.spares : -1;
}

/* -1: the problem cannot be judged on this device now. */
static int open_session(struct judge *g, int problem_at, struct err *err)
{
    struct run_state *run = g->lane->run;
    const struct run_problem *p = &run->jobs->problems[problem_at];
    struct session_options options = g->lane->options;
    bool calibrated = false;

    if (g->problem_at == problem_at) {
        tell_to_come(g, &g->session->options, g->session->begun);
        return 0;
    }
    if (close_session(g, err) < 0)
        return -1;
    options.device_index = g->index;
    tell_to_come(g, &options, 0);
    if (problem_load(p->path, p->name, &g->problem, err) < 0 ||
        session_open(g->station, g->problem, &options, &g->session, &calibrated, err) < 0)
        return -1;
    g->problem_at = problem_at;
    if (calibrated)
        say(run, run->config->watcher.calibrated, g->station->info.name);
    return 0;
}

/* A candidate that could kill itself would do so every time; who kills from outside (OOM killer, a
 * test) may well come twice in a row. */
static bool worth_repeating(const struct evaluation *e, int attempt)
{
    if (e->verdict.kind == VERDICT_INFRA)
        return attempt < 1;
    return e->verdict.kind == VERDICT_CRASH && !strcmp(e->verdict.reason, "SIGKILL") &&
           attempt < SANDBOX_KILLED_AGAIN;
}

static int open_worker(struct judge *g, struct err *err)
{
    const struct cpus *cpus = &g->station->cpus;
    const struct places *places = g->lane->run->config->places;
    const struct worker_config c = {
        .share = places->share, .cache = places->cache, .cpus = cpus->split ? &cpus->runner : NULL};

    if (g->worker)
        return 0;
    if (g->no_worker.kind == ERR_NONE && worker_open(&c, &g->worker, &g->no_worker) == 0)
        return 0;
    *err = g->no_worker;
    return -1;
}

static int eval_once(struct judge *g, const struct candidate *c, struct prebuilt *built,
                     struct evaluation *ret, struct err *err)
{
    const struct source_file source = {c->file, c->root_len};
    const char *file = c->file;
    struct baseline b;

    if (!baseline_is(file))
        return session_eval_built(g->session, &source, built, ret, err);
    if (baseline_parse(file, &b, err) < 0 || (b.torch && open_worker(g, err) < 0))
        return -1;
    return session_eval_baseline(g->session, b.torch ? g->worker : NULL, file, &b, ret, err);
}

/* A fresh start for the same problem: the device too is opened anew, should that be what it is. */
static int reopen(struct judge *g, struct err *err)
{
    int problem_at = g->problem_at, rc = close_session(g, err);

    worker_closep(&g->worker); /* it may be what was killed */
    station_free(g->station);
    g->station = station_new(g->lane->run->config->places, g->lane->device, g->index);
    return rc < 0 ? -1 : open_session(g, problem_at, err);
}

/* 0: judged. -1: there is nothing to record. */
static int eval_job(struct judge *g, struct job *j, struct evaluation *ret, struct err *err)
{
    struct prebuilt *built = j->built.source ? &j->built : NULL;

    for (int attempt = 0;; attempt++) {
        if (eval_once(g, j->candidate, built, ret, err) < 0)
            return -1;
        if (!worth_repeating(ret, attempt))
            return 0;
        evaluation_release(ret);
        built = NULL; /* taken by the first attempt; the cache has it */
        if (reopen(g, err) < 0)
            return -1;
    }
}

/* --- storing --- */

static int store_cells(struct judge *g, const struct job *j, const struct evaluation *e,
                       const json_t *record, struct err *err)
{
    const struct run_config *config = g->lane->run->config;
    AUTO(freep) char *device = jobs_device_name(g->lane->device, &g->station->info);
    AUTO(freep) struct cell_row *cells = xcalloc((size_t)twins_of(j), sizeof(*cells));
    int n = 0;

    for (; j; j = j->twin)
        cells[n++] = (struct cell_row){.model = j->candidate->model,
                                       .problem = j->candidate->problem,
                                       .sample = j->candidate->sample,
                                       .repeat = j->repeat,
                                       .file = j->candidate->file,
                                       .candidate_hash = j->hash,
                                       .problem_hash = g->problem->hash,
                                       .device = device,
                                       .record = e->id};
    return store_run_add(config->store, config->name, record, e->source_hash, e->source,
                         e->source_len, cells, n, err);
}

static int store_result(struct judge *g, const struct job *j, const struct evaluation *e,
                        struct err *err)
{
    struct run_state *run = g->lane->run;
    json_t *record = record_json(g->session, e);
    int n = twins_of(j);

    interrupt_hold();
    pthread_mutex_lock(&run->mutex);

    int rc = store_cells(g, j, e, record, err);

    if (rc == 0) {
        run->progress.filled += n;
        run->progress.verdicts[e->verdict.kind] += n;
    }
    pthread_mutex_unlock(&run->mutex);
    interrupt_release();
    json_decref(record);
    return rc;
}

static void note_infra(struct judge *g, const struct job *j, const struct evaluation *e)
{
    AUTO(freep) char *text = xasprintf("%s: %s", j->candidate->file, e->verdict.detail);

    g->infra_in_a_row = e->verdict.kind == VERDICT_INFRA ? g->infra_in_a_row + 1 : 0;
    if (e->verdict.kind == VERDICT_INFRA)
        say(g->lane->run, g->lane->run->config->watcher.trouble, text);
}

/* What was planned is what is stored: twins share this record. */
static bool changed_meanwhile(struct judge *g, const struct job *j, const struct evaluation *e)
{
    struct run_state *run = g->lane->run;

    if (!strcmp(e->source_hash, j->hash) || baseline_is(j->candidate->file))
        return false;

    AUTO(freep)
    char *text =
        xasprintf("%s: changed while the run was going on; run it again", j->candidate->file);

    say(run, run->config->watcher.skipped, text);
    pthread_mutex_lock(&run->mutex);
    run->progress.skipped += twins_of(j);
    pthread_mutex_unlock(&run->mutex);
    return true;
}

/* -1: the run ends. */
static int judge_job(struct judge *g, struct job *j, struct err *err)
{
    struct evaluation e;
    struct err why = ERR_INIT;
    int rc = 0;

    if (open_session(g, j->candidate->problem_at, &why) < 0 || eval_job(g, j, &e, &why) < 0) {
        AUTO(freep) char *text = xasprintf("%s: %s", j->candidate->file, why.text);

        say(g->lane->run, g->lane->run->config->watcher.trouble, text);
        leave_unjudged(g->lane, j, &why);
        g->infra_in_a_row++;
        return 0;
    }
    note_infra(g, j, &e);
    if (!changed_meanwhile(g, j, &e)) {
        rc = note_pool(g, &e, err);
        if (rc == 0)
            rc = store_result(g, j, &e, err);
    }
    evaluation_release(&e);
    return rc;
}

static void say_left(struct judge *g, const struct batch *b, int from)
{
    struct run_state *run = g->lane->run;
    struct err why = {.kind = ERR_SYSTEM};
    int left = 0;

    for (int i = from; i < b->n; i++) {
        left += twins_of(run->jobs->order[b->first + i]);
        leave_unjudged(g->lane, run->jobs->order[b->first + i], &why);
    }
    if (!left)
        return;

    AUTO(freep)
    char *text = xasprintf("%s: %d more candidates are left for the next start",
                           run->jobs->order[b->first]->candidate->problem, left);

    say(run, run->config->watcher.trouble, text);
}

static int count_candidates(const struct jobs *jobs, int from, int end)
{
    int n = 0;

    for (int i = from; i < end && n < SPARES_MAX; i++)
        n += !baseline_is(jobs->order[i]->candidate->file);
    return n;
}

/* Spares outlive the problem: where a batch ends, what nobody has taken yet counts as well, since
 * one of them is this judge's next. */
static int count_to_come(const struct judge *g, const struct batch *b, int from)
{
    struct lane *l = g->lane;
    const struct jobs *jobs = l->run->jobs;
    int untaken = queue_untaken(&l->queue);

    return count_candidates(jobs, b->first + from, b->first + b->n) +
           count_candidates(jobs, untaken, l->queue.end_build) / l->n_devices;
}

/* A job that is passed over is waited for all the same: its build may be going on. */
static int judge_batch(struct judge *g, const struct batch *b, struct err *err)
{
    struct lane *l = g->lane;
    int rc = 0, left_from = -1;

    g->infra_in_a_row = 0;
    for (int i = 0; i < b->n && rc == 0; i++) {
        struct job *j = l->run->jobs->order[b->first + i];

        if (!queue_wait(&l->queue, j))
            return 0;
        g->to_come = count_to_come(g, b, i);
        if (g->infra_in_a_row < INFRA_IN_A_ROW)
            rc = judge_job(g, j, err);
        else if (left_from < 0)
            left_from = i;
        prebuilt_release(&j->built);
        queue_done(&l->queue, j);
    }
    if (left_from >= 0)
        say_left(g, b, left_from);
    return rc;
}

/* With build_only: what is built is in the cache, and that is all. */
static void pass_batch(struct judge *g, const struct batch *b)
{
    struct lane *l = g->lane;
    struct run_state *run = l->run;

    for (int i = 0; i < b->n; i++) {
        struct job *j = run->jobs->order[b->first + i];

        if (!queue_wait(&l->queue, j))
            return;
        pthread_mutex_lock(&run->mutex);
        run->progress.filled += twins_of(j);
        if (j->built.source && j->built.build.status == BUILD_OK)
            run->progress.built += twins_of(j);
        pthread_mutex_unlock(&run->mutex);
        prebuilt_release(&j->built);
        queue_done(&l->queue, j);
    }
}

static void *judge_main(void *arg)
{
    struct judge *g = arg;
    struct lane *l = g->lane;
    const struct batch *b;
    struct err err = ERR_INIT;
    int rc = 0;

    while (rc == 0 && (b = queue_batch(&l->queue)))
        if (l->run->config->build_only)
            pass_batch(g, b);
        else
            rc = judge_batch(g, b, &err);
    if (close_session(g, &err) < 0)
        rc = -1;
    worker_close(g->worker);
    station_free(g->station);
    if (rc < 0)
        stop_lane(l, &err);
    pthread_mutex_lock(&l->ended_mutex);
    l->judges_left--;
    pthread_cond_broadcast(&l->ended);
    pthread_mutex_unlock(&l->ended_mutex);
    return NULL;
}

/* --- the whole --- */

static void tick(struct run_state *run)
{
    pthread_mutex_lock(&run->mutex);
    run->progress.seconds = clock_ms_since(run->start_ns) / 1e3;
    if (run->config->watcher.progress)
        run->config->watcher.progress(run->config->watcher.arg, &run->progress);
    pthread_mutex_unlock(&run->mutex);
}

/* Wakes up only where somebody looks: on the CPU this is one of the cores that are timed. */
static void wait_for_judges(struct lane *l)
{
    pthread_mutex_lock(&l->ended_mutex);
    while (l->judges_left > 0) {
        struct timespec until;

        if (!l->run->config->watcher.progress) {
            pthread_cond_wait(&l->ended, &l->ended_mutex);
            continue;
        }
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += TICK_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&l->ended, &l->ended_mutex, &until);
        pthread_mutex_unlock(&l->ended_mutex);
        tick(l->run);
        pthread_mutex_lock(&l->ended_mutex);
    }
    pthread_mutex_unlock(&l->ended_mutex);
}

static int ask_devices(struct lane *l, struct err *err)
{
    const struct run_config *config = l->run->config;
    const char *word = config->device, *why = "none found";
    const struct device *d = l->device;
    int found = d->probe(&why);
    bool calibrated;

    if (word && device_find(word, &d, &l->first_device, err) < 0)
        return -1;
    if (found < 1)
        return device_fail_missing(l->device, l->device->name, why, err);
    l->n_devices = word && strchr(word, ':') ? 1 : MIN(found, MAX_JUDGES);
    l->first = station_new(config->places, l->device, l->first_device);
    if (station_ready(l->first, &calibrated, err) < 0)
        return -1;
    l->info = l->first->info;
    if (calibrated)
        say(l->run, config->watcher.calibrated, l->info.name);
    return 0;
}

static int start_judges(struct lane *l, struct judge *judges, struct err *err)
{
    for (int i = 0; i < l->n_devices; i++) {
        struct judge *g = &judges[i];

        *g = (struct judge){.lane = l, .index = l->first_device + i, .problem_at = -1};
        g->station =
            i ? station_new(l->run->config->places, l->device, g->index) : steal(&l->first);
        l->judges_left++;
        if (pthread_create(&g->thread, NULL, judge_main, g) != 0) {
            station_free(g->station);
            l->judges_left--;
            l->n_devices = i;
            return i ? 0 : fail(err, ERR_SYSTEM, "cannot start a thread");
        }
    }
    return 0;
}

static int run_threads(struct lane *l, int n_builders, struct err *err)
{
    pthread_t builders[MAX_BUILDERS];
    AUTO(freep) struct judge *judges = xcalloc((size_t)l->n_devices, sizeof(*judges));
    int started = 0, rc = start_judges(l, judges, err);

    while (rc == 0 && started < n_builders &&
           pthread_create(&builders[started], NULL, builder_main, l) == 0)
        started++;
    if (rc == 0 && !started)
        rc = fail(err, ERR_SYSTEM, "cannot start a thread");
    if (rc < 0)
        queue_stop(&l->queue);
    wait_for_judges(l);
    queue_stop(&l->queue);
    for (int i = 0; i < started; i++)
        pthread_join(builders[i], NULL);
    for (int i = 0; i < l->n_devices; i++)
        if (judges[i].lane)
            pthread_join(judges[i].thread, NULL);
    return rc;
}

/* No such device here: the jobs are left for a start where there is. */
static void leave_lane(struct lane *l, int first, int end, const struct err *why)
{
    for (int b = first; b < end; b++)
        for (int i = 0; i < l->run->jobs->batches[b].n; i++)
            leave_unjudged(l, l->run->jobs->order[l->run->jobs->batches[b].first + i], why);
    say(l->run, l->run->config->watcher.trouble, why->text);
}

int lane_run(struct run_state *run, int first, int end, struct err *err)
{
    const struct run_config *config = run->config;
    int cores = (int)MIN(MAX(sysconf(_SC_NPROCESSORS_ONLN), 1), MAX_BUILDERS);
    struct lane l = {
        .run = run,
        .device = run->jobs->order[run->jobs->batches[first].first]->device,
        .ended_mutex = PTHREAD_MUTEX_INITIALIZER,
        .ended = PTHREAD_COND_INITIALIZER,
    };
    struct err why = ERR_INIT;

    if (ask_devices(&l, &why) < 0) {
        station_free(l.first);
        leave_lane(&l, first, end, &why);
        return 0;
    }
    l.options = (struct session_options){.device = l.device,
                                         .device_index = l.first_device,
                                         .sizes = config->sizes,
                                         .plan = config->plan};
    queue_init(&l.queue, run->jobs, first, end, MAX(MIN_DEPTH, 4 * cores), l.device->pins_cores);

    int rc = run_threads(&l, cores, err);

    queue_destroy(&l.queue);
    if (rc == 0 && l.err.kind != ERR_NONE) {
        *err = l.err;
        rc = -1;
    }
    return rc;
}
