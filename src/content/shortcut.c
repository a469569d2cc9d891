/* SPDX-License-Identifier: MIT */
/* The layers, from the cheapest to the one that serves everything; shortcut.h says what each is. */
#include "content/shortcut.h"

#include "content/pool_gates.h"

#include <assert.h>
#include <stdlib.h>

struct shortcut {
    /* Serves `a`, or returns pass_on(). *ret: figures of the answer; untouched if only expected
     * values are wanted. */
    int (*serve)(struct pool *p, const struct ask *a, const struct shortcut *next,
                 struct compare_stats *ret, struct err *err);
    /* Optional: whether this layer is likely to serve every answer to this content, without stored
     * expected values. */
    bool (*is_likely)(const struct pool *p, const struct pool_slot *slot);
};

static int pass_on(struct pool *p, const struct ask *a, const struct shortcut *next,
                   struct compare_stats *ret, struct err *err)
{
    return next->serve(p, a, next + 1, ret, err);
}

/* --- recall --- */

static struct recall_output *known_of(struct pool *p, const struct ask *a)
{
    struct pool_content *c;

    pool_count_content(p, a->content);
    c = &p->contents[a->content];
    if (!c->known)
        c->known = xcalloc((size_t)p->graph->n_outputs, sizeof(*c->known));
    return &c->known[a->output];
}

/* Known figures stay right: the scale of a law's errors is set once, when the first content of the
 * law is brought. */
static int serve_recall(struct pool *p, const struct ask *a, const struct shortcut *next,
                        struct compare_stats *ret, struct err *err)
{
    struct fingerprint print = {.key = p->recall.key};
    struct ask printed = *a;

    if (!a->got || !p->remembers)
        return pass_on(p, a, next, ret, err);

    struct recall_output *known = known_of(p, a);

    if (recall_may_hit(&p->recall, known)) {
        if (p->device->judge->fingerprint(p->ctx, a->got, a->at, a->type,
                                          pool_output_count(p->graph, a->output), &print, err) < 0)
            return -1;
        if (recall_find(&p->recall, known, &print, ret))
            return 0;
    }
    printed.print = &print;
    if (pass_on(p, &printed, next, ret, err) < 0)
        return -1;
    recall_add(&p->recall, known, &print, ret);
    return 0;
}

/* A guess from the last candidate's answers. */
static bool is_recall_likely(const struct pool *p, const struct pool_slot *slot)
{
    (void)slot;
    return p->remembers && recall_worth_trying(&p->recall);
}

/* --- fused comparison --- */

/* Fused comparison stores no expected values, so they are made anew next time. It is for outputs
 * that are seldom compared twice: a candidate's answers. Honest runs in several orders are compared
 * with stored values. */

/* The graph that makes expected values of a content that was made before. */
static const struct graph *graph_again(const struct pool *p)
{
    return p->digest.n > 0 ? &p->digest.again : p->graph;
}

/* Whether the engine can compare while it evaluates. The first call compiles a kernel for that. */
static bool engine_compares(const struct pool *p, const struct pool_slot *slot, int output)
{
    const struct ops_engine *e = p->engine;
    const struct graph *g = graph_again(p);

    if (!e->compares)
        return false;

    AUTO(freep)
    const void **sources = pool_sources(p, g, &slot->data, &p->contents[slot->content].kept);

    return e->compares(e->ctx, g, sources, output, pool_output_node(p->graph, output)->dtype);
}

/* Whether the RMS of each row is known: it scales the row's errors, and only stored values give
 * it. */
static bool has_row_sizes(const struct pool *p, int content)
{
    return !p->rms_bytes || p->contents[content].row_rms.bytes;
}

static bool can_fuse(const struct pool *p, const struct pool_slot *slot, int output)
{
    return !slot->has_y && has_row_sizes(p, slot->content) && engine_compares(p, slot, output);
}

static bool is_fused_likely(const struct pool *p, const struct pool_slot *slot)
{
    for (int o = 0; o < p->graph->n_outputs; o++)
        if (!can_fuse(p, slot, o))
            return false;
    return true;
}

static int compare_fused(const struct pool *p, const struct pool_slot *slot, const struct ask *a,
                         struct compare_stats *ret, struct err *err)
{
    const struct ops_engine *e = p->engine;
    const struct graph *g = graph_again(p);
    const struct pool_content *c = &p->contents[slot->content];
    AUTO(freep) const void **sources = pool_sources(p, g, &slot->data, &c->kept);
    struct ops_compare what = {.output = a->output,
                               .type = a->type,
                               .got = pool_address(a->got) + a->at,
                               .scale =
                                   &pool_law_gate(p, pool_law(p, a->content), a->output)->scale,
                               .print = a->print};

    assert(a->at + (size_t)pool_output_count(p->graph, a->output) * dtype_size(a->type) <=
           a->got->bytes);
    if (c->row_rms.bytes)
        what.row_rms = (const double *)(pool_address(&c->row_rms) + p->rms_offset[a->output]);
    return e->compare(e->ctx, g, sources, &what, ret, err);
}

static int serve_fused(struct pool *p, const struct ask *a, const struct shortcut *next,
                       struct compare_stats *ret, struct err *err)
{
    const struct pool_slot *slot;

    if (!a->got)
        return pass_on(p, a, next, ret, err);
    if (pool_get(p, a->content, &slot, err) < 0)
        return -1;
    if (!can_fuse(p, slot, a->output))
        return pass_on(p, a, next, ret, err);
    return compare_fused(p, slot, a, ret, err);
}

void shortcut_prepare(const struct pool *p, const struct pool_slot *slot)
{
    bool keeps_row_sizes = !p->rms_bytes || p->keeps_digests;

    for (int o = 0; keeps_row_sizes && o < p->graph->n_outputs; o++)
        engine_compares(p, slot, o);
}

/* --- digest --- */

static int serve_digest(struct pool *p, const struct ask *a, const struct shortcut *next,
                        struct compare_stats *ret, struct err *err)
{
    const struct pool_slot *slot;

    if (p->digest.n > 0 && pool_make_expected(p, a->content, &p->digest.again, &slot, err) < 0)
        return -1;
    return pass_on(p, a, next, ret, err);
}

/* --- in full --- */

int shortcut_compare_stored(struct pool *p, const struct pool_slot *slot, const struct ask *a,
                            struct compare_stats *ret, struct err *err)
{
    const struct mem *row_rms;

    if (pool_get_row_rms(p, slot, &row_rms, err) < 0)
        return -1;

    const struct device_compare what = {
        .y = &slot->y,
        .y_at = p->y_offset[a->output],
        .got = a->got,
        .got_at = a->at,
        .type = a->type,
        .n = pool_output_count(p->graph, a->output),
        .scale = &pool_law_gate(p, pool_law(p, a->content), a->output)->scale,
        .row_rms = row_rms,
        .rms_at = p->rms_offset[a->output],
        .print = a->print,
    };

    return p->device->judge->compare(p->ctx, &what, ret, err);
}

static int serve_in_full(struct pool *p, const struct ask *a, const struct shortcut *next,
                         struct compare_stats *ret, struct err *err)
{
    const struct pool_slot *slot;

    (void)next;
    if (pool_get(p, a->content, &slot, err) < 0 ||
        pool_make_expected(p, a->content, p->graph, &slot, err) < 0)
        return -1;
    return a->got ? shortcut_compare_stored(p, slot, a, ret, err) : 0;
}

/* --- the layers --- */

static const struct shortcut layers[] = {
    {serve_recall, is_recall_likely},
    {serve_fused, is_fused_likely},
    {serve_digest, NULL},
    {serve_in_full, NULL},
};

int pool_compare(struct pool *p, int content, int output, const struct mem *got, size_t at,
                 struct compare_stats *ret, struct err *err)
{
    const struct ask a = {.content = content,
                          .got = got,
                          .at = at,
                          .output = output,
                          .type = pool_output_node(p->graph, output)->dtype};

    return pass_on(p, &a, layers, ret, err);
}

int shortcut_expect(struct pool *p, int content, struct err *err)
{
    const struct ask a = {.content = content};

    return pass_on(p, &a, layers, NULL, err);
}

bool shortcut_spares_expected(const struct pool *p, const struct pool_slot *slot)
{
    for (size_t i = 0; i < ARRAY_SIZE(layers); i++)
        if (layers[i].is_likely && layers[i].is_likely(p, slot))
            return true;
    return false;
}

void pool_begin_candidate(struct pool *p)
{
    recall_begin(&p->recall);
}
