/* SPDX-License-Identifier: MIT */
/*
 *   builders (one per core) --> queue --> judge (one per device) --> store
 *
 * A builder holds no device. A judge keeps its device open from the first problem to the last, and
 * its session, with inputs and expected values, while the problem stays the same. If something
 * outside seems to have come in between (infra; a runner that was killed), the candidate is judged
 * again, with a fresh session. A build that failed by our own fault is repeated.
 */
#include "run/lane.h"

#include "base/clock.h"
#include "base/interrupt.h"
#include "judge/judge.h"
#include "judge/record.h"
#include "run/queue.h"
#include "sandbox/sandbox.h"
#include "store/run_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MIN_DEPTH 32 /* least number of jobs ahead of the judges */
#define MAX_BUILDERS 64
#define MAX_JUDGES 64
#define INFRA_IN_A_ROW 3 /* after so many, the rest of the batch waits for the next start */
#define TICK_MS 100

struct lane {
    struct run_state *run;
    const struct device *device;
    int first_device, n_devices;
    struct session_options options;
    struct judge *first;     /* opened before there are threads; goes to the first desk */
    struct device_info info; /* the device that code is built for */
    struct queue queue;
    pthread_mutex_t ended_mutex;
    pthread_cond_t ended;
    int desks_left;
    struct err err; /* the first error that ended the run */
};

/* --- reporting --- */

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
    };
    const struct source_file file = {j->candidate->file, j->candidate->root_len};
    struct err err = ERR_INIT;

    if (baseline_is(j->candidate->file))
        return;
    for (int attempt = 0; attempt <= SANDBOX_KILLED_AGAIN; attempt++) {
        prebuilt_release(&j->built);
        if (prebuild(&req, &file, &j->built, &err) == 0)
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

/* --- desks --- */

/* Desk: a thread with a judge, one per device. */
struct desk {
    struct lane *lane;
    struct judge *judge;
    int index; /* index of the device */
    pthread_t thread;
    int problem_at;                /* index of `problem`; -1: none */
    const struct problem *problem; /* the file's, or the reference's */
    struct problem *loaded;        /* NULL: there is none, or a reference */
    struct reference *reference;   /* NULL: none */
    int infra_in_a_row;
    int to_come; /* candidates from the present job on, for spares; no baselines */
};

static int reveal(void *arg, const char *pool, const char *seed, struct err *err)
{
    struct run_state *run = arg;
    int rc;

    pthread_mutex_lock(&run->mutex);
    rc = store_reveal(run->config->store, pool, seed, err);
    pthread_mutex_unlock(&run->mutex);
    return rc;
}

static void tell_calibrated(void *arg, const char *device)
{
    struct run_state *run = arg;

    say(run, run->config->watcher.calibrated, device);
}

static struct judge *new_judge(const struct lane *l)
{
    const struct judge_config c = {.places = l->run->config->places,
                                   .tries_again = true,
                                   .reveal = reveal,
                                   .calibrated = tell_calibrated,
                                   .arg = l->run};

    return judge_new(&c);
}

static int close_problem(struct desk *d, struct err *err)
{
    int rc = judge_rest(d->judge, err);

    problem_freep(&d->loaded);
    reference_freep(&d->reference);
    d->problem = NULL;
    d->problem_at = -1;
    return rc;
}

/* Admission said before the run whether it is to be used. */
static int open_reference(struct desk *d, const struct run_problem *p, struct err *err)
{
    struct session_options o = d->lane->options;

    o.device_index = d->index;
    if (judge_open_reference(d->judge, p->path, &o, true, &d->reference, err) < 0)
        return -1;
    d->problem = reference_problem(d->reference);
    if (!strcmp(d->problem->hash, p->hash))
        return 0;
    return fail(err, ERR_INPUT, "%s: the reference changed while the run went on", p->path);
}

static int open_problem(struct desk *d, int problem_at, struct err *err)
{
    const struct run_problem *p = &d->lane->run->jobs->problems[problem_at];
    int rc;

    if (d->problem_at == problem_at)
        return 0;
    if (close_problem(d, err) < 0)
        return -1;
    if (problem_is_reference(p->path)) {
        rc = open_reference(d, p, err);
    } else {
        rc = problem_load(p->path, p->name, &d->loaded, err);
        d->problem = d->loaded;
    }
    if (rc == 0)
        d->problem_at = problem_at;
    return rc;
}

/* A source that no builder could read is read now, to say why. */
static int read_source(struct job *j, struct err *err)
{
    const struct source_file file = {j->candidate->file, j->candidate->root_len};
    struct prebuilt *b = &j->built;

    return b->source ? 0 : prebuild_read(&file, &b->source, &b->source_len, b->source_hash, err);
}

/* Returns 0 if the job was judged. -1: there is nothing to record, or the problem cannot be judged
 * on this device now. */
static int eval_job(struct desk *d, struct job *j, struct evaluation *ret, struct err *err)
{
    bool is_baseline = baseline_is(j->candidate->file), was_built = j->built.build.log;
    struct judge_request r = {.options = d->lane->options};

    if (open_problem(d, j->candidate->problem_at, err) < 0 ||
        (!is_baseline && read_source(j, err) < 0))
        return -1;
    r.problem = d->problem;
    r.options.reference = d->reference;
    r.options.device_index = d->index;
    r.options.candidates = d->to_come;
    if (is_baseline)
        r.baseline = j->candidate->file;
    r.source = (struct source_text){j->candidate->file, j->built.source, j->built.source_len};
    r.built = was_built ? &j->built : NULL;
    return judge_eval(d->judge, &r, ret, err);
}

/* --- storing --- */

static int store_cells(struct desk *d, const struct job *j, const struct evaluation *e,
                       const json_t *record, struct err *err)
{
    const struct run_config *config = d->lane->run->config;
    AUTO(freep) char *device = jobs_device_name(d->lane->device, &d->judge->station->info);
    AUTO(freep) struct cell_row *cells = xcalloc((size_t)twins_of(j), sizeof(*cells));
    int n = 0;

    for (; j; j = j->twin)
        cells[n++] = (struct cell_row){.model = j->candidate->model,
                                       .problem = j->candidate->problem,
                                       .sample = j->candidate->sample,
                                       .repeat = j->repeat,
                                       .file = j->candidate->file,
                                       .candidate_hash = j->hash,
                                       .problem_hash = d->problem->hash,
                                       .device = device,
                                       .record = e->id};
    return store_run_add(config->store, config->name, record, e->source_hash, e->source,
                         e->source_len, cells, n, err);
}

static int store_result(struct desk *d, const struct job *j, const struct evaluation *e,
                        struct err *err)
{
    struct run_state *run = d->lane->run;
    json_t *record = record_json(d->judge->session, e);
    int n = twins_of(j);

    interrupt_hold();
    pthread_mutex_lock(&run->mutex);

    int rc = store_cells(d, j, e, record, err);

    if (rc == 0) {
        run->progress.filled += n;
        run->progress.verdicts[e->verdict.kind] += n;
    }
    pthread_mutex_unlock(&run->mutex);
    interrupt_release();
    json_decref(record);
    return rc;
}

static void note_infra(struct desk *d, const struct job *j, const struct evaluation *e)
{
    AUTO(freep) char *text = xasprintf("%s: %s", j->candidate->file, e->verdict.detail);

    d->infra_in_a_row = e->verdict.kind == VERDICT_INFRA ? d->infra_in_a_row + 1 : 0;
    if (e->verdict.kind == VERDICT_INFRA)
        say(d->lane->run, d->lane->run->config->watcher.trouble, text);
}

/* A file that changed since the run was planned is not stored: its twins would share the record. */
static bool changed_meanwhile(struct desk *d, const struct job *j, const struct evaluation *e)
{
    struct run_state *run = d->lane->run;

    if (!strcmp(e->source_hash, j->hash) || baseline_is(j->candidate->file))
        return false;

    AUTO(freep)
    char *text = xasprintf("%s: changed during the run; start the run again to judge it",
                           j->candidate->file);

    say(run, run->config->watcher.skipped, text);
    pthread_mutex_lock(&run->mutex);
    run->progress.skipped += twins_of(j);
    pthread_mutex_unlock(&run->mutex);
    return true;
}

/* Returns -1 if the run has to end. */
static int judge_job(struct desk *d, struct job *j, struct err *err)
{
    struct evaluation e;
    struct err why = ERR_INIT;
    int rc = 0;

    if (eval_job(d, j, &e, &why) < 0) {
        AUTO(freep) char *text = xasprintf("%s: %s", j->candidate->file, why.text);

        say(d->lane->run, d->lane->run->config->watcher.trouble, text);
        leave_unjudged(d->lane, j, &why);
        d->infra_in_a_row++;
        return 0;
    }
    note_infra(d, j, &e);
    if (!changed_meanwhile(d, j, &e))
        rc = store_result(d, j, &e, err);
    evaluation_release(&e);
    return rc;
}

static void say_left(struct desk *d, const struct batch *b, int from)
{
    struct run_state *run = d->lane->run;
    struct err why = {.kind = ERR_SYSTEM};
    int left = 0;

    for (int i = from; i < b->n; i++) {
        left += twins_of(run->jobs->order[b->first + i]);
        leave_unjudged(d->lane, run->jobs->order[b->first + i], &why);
    }
    if (!left)
        return;

    AUTO(freep)
    char *text =
        xasprintf("%s: %d more candidates were not judged; start the run again to judge them",
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

/* Spares outlive the problem. So the jobs that nobody has taken yet count as well: a batch of them
 * is this judge's next. */
static int count_to_come(const struct desk *d, const struct batch *b, int from)
{
    struct lane *l = d->lane;
    const struct jobs *jobs = l->run->jobs;
    int untaken = queue_untaken(&l->queue);

    return count_candidates(jobs, b->first + from, b->first + b->n) +
           count_candidates(jobs, untaken, l->queue.end_build) / l->n_devices;
}

/* A job that is passed over is waited for all the same: its build may be going on. */
static int judge_batch(struct desk *d, const struct batch *b, struct err *err)
{
    struct lane *l = d->lane;
    int rc = 0, left_from = -1;

    d->infra_in_a_row = 0;
    for (int i = 0; i < b->n && rc == 0; i++) {
        struct job *j = l->run->jobs->order[b->first + i];

        if (!queue_wait(&l->queue, j))
            return 0;
        d->to_come = count_to_come(d, b, i);
        if (d->infra_in_a_row < INFRA_IN_A_ROW)
            rc = judge_job(d, j, err);
        else if (left_from < 0)
            left_from = i;
        prebuilt_release(&j->built);
        queue_done(&l->queue, j);
    }
    if (left_from >= 0)
        say_left(d, b, left_from);
    return rc;
}

/* With build_only, builds only fill the cache. */
static void pass_batch(struct desk *d, const struct batch *b)
{
    struct lane *l = d->lane;
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

static void *desk_main(void *arg)
{
    struct desk *d = arg;
    struct lane *l = d->lane;
    const struct batch *b;
    struct err err = ERR_INIT;
    int rc = 0;

    while (rc == 0 && (b = queue_batch(&l->queue)))
        if (l->run->config->build_only)
            pass_batch(d, b);
        else
            rc = judge_batch(d, b, &err);
    if (close_problem(d, &err) < 0)
        rc = -1;
    judge_freep(&d->judge);
    if (rc < 0)
        stop_lane(l, &err);
    pthread_mutex_lock(&l->ended_mutex);
    l->desks_left--;
    pthread_cond_broadcast(&l->ended);
    pthread_mutex_unlock(&l->ended_mutex);
    return NULL;
}

/* --- a whole lane --- */

static void tick(struct run_state *run)
{
    pthread_mutex_lock(&run->mutex);
    run->progress.seconds = clock_ms_since(run->start_ns) / 1e3;
    if (run->config->watcher.progress)
        run->config->watcher.progress(run->config->watcher.arg, &run->progress);
    pthread_mutex_unlock(&run->mutex);
}

/* Wakes up only if somebody watches: on the CPU this is one of the cores that are timed. */
static void wait_for_desks(struct lane *l)
{
    pthread_mutex_lock(&l->ended_mutex);
    while (l->desks_left > 0) {
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

    if (word && device_find(word, &d, &l->first_device, err) < 0)
        return -1;
    if (found < 1)
        return device_fail_missing(l->device, l->device->name, why, err);
    l->n_devices = word && strchr(word, ':') ? 1 : MIN(found, MAX_JUDGES);
    l->first = new_judge(l);
    if (judge_open_device(l->first, l->device, l->first_device, err) < 0)
        return -1;
    l->info = l->first->station->info;
    return 0;
}

static int start_desks(struct lane *l, struct desk *desks, struct err *err)
{
    for (int i = 0; i < l->n_devices; i++) {
        struct desk *d = &desks[i];

        *d = (struct desk){.lane = l, .index = l->first_device + i, .problem_at = -1};
        d->judge = i ? new_judge(l) : steal(&l->first);
        l->desks_left++;
        if (pthread_create(&d->thread, NULL, desk_main, d) != 0) {
            judge_freep(&d->judge);
            l->desks_left--;
            l->n_devices = i;
            return i ? 0 : fail(err, ERR_SYSTEM, "cannot start a thread");
        }
    }
    return 0;
}

static int run_threads(struct lane *l, int n_builders, struct err *err)
{
    pthread_t builders[MAX_BUILDERS];
    AUTO(freep) struct desk *desks = xcalloc((size_t)l->n_devices, sizeof(*desks));
    int started = 0, rc = start_desks(l, desks, err);

    while (rc == 0 && started < n_builders &&
           pthread_create(&builders[started], NULL, builder_main, l) == 0)
        started++;
    if (rc == 0 && !started)
        rc = fail(err, ERR_SYSTEM, "cannot start a thread");
    if (rc < 0)
        queue_stop(&l->queue);
    wait_for_desks(l);
    queue_stop(&l->queue);
    for (int i = 0; i < started; i++)
        pthread_join(builders[i], NULL);
    for (int i = 0; i < l->n_devices; i++)
        if (desks[i].lane)
            pthread_join(desks[i].thread, NULL);
    return rc;
}

/* Leaves the jobs for a start on a machine that has such a device. */
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
        judge_free(l.first);
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
