/* SPDX-License-Identifier: MIT */
/* Timing: warm-ups, empty orders, scored calls, batches back to back. Then the clocks are held
 * against each other, and the judge's own work against what it took alone. */
#include "measure/trial_time.h"

#include "base/clock.h"
#include "measure/audit.h"

#include <math.h>
#include <stdlib.h>

#define EMPTY_CALLS 7 /* empty orders per runner */
#define AUDIT_EMPTY_CALLS 11
#define ASIDE_EMPTY_CALLS 5 /* empty orders without a hold, if held ones count */
#define IDLE_FLUSHES 7
#define BUSY_QUANTILE 0.75 /* the median would miss work in half of the calls */
#define HOT_BATCHES 3      /* batches per runner */
#define HOT_MAX 4096       /* calls in a batch */
#define LONG_MS 1000       /* longest warm-up, and longest time for hot calls */
#define HOT_LONG_NS 1e6    /* batches of longer calls hardly differ: two are enough */

/* Every runner has one call at least; more are for kernels that are over in no time. */
static bool enough(const struct trial *t, int done, uint64_t start)
{
    return done >= t->crew.n && clock_ms_since(start) > LONG_MS;
}

/* Time that a caller waits, before the empty order is taken off. If a subject's own clock is its
 * score, that clock is taken: the judge's also sees the copy of torch's results. */
static double caller_ns(const struct trial *t, const struct rproc_reply *reply)
{
    return (double)(trial_subject(t)->own_clock ? reply->claim_ns : reply->wall_ns);
}

static int warm_up(struct trial *t, struct verdict *v, struct err *err)
{
    int n = MIN(t->config->plan->warmups, t->policy->most_warm_ups);
    uint64_t start = clock_ns();
    struct rproc_reply reply;

    for (int i = 0; i < n && !enough(t, i, start); i++) {
        progress_report(&t->config->plan->progress, "warm-up", i, n);

        struct rproc *r = &t->crew.runners[i % t->crew.n];
        bool first = r->seq < RPROC_UNHELD_CALLS;
        int rc = trial_call(t, r, trial_old_content(t, i), 1, false, &reply, v, err);

        if (rc)
            return rc;
        if (!first)
            series_add(&t->callers, caller_ns(t, &reply));
    }
    return 0;
}

/* Time of an order without a candidate, never more than calibration ever saw. If the judge's clock
 * is the score, it is the least of several. A candidate's thread that hogs the core between calls
 * would make the median milliseconds, and any kernel look fast. If the judge's clock confirms a
 * median, it is the median: with the least, noise would look like a lie. */
static int empty_calls(struct trial *t, bool hold, struct verdict *v, struct err *err)
{
    AUTO(series_release) struct series times = {0}, heads = {0};
    int each = !trial_audited(t)    ? EMPTY_CALLS
               : hold == t->holding ? AUDIT_EMPTY_CALLS
                                    : ASIDE_EMPTY_CALLS;
    int n = t->crew.n * each;

    for (int i = 0; i < n; i++) {
        struct rproc *r = &t->crew.runners[i % t->crew.n];
        struct call_target s = trial_choose_target(t, r, trial_old_content(t, 0));
        struct rproc_reply reply;
        int rc = trial_order(t, r, &s, WIRE_ORDER_EMPTY, 1, hold, &reply, v, err);

        if (rc)
            return rc;
        series_add(&times, (double)reply.wall_ns);
        series_add(&heads, (double)rproc_unexplained_ns(r));
    }
    t->empty[hold] = trial_audited(t) ? series_median(&times) : series_quantile(&times, 0);
    t->empty[hold] = fmin(t->empty[hold], audit_empty_max(t->config->usual->empty_order_max_ns));
    t->empty_head = series_quantile(&heads, AUDIT_HEAD_LOW);
    return 0;
}

static int empty_orders(struct trial *t, struct verdict *v, struct err *err)
{
    AUTO(phase_end) struct phase_timer timer = phase_begin(trial_phases(t), PHASE_AUDIT);
    int rc = empty_calls(t, false, v, err);

    if (rc == 0 && t->holding)
        rc = empty_calls(t, true, v, err);
    t->result->empty_ns = t->empty[t->holding];
    return rc;
}

/* --- time that a call hides --- */

/* Time of a call before it began: on a GPU the device's way to a standstill, on a CPU the CPU time
 * of its wake-up. */
static double head_ns(const struct trial *t, const struct rproc *r, const struct rproc_reply *reply)
{
    if (trial_audited(t))
        return (double)reply->hold_ns;
    return trial_clock(t->config) == CLOCK_JUDGE ? (double)rproc_unexplained_ns(r) : 0;
}

/* Time before a call beyond what honest calls ever take. */
static double early_ns(const struct trial *t, double head)
{
    const struct calibration *usual = t->config->usual;

    return audit_beyond(head, trial_audited(t) ? usual->hold_max_ns : usual->head_max_ns);
}

/* "done" is the runner's word: the time that the judge's probe waited behind it is part of the
 * call. */
static double late_ns(const struct trial *t)
{
    const struct series *probes = &t->probes;

    if (!trial_audited(t) || !probes->n)
        return 0;
    return audit_beyond(probes->values[probes->n - 1], t->config->usual->probe_max_ns);
}

/* Time that every call hid before it began. On a CPU a busy machine makes wake-ups longer, as this
 * run's empty orders show. But the candidate's process carries those out, so they are believed only
 * a little. */
static double hidden_before(const struct trial *t)
{
    const struct calibration *usual = t->config->usual;
    const struct trial_result *r = t->result;
    double median = score_median(r->samples, r->n_samples, offsetof(struct sample, ns));
    /* Wake-ups on a CPU have one usual length, so the calls that make the score tell most. */
    double low = trial_audited(t)
                     ? score_head(r->samples, r->n_samples, AUDIT_LOW, audit_fair(median))
                     : score_head(r->samples, r->n_samples, AUDIT_HEAD_LOW, 0);
    double busy = fmin(t->empty_head, usual->head_ns + AUDIT_HEAD_BUSY_NS);

    if (trial_audited(t))
        return audit_shift(low, usual->hold_low_ns, AUDIT_HOLD_SLACK_NS);
    if (trial_clock(t->config) != CLOCK_JUDGE || usual->head_ns <= 0)
        return 0;
    return audit_shift(low, fmax(usual->head_ns, busy), AUDIT_HEAD_SLACK_NS);
}

/* Time in held calls that the judge's clock saw and the runner's events did not. */
static double hidden_within(const struct trial *t)
{
    const struct trial_result *r = t->result;
    AUTO(series_release) struct series more = {0};

    if (!trial_audited(t) || !t->holding)
        return 0;
    for (int i = 0; i < r->n_samples; i++)
        series_add(&more, r->samples[i].outside_ns - r->samples[i].claim_ns);

    double claim = score_median(r->samples, r->n_samples, offsetof(struct sample, claim_ns));

    return fmax(series_median(&more) - audit_claim_slack(claim), 0);
}

/* Time by the clock that counts, without hidden time. */
static double shown_ns(const struct trial *t, const struct rproc_reply *reply)
{
    if (trial_clock(t->config) != CLOCK_JUDGE)
        return (double)reply->claim_ns;
    return fmax((double)reply->wall_ns - t->result->empty_ns, 0);
}

/* --- scored calls --- */

/* Whether there is another round of contents that nobody has seen, one for each process. First come
 * those that are made whatever they cost, then more while they are cheap. A content that a process
 * has seen is never scored: the process may remember the answer. */
static bool has_round(const struct trial *t, int round, double made_ms)
{
    const struct pool *p = t->config->pool;
    int n = t->crew.n, end = trial_first_scored(t) + (round + 1) * n;

    if ((round + 1) * n <= trial_fresh(t))
        return true;
    if (!t->policy->scores_more || !pool_keeps(p, end))
        return false;
    return end <= p->n_contents || made_ms <= t->config->plan->content_ms;
}

/* No two processes are shown the same content: one would tell the other the answer. Each round
 * turns by one, so that no process is left with one law alone. */
static int scored_content(const struct trial *t, int round, int runner)
{
    int n = t->crew.n;

    return trial_first_scored(t) + round * n + (runner + round) % n;
}

/* Brings a content and adds the time that it took. Expected values may be made later. */
static int bring(struct trial *t, int content, double *ret_ms, struct err *err)
{
    const struct pool_slot *slot;
    uint64_t start = clock_ns();

    trial_spread_out(t);
    if (pool_get(t->config->pool, content, &slot, err) < 0)
        return -1;
    *ret_ms += clock_ms_since(start);
    return 0;
}

/* One scored call, with a content that its process has not seen. */
static int scored_call(struct trial *t, int round, int runner, double *making_ms,
                       struct sample *ret, struct verdict *v, struct err *err)
{
    struct pool *p = t->config->pool;
    int content = scored_content(t, round, runner);
    struct rproc_reply reply;

    if (bring(t, content, making_ms, err) < 0)
        return -1;

    const double *remade_ms = &pool_phases(p)->ms[PHASE_REMADE], before_ms = *remade_ms;
    int rc = trial_held_call(t, &t->crew.runners[runner], content, &reply, v, err);

    *making_ms += *remade_ms - before_ms;
    if (rc || t->hold_lost)
        return rc;
    series_add(&t->holds, (double)reply.hold_ns);
    series_add(&t->queues, (double)reply.queue_ns);

    double head = head_ns(t, &t->crew.runners[runner], &reply), early = early_ns(t, head);

    *ret = (struct sample){.ns = shown_ns(t, &reply) + early + late_ns(t),
                           .head_ns = head,
                           .early_ns = early,
                           .claim_ns = (double)reply.claim_ns,
                           .outside_ns = fmax((double)reply.wall_ns - t->empty[reply.held], 0),
                           .run = runner,
                           .in = t->target.in,
                           .out = t->target.out,
                           .content = content,
                           .law = pool_law(p, content)};
    return 0;
}

static int scored_round(struct trial *t, int round, double *making_ms, struct verdict *v,
                        struct err *err)
{
    const struct plan *plan = t->config->plan;
    struct trial_result *res = t->result;
    int rc = 0;

    for (int r = 0; r < t->crew.n && rc == 0 && !t->hold_lost; r++) {
        progress_report(&plan->progress, "scored calls", res->n_samples,
                        MAX(plan->min_calls, res->n_samples));
        rc = scored_call(t, round, r, making_ms, &res->samples[res->n_samples], v, err);
        res->n_samples += rc == 0 && !t->hold_lost;
    }
    return rc;
}

/* A call that was charged for being early is not charged again for that. */
static void charge_hidden(struct trial *t)
{
    struct trial_result *res = t->result;

    double before = hidden_before(t), within = hidden_within(t);

    res->hidden_ns = before + within;
    for (int i = 0; i < res->n_samples; i++)
        res->samples[i].ns += fmax(before - res->samples[i].early_ns, 0) + within;
}

static void take_score(struct trial *t)
{
    struct trial_result *res = t->result;
    struct score s = score_of(res->samples, res->n_samples, t->crew.n);

    res->cold = s.cold;
    res->law_bound = s.law;
    res->bimodal = s.bimodal;
    res->settled = s.settled;
}

/* If time seems to be hidden before the calls, more of them are made. A GPU has two ways to a
 * standstill, and a few calls may all have taken the longer one. */
static bool is_enough(struct trial *t)
{
    take_score(t);
    return t->result->settled && hidden_before(t) <= 0;
}

/* Ends early if the hold is lost: timing then begins anew, since held calls and others do not
 * mix. */
static int scored_calls(struct trial *t, struct verdict *v, struct err *err)
{
    const struct plan *plan = t->config->plan;
    struct trial_result *res = t->result;
    uint64_t start = clock_ns();
    double making_ms = 0;
    int least = plan_least_calls(plan, graph_n_scored(t->config->pool->graph));
    int most = MAX(plan->max_calls / t->crew.n * t->crew.n, least);

    freep(&res->samples);
    res->samples = xcalloc((size_t)most, sizeof(*res->samples));
    res->n_samples = 0;
    for (int round = 0; res->n_samples < most && has_round(t, round, making_ms); round++) {
        int rc = scored_round(t, round, &making_ms, v, err);

        if (rc || t->hold_lost)
            return rc;
        if (trial_past(plan->timing_limit_ms, start))
            break;
        if (res->n_samples < least)
            continue;
        if (is_enough(t) || clock_ms_since(start) - making_ms > plan->budget_ms)
            break;
    }
    charge_hidden(t);
    take_score(t);
    return trial_judge_pooled(t, v, err);
}

static double outside_median(const struct trial *t)
{
    return score_median(t->result->samples, t->result->n_samples,
                        offsetof(struct sample, outside_ns));
}

/* The runner's events are a claim: candidate code shares their address space.
 *
 * An interpreter's way from the end of its work to "done" is longer in some processes, by 4 to 6 us
 * in one of a hundred. So its first doubt is answered by fresh processes as any other. The second
 * one is a verdict only if the clocks disagree as much as unheld calls may. Time that they disagree
 * by is charged in any case (hidden_within), so nothing is gained by it. */
static void audit_scored(const struct trial *t, struct verdict *doubt)
{
    const struct trial_result *r = t->result;
    bool strict = r->held && !(trial_subject(t)->loads_late && r->runs > 1);
    double claim = score_median(r->samples, r->n_samples, offsetof(struct sample, claim_ns));
    double outside = outside_median(t);

    if (trial_audited(t) && !audit_cold(claim, outside, strict))
        verdict_set(doubt, REASON_REJECTED_CLOCK,
                    "the runner claims %.1f us a call, the judge's clock says %.1f us", claim / 1e3,
                    outside / 1e3);
}

static void audit_batches(const struct trial *t, const struct series *claims,
                          const struct series *outside, int count, struct verdict *doubt)
{
    double claim = series_median(claims), seen = series_median(outside);

    t->result->hot_outside_ns = seen / count;
    if (trial_audited(t) && !audit_hot(claim, seen))
        verdict_set(doubt, REASON_REJECTED_CLOCK,
                    "the runner claims %.1f us for %d calls back to back, the judge's clock says "
                    "%.1f us",
                    claim / 1e3, count, seen / 1e3);
}

static int hot_count(const struct trial *t)
{
    double per_call = fmax(t->result->cold.median, 100);

    if (trial_audited(t))
        return audit_hot_count(per_call);
    return (int)fmin(fmax(t->config->plan->hot_ms * 1e6 / per_call, 1), HOT_MAX);
}

static int hot_batches(const struct trial *t)
{
    return t->result->cold.median < HOT_LONG_NS ? HOT_BATCHES : 2;
}

/* Hot calls are no score, so any content that lies in memory will do. */
static int hot_content(const struct trial *t, int i)
{
    int latest = pool_latest(t->config->pool);

    return t->policy->hot_on_latest && latest >= trial_first_scored(t) ? latest
                                                                       : trial_old_content(t, i);
}

/* A batch is held in front, if the driver's queue takes that many launches. If not, the hold gave
 * up, and its time counts outside. Such a batch is made again without a hold. */
static int hot_calls(struct trial *t, struct verdict *doubt, struct verdict *v, struct err *err)
{
    double ns[HOT_BATCHES * PLAN_MAX_RUNNERS];
    int run[HOT_BATCHES * PLAN_MAX_RUNNERS], n = 0, count = hot_count(t), rc = 0;
    AUTO(series_release) struct series claims = {0}, outside = {0};
    bool hold = t->holding;
    uint64_t start = clock_ns();

    while (n < hot_batches(t) * t->crew.n && !enough(t, n, start)) {
        struct rproc_reply reply;
        int r = n % t->crew.n;

        rc = trial_call(t, &t->crew.runners[r], hot_content(t, n), count, hold, &reply, v, err);
        if (rc)
            return rc;
        if (hold && !reply.held) {
            hold = false;
            continue;
        }
        series_add(&claims, (double)reply.claim_ns);
        series_add(&outside, fmax((double)reply.wall_ns - t->empty[reply.held], 0));

        double head = head_ns(t, &t->crew.runners[r], &reply);

        ns[n] = (shown_ns(t, &reply) + early_ns(t, head) + late_ns(t)) / count;
        run[n++] = r;
    }
    t->result->hot = stats_pooled(ns, run, (size_t)n, t->crew.n);
    audit_batches(t, &claims, &outside, count, doubt);
    return trial_judge_pooled(t, v, err);
}

/* --- what else runs on the device --- */

int trial_own_work(struct trial *t, struct own_work *ret, struct err *err)
{
    struct call_target s = {.arenas = &t->crew.arenas[0]};
    AUTO(series_release) struct series flushes = {0}, probes = {0};

    layout_peeks(&t->config->pool->out, 0, &s.peeks);
    t->n_views = 0; /* the arena serves as well, and a runner's memory may be closed */
    for (int i = 0; i < IDLE_FLUSHES + 1; i++) {
        if (trial_flush(t, &s, &flushes, err) < 0 || trial_probe(t, &s, &probes, err) < 0)
            return -1;
        if (i == 0) { /* the first ones also allocate their memory */
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
           audit_late(idle->probe_ns, t->config->usual->probe_max_ns, now->probe_ns);
}

static int audited_work(struct trial *t, struct own_work *ret, struct err *err)
{
    AUTO(phase_end) struct phase_timer timer = phase_begin(trial_phases(t), PHASE_AUDIT);

    return trial_own_work(t, ret, err);
}

/* If the judge's own work beside scored calls takes longer than before there was a runner,
 * something else runs. It is the candidate's work if it is over once the candidate is gone.
 * Otherwise it is another program's, and nothing timed here means anything. */
static int look_for_others(struct trial *t, struct verdict *doubt, struct err *err)
{
    struct trial_result *r = t->result;
    struct own_work alone;

    r->busy = (struct own_work){series_quantile(&t->flushes, BUSY_QUANTILE),
                                series_quantile(&t->probes, BUSY_QUANTILE)};
    if (!trial_audited(t) || !is_busy(t, &r->busy))
        return 0;
    crew_end(&t->crew);

    if (audited_work(t, &alone, err) < 0)
        return -1;
    if (is_busy(t, &alone))
        return fail(err, ERR_DEVICE,
                    "the device is busy: a flush took %.0f us at first and takes %.0f us now, with "
                    "no runner left; wait for the other program, or use another device",
                    r->idle.flush_ns / 1e3, alone.flush_ns / 1e3);
    verdict_set(doubt, REASON_REJECTED_BUSY,
                "the candidate's work goes on between calls: a flush takes %.0f us (on the "
                "idle device %.0f us), a probe after its calls %.0f us (%.0f us)",
                r->busy.flush_ns / 1e3, r->idle.flush_ns / 1e3, r->busy.probe_ns / 1e3,
                r->idle.probe_ns / 1e3);
    return 0;
}

static void ask_state(struct trial *t, int which)
{
    if (t->ops->state)
        t->ops->state(t->config->pool->ctx, &t->result->state[which]);
}

/* --- one go, and another if there is a doubt --- */

static void note_call(struct trial *t)
{
    struct trial_result *r = t->result;

    r->held = t->holding;
    r->hold_ns = series_median(&t->holds);
    r->head_ns = score_median(r->samples, r->n_samples, offsetof(struct sample, head_ns));
    r->queue_ns = r->held ? series_median(&t->queues) : 0;
    r->call_ns = trial_audited(t) ? outside_median(t) : r->cold.median;
    if (r->held && t->callers.n)
        r->call_ns = fmax(
            series_median(&t->callers) - (trial_subject(t)->own_clock ? 0 : t->empty[false]), 0);
    else if (r->held) /* this is the least that a caller waits */
        r->call_ns = fmax(r->call_ns, r->queue_ns);
    r->host_bound = r->held && audit_host_bound(r->cold.median, r->call_ns, r->queue_ns);
}

/* One go at timing. Stops early if there is a doubt, or a lost hold. */
static int measure(struct trial *t, struct verdict *doubt, struct verdict *v, struct err *err)
{
    int rc;

    series_clear(&t->callers);
    series_clear(&t->holds);
    series_clear(&t->queues);
    t->crowded = 0;
    t->phase = TRIAL_WARM_UP;
    rc = warm_up(t, v, err);
    t->phase = TRIAL_SCORE;
    ask_state(t, 0);
    if (rc == 0)
        rc = empty_orders(t, v, err);
    series_clear(&t->flushes);
    series_clear(&t->probes);
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

/* Starts new processes with new arenas: the same contents are shown again, and the old arenas hold
 * answers. */
static int start_over(struct trial *t, struct verdict *v, struct err *err)
{
    crew_end(&t->crew);
    crew_release_arenas(&t->crew);
    if (crew_make_arenas(&t->crew, err) < 0)
        return -1;
    return crew_start(&t->crew, v, err);
}

/* Tries a hold once more that was lost on a crowded device. */
static void hold_again(struct trial *t)
{
    if (t->holding || t->crowds != 1 || t->tried_again)
        return;
    t->holding = t->tried_again = true;
    t->crowded = 0;
}

int trial_time(struct trial *t, struct verdict *v, struct err *err)
{
    for (int doubts = 0;;) {
        struct verdict doubt = VERDICT_INIT;
        int rc;

        t->hold_lost = false;
        t->result->runs++;
        hold_again(t);
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
