/* SPDX-License-Identifier: MIT */
#include "content/draw.h"

#include "tensor/fill.h"

/* Content that the parameters' numbers come from. They have one law, whatever the content's. */
static int params_of(const struct drawing *d, int k)
{
    return d->params_fixed ? 0 : k;
}

static int draw_laws(const struct drawing *d, int k, int law, struct mem *to, struct err *err)
{
    const struct graph *g = d->graph;

    for (int i = 0; i < g->n_sources; i++) {
        const struct source *s = &g->sources[i];
        const struct law *own = &s->laws[law % s->n_laws];
        const struct device_fill what = {
            .to = to,
            .at = d->in->slots[i].offset,
            .law = own,
            .seed = fill_seed(d->seed, (uint64_t)(i < g->n_inputs ? k : params_of(d, k)),
                              law_tensor(own, i)),
            .type = s->dtype,
            .shape = &s->shape,
        };

        if (d->ops->fill(d->ctx, &what, err) < 0)
            return -1;
    }
    return 0;
}

int draw_inputs(const struct drawing *d, int k, int law, struct mem *to, struct err *err)
{
    uint64_t guards = fill_seed(d->seed, (uint64_t)k, UINT32_MAX);
    const uint64_t seeds[] = {fill_seed(d->seed, (uint64_t)k, 0),
                              fill_seed(d->seed, (uint64_t)params_of(d, k), 1)};

    /* Guards hold other garbage in every content: a kernel that reads past an end is never right
     * twice. */
    if (layout_poison(d->ops, d->ctx, d->in, to, true, guards, err) < 0)
        return -1;
    if (d->drawer)
        return d->drawer->draw(d->drawer->arg, seeds, d->in, to, err);
    return draw_laws(d, k, law, to, err);
}
