/* SPDX-License-Identifier: MIT */
#include "judge/judge.h"

#include "base/fs.h"
#include "sandbox/sandbox.h"
#include "terms/fault_name.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int judge_read(const char *path, struct source_text *ret, char **ret_text, struct err *err)
{
    const struct source_file file = {path, 0};
    char ignored[HASH_HEX];

    if (prebuild_read(&file, ret_text, &ret->len, ignored, err) < 0)
        return -1;
    ret->name = path;
    ret->text = *ret_text;
    return 0;
}

struct judge *judge_new(const struct judge_config *config)
{
    struct judge *g = xcalloc(1, sizeof(*g));

    g->config = *config;
    return g;
}

static void leave_reference(struct judge *g)
{
    if (g->reference)
        reference_leave(g->reference);
    g->reference = NULL;
}

void judge_free(struct judge *g)
{
    if (!g)
        return;
    session_closep(&g->session);
    leave_reference(g);
    station_free(g->station);
    worker_close(g->worker);
    zygote_close(g->zygote);
    free(g);
}

void judge_freep(struct judge **g)
{
    judge_free(*g);
    *g = NULL;
}

/* --- seeds --- */

int judge_reveal(struct judge *g, struct err *err)
{
    char seed[24];
    int rc = 0;

    if (g->pool[0] && g->config.reveal) {
        snprintf(seed, sizeof(seed), "%llu", (unsigned long long)g->seed);
        rc = g->config.reveal(g->config.arg, g->pool, seed, err);
    }
    g->pool[0] = '\0';
    return rc;
}

/* A session draws its contents anew after some candidates. These are another pool. */
static int note_pool(struct judge *g, const struct evaluation *e, struct err *err)
{
    if (strcmp(g->pool, e->pool) != 0 && judge_reveal(g, err) < 0)
        return -1;
    memcpy(g->pool, e->pool, sizeof(g->pool));
    g->seed = e->seed;
    return 0;
}

/* --- device, worker and zygote --- */

int judge_rest(struct judge *g, struct err *err)
{
    session_closep(&g->session);
    leave_reference(g);
    return judge_reveal(g, err);
}

static void tell_calibrated(const struct judge *g, bool calibrated)
{
    if (calibrated && g->config.calibrated)
        g->config.calibrated(g->config.arg, g->station->info.name);
}

/* A worker's runners are pinned as its device wants it, so another device needs another worker. */
static void leave_device(struct judge *g)
{
    leave_reference(g);
    worker_closep(&g->worker);
    zygote_closep(&g->zygote);
    g->no_worker = g->no_zygote = (struct err)ERR_INIT;
    station_freep(&g->station);
}

static int take_station(struct judge *g, const struct device *device, int index, struct err *err)
{
    struct station *st = g->station;

    if (st && st->device == device && st->index == index)
        return 0;
    if (judge_rest(g, err) < 0)
        return -1;
    leave_device(g);
    g->station = station_new(g->config.places, device, index);
    return 0;
}

int judge_open_device(struct judge *g, const struct device *device, int index, struct err *err)
{
    bool calibrated = false;

    if (take_station(g, device, index, err) < 0 || station_ready(g->station, &calibrated, err) < 0)
        return -1;
    tell_calibrated(g, calibrated);
    return 0;
}

/* An import takes a core for seconds: nobody is timed on the CPU meanwhile. */
static int open_zygote(struct judge *g, struct err *err)
{
    AUTO(devlock_release) struct devlock lock = DEVLOCK_INIT;
    const struct cpus *cpus = &g->station->cpus;
    double queue_ms = 0;

    if (devlock_to_build(g->station->device, g->station->index, &lock, &queue_ms, err) < 0)
        return -1;

    const struct zygote_config c = {.places = g->config.places,
                                    .cpus = cpus->split ? &cpus->runner : NULL,
                                    .env = g->station->device->worker_env,
                                    .arch = g->station->info.arch};

    return zygote_open(&c, &g->zygote, err);
}

static int need_zygote(struct judge *g, struct err *err)
{
    if (!g->zygote && g->no_zygote.kind == ERR_NONE)
        open_zygote(g, &g->no_zygote);
    if (g->zygote)
        return 0;
    *err = g->no_zygote;
    return -1;
}

/* --- references --- */

static int join(struct judge *g, struct reference *reference, const struct plan *plan,
                struct err *err)
{
    if (need_zygote(g, err) < 0)
        return -1;
    if (g->reference && g->reference != reference)
        reference_leave(g->reference);
    g->reference = reference;
    reference_join(reference, g->station, g->zygote, plan);
    return 0;
}

/* A reference that can be satisfied without its work is an error, unless the user wants it so. */
static int check_admission(const struct reference *r, bool unadmitted, struct err *err)
{
    AUTO(buf_release) struct buf why = BUF_INIT;

    if (unadmitted || reference_admission(r)->admitted)
        return 0;
    reference_explain(r, &why);
    return fail(err, ERR_INPUT,
                "%s is not admitted: %s; draw other inputs, or judge against it all the same "
                "with --unadmitted (unadmitted: true in a plan)",
                reference_file(r), buf_str(&why));
}

/* NULL: the file cannot be read. */
static struct reference *read_reference(const char *path, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    if (fs_read(path, SOURCE_MAX, &text, err) < 0) {
        err->kind = ERR_INPUT;
        return NULL;
    }
    return reference_new(path, text.ptr, text.len);
}

int judge_open_reference(struct judge *g, const char *path, const struct session_options *o,
                         bool unadmitted, struct reference **ret, struct err *err)
{
    struct reference *r = read_reference(path, err);

    if (!r)
        return -1;
    if (judge_open_device(g, o->device, o->device_index, err) == 0 &&
        join(g, r, &o->plan, err) == 0 && reference_describe(r, err) == 0 &&
        reference_admit(r, err) == 0 && check_admission(r, unadmitted, err) == 0) {
        *ret = r;
        return 0;
    }
    leave_reference(g);
    reference_free(r);
    return -1;
}

int judge_draft(struct judge *g, const char *path, const struct session_options *o, struct buf *ret,
                struct err *err)
{
    AUTO(reference_freep) struct reference *r = read_reference(path, err);

    if (!r)
        return -1;

    /* Nobody is timed, so the device need not be measured. */
    int rc = take_station(g, o->device, o->device_index, err) < 0 ||
                     station_open(g->station, err) < 0 || join(g, r, &o->plan, err) < 0
                 ? -1
                 : reference_draft(r, ret, err);

    leave_reference(g);
    return rc;
}

/* --- sessions --- */

/* Whether the session at hand serves this request. Options that concern one candidate only may
 * differ. */
static bool serves(const struct judge *g, const struct judge_request *r)
{
    const struct session_options *a = &g->session->options, *b = &r->options;

    return g->session->problem == r->problem && a->sizes == b->sizes &&
           a->seed_chosen == b->seed_chosen && (!a->seed_chosen || a->seed == b->seed) &&
           a->single == b->single && a->reference == b->reference &&
           plan_same_calls(&g->plan, &b->plan);
}

/* How many spares are worth starting; for baselines none. */
static int spares_for(const struct session_options *o)
{
    return o->candidates ? o->plan.spares : -1;
}

static void tell_next(struct session *s, const struct session_options *o)
{
    s->options.candidates = s->begun + o->candidates;
    s->options.plan.spares = spares_for(o);
    s->options.plan.build_timeout_ms = o->plan.build_timeout_ms;
    s->options.plan.no_cache = o->plan.no_cache;
    s->options.plan.progress = o->plan.progress;
}

int judge_open(struct judge *g, const struct judge_request *r, struct err *err)
{
    struct session_options o = r->options;
    bool calibrated = false;

    if (take_station(g, o.device, o.device_index, err) < 0)
        return -1;
    if (g->session && serves(g, r)) {
        tell_next(g->session, &o);
        return 0;
    }
    if (judge_rest(g, err) < 0 || (o.reference && join(g, o.reference, &o.plan, err) < 0))
        return -1;
    g->plan = r->options.plan;
    o.plan.spares = spares_for(&o);
    if (session_open(g->station, r->problem, &o, &g->session, &calibrated, err) < 0)
        return -1;
    tell_calibrated(g, calibrated);
    return 0;
}

static int open_worker(struct judge *g, struct err *err)
{
    const struct cpus *cpus = &g->station->cpus;
    const struct worker_config c = {.share = g->config.places->share,
                                    .cache = g->config.places->cache,
                                    .cpus = cpus->split ? &cpus->runner : NULL,
                                    .env = g->station->device->worker_env};

    if (g->worker)
        return 0;
    if (g->no_worker.kind == ERR_NONE && worker_open(&c, &g->worker, &g->no_worker) == 0)
        return 0;
    *err = g->no_worker;
    return -1;
}

/* Without a zygote the candidate's record says why, and other candidates go on. */
static void offer_zygote(struct judge *g, const char *file)
{
    struct err ignored = ERR_INIT;

    if (subject_kind_of_file(file)->launcher != LAUNCH_ZYGOTE)
        return;
    need_zygote(g, &ignored);
    g->session->zygote = g->zygote;
    g->session->no_zygote = &g->no_zygote;
}

/* --- judging --- */

static int eval_once(struct judge *g, const struct judge_request *r, struct prebuilt *built,
                     struct evaluation *ret, struct err *err)
{
    struct baseline b;

    if (judge_open(g, r, err) < 0)
        return -1;
    if (!r->baseline) {
        offer_zygote(g, r->source.name);
        g->session->entry = r->entry;
        session_eval(g->session, &r->source, built, ret);
        return 0;
    }
    if (baseline_parse(r->baseline, &b, err) < 0 ||
        (subject_needs_worker(&b) && open_worker(g, err) < 0))
        return -1;

    const struct subject subject = subject_baseline(&b, g->worker);

    return session_eval_baseline(g->session, &subject, r->baseline, ret, err);
}

/* A candidate that could kill itself would do so every time. A kill from outside (OOM killer, a
 * test) may well come twice in a row. */
static bool worth_repeating(const struct evaluation *e, int attempt)
{
    if (e->verdict.kind == VERDICT_INFRA)
        return attempt < 1;
    return e->verdict.reason == REASON_CRASH_SIGNAL &&
           !strcmp(e->verdict.code, signal_name(SIGKILL)) && attempt < SANDBOX_KILLED_AGAIN;
}

/* The fault may lie in the device, which is opened anew, or in the worker, which may have been
 * killed. */
static int start_afresh(struct judge *g, struct err *err)
{
    int rc = judge_rest(g, err);

    leave_device(g);
    return rc;
}

int judge_eval(struct judge *g, const struct judge_request *r, struct evaluation *ret,
               struct err *err)
{
    struct prebuilt *built = r->built;

    for (int attempt = 0;; attempt++) {
        if (eval_once(g, r, built, ret, err) < 0)
            return -1;
        if (!g->config.tries_again || !worth_repeating(ret, attempt))
            break;
        evaluation_release(ret);
        built = NULL; /* taken by the first attempt; the cache has it */
        if (start_afresh(g, err) < 0)
            return -1;
    }
    if (note_pool(g, ret, err) == 0)
        return 0;
    evaluation_release(ret);
    return -1;
}

/* --- the device for a file --- */

const struct device *judge_torch_device(void)
{
    const char *why;

    for (const struct device *const *d = device_registry; *d; d++)
        if ((*d)->torch_first && (*d)->probe(&why) > 0)
            return *d;
    return &device_cpu;
}

/* Baselines without a worker are our own loops, which run on the CPU only. Those made of CUDA
 * graphs run on GPUs only. */
static int baseline_device(const char *word, const struct device *chosen,
                           const struct device *before, const struct device **ret, struct err *err)
{
    struct baseline b;

    if (baseline_parse(word, &b, err) < 0)
        return -1;
    if (!subject_needs_worker(&b) && chosen && chosen != &device_cpu)
        return fail(err, ERR_INPUT, "runs on the cpu device only");
    if (chosen)
        *ret = chosen;
    else if (!subject_needs_worker(&b))
        *ret = &device_cpu;
    else
        *ret = before ? before : judge_torch_device();
    if (baseline_needs_gpu(&b) && !(*ret)->torch_first)
        return fail(err, ERR_INPUT, "needs a GPU, because it replays CUDA graphs; the device is %s",
                    (*ret)->name);
    return 0;
}

int judge_device_for(const char *file, const struct device *chosen, const struct device *before,
                     const struct device **ret, struct err *err)
{
    AUTO(buf_release) struct buf takes = BUF_INIT;

    if (baseline_is(file))
        return baseline_device(file, chosen, before, ret, err);
    if (chosen)
        *ret = chosen;
    else if (subject_kind_of_file(file)->launcher == LAUNCH_ZYGOTE)
        *ret = judge_torch_device();
    else
        *ret = device_for_file(file);
    if (!chosen || device_takes(chosen, file))
        return 0;
    device_suffixes(chosen, &takes);
    return fail(err, ERR_INPUT, "the %s device takes %s files", chosen->name, buf_str(&takes));
}
