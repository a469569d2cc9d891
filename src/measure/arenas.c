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

static bool params_lie_apart(const struct arenas *a)
{
    return a->params.bytes > 0;
}

/* Bytes of an input arena before its parameters. */
static size_t split_of(const struct pool *p)
{
    int n = p->graph->n_inputs;

    return n < p->in.n ? p->in.slots[n].offset : p->in.bytes;
}

static int allocate(struct arenas *a, const struct pool *p, bool params_apart, struct err *err)
{
    const struct device_judge_ops *ops = p->device->judge;

    for (int i = 0; i < a->n; i++)
        if (ops->mem_alloc(p->ctx, MEM_INPUT, p->in.bytes, &a->in[i], err) < 0)
            return wrap(err, "input arena");
    for (int i = 0; i < a->n; i++)
        if (ops->mem_alloc(p->ctx, MEM_OUTPUT, p->out.bytes, &a->out[i], err) < 0)
            return wrap(err, "output arena");
    if (params_apart && p->graph->n_sources > p->graph->n_inputs &&
        ops->mem_alloc(p->ctx, MEM_INPUT, p->in.bytes - split_of(p), &a->params, err) < 0)
        return wrap(err, "arena of parameters");
    return 0;
}

int arenas_fill(struct arenas *a, const struct pool *p, int in, const struct pool_slot *slot,
                bool anew, struct err *err)
{
    const struct device_judge_ops *ops = p->device->judge;
    size_t split = params_lie_apart(a) ? split_of(p) : p->in.bytes;

    if ((anew || a->in_content[in] != slot->content) &&
        ops->copy(p->ctx, &a->in[in], 0, &slot->data, 0, split, err) < 0)
        return -1;
    a->in_content[in] = slot->content;
    if (params_lie_apart(a) && (anew || a->params_content != slot->content) &&
        ops->copy(p->ctx, &a->params, 0, &slot->data, split, p->in.bytes - split, err) < 0)
        return -1;
    a->params_content = slot->content;
    return 0;
}

/* A view of one part of a memory, for a device that has addresses of its own. */
static struct mem part_of(const struct mem *m, size_t at)
{
    struct mem part = *m;

    part.handle += at;
    part.bytes -= at;
    part.host = m->host ? (char *)m->host + at : NULL;
    return part;
}

int arenas_differ(const struct arenas *a, const struct pool *p, int in,
                  const struct pool_slot *slot, int64_t *ret_at, struct err *err)
{
    const struct device_judge_ops *ops = p->device->judge;
    size_t split = params_lie_apart(a) ? split_of(p) : p->in.bytes;

    if (ops->differ(p->ctx, &a->in[in], &slot->data, split, ret_at, err) < 0)
        return -1;
    if (*ret_at >= 0 || split == p->in.bytes)
        return 0;

    const struct mem content = part_of(&slot->data, split);

    if (ops->differ(p->ctx, &a->params, &content, p->in.bytes - split, ret_at, err) < 0)
        return -1;
    if (*ret_at >= 0)
        *ret_at += (int64_t)split;
    return 0;
}

/* Setup may read parameters in any input arena. */
static int fill_inputs(struct arenas *a, struct pool *p, struct err *err)
{
    const struct pool_slot *slot;

    if (pool_get(p, 0, &slot, err) < 0)
        return -1;
    for (int i = 0; i < a->n; i++)
        if (arenas_fill(a, p, i, slot, true, err) < 0)
            return -1;
    return 0;
}

int arenas_make(struct arenas *ret, struct pool *p, int n, bool params_apart, struct err *err)
{
    *ret = (struct arenas){.n = n, .params = MEM_INIT};
    for (int i = 0; i < ret->n; i++)
        ret->in[i] = ret->out[i] = (struct mem)MEM_INIT;
    if (allocate(ret, p, params_apart, err) == 0 && fill_inputs(ret, p, err) == 0)
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
    if (a->n > 0 && params_lie_apart(a))
        exiting_free_later(exiting, p->device->judge, p->ctx, &a->params);
    a->n = 0;
}

void arenas_release(struct arenas *a, const struct pool *p)
{
    for (int i = 0; i < a->n; i++) {
        p->device->judge->mem_free(p->ctx, &a->in[i]);
        p->device->judge->mem_free(p->ctx, &a->out[i]);
    }
    if (a->n > 0 && params_lie_apart(a))
        p->device->judge->mem_free(p->ctx, &a->params);
    a->n = 0;
}
