/* SPDX-License-Identifier: MIT */
/* One call: arenas filled and poisoned, the runner woken and stopped, guards, inputs and outputs
 * checked. Every call of a trial goes this way (trial.c says why). */
#include "measure/trial_call.h"

#include "base/clock.h"
#include "base/hash.h"
#include "measure/audit.h"
#include "measure/trial_results.h"
#include "ops/ops.h"
#include "process/bundle.h"
#include "process/footprint.h"
#include "sandbox/sandbox.h"
#include "tensor/philox.h"

#include <omp.h>
#include <string.h>
#include <sys/stat.h>

#define MEMORY_LOOKS 8               /* memory is watched in one call of so many */
#define FOLDER_SLACK_BYTES (1 << 20) /* a file takes whole pages */
#define LOOKS_APART 64  /* divides `looks`, so that the two kinds of looks are independent */
#define CROWDED_CALLS 2 /* late flushes in a row that end a hold: one may be anybody's doing */

/* --- the judge's own cores --- */

/* While a runner runs, the judge stays on its own core, alone. While the runner stands still and
 * the tensors are large, the judge works on all cores. */
void trial_draw_in(struct trial *t)
{
    if (t->spread)
        omp_pause_resource_all(
            omp_pause_soft); /* threads of ours that still spin would be in the way */
    t->spread = false;
    if (t->config->runner.pin)
        sched_setaffinity(0, sizeof(cpu_set_t), &t->config->judge_cpus);
    ops_set_threads(1);
}

void trial_spread_out(struct trial *t)
{
    if (!t->config->pool->large || t->spread)
        return;
    t->spread = true;
    sched_setaffinity(0, sizeof(t->all_cpus), &t->all_cpus);
    ops_set_threads(0);
}

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

bool trial_audited(const struct trial *t)
{
    return trial_clock(t->config) == CLOCK_CLAIM_AUDITED;
}

/* --- one call --- */

int trial_checks(const struct trial *t)
{
    return MAX(t->config->plan->checks, t->config->pool->graph->n_laws);
}

/* Scored contents come after those of the checks, which have every law among them. */
int trial_first_scored(const struct trial *t)
{
    return trial_checks(t);
}

int trial_fresh(const struct trial *t)
{
    return plan_fresh(t->config->plan, graph_n_scored(t->config->pool->graph));
}

/* Secret numbers for one call. A candidate sees only what is done with them. */
static struct philox secrets(const struct trial *t, uint32_t what)
{
    return philox4x32(t->n_calls, what, 0, 0, (uint32_t)t->key, (uint32_t)(t->key >> 32));
}

struct call_target trial_choose_target(struct trial *t, const struct rproc *r, int content)
{
    struct arenas *a = &t->crew.arenas[r - t->crew.runners];
    struct philox p = secrets(t, 0), q = secrets(t, 1);
    struct call_target s = {.arenas = a,
                            .content = content,
                            .in = deck_draw(&a->in_deck, a->n, p.v[0]),
                            .out = deck_draw(&a->out_deck, a->n, p.v[1]),
                            .poison = hash_key((uint64_t[]){t->key, t->n_calls}, 2),
                            .looks = q.v[0]};

    layout_peeks(&t->config->pool->out, (uint64_t)q.v[1] << 32 | q.v[2], &s.peeks);
    t->n_calls++;
    for (int i = 0; i < a->n && !t->policy->copies_each; i++)
        if (a->in_content[i] == content)
            s.in = i;
    return s;
}

int trial_flush(struct trial *t, const struct call_target *s, struct series *times, struct err *err)
{
    struct mem *mems[3] = {&s->arenas->in[s->in], &s->arenas->out[s->out], &s->arenas->params};
    uint64_t start = clock_ns();

    if (t->ops->flush &&
        t->ops->flush(t->config->pool->ctx, mems, s->arenas->params.bytes ? 3 : 2, err) < 0)
        return -1;
    series_add(times, (double)(clock_ns() - start));
    return 0;
}

static int fill_arenas(struct trial *t, const struct call_target *s, struct err *err)
{
    struct pool *p = t->config->pool;
    const struct pool_slot *slot;

    if (pool_get(p, s->content, &slot, err) < 0)
        return -1;
    if (layout_poison(t->ops, p->ctx, &p->out, &s->arenas->out[s->out], false, s->poison, err) < 0)
        return -1;
    return arenas_fill(s->arenas, p, s->in, slot, t->policy->copies_each, err);
}

struct preparation {
    struct trial *t;
    const struct call_target *s;
    enum wire_order what;
};

/* An empty order reads and writes no tensor: gigabytes need not be copied for it. */
static int prepare(void *arg, struct err *err)
{
    const struct preparation *p = arg;
    const struct call_target *s = p->s;
    int rc = 0;

    trial_spread_out(p->t);
    if (p->what == WIRE_ORDER_CALL)
        rc = fill_arenas(p->t, s, err);
    if (rc == 0)
        rc = trial_flush(p->t, s, &p->t->flushes, err);
    trial_draw_in(p->t);
    return rc;
}

static int check_guards(struct trial *t, const struct call_target *s, struct verdict *v,
                        struct err *err)
{
    const struct pool *p = t->config->pool;
    int slot;
    int64_t distance;

    if (layout_check_guards(t->ops, p->ctx, &p->out, &s->arenas->out[s->out], s->poison, &slot,
                            &distance, err) < 0)
        return -1;
    if (slot < 0)
        return 0;
    return verdict_set(v, REASON_WRONG_OUT_OF_BOUNDS, "wrote %s of output %s (byte %+lld)",
                       distance < 0 ? "before the start" : "past the end",
                       p->graph->outputs[slot].name,
                       (long long)(distance < 0 ? distance : distance + 1));
}

/* Inputs are read-only for a runner, but on some devices hostile code can lift that: a GPU's
 * mapping is its own. On these devices inputs are compared after the call. Expected values do not
 * come from there. */
static int check_inputs(struct trial *t, const struct call_target *s, struct verdict *v,
                        struct err *err)
{
    struct pool *p = t->config->pool;
    const struct pool_slot *slot;
    int64_t at = -1;

    if (!t->ops->differ || s->looks % (uint32_t)t->policy->input_check_every != 0)
        return 0;
    if (pool_get(p, s->content, &slot, err) < 0 ||
        arenas_differ(s->arenas, p, s->in, slot, &at, err) < 0)
        return -1;
    return at < 0 ? 0
                  : verdict_set(v, REASON_WRONG_INPUT_CHANGED,
                                "call: wrote to its inputs (byte %lld of their memory)",
                                (long long)at);
}

/* A wrong element that still holds the poison was never written: the more useful thing to say. */
static void explain_unwritten(struct trial *t, const struct call_target *s, int output,
                              const struct compare_stats *st, struct verdict *v)
{
    const struct pool *p = t->config->pool;
    size_t size = dtype_size(p->out.slots[output].dtype);
    int64_t at = st->n_nonfinite ? st->first_nonfinite
                 : st->n_unequal ? st->first_unequal
                                 : st->max_at;

    if (at >= 0 && layout_unwritten(t->ops, p->ctx, &p->out, &s->arenas->out[s->out], output,
                                    (size_t)at * size, size, s->poison))
        verdict_set(v, REASON_WRONG_UNWRITTEN, "%s: element %lld of %lld was never written",
                    p->graph->outputs[output].name, (long long)at, (long long)st->count);
}

/* Whether the gate says wrong, also once the honest run was made on this content. */
static int judge_output(struct trial *t, const struct call_target *s, int output,
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

/* Keeps a finding of `wrong` if it is excused, so that measuring goes on. */
static int excuse(struct trial *t, int rc, struct verdict *v)
{
    if (rc != 1 || v->kind != VERDICT_WRONG || !trial_subject(t)->wrong_excused)
        return rc;
    t->wrong = *v;
    *v = (struct verdict)VERDICT_INIT;
    return 0;
}

static int judge_call(struct trial *t, const struct call_target *s, struct verdict *v,
                      struct err *err)
{
    struct pool *p = t->config->pool;
    int n_outputs = p->graph->n_outputs, law = pool_law(p, s->content), rc = 0;

    for (int o = 0; o < n_outputs && rc == 0; o++) {
        struct compare_stats st = COMPARE_STATS_INIT;

        if (pool_compare(p, s->content, o, &s->arenas->out[s->out], p->out.slots[o].offset, &st,
                         err) < 0)
            return -1;
        if (o == 0)
            t->last = st;
        compare_merge(&t->pooled[law * n_outputs + o], &st);
        rc = judge_output(t, s, o, &st, v, err);
    }
    return rc;
}

/* Whether the gate says wrong about the pooled errors of a law, also once the honest run was made
 * on all contents of the law. */
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

/* s: NULL for pooled errors. */
static int judge_once(struct trial *t, const struct call_target *s, struct verdict *v,
                      struct err *err)
{
    int rc = s ? judge_call(t, s, v, err) : judge_pooled(t, v, err);

    return excuse(t, rc, v);
}

/* Judging fairly takes memory of the device, for the honest run above all, and a candidate may hold
 * all of it. Then its processes end, and it is judged a second time. No process is left to be
 * called after that, so a candidate that is not found wrong counts as not judged. */
static int judge_fairly(struct trial *t, const struct call_target *s, struct verdict *v,
                        struct err *err)
{
    struct err first = ERR_INIT;
    int rc;

    if (t->wrong.kind != VERDICT_PASS)
        return 0;
    rc = judge_once(t, s, v, &first);
    if (rc < 0 && t->crew.n > 0) {
        crew_note_starving(&t->crew, t->result->n_calls);
        crew_end(&t->crew);
        rc = judge_once(t, s, v, err) == 1 ? 1 : -1;
    }
    if (rc < 0)
        *err = first;
    return rc;
}

/* "done" is the runner's word, and a device works on while its process stands still. So the words
 * that the probe saw, at places that nobody knows, must still be there when the output has been
 * compared. */
static int check_late(struct trial *t, const struct call_target *s, struct verdict *v,
                      struct err *err)
{
    uint32_t now[DEVICE_PEEKS];
    double ignored_ns;

    if (!trial_audited(t))
        return 0;
    if (trial_peek(t, s, now, &ignored_ns, err) < 0)
        return -1;
    return memcmp(now, t->seen, sizeof(now)) == 0
               ? 0
               : verdict_set(v, REASON_REJECTED_LATE,
                             "call: wrote to its output after it had said that it was done");
}

static int check_tensors(struct trial *t, const struct call_target *s, struct verdict *v,
                         struct err *err)
{
    int rc = check_guards(t, s, v, err);

    if (rc == 0)
        rc = check_inputs(t, s, v, err);
    if (rc)
        return rc;
    rc = judge_fairly(t, s, v, err);
    if (rc == 1 && v->kind == VERDICT_WRONG)
        t->result->wrong_content = s->content;
    return rc ? rc : check_late(t, s, v, err);
}

int trial_probe(struct trial *t, const struct call_target *s, struct series *times, struct err *err)
{
    double ns;

    if (trial_peek(t, s, t->seen, &ns, err) < 0)
        return -1;
    series_add(times, ns);
    return 0;
}

static enum wire_hold how_to_hold(const struct trial *t, bool work)
{
    if (t->config->pool->device->hold_ms <= 0)
        return WIRE_HOLD_NONE;
    return work ? WIRE_HOLD_WORK : WIRE_HOLD_CALL;
}

/* One order: stop, prepare, wake, order, stop.
 *
 * A runner that is woken may work before it says that it is awake. On the CPU that takes CPU time,
 * which counts (rproc_unexplained_ns). A GPU's work takes none, and goes on while its process
 * stands still. There the content comes last, when the runner is awake and has queued its work.
 * Work that is done ahead then makes the judge's own flush late (look_for_others), or keeps the
 * device from being held (audit_shift). "done" is the runner's word; work after it makes the
 * judge's probe late. */
int trial_order(struct trial *t, struct rproc *r, const struct call_target *s, enum wire_order what,
                int count, bool hold, struct rproc_reply *reply, struct verdict *v, struct err *err)
{
    const struct rproc_order order = {what, s->in, s->arenas->n + s->out, count,
                                      how_to_hold(t, hold)};
    struct preparation p = {t, s, what};
    const struct rproc_content content = {prepare, &p, trial_audited(t) || order.hold};
    int rc = rproc_order(r, &order, &content, reply, v, err);

    if (rc == 0)
        rc = trial_locate(t, r, v);
    if (rc == 0 && trial_audited(t))
        rc = trial_probe(t, s, &t->probes, err);
    if (rc == 0)
        rc = rproc_stop(r, v, err);
    else /* perhaps nothing was prepared yet */
        trial_draw_in(t);
    if (r->wake_ns)
        series_add(&t->wakes, (double)r->wake_ns);
    return rc;
}

/* --- scratch memory, if the problem states a budget --- */

static void watch_budget(void *arg)
{
    struct err ignored = ERR_INIT; /* the sample after the call reports it */

    budget_sample(arg, &ignored);
}

/* Memory that is given back before "done" is seen only while the call runs. It is watched in every
 * check, where a look aside does no harm, and in other calls that nobody can guess, too few to move
 * a median. */
static struct rproc_watch memory_watch(struct trial *t, const struct call_target *s)
{
    if (!t->crew.budget.ops ||
        (t->phase != TRIAL_CHECK && s->looks / LOOKS_APART % MEMORY_LOOKS != 0))
        return (struct rproc_watch){NULL, NULL};
    return (struct rproc_watch){watch_budget, &t->crew.budget};
}

/* Files that the candidate made in its folder, which lies in memory. */
static int64_t made_files(const struct trial *t, const struct rproc *r)
{
    struct stat sent;

    if (!trial_subject(t)->has_scratch || !(r->layers & SANDBOX_SCRATCH) ||
        fstat(t->config->runner.artifact_fd, &sent) < 0)
        return 0;
    return MAX(footprint_folder(r->pid, BUNDLE_PLACE) - (int64_t)sent.st_size - FOLDER_SLACK_BYTES,
               0);
}

/* Memory of the host that the process holds. */
static int check_host_memory(const struct trial *t, const struct rproc *r, struct verdict *v,
                             struct err *err)
{
    int64_t budget = t->config->pool->graph->memory_bytes, held;

    if (footprint_peak(r->pid, &held, err) < 0)
        return -1;
    held += made_files(t, r);
    if (held - r->own_bytes <= budget)
        return 0;
    return verdict_set(v, REASON_REJECTED_MEMORY,
                       "it holds %.1f MB besides its tensors, the problem allows %.1f MB",
                       (double)(held - r->own_bytes) / 1e6, (double)budget / 1e6);
}

static int check_memory(struct trial *t, const struct rproc *r, struct verdict *v, struct err *err)
{
    const struct pool *p = t->config->pool;

    if (!p->graph->memory_bytes || !trial_subject(t)->memory_counted)
        return 0;
    if (!p->device->counts_device_memory)
        return check_host_memory(t, r, v, err);
    if (budget_sample(&t->crew.budget, err) < 0)
        return -1;
    t->result->scratch_bytes = t->crew.budget.most_bytes;
    return budget_verdict(&t->crew.budget, v);
}

int trial_call(struct trial *t, struct rproc *r, int content, int count, bool hold,
               struct rproc_reply *reply, struct verdict *v, struct err *err)
{
    struct call_target s = trial_choose_target(t, r, content);
    int rc;

    t->target = s;
    r->watch = memory_watch(t, &s);
    rc = trial_order(t, r, &s, WIRE_ORDER_CALL, count, hold, reply, v, err);
    r->watch = (struct rproc_watch){NULL, NULL};
    t->result->n_calls += count;
    trial_spread_out(t);
    if (rc == 0) {
        trial_phases(t)->ms[PHASE_CANDIDATE] += (double)reply->wall_ns / 1e6;
        rc = check_memory(t, r, v, err);
    }
    if (rc == 0)
        rc = trial_fetch(t, r, &s, v, err);
    if (rc == 0)
        rc = check_tensors(t, &s, v, err);
    return rc;
}

/* Work that is queued on one stream waits for the content and leaves the device to the judge. Work
 * on several streams that wait for each other keeps its turn on the device, milliseconds long. Work
 * that is done ahead may do so as well. Neither is held any longer. */
static bool is_crowded(struct trial *t)
{
    double flush_ns = t->flushes.n ? t->flushes.values[t->flushes.n - 1] : 0;

    if (!trial_audited(t) || !audit_busy(t->result->idle.flush_ns, flush_ns))
        t->crowded = 0;
    else
        t->crowded++;
    return t->crowded >= CROWDED_CALLS;
}

/* One call, held back if possible. A candidate that waits for the device inside its call makes the
 * hold give up, and is not held again. One that seems to keep its turn is held again, once
 * (trial_time): another program on this machine has the same effect, and may be gone then. */
int trial_held_call(struct trial *t, struct rproc *r, int content, struct rproc_reply *reply,
                    struct verdict *v, struct err *err)
{
    bool hold = t->holding && r->seq >= RPROC_UNHELD_CALLS;
    int rc = trial_call(t, r, content, 1, hold, reply, v, err);

    if (rc || !hold)
        return rc;
    if (!reply->held && t->phase == TRIAL_CHECK && trial_subject(t)->loads_late)
        return 0; /* perhaps this check was the first to use some code */

    bool crowded = reply->held && is_crowded(t);

    if (!reply->held || crowded) {
        t->holding = false;
        t->hold_lost = true;
        t->crowds += crowded;
    }
    return 0;
}

int trial_judge_pooled(struct trial *t, struct verdict *v, struct err *err)
{
    return judge_fairly(t, NULL, v, err);
}

/* A content of the checks, of a scored law, for calls that need no fresh one. If contents do not
 * all fit, it is one that lies in memory already. */
int trial_old_content(const struct trial *t, int i)
{
    const struct pool *p = t->config->pool;
    int n = trial_checks(t), latest = pool_latest(p);
    int k = pool_keeps(p, n) ? i % n : latest >= 0 && latest < n ? latest : n - 1;

    while (!graph_law_scored(p->graph, pool_law(p, k)))
        k = (k + n - 1) % n;
    return k;
}

bool trial_past(int limit_ms, uint64_t start)
{
    return limit_ms && clock_ms_since(start) > limit_ms;
}
