/* SPDX-License-Identifier: MIT */
#include "measure/arenas.h"

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

/* Setup may read parameters in any input arena. */
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

int arenas_make(struct arenas *ret, struct pool *p, int n, struct err *err)
{
    *ret = (struct arenas){.n = n};
    for (int i = 0; i < ret->n; i++)
        ret->in[i] = ret->out[i] = (struct mem)MEM_INIT;
    if (allocate(ret, p, err) == 0 && fill_inputs(ret, p, err) == 0)
        return 0;
    arenas_release(ret, p);
    return -1;
}

void arenas_free_later(struct arenas *a, const struct pool *p, struct exiting *exiting)
{
    for (int i = 0; i < a->n; i++) {
        exiting_free_later(exiting, p->device->judge, p->ctx, &a->in[i]);
        exiting_free_later(exiting, p->device->judge, p->ctx, &a->out[i]);
    }
    a->n = 0;
}

void arenas_release(struct arenas *a, const struct pool *p)
{
    for (int i = 0; i < a->n; i++) {
        p->device->judge->mem_free(p->ctx, &a->in[i]);
        p->device->judge->mem_free(p->ctx, &a->out[i]);
    }
    a->n = 0;
}
