/* SPDX-License-Identifier: MIT */
/*
 * Checks, warm-ups and scored calls take the same path, so that a candidate cannot tell them apart:
 *
 *   stop the runner; poison one of the output arenas, copy a content into one of the input arenas,
 *   flush both; wake it (GPUs: before all this); call; stop it; check guards, inputs and outputs.
 *
 * Several runners live side by side, all but one stopped; scored calls go round among them, so that
 * a disturbance meets all alike. A scored call shows its process a content it has not seen.
 *
 * On devices that can be held back (GPUs) all but a process's first two calls and the warm-ups are:
 * the candidate's launches queue up, then the judge looks at its clock and releases the device.
 * Warm-ups, and calls of candidates that cannot be held, are themselves released, with the device
 * already there, and so tell what a caller waits: nobody else shares a GPU with a judge.
 *
 * What the runner claims there is held against that clock, and the judge's own flushes against what
 * they took before there was a runner. A doubt is confirmed in fresh processes before it becomes a
 * verdict.
 */
#include "judge/trial.h"

#include "base/clock.h"
#include "base/hash.h"
#include "judge/audit.h"
#include "judge/footprint.h"
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
#define AUDIT_EMPTY_CALLS 15
#define IDLE_FLUSHES 7
#define HOT_BATCHES 3 /* per runner */
#define HOT_MAX 4096  /* calls in a batch */
#define INPUT_LOOKS 4 /* one call of so many, where contents are dear */
#define FRESH_MIN 16  /* contents for scored calls, whatever they cost */
#define LONG_MS 1000  /* of warming up, or of hot calls, is enough */

struct trial {
    const struct trial_config *config;
    const struct device_judge_ops *ops;
    struct rproc_config runner_config;
    struct mem in[IN_ARENAS], out[OUT_ARENAS];
    int in_content[IN_ARENAS]; /* which content lies there */
    struct rproc runners[PLAN_MAX_RUNNERS];
    int n_runners;
    uint64_t key; /* of poison and arena choice; secret */
    uint32_t n_calls;
    struct compare_stats *pooled; /* [law * n_outputs + output], over every call */
    struct compare_stats last;    /* of the last call's first output */
    struct series wakes, flushes, holds, queues, callers; /* callers: outside times of warm-ups */
    struct series probes;                                 /* the judge's first work after "done" */
    bool holding;                                         /* as long as the candidate lets it */
    bool hold_lost;  /* ... which it did not, in the middle of a phase */
    double empty[2]; /* an order's own time: [held] */
    cpu_set_t all_cpus;
    bool spread; /* on all cores at the moment */
    struct trial_result *result;
};

enum device_clock trial_clock(const struct trial_config *c)
{
    return c->runner.worker ? CLOCK_CLAIM : c->runner.device->clock;
}

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

/* The score is a claim, and the judge's clock has to confirm it. */
static bool audited(const struct trial *t)
{
    return trial_clock(t->config) == CLOCK_CLAIM_AUDITED;
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
    for (int i = 0; i < IN_ARENAS; i++) {
        if (t->ops->copy(p->ctx, &t->in[i], 0, &slot->data, 0, p->in.bytes, err) < 0)
            return -1;
        t->in_content[i] = 0;
    }
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

static int n_checks(const struct trial *t)
{
    return MAX(t->config->plan->checks, t->config->pool->graph->n_laws);
}

/* Scored contents: behind those of the checks and those of laws that are only checked. */
static int first_scored(const struct trial *t)
{
    return MAX(n_checks(t), graph_first_scored(t->config->pool->graph));
}

/* What is shown twice in a row because it is dear to make, gigabytes of it, is not copied a second
 * time. A candidate that changed its inputs in between spoiled them for itself: the answer that is
 * expected of it is the same. */
static bool copies_anew(const struct trial *t)
{
    return pool_keeps(t->config->pool, first_scored(t) + FRESH_MIN);
}

static struct shot aim(struct trial *t, int content)
{
    struct philox p = philox4x32(t->n_calls++, 0, 0, 0, (uint32_t)t->key, (uint32_t)(t->key >> 32));

    struct shot s = {content, (int)(p.v[0] % IN_ARENAS), (int)(p.v[1] % OUT_ARENAS),
                     (uint64_t)p.v[2] << 32 | p.v[3]};

    for (int i = 0; i < IN_ARENAS && !copies_anew(t); i++)
        if (t->in_content[i] == content)
            s.in = i;
    return s;
}

static int flush(struct trial *t, struct mem *const mems[2], struct series *times, struct err *err)
{
    uint64_t start = clock_ns();

    if (t->ops->flush && t->ops->flush(t->config->pool->ctx, mems, 2, err) < 0)
        return -1;
    series_add(times, (double)(clock_ns() - start));
    return 0;
}

static int fill_arenas(struct trial *t, const struct shot *s, struct err *err)
{
    struct pool *p = t->config->pool;
    const struct pool_slot *slot;

    if (pool_get(p, s->content, &slot, err) < 0 ||
        layout_poison(t->ops, p->ctx, &p->out, &t->out[s->out], false, s->poison, err) < 0)
        return -1;
    if ((copies_anew(t) || t->in_content[s->in] != s->content) &&
        t->ops->copy(p->ctx, &t->in[s->in], 0, &slot->data, 0, p->in.bytes, err) < 0)
        return -1;
    t->in_content[s->in] = s->content;
    return 0;
}

/* An empty order reads and writes no tensor: gigabytes need not be copied for it. */
static int prepare(struct trial *t, const struct shot *s, enum wire_order what, struct err *err)
{
    struct mem *mems[2] = {&t->in[s->in], &t->out[s->out]};

    if (what == WIRE_ORDER_CALL && fill_arenas(t, s, err) < 0)
        return -1;
    return flush(t, mems, &t->flushes, err);
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

/* Inputs are read-only for a runner, but on some devices hostile code can lift that: a GPU's
 * mapping is its own. Where it can, one more look at them: after every call, and where that is
 * gigabytes after some that nobody can guess. What is expected does not come from there. */
static int check_inputs(struct trial *t, const struct shot *s, struct verdict *v, struct err *err)
{
    struct pool *p = t->config->pool;
    const struct pool_slot *slot;
    int64_t at = -1;

    if (!t->ops->differ || (!copies_anew(t) && s->poison % INPUT_LOOKS != 0))
        return 0;
    if (pool_get(p, s->content, &slot, err) < 0 ||
        t->ops->differ(p->ctx, &t->in[s->in], &slot->data, p->in.bytes, &at, err) < 0)
        return -1;
    return at < 0 ? 0
                  : verdict_set(v, VERDICT_WRONG, "input_changed",
                                "call: wrote to its inputs (byte %lld of their memory)",
                                (long long)at);
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

static int wake(struct trial *t, struct rproc *r, struct verdict *v, struct err *err)
{
    uint64_t start = clock_ns();
    int rc = rproc_wake(r, v, err);

    if (rc == 0)
        series_add(&t->wakes, (double)(clock_ns() - start));
    return rc;
}

/* The least that the judge can ask of the device: it waits for what runs there. */
static int probe(struct trial *t, struct series *times, struct err *err)
{
    uint64_t start = clock_ns();
    int64_t ignored;

    if (t->ops->poison_check(t->config->pool->ctx, &t->out[0], 0, 8, 0, &ignored, err) < 0)
        return -1;
    series_add(times, (double)(clock_ns() - start));
    return 0;
}

static enum wire_hold how_to_hold(const struct trial *t, bool work)
{
    if (t->config->pool->device->hold_ms <= 0)
        return WIRE_HOLD_NONE;
    return work ? WIRE_HOLD_WORK : WIRE_HOLD_CALL;
}

/* Stop, prepare, wake, order, stop.
 *
 * A runner that is woken may work before it says that it is awake. On the CPU that takes CPU time,
 * which counts (rproc_head_start_ns). A GPU's work takes none, and goes on while its process stands
 * still: there the content comes last, when the runner is awake, and work that is done ahead meets
 * the judge's own flush, whose time tells (look_for_others). So does a probe's at once after
 * "done", which is the runner's word. */
static int order(struct trial *t, struct rproc *r, const struct shot *s, enum wire_order what,
                 int count, bool hold, struct rproc_reply *reply, struct verdict *v,
                 struct err *err)
{
    int rc = rproc_stop(r, v, err);

    if (rc == 0 && audited(t))
        rc = wake(t, r, v, err);
    spread_out(t);
    if (rc == 0)
        rc = prepare(t, s, what, err);
    draw_in(t);
    if (rc == 0 && !audited(t))
        rc = wake(t, r, v, err);
    if (rc == 0)
        rc = rproc_call(r, what, s->in, IN_ARENAS + s->out, count, how_to_hold(t, hold), reply, v,
                        err);
    if (rc == 0 && audited(t))
        rc = probe(t, &t->probes, err);
    return rc ? rc : rproc_stop(r, v, err);
}

/* Where the problem states a budget: scratch memory in a process of the host's. */
static int check_memory(const struct trial *t, const struct rproc *r, struct verdict *v,
                        struct err *err)
{
    const struct pool *p = t->config->pool;
    int64_t budget = p->graph->memory_bytes, held;

    if (!budget || p->device->driver)
        return 0;
    if (footprint_peak(r->pid, &held, err) < 0)
        return -1;
    if (held - footprint_own_bytes <= budget)
        return 0;
    return verdict_set(v, VERDICT_REJECTED, "memory",
                       "it holds %.1f MB besides its tensors, the problem allows %.1f MB",
                       (double)(held - footprint_own_bytes) / 1e6, (double)budget / 1e6);
}

static int checked_call(struct trial *t, struct rproc *r, int content, int count, bool hold,
                        struct rproc_reply *reply, struct verdict *v, struct err *err)
{
    struct shot s = aim(t, content);
    int rc = order(t, r, &s, WIRE_ORDER_CALL, count, hold, reply, v, err);

    t->result->n_calls += count;
    spread_out(t);
    if (rc == 0) {
        t->result->candidate_ms += (double)reply->wall_ns / 1e6;
        rc = check_memory(t, r, v, err);
    }
    if (rc == 0)
        rc = check_guards(t, &s, v, err);
    if (rc == 0)
        rc = check_inputs(t, &s, v, err);
    if (rc == 0)
        rc = check_outputs(t, &s, v, err);
    if (rc == 0 && t->config->pool->device->clock == CLOCK_JUDGE)
        reply->wall_ns += rproc_head_start_ns(r);
    return rc;
}

/* One call, held back where that can be. A candidate that waits for the device inside its call
 * makes the hold give up: it is not tried again. */
static int held_call(struct trial *t, struct rproc *r, int content, struct rproc_reply *reply,
                     struct verdict *v, struct err *err)
{
    bool hold = t->holding && r->seq >= RPROC_UNHELD_CALLS;
    int rc = checked_call(t, r, content, 1, hold, reply, v, err);

    if (rc == 0 && hold && !reply->held) {
        t->holding = false;
        t->hold_lost = true;
    }
    return rc;
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
    for (int k = 0; k < p->n_contents; k++)
        if (pool_law(p, k) == law && pool_include_honest(p, k, err) < 0)
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

static int start_runner(struct trial *t, struct rproc *r, struct err *err)
{
    if (t->runner_config.worker || !spares_take(t->config->spares, &t->runner_config, r))
        return rproc_start(r, &t->runner_config, err);
    t->result->n_warm++;
    return 0;
}

static int start_runners(struct trial *t, struct verdict *v, struct err *err)
{
    const struct plan *plan = t->config->plan;
    int wanted = plan->check_only ? 1 : plan->runners;
    int rc = 0;

    for (; t->n_runners < wanted && rc == 0; t->n_runners += rc == 0)
        rc = start_runner(t, &t->runners[t->n_runners], err);
    t->result->layers = UINT32_MAX;
    for (int i = 0; i < t->n_runners && rc == 0; i++) {
        rc = rproc_ready(&t->runners[i], v, err);
        t->result->layers &= t->runners[i].layers;
        if (rc == 0)
            rc = rproc_stop(&t->runners[i], v, err);
    }
    return rc;
}

/* One that lies there already, for calls that need no fresh content; of a law that is scored. */
static int old_content(const struct trial *t, int i)
{
    const struct pool *p = t->config->pool;
    int n = n_checks(t), k = pool_keeps(p, n) ? i % n : n - 1;

    while (!graph_law_scored(p->graph, pool_law(p, k)))
        k = (k + n - 1) % n;
    return k;
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

        int rc = held_call(t, &t->runners[0], k, &reply, v, err);

        if (rc)
            return rc;
        if (past(limit_ms, start))
            return verdict_set(v, VERDICT_TIMEOUT, "checks", "%d of %d checks took over %d ms",
                               k + 1, n_checks(t), limit_ms);
        if (k == old_content(t, 0))
            first = t->last;
    }

    int rc = held_call(t, &t->runners[0], old_content(t, 0), &reply, v, err);

    t->result->deterministic = first.sum_sq == t->last.sum_sq && first.max == t->last.max;
    return rc ? rc : judge_pooled(t, v, err);
}

/* Every runner once; more of it is for kernels that are over in no time. */
static bool enough(const struct trial *t, int done, uint64_t start)
{
    return done >= t->n_runners && clock_ms_since(start) > LONG_MS;
}

/* Before the empty order is taken off. Of a worker its own clock, as for its score: the judge's
 * sees it copy torch's results. */
static double caller_ns(const struct trial *t, const struct rproc_reply *reply)
{
    return (double)(t->config->runner.worker ? reply->claim_ns : reply->wall_ns);
}

static int warm_up(struct trial *t, struct verdict *v, struct err *err)
{
    uint64_t start = clock_ns();
    struct rproc_reply reply;

    for (int i = 0; i < t->config->plan->warmups && !enough(t, i, start); i++) {
        progress_report(&t->config->plan->progress, "warm-up", i, t->config->plan->warmups);

        struct rproc *r = &t->runners[i % t->n_runners];
        bool first = r->seq < RPROC_UNHELD_CALLS;
        int rc = checked_call(t, r, old_content(t, i), 1, false, &reply, v, err);

        if (rc)
            return rc;
        if (!first)
            series_add(&t->callers, caller_ns(t, &reply));
    }
    return 0;
}

/* What an order costs without a candidate. Where the judge's clock is the score: the least of
 * several, not the median, which beside a candidate's thread that hogs the core between calls is
 * milliseconds, and taken off would make any kernel look fast; and never more than a microsecond.
 * Where it confirms a median: the median, or noise would look like a lie; and never much more than
 * what calibration saw. */
static int empty_calls(struct trial *t, bool hold, struct verdict *v, struct err *err)
{
    AUTO(series_release) struct series times = {0};
    int n = t->n_runners * (audited(t) ? AUDIT_EMPTY_CALLS : EMPTY_CALLS);

    for (int i = 0; i < n; i++) {
        struct shot s = aim(t, old_content(t, 0));
        struct rproc_reply reply;
        int rc =
            order(t, &t->runners[i % t->n_runners], &s, WIRE_ORDER_EMPTY, 1, hold, &reply, v, err);

        if (rc)
            return rc;
        series_add(&times, (double)reply.wall_ns);
    }
    if (audited(t))
        t->empty[hold] = fmin(series_median(&times), audit_empty_max(t->config->usual_empty_ns));
    else
        t->empty[hold] = stats_quantile(times.values, times.n, 0);
    if (t->config->pool->device->clock == CLOCK_JUDGE)
        t->empty[hold] = fmin(t->empty[hold], EMPTY_MAX_NS);
    return 0;
}

static int empty_orders(struct trial *t, struct verdict *v, struct err *err)
{
    int rc = empty_calls(t, false, v, err);

    if (rc == 0 && t->holding)
        rc = empty_calls(t, true, v, err);
    t->result->empty_ns = t->empty[t->holding];
    return rc;
}

static double scored_ns(const struct trial *t, const struct rproc_reply *reply)
{
    if (trial_clock(t->config) != CLOCK_JUDGE)
        return (double)reply->claim_ns;
    return fmax((double)reply->wall_ns - t->result->empty_ns, 0);
}

/* The content for a round of scored calls, from first_scored on; -1 when there is none left. A
 * process sees each at most twice, and the median stays honest when a memoiser owns under half of
 * the samples. */
static int scored_content(const struct trial *t, int round, double made_ms)
{
    const struct pool *p = t->config->pool;
    int made = p->n_contents - first_scored(t);

    /* Made again and again: twice in a row, but for the first two. */
    if (!copies_anew(t))
        return first_scored(t) + (round < 2 ? round : 1 + round / 2);
    if (round < made || (pool_keeps(p, first_scored(t) + round + 1) &&
                         (round < FRESH_MIN || made_ms <= t->config->plan->content_ms)))
        return first_scored(t) + round;
    /* A second time only as far as the plan asks for. */
    if (round >= 2 * made || round * t->n_runners >= t->config->plan->min_calls)
        return -1;
    return first_scored(t) + round - made;
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

static void free_samples(struct trial_result *r)
{
    freep(&r->samples);
    freep(&r->claims);
    freep(&r->outside);
    freep(&r->sample_run);
    r->n_samples = 0;
}

static int scored_calls(struct trial *t, struct verdict *v, struct err *err)
{
    const struct plan *plan = t->config->plan;
    struct trial_result *res = t->result;
    uint64_t start = clock_ns();
    double making_ms = 0;
    int most = plan->max_calls / t->n_runners * t->n_runners;

    free_samples(res);
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

            int rc = held_call(t, &t->runners[r], content, &reply, v, err);

            if (rc || t->hold_lost) /* begun anew: held calls and others do not mix */
                return rc;
            series_add(&t->holds, (double)reply.hold_ns);
            series_add(&t->queues, (double)reply.queue_ns);
            res->samples[res->n_samples] = scored_ns(t, &reply);
            res->outside[res->n_samples] = fmax((double)reply.wall_ns - t->empty[reply.held], 0);
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

/* The runner's events are a claim: candidate code shares their address space. */
static void audit_scored(const struct trial *t, struct verdict *doubt)
{
    const struct trial_result *r = t->result;
    double outside = stats_median(r->outside, (size_t)r->n_samples);

    if (audited(t) && !audit_cold(r->cold.median, outside, r->held))
        verdict_set(doubt, VERDICT_REJECTED, "clock",
                    "the runner claims %.1f us a call, the judge's clock says %.1f us",
                    r->cold.median / 1e3, outside / 1e3);
}

static void audit_batches(const struct trial *t, const struct series *claims,
                          const struct series *outside, int count, struct verdict *doubt)
{
    double claim = series_median(claims), seen = series_median(outside);

    t->result->hot_outside_ns = seen / count;
    if (audited(t) && !audit_hot(claim, seen))
        verdict_set(doubt, VERDICT_REJECTED, "clock",
                    "the runner claims %.1f us for %d calls back to back, the judge's clock says "
                    "%.1f us",
                    claim / 1e3, count, seen / 1e3);
}

static int hot_count(const struct trial *t)
{
    double per_call = fmax(t->result->cold.median, 100);

    if (audited(t))
        return audit_hot_count(per_call);
    return (int)fmin(fmax(t->config->plan->hot_ms * 1e6 / per_call, 1), HOT_MAX);
}

/* The batch is held in front, where the driver's queue takes that many launches; where it does not,
 * the hold gave up and counts outside: such a batch is made again without. */
static int hot_calls(struct trial *t, struct verdict *doubt, struct verdict *v, struct err *err)
{
    double ns[HOT_BATCHES * PLAN_MAX_RUNNERS];
    int run[HOT_BATCHES * PLAN_MAX_RUNNERS], n = 0, count = hot_count(t), rc = 0;
    AUTO(series_release) struct series claims = {0}, outside = {0};
    bool hold = t->holding;
    uint64_t start = clock_ns();

    while (n < HOT_BATCHES * t->n_runners && !enough(t, n, start)) {
        struct rproc_reply reply;
        int r = n % t->n_runners;

        rc = checked_call(t, &t->runners[r], old_content(t, n), count, hold, &reply, v, err);
        if (rc)
            return rc;
        if (hold && !reply.held) {
            hold = false;
            continue;
        }
        series_add(&claims, (double)reply.claim_ns);
        series_add(&outside, fmax((double)reply.wall_ns - t->empty[reply.held], 0));
        ns[n] = scored_ns(t, &reply) / count;
        run[n++] = r;
    }
    t->result->hot = stats_pooled(ns, run, (size_t)n, t->n_runners);
    audit_batches(t, &claims, &outside, count, doubt);
    return judge_pooled(t, v, err);
}

/* --- what else runs on the device --- */

static int time_own_work(struct trial *t, struct own_work *ret, struct err *err)
{
    struct mem *const mems[2] = {&t->in[0], &t->out[0]};
    AUTO(series_release) struct series flushes = {0}, probes = {0};

    for (int i = 0; i < IDLE_FLUSHES + 1; i++) {
        if (flush(t, mems, &flushes, err) < 0 || probe(t, &probes, err) < 0)
            return -1;
        if (i == 0) { /* the first ones also make their memory */
            series_clear(&flushes);
            series_clear(&probes);
        }
    }
    *ret = (struct own_work){series_median(&flushes), series_median(&probes)};
    return 0;
}

static bool is_busy(const struct trial *t, const struct own_work *now)
{
    const struct own_work *idle = &t->result->idle;

    return audit_busy(idle->flush_ns, now->flush_ns) ||
           audit_late(idle->probe_ns, t->config->usual_probe_ns, now->probe_ns);
}

/* Their exit is awaited: nobody is timed beside a driver that cleans up. */
static void end_runners(struct trial *t)
{
    uint64_t start = clock_ns();

    for (int i = 0; i < t->n_runners; i++)
        rproc_release(&t->runners[i]);
    t->n_runners = 0;
    t->result->end_ms += clock_ms_since(start);
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
    uint64_t start = clock_ns();

    leaving_await(t->config->leaving);
    t->result->end_ms += clock_ms_since(start);
}

/* The judge's own work takes longer than before there was a runner: its doing if that is over once
 * it is gone, else somebody else's, and nothing that is timed here means anything. */
static int look_for_others(struct trial *t, struct verdict *doubt, struct err *err)
{
    struct trial_result *r = t->result;
    struct own_work alone;

    r->busy = (struct own_work){series_median(&t->flushes), series_median(&t->probes)};
    if (!audited(t) || !is_busy(t, &r->busy))
        return 0;
    end_runners(t);
    if (time_own_work(t, &alone, err) < 0)
        return -1;
    if (is_busy(t, &alone))
        return fail(err, ERR_DEVICE,
                    "the device is busy: a flush took %.0f us at first and takes %.0f us now, with "
                    "no runner left; wait for the other program, or use another device",
                    r->idle.flush_ns / 1e3, alone.flush_ns / 1e3);
    verdict_set(doubt, VERDICT_REJECTED, "busy",
                "the candidate's work runs on between calls: a flush takes %.0f us then, %.0f us "
                "on the idle device; a probe after its calls %.0f us, and %.0f us",
                r->busy.flush_ns / 1e3, r->idle.flush_ns / 1e3, r->busy.probe_ns / 1e3,
                r->idle.probe_ns / 1e3);
    return 0;
}

static void ask_state(struct trial *t, int which)
{
    if (t->ops->state)
        t->ops->state(t->config->pool->ctx, &t->result->state[which]);
}

/* --- the whole --- */

static void note_call(struct trial *t)
{
    struct trial_result *r = t->result;

    r->held = t->holding;
    r->hold_ns = series_median(&t->holds);
    r->queue_ns = r->held ? series_median(&t->queues) : 0;
    r->call_ns = audited(t) ? stats_median(r->outside, (size_t)r->n_samples) : r->cold.median;
    if (r->held && t->callers.n)
        r->call_ns =
            fmax(series_median(&t->callers) - (t->config->runner.worker ? 0 : t->empty[false]), 0);
    r->host_bound = r->held && audit_host_bound(r->cold.median, r->call_ns, r->queue_ns);
}

/* One go at timing. Stops early where there is a doubt, or a hold that was lost. */
static int measure(struct trial *t, struct verdict *doubt, struct verdict *v, struct err *err)
{
    int rc;

    series_clear(&t->callers);
    series_clear(&t->holds);
    series_clear(&t->queues);
    series_clear(&t->flushes);
    series_clear(&t->probes);
    rc = warm_up(t, v, err);
    ask_state(t, 0);
    if (rc == 0)
        rc = empty_orders(t, v, err);
    if (rc == 0)
        rc = scored_calls(t, v, err);
    if (rc || t->hold_lost)
        return rc;
    note_call(t);
    rc = look_for_others(t, doubt, err);
    if (rc == 0 && doubt->kind == VERDICT_PASS)
        audit_scored(t, doubt);
    if (rc == 0 && doubt->kind == VERDICT_PASS)
        rc = hot_calls(t, doubt, v, err);
    ask_state(t, 1);
    return rc;
}

static int start_over(struct trial *t, struct verdict *v, struct err *err)
{
    end_runners(t);
    return start_runners(t, v, err);
}

static int timed_phase(struct trial *t, struct verdict *v, struct err *err)
{
    for (int doubts = 0;;) {
        struct verdict doubt = VERDICT_INIT;
        int rc;

        t->hold_lost = false;
        t->result->runs++;
        rc = measure(t, &doubt, v, err);
        if (rc || (doubt.kind == VERDICT_PASS && !t->hold_lost))
            return rc;
        if (doubt.kind != VERDICT_PASS && doubts++) {
            *v = doubt;
            return 1;
        }
        rc = start_over(t, v, err);
        if (rc)
            return rc;
    }
}

static int run_phases(struct trial *t, struct verdict *v, struct err *err)
{
    uint64_t start = clock_ns();
    int rc = audited(t) ? time_own_work(t, &t->result->idle, err) : 0;

    if (rc == 0)
        rc = start_runners(t, v, err);
    t->result->start_ms = clock_ms_since(start);
    start = clock_ns();
    if (rc == 0)
        rc = check_phase(t, v, err);
    t->result->check_ms = clock_ms_since(start);
    if (rc || t->config->plan->check_only)
        return rc;
    start = clock_ns();
    rc = timed_phase(t, v, err);
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
    res->wake_ns = series_median(&t->wakes);
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
    struct trial t = {.config = c,
                      .ops = c->pool->device->judge,
                      .key = secret_u64(),
                      .holding = c->pool->device->hold_ms > 0,
                      .result = ret};

    *ret = (struct trial_result){.state = {DEVICE_STATE_UNKNOWN, DEVICE_STATE_UNKNOWN}};
    sched_getaffinity(0, sizeof(t.all_cpus), &t.all_cpus);
    for (int i = 0; i < IN_ARENAS; i++)
        t.in[i] = (struct mem)MEM_INIT;
    for (int i = 0; i < OUT_ARENAS; i++)
        t.out[i] = (struct mem)MEM_INIT;
    t.pooled = xcalloc((size_t)(g->n_laws * g->n_outputs), sizeof(*t.pooled));
    for (int i = 0; i < g->n_laws * g->n_outputs; i++)
        t.pooled[i] = (struct compare_stats)COMPARE_STATS_INIT;

    await_others(&t);

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
        leave_runners(&t);
        sched_setaffinity(0, sizeof(t.all_cpus), &t.all_cpus);
    }
    free_arenas(&t);
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
    free_samples(r);
    free(r->text);
    *r = (struct trial_result){0};
}
