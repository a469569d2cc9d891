/* SPDX-License-Identifier: MIT */
#include "measure/trial_results.h"

#include "measure/audit.h"

/* One memory that holds all views, for a peek into them. Each span stays inside its own view. */
#define EVERYWHERE (SIZE_MAX / 2)

static int refuse(const struct err *why, struct verdict *v)
{
    return verdict_set(v, REASON_REJECTED_PROTOCOL,
                       "call: named a result whose memory cannot be opened: %s", why->text);
}

int trial_locate(struct trial *t, const struct rproc *r, struct verdict *v)
{
    const struct pool *p = t->config->pool;
    struct err why = ERR_INIT;

    t->n_views = 0;
    if (!t->ops->locate || r->n_results == 0)
        return 0;
    if (r->n_results != p->out.n)
        return verdict_set(v, REASON_REJECTED_PROTOCOL, "call: named %d results of %d",
                           r->n_results, p->out.n);
    for (int i = 0; i < r->n_results; i++)
        if (t->ops->locate(p->ctx, &r->results[i], p->out.slot_bytes[i], &t->views[i], &why) < 0)
            return refuse(&why, v);
    t->n_views = r->n_results;
    return 0;
}

int trial_fetch(struct trial *t, const struct rproc *r, const struct call_target *s,
                struct verdict *v, struct err *err)
{
    const struct pool *p = t->config->pool;
    struct mem *out = &s->arenas->out[s->out];

    if (!t->ops->locate)
        return rproc_fetch(r, out, v);
    for (int i = 0; i < t->n_views; i++)
        if (t->ops->copy(p->ctx, out, p->out.slots[i].offset, &t->views[i], 0, p->out.slot_bytes[i],
                         err) < 0)
            return -1;
    return 0;
}

/* The views as one memory, which begins at the lowest of them. */
static struct mem all_views(const struct trial *t)
{
    uint64_t lowest = t->views[0].handle;

    for (int i = 1; i < t->n_views; i++)
        lowest = MIN(lowest, t->views[i].handle);
    return (struct mem){MEM_PRIVATE, EVERYWHERE, NULL, -1, lowest - lowest % sizeof(uint32_t)};
}

/* A place in the arena becomes the same place in the view of its tensor. */
static void move_spans(const struct trial *t, const struct mem *all, struct peeks *peeks)
{
    const struct layout *out = &t->config->pool->out;

    for (uint32_t k = 0; k < peeks->n; k++) {
        struct peek_span *span = &peeks->spans[k];

        for (int i = 0; i < t->n_views; i++)
            if (span->at == out->slots[i].offset / sizeof(uint32_t)) {
                span->at = (t->views[i].handle - all->handle) / sizeof(uint32_t);
                span->words = MAX(out->slot_bytes[i] / sizeof(uint32_t), 1);
                break;
            }
    }
}

int trial_peek(const struct trial *t, const struct call_target *s, uint32_t *ret_words,
               double *ret_ns, struct err *err)
{
    void *ctx = t->config->pool->ctx;

    if (t->n_views == 0)
        return audit_probe(t->ops, ctx, &s->arenas->out[s->out], &s->peeks, ret_words, ret_ns, err);

    const struct mem all = all_views(t);
    struct peeks peeks = s->peeks;

    move_spans(t, &all, &peeks);
    return audit_probe(t->ops, ctx, &all, &peeks, ret_words, ret_ns, err);
}
