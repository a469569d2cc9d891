/* SPDX-License-Identifier: MIT */
/*
 * Checks, warm-ups and scored calls take the same path, so that a candidate cannot tell them apart:
 *
 *   stop the runner; copy a content into one of the input arenas, poison one of the output arenas,
 *   flush both; wake it; call; stop it; check guards and every output.
 *
 * Several runners live side by side, all but one stopped; scored calls go round among them, so that
 * a disturbance meets all alike. A scored call shows its process a content it has not seen.
 */
#include "judge/trial.h"

#include "base/clock.h"
#include "base/hash.h"
#include "ops/ops.h"
#include "tensor/philox.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define IN_ARENAS 2
#define OUT_ARENAS 2
#define EMPTY_CALLS 7 /* per runner */
#define EMPTY_MAX_NS 1000
#define AUDIT_SLACK_NS 30000
#define HOT_BATCHES 3 /* per runner */
#define HOT_MAX 4096  /* calls in a batch */
#define FRESH_MIN 16  /* contents for scored calls, whatever they cost */
#define LONG_MS 1000  /* of warming up, or of hot calls, is enough */

struct trial {
    const struct trial_config *config;
    const struct device_judge_ops *ops;
    struct rproc_config runner_config;
    struct mem in[IN_ARENAS], out[OUT_ARENAS];
    struct rproc runners[PLAN_MAX_RUNNERS];
    int n_runners;
    uint64_t key; /* of poison and arena choice; secret */
    uint32_t n_calls;
    struct compare_stats *pooled; /* [law * n_outputs + output], over every call */
    struct compare_stats last;    /* of the last call's first output */
    double *wakes;
    int n_wakes, cap_wakes;
    cpu_set_t all_cpus;
    bool spread; /* on all cores at the moment */
    struct trial_result *result;
};

/* --- the judge's own cores --- */

/* While a runner runs, the judge stays on its own core, alone. While it stands still and the
 * tensors are large, the judge works on all of them. */
static void draw_in(struct trial *t)
{
    if (t->spread)
        omp_pause_resource_all(
            omp_pause_soft); /* threads of ours that spin on would be in the way */
    t->spread = false;
    if (t->config->runner.pin)
        sched_setaffinity(0, sizeof(cpu_set_t), &t->config->judge_cpus);
    ops_set_threads(1);
}

static void spread_out(struct trial *t)
{
    if (!t->config->pool->large || t->spread)
        return;
    t->spread = true;
    sched_setaffinity(0, sizeof(t->all_cpus), &t->all_cpus);
    ops_set_threads(0);
}

/* --- memory --- */

static int make_arenas(struct trial *t, struct err *err)
{
    const struct pool *p = t->config->pool;
    const struct pool_slot *slot;

    for (int i = 0; i < IN_ARENAS; i++)
        if (t->ops->mem_alloc(p->ctx, MEM_INPUT, p->in.bytes, &t->in[i], err) < 0)
            return wrap(err, "input arena");
    for (int i = 0; i < OUT_ARENAS; i++)
        if (t->ops->mem_alloc(p->ctx, MEM_OUTPUT, p->out.bytes, &t->out[i], err) < 0)
            return wrap(err, "output arena");
    /* Both input arenas hold something from the start: setup may read parameters in arena 0. */
    if (pool_get(t->config->pool, 0, &slot, err) < 0)
        return -1;
    for (int i = 0; i < IN_ARENAS; i++)
        if (t->ops->copy(p->ctx, &t->in[i], 0, &slot->data, 0, p->in.bytes, err) < 0)
            return -1;
    return 0;
}

static void free_arenas(struct trial *t)
{
    for (int i = 0; i < IN_ARENAS; i++)
        t->ops->mem_free(t->config->pool->ctx, &t->in[i]);
    for (int i = 0; i < OUT_ARENAS; i++)
        t->ops->mem_free(t->config->pool->ctx, &t->out[i]);
}

/* --- one call --- */

struct shot {
    int content, in, out;
    uint64_t poison;
};

static struct shot aim(struct trial *t, int content)
{
    struct philox p = philox4x32(t->n_calls++, 0, 0, 0, (uint32_t)t->key, (uint32_t)(t->key >> 32));

    return (struct shot){content, (int)(p.v[0] % IN_ARENAS), (int)(p.v[1] % OUT_ARENAS),
                         (uint64_t)p.v[2] << 32 | p.v[3]};
}

static int prepare(struct trial *t, const struct shot *s, struct err *err)
{
    struct pool *p = t->config->pool;
    struct mem *mems[2] = {&t->in[s->in], &t->out[s->out]};
    const struct pool_slot *slot;

    if (pool_get(p, s->content, &slot, err) < 0 ||
        t->ops->copy(p->ctx, mems[0], 0, &slot->data, 0, p->in.bytes, err) < 0 ||
        layout_poison(t->ops, p->ctx, &p->out, mems[1], false, s->poison, err) < 0)
        return -1;
    return t->ops->flush ? t->ops->flush(p->ctx, mems, 2, err) : 0;
}

static int check_guards(struct trial *t, const struct shot *s, struct verdict *v, struct err *err)
{
    const struct pool *p = t->config->pool;
    int slot;
    int64_t distance;

    if (layout_check_guards(t->ops, p->ctx, &p->out, &t->out[s->out], s->poison, &slot, &distance,
                            err) < 0)
        return -1;
    if (slot < 0)
        return 0;
    return verdict_set(v, VERDICT_WRONG, "out_of_bounds", "wrote %s of output %s (byte %+lld)",
                       distance < 0 ? "before the start" : "past the end",
                       p->graph->outputs[slot].name,
                       (long long)(distance < 0 ? distance : distance + 1));
}

/* A wrong element that still holds the poison was never written: the more useful thing to say. */
static void explain_unwritten(struct trial *t, const struct shot *s, int output,
                              const struct compare_stats *st, struct verdict *v)
{
    const struct pool *p = t->config->pool;
    size_t size = dtype_size(p->out.slots[output].dtype);
    int64_t at = st->n_nonfinite ? st->first_nonfinite
                 : st->n_unequal ? st->first_unequal
                                 : st->max_at;

    if (at >= 0 && layout_unwritten(t->ops, p->ctx, &p->out, &t->out[s->out], output,
                                    (size_t)at * size, size, s->poison))
        verdict_set(v, VERDICT_WRONG, "unwritten", "%s: element %lld of %lld was never written",
                    p->graph->outputs[output].name, (long long)at, (long long)st->count);
}

/* Whether the gate still says wrong once the honest run was made on this content, too. */
static int judge_output(struct trial *t, const struct shot *s, int output,
                        const struct compare_stats *st, struct verdict *v, struct err *err)
{
    struct pool *p = t->config->pool;
    const struct tensor_slot *slot = &p->out.slots[output];
    const struct gate *gate =
        &p->gates[pool_law(p, s->content) * p->graph->n_outputs + output].gate;
    const char *name = p->graph->outputs[output].name;
    struct verdict first = VERDICT_INIT;

    if (!gate_call(gate, name, &slot->shape, slot->dtype, st, &first))
        return 0;
    if (pool_include_honest(p, s->content, err) < 0)
        return -1;
    if (!gate_call(gate, name, &slot->shape, slot->dtype, st, v))
        return 0;
    explain_unwritten(t, s, output, st, v);
    return 1;
}

static int check_outputs(struct trial *t, const struct shot *s, struct verdict *v, struct err *err)
{
    struct pool *p = t->config->pool;
    int n_outputs = p->graph->n_outputs, law = pool_law(p, s->content), rc = 0;

    for (int o = 0; o < n_outputs && rc == 0; o++) {
        struct compare_stats st = COMPARE_STATS_INIT;

        if (pool_compare(p, s->content, o, &t->out[s->out], p->out.slots[o].offset, &st, err) < 0)
            return -1;
        if (o == 0)
            t->last = st;
        compare_merge(&t->pooled[law * n_outputs + o], &st);
        rc = judge_output(t, s, o, &st, v, err);
    }
    return rc;
}

static void note_wake(struct trial *t, uint64_t start)
{
    if (t->n_wakes == t->cap_wakes) {
        t->cap_wakes = MAX(64, 2 * t->cap_wakes);
        t->wakes = xrealloc(t->wakes, (size_t)t->cap_wakes * sizeof(*t->wakes));
    }
    t->wakes[t->n_wakes++] = (double)(clock_ns() - start);
}

/* Stop, prepare, wake, order, stop. */
static int order(struct trial *t, struct rproc *r, const struct shot *s, enum wire_order what,
                 int count, struct rproc_reply *reply, struct verdict *v, struct err *err)
{
    int rc = rproc_stop(r, v, err);

    spread_out(t);
    if (rc == 0)
        rc = prepare(t, s, err);
    draw_in(t);

    uint64_t start = clock_ns();

    if (rc == 0)
        rc = rproc_wake(r, v, err);
    if (rc == 0) {
        note_wake(t, start);
        rc = rproc_call(r, what, s->in, IN_ARENAS + s->out, count, reply, v, err);
    }
    return rc ? rc : rproc_stop(r, v, err);
}

static int checked_call(struct trial *t, struct rproc *r, int content, int count,
                        struct rproc_reply *reply, struct verdict *v, struct err *err)
{
    struct shot s = aim(t, content);
    int rc = order(t, r, &s, WIRE_ORDER_CALL, count, reply, v, err);

    t->result->n_calls += count;
    spread_out(t);
    if (rc == 0) {
        t->result->candidate_ms += (double)reply->wall_ns / 1e6;
        rc = check_guards(t, &s, v, err);
    }
    return rc ? rc : check_outputs(t, &s, v, err);
}

/* The same for the pooled errors of a law: the honest run is made on all of its contents first. */
static int judge_law(struct trial *t, int i, struct verdict *v, struct err *err)
{
    struct pool *p = t->config->pool;
    int o = i % p->graph->n_outputs, law = i / p->graph->n_outputs;
    const char *name = p->graph->outputs[o].name;
    struct verdict first = VERDICT_INIT;

    if (!gate_pooled(&p->gates[i].gate, name, p->out.slots[o].dtype, &t->pooled[i], &first))
        return 0;
    for (int k = law; k < p->n_contents; k += p->graph->n_laws)
        if (pool_include_honest(p, k, err) < 0)
            return -1;
    return gate_pooled(&p->gates[i].gate, name, p->out.slots[o].dtype, &t->pooled[i], v);
}

static int judge_pooled(struct trial *t, struct verdict *v, struct err *err)
{
    const struct graph *g = t->config->pool->graph;
    int rc = 0;

    for (int i = 0; i < g->n_laws * g->n_outputs && rc == 0; i++)
        if (t->pooled[i].count)
            rc = judge_law(t, i, v, err);
    return rc;
}

/* --- the phases --- */

static int start_runners(struct trial *t, struct verdict *v, struct err *err)
{
    const struct plan *plan = t->config->plan;
    int wanted = plan->check_only ? 1 : plan->runners;
    int rc = 0;

    for (; t->n_runners < wanted && rc == 0; t->n_runners += rc == 0)
        rc = rproc_start(&t->runners[t->n_runners], &t->runner_config, err);
    t->result->layers = UINT32_MAX;
    for (int i = 0; i < t->n_runners && rc == 0; i++) {
        rc = rproc_ready(&t->runners[i], v, err);
        t->result->layers &= t->runners[i].layers;
        if (rc == 0)
            rc = rproc_stop(&t->runners[i], v, err);
    }
    return rc;
}

static int n_checks(const struct trial *t)
{
    return MAX(t->config->plan->checks, t->config->pool->graph->n_laws);
}

/* One that lies there already, for calls that need no fresh content. */
static int old_content(const struct trial *t, int i)
{
    return pool_keeps(t->config->pool, n_checks(t)) ? i % n_checks(t) : n_checks(t) - 1;
}

static bool past(int limit_ms, uint64_t start)
{
    return limit_ms && clock_ms_since(start) > limit_ms;
}

/* Fresh contents, then one of them once more: the same answer when repeated, in memory that held
 * another content in between. */
static int check_phase(struct trial *t, struct verdict *v, struct err *err)
{
    struct rproc_reply reply;
    struct compare_stats first = COMPARE_STATS_INIT;
    uint64_t start = clock_ns();
    int limit_ms = t->config->plan->check_limit_ms;

    for (int k = 0; k < n_checks(t); k++) {
        progress_report(&t->config->plan->progress, "checks", k, n_checks(t));

        int rc = checked_call(t, &t->runners[0], k, 1, &reply, v, err);

        if (rc)
            return rc;
        if (past(limit_ms, start))
            return verdict_set(v, VERDICT_TIMEOUT, "checks", "%d of %d checks took over %d ms",
                               k + 1, n_checks(t), limit_ms);
        if (k == old_content(t, 0))
            first = t->last;
    }

    int rc = checked_call(t, &t->runners[0], old_content(t, 0), 1, &reply, v, err);

    t->result->deterministic = first.sum_sq == t->last.sum_sq && first.max == t->last.max;
    return rc ? rc : judge_pooled(t, v, err);
}

/* Every runner once; more of it is for kernels that are over in no time. */
static bool enough(const struct trial *t, int done, uint64_t start)
{
    return done >= t->n_runners && clock_ms_since(start) > LONG_MS;
}

static int warm_up(struct trial *t, struct verdict *v, struct err *err)
{
    uint64_t start = clock_ns();
    struct rproc_reply reply;

    for (int i = 0; i < t->config->plan->warmups && !enough(t, i, start); i++) {
        progress_report(&t->config->plan->progress, "warm-up", i, t->config->plan->warmups);

        int rc =
            checked_call(t, &t->runners[i % t->n_runners], old_content(t, i), 1, &reply, v, err);

        if (rc)
            return rc;
    }
    return 0;
}

/* What an order costs without a candidate: the least of several. Not the median: on a busy machine,
 * or beside a candidate's thread that hogs the core between calls, that is milliseconds, which
 * taken off would make any kernel look fast. For the same reason it is never more than a
 * microsecond. */
static int empty_calls(struct trial *t, struct verdict *v, struct err *err)
{
    double least = t->config->pool->device->clock == CLOCK_JUDGE ? EMPTY_MAX_NS : INFINITY;

    for (int i = 0; i < EMPTY_CALLS * t->n_runners; i++) {
        struct shot s = aim(t, old_content(t, 0));
        struct rproc_reply reply;
        int rc = order(t, &t->runners[i % t->n_runners], &s, WIRE_ORDER_EMPTY, 1, &reply, v, err);

        if (rc)
            return rc;
        least = fmin(least, (double)reply.wall_ns);
    }
    t->result->empty_ns = least;
    return 0;
}

static double scored_ns(const struct trial *t, const struct rproc_reply *reply)
{
    if (t->config->pool->device->clock != CLOCK_JUDGE)
        return (double)reply->claim_ns;
    return fmax((double)reply->wall_ns - t->result->empty_ns, 0);
}

/* The content for a round of scored calls, the n_checks first being known from the checks; -1 when
 * there is none left. A process sees each at most twice, and the median stays honest when a
 * memoiser owns under half of the samples. */
static int scored_content(const struct trial *t, int round, double made_ms)
{
    const struct pool *p = t->config->pool;
    int made = p->n_contents - n_checks(t);

    /* Made again and again: twice in a row, but for the first two. */
    if (!pool_keeps(p, n_checks(t) + FRESH_MIN))
        return n_checks(t) + (round < 2 ? round : 1 + round / 2);
    if (round < made || (pool_keeps(p, n_checks(t) + round + 1) &&
                         (round < FRESH_MIN || made_ms <= t->config->plan->content_ms)))
        return n_checks(t) + round;
    /* A second time only as far as the plan asks for. */
    if (round >= 2 * made || round * t->n_runners >= t->config->plan->min_calls)
        return -1;
    return n_checks(t) + round - made;
}

/* Has it made, and says how long that took. */
static int bring(struct trial *t, int content, double *ret_ms, struct err *err)
{
    const struct pool_slot *slot;
    uint64_t start = clock_ns();

    spread_out(t);
    if (pool_get(t->config->pool, content, &slot, err) < 0)
        return -1;
    *ret_ms += clock_ms_since(start);
    return 0;
}

static int scored_calls(struct trial *t, struct verdict *v, struct err *err)
{
    const struct plan *plan = t->config->plan;
    struct trial_result *res = t->result;
    uint64_t start = clock_ns();
    double making_ms = 0;
    int most = plan->max_calls / t->n_runners * t->n_runners;

    res->samples = xcalloc((size_t)most, sizeof(*res->samples));
    res->claims = xcalloc((size_t)most, sizeof(*res->claims));
    res->outside = xcalloc((size_t)most, sizeof(*res->outside));
    res->sample_run = xcalloc((size_t)most, sizeof(*res->sample_run));
    while (res->n_samples < most) {
        int content = scored_content(t, res->n_samples / t->n_runners, making_ms);

        if (content < 0)
            break;
        if (bring(t, content, &making_ms, err) < 0)
            return -1;
        for (int r = 0; r < t->n_runners; r++) {
            struct rproc_reply reply;

            progress_report(&plan->progress, "scored calls", res->n_samples,
                            MAX(plan->min_calls, res->n_samples));

            int rc = checked_call(t, &t->runners[r], content, 1, &reply, v, err);

            if (rc)
                return rc;
            res->samples[res->n_samples] = scored_ns(t, &reply);
            res->outside[res->n_samples] = fmax((double)reply.wall_ns - res->empty_ns, 0);
            res->claims[res->n_samples] = (double)reply.claim_ns;
            res->sample_run[res->n_samples++] = r;
        }
        if (past(plan->timing_limit_ms, start))
            break;
        if (res->n_samples < plan->min_calls)
            continue;

        struct interval within =
            stats_within(res->samples, res->sample_run, (size_t)res->n_samples, t->n_runners);

        res->settled = stats_settled(&within);
        if (res->settled || clock_ms_since(start) - making_ms > plan->budget_ms)
            break;
    }
    res->cold = stats_pooled(res->samples, res->sample_run, (size_t)res->n_samples, t->n_runners);
    return judge_pooled(t, v, err);
}

/* The runner's events are a claim: candidate code shares their address space. They are held against
 * the judge's clock, less what an order costs without a candidate. Until launches are held back by
 * a waiting kernel, gaps between them count outside and not inside: the slack is theirs. */
static int audit(const struct trial *t, struct verdict *v)
{
    const struct trial_result *r = t->result;
    double outside = stats_median(r->outside, (size_t)r->n_samples);

    if (t->config->pool->device->clock != CLOCK_CLAIM_AUDITED ||
        r->cold.median >= 0.95 * outside - AUDIT_SLACK_NS)
        return 0;
    return verdict_set(v, VERDICT_REJECTED, "clock",
                       "the runner claims %.1f us a call, the judge's clock says %.1f us",
                       r->cold.median / 1e3, outside / 1e3);
}

static int hot_calls(struct trial *t, struct verdict *v, struct err *err)
{
    double ns[HOT_BATCHES * PLAN_MAX_RUNNERS];
    int run[HOT_BATCHES * PLAN_MAX_RUNNERS], n = 0;
    double per_call = fmax(t->result->cold.median, 100);
    int count = (int)fmin(fmax(t->config->plan->hot_ms * 1e6 / per_call, 1), HOT_MAX);
    uint64_t start = clock_ns();

    for (int i = 0; i < HOT_BATCHES * t->n_runners && !enough(t, i, start); i++) {
        struct rproc_reply reply;
        int r = i % t->n_runners;
        int rc = checked_call(t, &t->runners[r], old_content(t, i), count, &reply, v, err);

        if (rc)
            return rc;
        ns[n] = scored_ns(t, &reply) / count;
        run[n++] = r;
    }
    t->result->hot = stats_pooled(ns, run, (size_t)n, t->n_runners);
    return judge_pooled(t, v, err);
}

/* --- the whole --- */

static int run_phases(struct trial *t, struct verdict *v, struct err *err)
{
    uint64_t start = clock_ns();
    int rc = start_runners(t, v, err);

    t->result->start_ms = clock_ms_since(start);
    start = clock_ns();
    if (rc == 0)
        rc = check_phase(t, v, err);
    t->result->check_ms = clock_ms_since(start);
    if (rc || t->config->plan->check_only)
        return rc;
    start = clock_ns();
    rc = warm_up(t, v, err);
    if (rc == 0)
        rc = empty_calls(t, v, err);
    if (rc == 0)
        rc = scored_calls(t, v, err);
    if (rc == 0)
        rc = audit(t, v);
    if (rc == 0)
        rc = hot_calls(t, v, err);
    t->result->timing_ms = clock_ms_since(start);
    return rc;
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
    res->wake_ns = stats_median(t->wakes, (size_t)t->n_wakes);
    for (int i = 0; i < t->n_runners && !res->text; i++)
        if (t->runners[i].text.len) {
            res->text = xstrdup(buf_str(&t->runners[i].text));
            res->text_bytes = t->runners[i].text_seen;
        }
}

int trial_run(const struct trial_config *c, struct trial_result *ret, struct verdict *v,
              struct err *err)
{
    const struct graph *g = c->pool->graph;
    struct trial t = {
        .config = c, .ops = c->pool->device->judge, .key = secret_u64(), .result = ret};

    *ret = (struct trial_result){0};
    sched_getaffinity(0, sizeof(t.all_cpus), &t.all_cpus);
    for (int i = 0; i < IN_ARENAS; i++)
        t.in[i] = (struct mem)MEM_INIT;
    for (int i = 0; i < OUT_ARENAS; i++)
        t.out[i] = (struct mem)MEM_INIT;
    t.pooled = xcalloc((size_t)(g->n_laws * g->n_outputs), sizeof(*t.pooled));
    for (int i = 0; i < g->n_laws * g->n_outputs; i++)
        t.pooled[i] = (struct compare_stats)COMPARE_STATS_INIT;

    int rc = make_arenas(&t, err);

    if (rc == 0) {
        t.runner_config = c->runner;
        t.runner_config.in = &c->pool->in;
        t.runner_config.out = &c->pool->out;
        t.runner_config.in_arenas = t.in;
        t.runner_config.n_in_arenas = IN_ARENAS;
        t.runner_config.out_arenas = t.out;
        t.runner_config.n_out_arenas = OUT_ARENAS;
        t.spread = true; /* so that threads of the pool's making end here */
        draw_in(&t);
        rc = run_phases(&t, v, err);
        sum_up(&t);
        for (int i = 0; i < t.n_runners; i++)
            rproc_release(&t.runners[i]);
        sched_setaffinity(0, sizeof(t.all_cpus), &t.all_cpus);
    }
    free_arenas(&t);
    free(t.pooled);
    free(t.wakes);
    return rc;
}

void trial_result_release(struct trial_result *r)
{
    free(r->samples);
    free(r->claims);
    free(r->outside);
    free(r->sample_run);
    free(r->text);
    *r = (struct trial_result){0};
}
