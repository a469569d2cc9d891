/* SPDX-License-Identifier: MIT */
#include "judge/arenas.h"

#define ARENAS_BYTES ((size_t)2 << 30)

int deck_draw(struct deck *d, int n_arenas, uint32_t random)
{
    if (d->left == 0)
        for (; d->left < 2 * n_arenas; d->left++)
            d->cards[d->left] = (uint8_t)(d->left % n_arenas);

    uint32_t i = random % (uint32_t)d->left;
    int card = d->cards[i];

    d->cards[i] = d->cards[--d->left];
    return card;
}

static size_t pair_bytes(const struct pool *p)
{
    return MAX(p->in.bytes + p->out.bytes, 1);
}

/* More than the fewest only where all of them together are small: what lies in gigabytes lies
 * everywhere. */
static int count(const struct pool *p, int wanted)
{
    return (int)MIN((size_t)wanted, MAX(ARENAS_BYTES / pair_bytes(p), PLAN_MIN_ARENAS));
}

static int allocate(struct arenas *a, const struct pool *p, struct err *err)
{
    const struct device_judge_ops *ops = p->device->judge;

    for (int i = 0; i < a->n; i++)
        if (ops->mem_alloc(p->ctx, MEM_INPUT, p->in.bytes, &a->in[i], err) < 0)
            return wrap(err, "input arena");
    for (int i = 0; i < a->n; i++)
        if (ops->mem_alloc(p->ctx, MEM_OUTPUT, p->out.bytes, &a->out[i], err) < 0)
            return wrap(err, "output arena");
    return 0;
}

int arenas_make(struct arenas *a, const struct pool *p, int wanted, struct err *err)
{
    if (a->n > 0)
        return 0;
    a->n = count(p, wanted);
    a->fresh = true;
    for (int i = 0; i < a->n; i++)
        a->in[i] = a->out[i] = (struct mem)MEM_INIT;
    if (allocate(a, p, err) == 0)
        return 0;
    arenas_release(a, p->device->judge, p->ctx);
    return -1;
}

/* Setup may read parameters in any of them. */
static int fill_inputs(struct arenas *a, struct pool *p, struct err *err)
{
    const struct pool_slot *slot;

    if (pool_get(p, 0, &slot, err) < 0)
        return -1;
    for (int i = 0; i < a->n; i++)
        if (p->device->judge->copy(p->ctx, &a->in[i], 0, &slot->data, 0, p->in.bytes, err) < 0)
            return -1;
    return 0;
}

/* What the last candidate left there are answers, and the contents are still the same. */
static int wipe_outputs(struct arenas *a, const struct pool *p, uint64_t poison, struct err *err)
{
    for (int i = 0; i < a->n; i++)
        if (p->device->judge->poison(p->ctx, &a->out[i], 0, p->out.bytes, poison + (uint64_t)i,
                                     err) < 0)
            return -1;
    return 0;
}

int arenas_prepare(struct arenas *a, struct pool *p, int wanted, uint64_t poison, struct err *err)
{
    if (arenas_make(a, p, wanted, err) < 0 || (!a->fresh && wipe_outputs(a, p, poison, err) < 0))
        return -1;
    a->fresh = false;
    return fill_inputs(a, p, err);
}

/* Processes of the host's map theirs at their own place anyway. */
static bool is_kept(const struct arenas *a, const struct pool *p)
{
    return p->device->driver && (size_t)a->n * pair_bytes(p) <= ARENAS_BYTES;
}

void arenas_leave(struct arenas *a, const struct pool *p, struct leaving *leaving)
{
    if (is_kept(a, p))
        return;
    for (int i = 0; i < a->n; i++) {
        leaving_share(leaving, p->device->judge, p->ctx, &a->in[i]);
        leaving_share(leaving, p->device->judge, p->ctx, &a->out[i]);
    }
    a->n = 0;
}

void arenas_release(struct arenas *a, const struct device_judge_ops *ops, void *ctx)
{
    for (int i = 0; i < a->n; i++) {
        ops->mem_free(ctx, &a->in[i]);
        ops->mem_free(ctx, &a->out[i]);
    }
    a->n = 0;
}
