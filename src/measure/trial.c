/* SPDX-License-Identifier: MIT */
/* Checks, warm-ups and scored calls take the same path, so that a candidate cannot tell them apart:
 *
 *   stop the runner; poison one of the output arenas, copy a content into one of the input arenas,
 *   flush both; wake it (GPUs: awake before all this, with its work queued); call; stop it;
 *   check guards, inputs and outputs.
 *
 * Several runners live side by side, all but one stopped. Scored calls go round among them, so that
 * a disturbance meets all alike. A scored call shows its process a content that it has not seen,
 * and no process sees the memory of another.
 *
 * On devices that can be held back (GPUs) all calls are held but a process's first two and the
 * warm-ups. The candidate's launches queue up before there is a content. When the content is there
 * and the device has come, the judge looks at its clock and releases the device.
 * Warm-ups, and calls of candidates that cannot be held, are released before the call, with the
 * device already there. So they tell what a caller waits: nobody else shares a GPU with a judge.
 *
 * The runner's claim is then held against the judge's clock, and the judge's own flushes against
 * what they took before there was a runner. A doubt is confirmed in fresh processes before it
 * becomes a verdict. */
#include "measure/trial_time.h"

#include "base/clock.h"
#include "base/hash.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Contents that do not all fit are gigabytes each, so making and copying them is most of an
 * evaluation. A candidate that changed such inputs spoiled them for itself: expected values do not
 * come from there. Calls on them take milliseconds, and so does comparing what they wrote: five
 * warm a device up. */
static const struct call_policy policies[] = {
    [RESIDENT] = {.copies_each = true,
                  .scores_more = true,
                  .input_check_every = 1,
                  .most_warm_ups = INT_MAX},
    [STREAMED] = {.hot_on_latest = true, .input_check_every = 8, .most_warm_ups = 5},
};

static void await_others(struct trial *t)
{
    AUTO(phase_end) struct phase_timer timer = phase_begin(trial_phases(t), PHASE_END);

    exiting_await(t->config->exiting);
}

/* --- the phases --- */

/* Calls with fresh contents, then with one of them once more, in memory that held another content
 * in between. The record says whether the repeated answer was the same. */
static int check_phase(struct trial *t, struct verdict *v, struct err *err)
{
    struct rproc_reply reply;
    struct compare_stats first = COMPARE_STATS_INIT;
    uint64_t start = clock_ns();
    int limit_ms = t->config->plan->check_limit_ms;

    for (int k = 0; k < trial_checks(t); k++) {
        progress_report(&t->config->plan->progress, "checks", k, trial_checks(t));

        int rc = trial_held_call(t, &t->crew.runners[0], k, &reply, v, err);

        if (rc)
            return rc;
        if (trial_past(limit_ms, start))
            return verdict_set(v, REASON_TIMEOUT_CHECKS, "%d of %d checks took over %d ms", k + 1,
                               trial_checks(t), limit_ms);
        if (k == trial_old_content(t, 0))
            first = t->last;
    }

    int rc = trial_held_call(t, &t->crew.runners[0], trial_old_content(t, 0), &reply, v, err);

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
        rc = crew_start(&t->crew, v, err);
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
    crew_keep_text(&t->crew);
    res->text = steal(&t->crew.text);
    res->text_bytes = t->crew.text_bytes;
    res->note = steal(&t->crew.note);
    res->layers = t->crew.layers;
    res->n_warm = t->crew.n_warm;
}

/* Makes a trial with arenas and without processes. end_trial() is due after -1, too. */
static int begin_trial(struct trial *t, const struct trial_config *c, struct trial_result *ret,
                       struct err *err)
{
    const struct graph *g = c->pool->graph;

    *t = (struct trial){.config = c,
                        .policy = &policies[c->pool->residency],
                        .ops = c->pool->device->judge,
                        .crew = {c->plan, c->pool, &c->runner, c->spares, c->exiting, .layers = 0},
                        .key = secret_u64(),
                        .holding = c->pool->device->hold_ms > 0,
                        .wrong = VERDICT_INIT,
                        .result = ret};
    *ret = (struct trial_result){.law_bound = -1,
                                 .wrong_content = -1,
                                 .residency = c->pool->residency,
                                 .state = {DEVICE_STATE_UNKNOWN, DEVICE_STATE_UNKNOWN}};
    sched_getaffinity(0, sizeof(t->all_cpus), &t->all_cpus);
    t->pooled = compare_stats_new((size_t)(g->n_laws * g->n_outputs));

    await_others(t);
    pool_begin_candidate(c->pool);
    if (crew_make_arenas(&t->crew, err) < 0)
        return -1;
    t->spread = true; /* lets trial_draw_in() end the pool's threads */
    trial_draw_in(t);
    return 0;
}

static void end_trial(struct trial *t)
{
    const struct trial_config *c = t->config;

    crew_kill(&t->crew);
    sched_setaffinity(0, sizeof(t->all_cpus), &t->all_cpus);
    for (int i = 0; i < PLAN_MAX_RUNNERS; i++)
        arenas_free_later(&t->crew.arenas[i], c->pool, c->exiting);
    free(t->pooled);
    free(t->crew.text);
    free(t->crew.note);
    series_release(&t->wakes);
    series_release(&t->flushes);
    series_release(&t->probes);
    series_release(&t->holds);
    series_release(&t->queues);
    series_release(&t->callers);
}

int trial_run(const struct trial_config *c, struct trial_result *ret, struct verdict *v,
              struct err *err)
{
    struct trial t;
    int rc = begin_trial(&t, c, ret, err);

    crew_note_memory(&t.crew);
    if (rc == 0) {
        rc = run_phases(&t, v, err);
        if (rc < 0)
            rc = crew_blame_memory(&t.crew, ret->n_calls, v, err);
        if (rc == 0 && t.wrong.kind != VERDICT_PASS) {
            *v = t.wrong;
            rc = 1;
        }
        sum_up(&t);
    }
    end_trial(&t);
    return rc;
}

/* --- one call with weights in place --- */

/* Setup finds the content's parameters in their arena. */
static int hand_weights(struct trial *t, int content, struct err *err)
{
    struct pool *p = t->config->pool;
    const struct pool_slot *slot;

    if (pool_get(p, content, &slot, err) < 0)
        return -1;
    return arenas_fill(&t->crew.arenas[0], p, 0, slot, true, err);
}

/* The first call shows other inputs, and its answer is not compared. A candidate that keeps an
 * answer, and not only weights, returns that one again. */
static int call_in_place(struct trial *t, int content, struct verdict *v, struct err *err)
{
    struct rproc *r = &t->crew.runners[0];
    struct call_target other = trial_choose_target(t, r, content == 0);
    struct rproc_reply reply;
    int rc = trial_order(t, r, &other, WIRE_ORDER_CALL, 1, false, &reply, v, err);

    return rc ? rc : trial_call(t, r, content, 1, false, &reply, v, err);
}

bool trial_right_in_place(const struct trial_config *c, int content)
{
    struct plan plan = *c->plan;
    struct trial_config one = *c;
    struct trial_result result;
    struct verdict found = VERDICT_INIT;
    struct err ignored = ERR_INIT;
    struct trial t;

    plan.check_only = true;
    plan.arenas = 1; /* both calls have the same memory: no address tells them apart */
    one.plan = &plan;

    AUTO(phase_end) struct phase_timer timer = phase_begin(pool_phases(c->pool), PHASE_CHECKS);
    int rc = begin_trial(&t, &one, &result, &ignored);

    t.phase = TRIAL_CHECK;
    if (rc == 0)
        rc = hand_weights(&t, content, &ignored);
    if (rc == 0)
        rc = crew_start(&t.crew, &found, &ignored);
    if (rc == 0)
        rc = call_in_place(&t, content, &found, &ignored);
    end_trial(&t);
    trial_result_release(&result);
    return rc == 0;
}

void trial_result_release(struct trial_result *r)
{
    free(r->samples);
    free(r->text);
    free(r->note);
    *r = (struct trial_result){0};
}
