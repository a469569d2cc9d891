/* SPDX-License-Identifier: MIT */
#include "content/draw.h"

#include "tensor/fill.h"

/* Content that a source's numbers come from. A parameter has one law, whatever the content's. */
static int origin_of(const struct drawing *d, int source, int k)
{
    return d->params_fixed && source >= d->graph->n_inputs ? 0 : k;
}

int draw_inputs(const struct drawing *d, int k, int law, struct mem *to, struct err *err)
{
    const struct graph *g = d->graph;

    /* Guards hold other garbage in every content: a kernel that reads past an end is never right
     * twice. */
    if (layout_poison(d->ops, d->ctx, d->in, to, true, fill_seed(d->seed, (uint64_t)k, UINT32_MAX),
                      err) < 0)
        return -1;
    for (int i = 0; i < g->n_sources; i++) {
        const struct source *s = &g->sources[i];
        const struct law *own = &s->laws[law % s->n_laws];
        const struct device_fill what = {
            .to = to,
            .at = d->in->slots[i].offset,
            .law = own,
            .seed = fill_seed(d->seed, (uint64_t)origin_of(d, i, k), law_tensor(own, i)),
            .type = s->dtype,
            .shape = &s->shape,
        };

        if (d->ops->fill(d->ctx, &what, err) < 0)
            return -1;
    }
    return 0;
}
