/* SPDX-License-Identifier: MIT */
/*
 * Checks, warm-ups and scored calls take the same path, so that a candidate cannot tell them apart:
 *
 *   stop the runner; poison one of the output arenas, copy a content into one of the input arenas,
 *   flush both; wake it (GPUs: awake before all this, with its work queued); call; stop it;
 *   check guards, inputs and outputs.
 *
 * Several runners live side by side, all but one stopped; scored calls go round among them, so that
 * a disturbance meets all alike. A scored call shows its process a content it has not seen, and no
 * process sees the memory of another.
 *
 * On devices that can be held back (GPUs) all but a process's first two calls and the warm-ups are:
 * the candidate's launches queue up before there is a content; when it is there and the device has
 * come, the judge looks at its clock and releases the device.
 * Warm-ups, and calls of candidates that cannot be held, are themselves released, with the device
 * already there, and so tell what a caller waits: nobody else shares a GPU with a judge.
 *
 * What the runner claims there is held against that clock, and the judge's own flushes against what
 * they took before there was a runner. A doubt is confirmed in fresh processes before it becomes a
 * verdict.
 */
#include "measure/trial_parts.h"

#include "base/clock.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>

/* Contents that do not all fit are gigabytes each: what is made again or copied is what the
 * evaluation takes. A candidate that changed such inputs spoiled them for itself: what is expected
 * of it does not come from there. */
static const struct call_policy policies[] = {
    [RESIDENT] = {.copies_each = true, .scores_more = true, .input_check_every = 1},
    [STREAMED] = {.hot_on_latest = true, .input_check_every = 8},
};

#define MEMORY_LEAST ((int64_t)256 << 20) /* of the device: what a judge can do with */

enum device_clock trial_clock(const struct trial_config *c)
{
    return subject_clock(&c->runner.subject, c->runner.device);
}

struct phases *trial_phases(const struct trial *t)
{
    return pool_phases(t->config->pool);
}

const struct subject_kind *trial_subject(const struct trial *t)
{
    return t->config->runner.subject.kind;
}

/* --- runners --- */

void trial_release_arenas(struct trial *t)
{
    for (int i = 0; i < PLAN_MAX_RUNNERS; i++)
        arenas_release(&t->arenas[i], t->config->pool);
}

int trial_make_arenas(struct trial *t, struct err *err)
{
    const struct trial_config *c = t->config;
    const struct device_sweep *sweep = NULL;

    if (t->ops->sweep && !(sweep = t->ops->sweep(c->pool->ctx, err)))
        return -1;
    for (int i = 0; i < plan_runners(c->plan); i++) {
        struct arenas *a = &t->arenas[i];
        struct rproc_config *r = &t->runner_configs[i];

        if (arenas_make(a, c->pool, c->plan->arenas, err) < 0)
            return -1;
        *r = c->runner;
        r->sweep = sweep;
        r->in = &c->pool->in;
        r->out = &c->pool->out;
        r->in_arenas = a->in;
        r->out_arenas = a->out;
        r->n_in_arenas = r->n_out_arenas = a->n;
    }
    return 0;
}

/* The next one. */
static int start_runner(struct trial *t, struct err *err)
{
    struct rproc *r = &t->runners[t->n_runners];
    const struct rproc_config *c = &t->runner_configs[t->n_runners];

    if (!trial_subject(t)->takes_spares || !spares_take(t->config->spares, c, r)) {
        if (rproc_start(r, c, err) < 0)
            return -1;
    } else {
        t->result->n_warm++;
    }
    t->n_runners++;
    return 0;
}

/* Where memory is counted, all runners have their device open before any of them has the artifact.
 */
static int start_counted(struct trial *t, int wanted, struct err *err)
{
    const struct pool *p = t->config->pool;
    int spares = MIN(t->config->spares->n, wanted), rc = 0;

    for (; t->n_runners < wanted - spares && rc == 0; t->n_runners += rc == 0)
        rc = rproc_spawn(&t->runners[t->n_runners], &t->runner_configs[t->n_runners], NULL, err);
    for (int i = 0; i < t->n_runners && rc == 0; i++)
        rc = rproc_await_warm(&t->runners[i], err);
    if (rc == 0)
        rc = budget_begin(&t->budget, t->ops, p->ctx, p->graph->memory_bytes, wanted, err);
    for (int i = 0; i < t->n_runners && rc == 0; i++)
        rc = rproc_hand_over(&t->runners[i], &t->runner_configs[i], err);
    while (t->n_runners < wanted && rc == 0)
        rc = start_runner(t, err);
    return rc;
}

static bool counts_memory(const struct trial *t)
{
    const struct pool *p = t->config->pool;

    return p->graph->memory_bytes && p->device->counts_device_memory &&
           trial_subject(t)->memory_counted;
}

int trial_start_runners(struct trial *t, struct verdict *v, struct err *err)
{
    int wanted = plan_runners(t->config->plan);
    int rc = counts_memory(t) ? start_counted(t, wanted, err) : 0;

    while (t->n_runners < wanted && rc == 0)
        rc = start_runner(t, err);
    t->result->layers = UINT32_MAX;
    for (int i = 0; i < t->n_runners && rc == 0; i++) {
        rc = rproc_ready(&t->runners[i], v, err);
        t->result->layers &= t->runners[i].layers;
        if (rc == 0)
            rc = rproc_stop(&t->runners[i], v, err);
    }
    return rc;
}

/* What the candidate printed, of the first process that did. */
static void keep_text(struct trial *t)
{
    struct trial_result *res = t->result;

    for (int i = 0; i < t->n_runners && !res->text; i++)
        if (t->runners[i].text.len) {
            res->text = xstrdup(buf_str(&t->runners[i].text));
            res->text_bytes = t->runners[i].text_seen;
        }
}

/* Their exit is awaited: nobody is timed beside a driver that cleans up. */
void trial_end_runners(struct trial *t)
{
    AUTO(phase_end) struct phase_timer timer = phase_begin(trial_phases(t), PHASE_END);

    keep_text(t);
    for (int i = 0; i < t->n_runners; i++)
        rproc_release(&t->runners[i]);
    t->n_runners = 0;
}

/* At the end nobody waits for that but the next who is timed. */
static void leave_runners(struct trial *t)
{
    for (int i = 0; i < t->n_runners; i++)
        leaving_add(t->config->leaving, &t->runners[i]);
    t->n_runners = 0;
}

static void await_others(struct trial *t)
{
    AUTO(phase_end) struct phase_timer timer = phase_begin(trial_phases(t), PHASE_END);

    leaving_await(t->config->leaving);
}

/* --- the phases --- */

/* Fresh contents, then one of them once more: the same answer when repeated, in memory that held
 * another content in between. */
static int check_phase(struct trial *t, struct verdict *v, struct err *err)
{
    struct rproc_reply reply;
    struct compare_stats first = COMPARE_STATS_INIT;
    uint64_t start = clock_ns();
    int limit_ms = t->config->plan->check_limit_ms;

    for (int k = 0; k < trial_checks(t); k++) {
        progress_report(&t->config->plan->progress, "checks", k, trial_checks(t));

        int rc = trial_held_call(t, &t->runners[0], k, &reply, v, err);

        if (rc)
            return rc;
        if (trial_past(limit_ms, start))
            return verdict_set(v, REASON_TIMEOUT_CHECKS, "%d of %d checks took over %d ms", k + 1,
                               trial_checks(t), limit_ms);
        if (k == trial_old_content(t, 0))
            first = t->last;
    }

    int rc = trial_held_call(t, &t->runners[0], trial_old_content(t, 0), &reply, v, err);

    t->result->deterministic = first.sum_sq == t->last.sum_sq && first.max == t->last.max;
    return rc ? rc : trial_judge_pooled(t, v, err);
}

static int run_phases(struct trial *t, struct verdict *v, struct err *err)
{
    struct phases *phases = trial_phases(t);
    AUTO(phase_end) struct phase_timer audit = phase_begin(phases, PHASE_AUDIT);
    int rc = trial_audited(t) ? trial_own_work(t, &t->result->idle, err) : 0;

    phase_end(&audit);

    AUTO(phase_end) struct phase_timer starting = phase_begin(phases, PHASE_START);

    if (rc == 0)
        rc = trial_start_runners(t, v, err);
    phase_end(&starting);

    AUTO(phase_end) struct phase_timer checks = phase_begin(phases, PHASE_CHECKS);

    t->phase = TRIAL_CHECK;
    if (rc == 0)
        rc = check_phase(t, v, err);
    if (rc || t->config->plan->check_only)
        return rc;
    phase_end(&checks);

    AUTO(phase_end) struct phase_timer timing = phase_begin(phases, PHASE_TIMING);

    return trial_time(t, v, err);
}

static void sum_up(struct trial *t)
{
    const struct pool *p = t->config->pool;
    struct trial_result *res = t->result;
    double worst = -1;

    for (int i = 0; i < p->graph->n_laws * p->graph->n_outputs; i++) {
        const struct gate *g = &p->gates[i].gate;
        int o = i % p->graph->n_outputs;
        double rho = compare_rho(&t->pooled[i]);

        if (!t->pooled[i].count || !dtype_is_float(p->out.slots[o].dtype))
            continue;

        double share = fmax(rho / (g->rms_factor * g->honest_rms),
                            t->pooled[i].max / (g->max_factor * g->honest_max));

        if (share > worst) {
            worst = share;
            res->error = (struct trial_error){
                rho,           t->pooled[i].max,          g->honest_rms,
                g->honest_max, p->graph->outputs[o].name, i / p->graph->n_outputs};
        }
    }
    res->n_contents = p->n_contents;
    res->wake_ns = series_median(&t->wakes);
    keep_text(t);
}

/* -1: not known. */
static int64_t free_bytes(const struct trial *t)
{
    struct err ignored = ERR_INIT;
    int64_t bytes = -1;

    if (!t->ops->free_bytes || t->ops->free_bytes(t->config->pool->ctx, &bytes, &ignored) < 0)
        return -1;
    return bytes;
}

/* Who is only checked shares the device with others, whose memory that may be; and before a first
 * call nobody but our own contexts took any. What a judge needs depends on the problem, so who took
 * most of what there was may not leave it enough either. */
void trial_look_for_hunger(struct trial *t)
{
    int64_t bytes = free_bytes(t);

    if (!t->config->plan->check_only && t->result->n_calls > 0 && t->n_runners > 0 &&
        t->free_bytes >= 2 * MEMORY_LEAST && bytes >= 0 && bytes < t->free_bytes / 2) {
        t->starved = true;
        t->left_bytes = bytes;
    }
}

/* A judge that fails beside a candidate that has left it no memory has not failed by itself: if the
 * memory is back when it is gone. Where some was left, the judge itself may have taken much since:
 * so most of it has to come back. */
static int blame_memory(struct trial *t, struct verdict *v, struct err *err)
{
    trial_look_for_hunger(t);
    if (!t->starved)
        return -1;
    trial_end_runners(t);

    int64_t now = free_bytes(t);

    if (now < 2 * MEMORY_LEAST ||
        (t->left_bytes >= MEMORY_LEAST && now - t->left_bytes < t->free_bytes / 2))
        return -1;
    *err = (struct err)ERR_INIT;
    return verdict_set(v, REASON_REJECTED_MEMORY,
                       "it holds so much of the device's memory that the judge has too little: "
                       "%.0f MB were left of %.0f MB",
                       (double)t->left_bytes / 1e6, (double)t->free_bytes / 1e6);
}

int trial_run(const struct trial_config *c, struct trial_result *ret, struct verdict *v,
              struct err *err)
{
    const struct graph *g = c->pool->graph;
    struct trial t = {.config = c,
                      .policy = &policies[c->pool->residency],
                      .ops = c->pool->device->judge,
                      .key = secret_u64(),
                      .holding = c->pool->device->hold_ms > 0,
                      .wrong = VERDICT_INIT,
                      .result = ret};

    *ret = (struct trial_result){.law_bound = -1,
                                 .residency = c->pool->residency,
                                 .state = {DEVICE_STATE_UNKNOWN, DEVICE_STATE_UNKNOWN}};
    sched_getaffinity(0, sizeof(t.all_cpus), &t.all_cpus);
    t.pooled = compare_stats_new((size_t)(g->n_laws * g->n_outputs));

    await_others(&t);
    pool_begin_candidate(c->pool);

    int rc = trial_make_arenas(&t, err);

    t.free_bytes = free_bytes(&t);
    if (rc == 0) {
        t.spread = true; /* so that threads of the pool's making end here */
        trial_draw_in(&t);
        rc = run_phases(&t, v, err);
        if (rc < 0)
            rc = blame_memory(&t, v, err);
        if (rc == 0 && t.wrong.kind != VERDICT_PASS) {
            *v = t.wrong;
            rc = 1;
        }
        sum_up(&t);
        leave_runners(&t);
        sched_setaffinity(0, sizeof(t.all_cpus), &t.all_cpus);
    }
    for (int i = 0; i < PLAN_MAX_RUNNERS; i++)
        arenas_leave(&t.arenas[i], c->pool, c->leaving);
    free(t.pooled);
    series_release(&t.wakes);
    series_release(&t.flushes);
    series_release(&t.probes);
    series_release(&t.holds);
    series_release(&t.queues);
    series_release(&t.callers);
    return rc;
}

void trial_result_release(struct trial_result *r)
{
    free(r->samples);
    free(r->text);
    *r = (struct trial_result){0};
}
