/* SPDX-License-Identifier: MIT */
#include "measure/crew.h"

#define MEMORY_LEAST ((int64_t)256 << 20) /* memory of the device that a judge can do with */

void crew_release_arenas(struct crew *c)
{
    for (int i = 0; i < PLAN_MAX_RUNNERS; i++)
        arenas_release(&c->arenas[i], c->pool);
}

int crew_make_arenas(struct crew *c, struct err *err)
{
    const struct device_judge_ops *ops = c->pool->device->judge;
    const struct device_sweep *sweep = NULL;

    if (ops->sweep && !(sweep = ops->sweep(c->pool->ctx, err)))
        return -1;
    for (int i = 0; i < plan_runners(c->plan); i++) {
        struct arenas *a = &c->arenas[i];
        struct rproc_config *r = &c->configs[i];

        if (arenas_make(a, c->pool, c->plan->arenas, c->runner->subject.kind->params_apart, err) <
            0)
            return -1;
        *r = *c->runner;
        r->sweep = sweep;
        r->in = &c->pool->in;
        r->out = &c->pool->out;
        r->in_arenas = a->in;
        r->out_arenas = a->out;
        r->n_in_arenas = r->n_out_arenas = a->n;
        r->param_arena = a->params.bytes ? &a->params : NULL;
    }
    return 0;
}

/* Starts the next runner. */
static int start_runner(struct crew *c, struct err *err)
{
    struct rproc *r = &c->runners[c->n];
    const struct rproc_config *config = &c->configs[c->n];

    if (!c->runner->subject.kind->takes_spares || !spares_take(c->spares, config, r)) {
        if (rproc_start(r, config, err) < 0)
            return -1;
    } else {
        c->n_warm++;
    }
    c->n++;
    return 0;
}

/* If memory is counted, all runners have their device open before any of them has the artifact. */
static int start_counted(struct crew *c, int wanted, struct err *err)
{
    const struct pool *p = c->pool;
    int spares = MIN(c->spares->n, wanted), rc = 0;
    int64_t limit = p->graph->memory_bytes + rproc_weights_bytes(&c->configs[0]);

    for (; c->n < wanted - spares && rc == 0; c->n += rc == 0)
        rc = rproc_spawn(&c->runners[c->n], &c->configs[c->n], NULL, err);
    for (int i = 0; i < c->n && rc == 0; i++)
        rc = rproc_await_warm(&c->runners[i], err);
    if (rc == 0)
        rc = budget_begin(&c->budget, p->device->judge, p->ctx, limit, wanted, err);
    for (int i = 0; i < c->n && rc == 0; i++)
        rc = rproc_hand_over(&c->runners[i], &c->configs[i], err);
    while (c->n < wanted && rc == 0)
        rc = start_runner(c, err);
    return rc;
}

static bool counts_memory(const struct crew *c)
{
    const struct pool *p = c->pool;

    return p->graph->memory_bytes && p->device->counts_device_memory &&
           c->runner->subject.kind->memory_counted;
}

int crew_start(struct crew *c, struct verdict *v, struct err *err)
{
    int wanted = plan_runners(c->plan);
    int rc = counts_memory(c) ? start_counted(c, wanted, err) : 0;

    while (c->n < wanted && rc == 0)
        rc = start_runner(c, err);
    c->layers = UINT32_MAX;
    for (int i = 0; i < c->n && rc == 0; i++) {
        rc = rproc_ready(&c->runners[i], v, err);
        c->layers &= c->runners[i].layers;
        if (rc == 0 && !c->note)
            c->note = steal(&c->runners[i].note);
        if (rc == 0)
            rc = rproc_stop(&c->runners[i], v, err);
    }
    return rc;
}

void crew_keep_text(struct crew *c)
{
    for (int i = 0; i < c->n && !c->text; i++)
        if (c->runners[i].text.len) {
            c->text = xstrdup(buf_str(&c->runners[i].text));
            c->text_bytes = c->runners[i].text_seen;
        }
}

/* Memory of runners that is open here would outlive them. */
static void forget_results(const struct crew *c)
{
    const struct device_judge_ops *ops = c->pool->device->judge;

    if (ops->forget)
        ops->forget(c->pool->ctx);
}

void crew_end(struct crew *c)
{
    AUTO(phase_end) struct phase_timer timer = phase_begin(pool_phases(c->pool), PHASE_END);

    crew_keep_text(c);
    for (int i = 0; i < c->n; i++)
        rproc_release(&c->runners[i]);
    c->n = 0;
    forget_results(c);
}

void crew_kill(struct crew *c)
{
    for (int i = 0; i < c->n; i++)
        exiting_add(c->exiting, &c->runners[i]);
    c->n = 0;
    forget_results(c);
}

/* --- memory of the device --- */

/* Free memory of the device; -1: not known. */
static int64_t free_bytes(const struct crew *c)
{
    const struct device_judge_ops *ops = c->pool->device->judge;
    struct err ignored = ERR_INIT;
    int64_t bytes = -1;

    if (!ops->free_bytes || ops->free_bytes(c->pool->ctx, &bytes, &ignored) < 0)
        return -1;
    return bytes;
}

void crew_note_memory(struct crew *c)
{
    c->free_bytes = free_bytes(c);
}

/* Candidates that are only checked share the device with others, whose memory it may be. Before a
 * first call only our own contexts took any. How much a judge needs depends on the problem, so
 * runners that took more than half of the memory may not have left it enough. */
void crew_note_starving(struct crew *c, int n_calls)
{
    int64_t bytes = free_bytes(c);

    if (!c->plan->check_only && n_calls > 0 && c->n > 0 && c->free_bytes >= 2 * MEMORY_LEAST &&
        bytes >= 0 && bytes < c->free_bytes / 2) {
        c->starved = true;
        c->left_bytes = bytes;
    }
}

/* A judge that fails beside a candidate that left it no memory has not failed by itself, if the
 * memory is back when the candidate is gone. If some was left, the judge itself may have taken much
 * since. Then most of it has to come back. */
int crew_blame_memory(struct crew *c, int n_calls, struct verdict *v, struct err *err)
{
    crew_note_starving(c, n_calls);
    if (!c->starved)
        return -1;
    crew_end(c);

    int64_t now = free_bytes(c);

    if (now < 2 * MEMORY_LEAST ||
        (c->left_bytes >= MEMORY_LEAST && now - c->left_bytes < c->free_bytes / 2))
        return -1;
    *err = (struct err)ERR_INIT;
    return verdict_set(v, REASON_REJECTED_MEMORY,
                       "it holds so much of the device's memory that the judge has too little: "
                       "%.0f MB were left of %.0f MB",
                       (double)c->left_bytes / 1e6, (double)c->free_bytes / 1e6);
}
