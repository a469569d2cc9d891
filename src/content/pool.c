/* SPDX-License-Identifier: MIT */
#include "content/pool_gates.h"

#include "base/clock.h"
#include "content/shortcut.h"
#include "terms/plan.h"

#include <math.h>
#include <stdlib.h>

/* A content of this many bytes or FLOPs takes milliseconds: more than waking a thread. */
#define LARGE_BYTES (8 << 20)
#define LARGE_FLOPS 2e8
#define MAX_SLOTS 4096
#define MEMORY_SHARE 0.7

/* --- one content --- */

const void **pool_sources(const struct pool *p, const struct graph *g, const struct mem *data,
                          const struct mem *kept)
{
    const void **sources = xcalloc((size_t)g->n_sources, sizeof(*sources));
    int n_in = p->graph->n_sources;

    for (int i = 0; i < g->n_sources; i++)
        sources[i] = i < n_in ? pool_address(data) + p->in.slots[i].offset
                              : pool_address(kept) + p->digest.offset[i - n_in];
    return sources;
}

int pool_evaluate_on(const struct pool *p, const struct graph *g, const struct pool_slot *slot,
                     const struct ops_run *run, const struct mem *values, struct err *err)
{
    const struct mem *kept = &p->contents[slot->content].kept;
    AUTO(freep) const void **sources = pool_sources(p, g, &slot->data, kept);
    AUTO(freep) void **outputs = xcalloc((size_t)g->n_outputs, sizeof(*outputs));
    int n_out = p->graph->n_outputs;

    for (int i = 0; i < g->n_outputs; i++)
        outputs[i] = i < n_out ? pool_address(values) + p->y_offset[i]
                               : pool_address(kept) + p->digest.offset[i - n_out];
    return p->engine->eval(p->engine->ctx, g, run, sources, outputs, err);
}

static int draw(struct pool *p, int k, struct mem *data, struct err *err)
{
    const struct drawing d = {p->device->judge, p->ctx,    p->graph,       &p->in,
                              p->seed,          p->drawer, p->params_fixed};

    return draw_inputs(&d, k, pool_law(p, k), data, err);
}

static int make_y(struct pool *p, struct pool_slot *slot, const struct graph *g, struct err *err)
{
    struct ops_run run = {.precision = OPS_DOUBLE};

    if (pool_evaluate_on(p, g, slot, &run, &slot->y, err) < 0)
        return wrap(err, "expected values");
    slot->has_y = true;
    return 0;
}

/* Makes expected values for the first time, and with them the values that are kept of the
 * content. */
static int make_first_y(struct pool *p, struct pool_slot *slot, struct err *err)
{
    struct mem *kept = &p->contents[slot->content].kept;

    if (p->digest.n > 0 && !kept->bytes &&
        p->device->judge->mem_alloc(p->ctx, MEM_PRIVATE, p->digest.bytes, kept, err) < 0)
        return wrap(err, "expected values");
    return make_y(p, slot, p->digest.n > 0 ? &p->digest.first : p->graph, err);
}

static int make_first(struct pool *p, struct pool_slot *slot, struct err *err)
{
    uint64_t start = clock_ns();
    AUTO(phase_end) struct phase_timer inputs = phase_begin(pool_phases(p), PHASE_INPUTS);

    if (draw(p, slot->content, &slot->data, err) < 0)
        return -1;
    phase_end(&inputs);

    AUTO(phase_end) struct phase_timer expected = phase_begin(pool_phases(p), PHASE_EXPECTED);

    if (make_first_y(p, slot, err) < 0)
        return -1;
    p->content_ms = clock_ms_since(start);
    p->contents[slot->content].made = true;
    return 0;
}

/* Makes the inputs again. Expected values are made when something is compared with them: many
 * answers are known already. */
static int make_again(struct pool *p, struct pool_slot *slot, struct err *err)
{
    AUTO(phase_end) struct phase_timer timer = phase_begin(pool_phases(p), PHASE_REMADE);

    return draw(p, slot->content, &slot->data, err);
}

static int make_content(struct pool *p, int k, struct pool_slot *slot, struct err *err)
{
    bool again = p->contents[k].made;

    slot->content = k;
    slot->has_y = false;
    if ((again ? make_again : make_first)(p, slot, err) < 0) {
        slot->content = -1;
        return -1;
    }
    return 0;
}

static void free_slot(const struct pool *p, struct pool_slot *slot)
{
    p->device->judge->mem_free(p->ctx, &slot->data);
    p->device->judge->mem_free(p->ctx, &slot->y);
}

static int new_slot(struct pool *p, struct pool_slot **ret, struct err *err)
{
    const struct device_judge_ops *ops = p->device->judge;
    struct pool_slot *slot;

    p->slots = xrealloc(p->slots, (size_t)(p->n_slots + 1) * sizeof(*p->slots));
    slot = &p->slots[p->n_slots++];
    *slot = (struct pool_slot){.content = -1, .data = MEM_INIT, .y = MEM_INIT};
    if (ops->mem_alloc(p->ctx, MEM_PRIVATE, p->in.bytes, &slot->data, err) < 0 ||
        ops->mem_alloc(p->ctx, MEM_PRIVATE, p->y_bytes, &slot->y, err) < 0) {
        free_slot(p, slot);
        p->n_slots--;
        return -1;
    }
    *ret = slot;
    return 0;
}

/* Empties the slot that was unused for longest. */
static struct pool_slot *clear_slot(struct pool *p)
{
    struct pool_slot *best = &p->slots[0];

    for (int i = 1; i < p->n_slots; i++)
        if (p->slots[i].used < best->used)
            best = &p->slots[i];
    if (best->content >= 0 && !p->keeps_digests)
        p->device->judge->mem_free(p->ctx, &p->contents[best->content].row_rms);
    best->content = -1;
    return best;
}

static struct pool_slot *find_slot(const struct pool *p, int content)
{
    for (int i = 0; i < p->n_slots; i++)
        if (p->slots[i].content == content)
            return &p->slots[i];
    return NULL;
}

void pool_count_content(struct pool *p, int k)
{
    if (k >= p->n_contents)
        p->contents = xrealloc(p->contents, (size_t)(k + 1) * sizeof(*p->contents));
    for (; p->n_contents <= k; p->n_contents++)
        p->contents[p->n_contents] = (struct pool_content){.row_rms = MEM_INIT, .kept = MEM_INIT};
}

/* Finds the content's slot. Makes the content if it lies in none. */
static int lay(struct pool *p, int content, struct pool_slot **ret, struct err *err)
{
    struct pool_slot *slot = find_slot(p, content);

    if (!slot) {
        if (p->n_slots == p->cap_slots)
            slot = clear_slot(p);
        else if (new_slot(p, &slot, err) < 0)
            return -1;
        pool_count_content(p, content);
        if (make_content(p, content, slot, err) < 0)
            return -1;
    }
    slot->used = ++p->clock;
    *ret = slot;
    return 0;
}

int pool_make_expected(struct pool *p, int content, const struct graph *g,
                       const struct pool_slot **ret, struct err *err)
{
    struct pool_slot *slot;

    if (lay(p, content, &slot, err) < 0)
        return -1;
    if (!slot->has_y) {
        AUTO(phase_end) struct phase_timer timer = phase_begin(pool_phases(p), PHASE_REMADE);

        if (make_y(p, slot, g, err) < 0)
            return -1;
    }
    *ret = slot;
    return 0;
}

/* The first content of a law brings the law's gates with it, so that all who compare find them
 * measured. Measuring works on a content that lies in its slot, and never calls pool_get(). */
int pool_get(struct pool *p, int content, const struct pool_slot **ret, struct err *err)
{
    struct pool_slot *slot;

    if (lay(p, content, &slot, err) < 0 || pool_measure_first(p, content, err) < 0)
        return -1;
    *ret = slot;
    return 0;
}

int pool_get_expected(struct pool *p, int content, const struct pool_slot **ret, struct err *err)
{
    const struct pool_slot *slot;

    if (pool_get(p, content, &slot, err) < 0 ||
        (!slot->has_y && shortcut_expect(p, content, err) < 0))
        return -1;
    *ret = slot;
    return 0;
}

int pool_bring_first(struct pool *p, struct err *err)
{
    const struct pool_slot *slot;

    for (int k = 0; k < MIN(p->cap_slots, p->n_contents); k++) {
        if (pool_get(p, k, &slot, err) < 0)
            return -1;
        if (!shortcut_spares_expected(p, slot) && pool_get_expected(p, k, &slot, err) < 0)
            return -1;
    }
    return 0;
}

int pool_latest(const struct pool *p)
{
    const struct pool_slot *latest = NULL;

    for (int i = 0; i < p->n_slots; i++)
        if (p->slots[i].content >= 0 && (!latest || p->slots[i].used > latest->used))
            latest = &p->slots[i];
    return latest ? latest->content : -1;
}

const char *const residency_names[] = {[RESIDENT] = "resident", [STREAMED] = "streamed"};

struct phases *pool_phases(struct pool *p)
{
    return p->phases ? p->phases : &p->own;
}

bool pool_keeps(const struct pool *p, int contents)
{
    return contents <= p->cap_slots;
}

int pool_evaluate_graph(struct pool *p, const struct graph *g, int content,
                        const struct ops_run *run, const struct mem *values, struct err *err)
{
    const struct pool_slot *slot;

    if (pool_get(p, content, &slot, err) < 0)
        return -1;
    return pool_evaluate_on(p, g, slot, run, values, err);
}

int pool_evaluate(struct pool *p, int content, const struct ops_run *run, const struct mem *values,
                  struct err *err)
{
    return pool_evaluate_graph(p, p->graph, content, run, values, err);
}

/* --- the whole --- */

static void lay_out(struct pool *p)
{
    const struct graph *g = p->graph;
    struct cost cost;

    graph_cost(g, &cost);

    layout_inputs(g, &p->in);
    layout_outputs(g, &p->out);
    p->y_offset = xcalloc((size_t)g->n_outputs, sizeof(*p->y_offset));
    p->rms_offset = xcalloc((size_t)g->n_outputs, sizeof(*p->rms_offset));
    for (int o = 0; o < g->n_outputs; o++) {
        p->y_offset[o] = p->y_bytes;
        p->y_bytes += (size_t)pool_output_count(g, o) * 8;
        p->rms_offset[o] = p->rms_bytes;
        p->rms_bytes += (size_t)pool_row_count(p, o) * sizeof(double);
    }
    p->gates = xcalloc((size_t)(g->n_laws * g->n_outputs), sizeof(*p->gates));
    p->honest = compare_stats_new((size_t)(g->n_laws * g->n_outputs));
    p->measured = xcalloc((size_t)g->n_laws, sizeof(*p->measured));
    p->large = p->in.bytes + p->out.bytes > LARGE_BYTES || cost_contract_total(&cost) > LARGE_FLOPS;
}

double pool_content_bytes(const struct graph *g)
{
    struct layout in;
    double bytes;

    layout_inputs(g, &in);
    bytes = (double)in.bytes;
    layout_release(&in);
    for (int o = 0; o < g->n_outputs; o++)
        bytes += 8 * (double)pool_output_count(g, o);
    return bytes;
}

/* Number of contents of `each` bytes that fit beside `fixed` bytes of other things: within 70 % of
 * the memory in all, and within the room for contents. */
static double count_slots(const struct pool_config *c, double fixed, double each)
{
    double memory = (double)c->memory_bytes;
    double room = c->room_bytes > 0 ? c->room_bytes : memory / 2;

    return fmin(MEMORY_SHARE * memory - fixed, fmax(room, c->least_slots * each)) / each;
}

/* If contents do not all fit, small values are kept of each. Nothing is kept if these are not small
 * (rows of a few elements), or leave too little room for contents. */
static void plan_digests(struct pool *p, const struct pool_config *c, double fixed, double each)
{
    size_t bytes = p->in.bytes + p->y_bytes;

    if (p->cap_slots >= c->contents || p->rms_bytes > bytes / DIGEST_SHARE)
        return;
    digest_init(&p->digest, p->graph, bytes);

    double kept = c->contents * (double)(p->rms_bytes + p->digest.bytes);
    double fit = count_slots(c, fixed + kept, each);

    p->keeps_digests = fit >= c->least_slots;
    if (p->keeps_digests)
        p->cap_slots = (int)fit;
    else
        digest_release(&p->digest);
}

/* Room for contents once arenas and the intermediates of one evaluation have theirs. */
static int limit_slots(struct pool *p, const struct pool_config *c, struct err *err)
{
    const struct ops_engine *e = p->engine;
    double each = (double)p->in.bytes + (double)p->y_bytes + (double)p->rms_bytes;
    double arenas = MAX(c->arenas, PLAN_MIN_ARENAS) * (double)(p->in.bytes + p->out.bytes);
    double honest = (double)p->y_bytes + e->peak_bytes(e->ctx, p->graph, OPS_FLOAT);
    double own = fmax(e->peak_bytes(e->ctx, p->graph, OPS_DOUBLE), honest);
    double fixed = arenas + fmax(own, c->scratch_bytes);
    double fit = count_slots(c, fixed, each);
    int least = c->least_slots;

    if (fit < least)
        return fail(err, ERR_INPUT,
                    "this size needs %.1f GiB, with %d content%s at a time, but Assay uses at most "
                    "70 %% of the device's memory, %.1f GiB: use --sizes small",
                    (fixed + each * least) / 0x1p30, least, least == 1 ? "" : "s",
                    MEMORY_SHARE * (double)c->memory_bytes / 0x1p30);
    p->cap_slots = (int)fmin(fit, MAX_SLOTS);
    plan_digests(p, c, fixed, each);
    return 0;
}

/* Makes contents without their gates, which are measured later on several contents together. */
static int make_up_to(struct pool *p, int contents, struct err *err)
{
    struct pool_slot *slot;

    for (int k = 0; k < contents; k++) {
        progress_report(p->progress, "expected values", k, contents);
        if (lay(p, k, &slot, err) < 0)
            return -1;
    }
    return 0;
}

/* Brings contents that will still lie in memory later, with their gates, while nobody waits. The
 * others come in their turn. */
static int bring_ahead(struct pool *p, struct err *err)
{
    const struct pool_slot *slot;

    for (int k = 0; k < MIN(p->cap_slots, p->graph->n_laws); k++)
        if (pool_get(p, k, &slot, err) < 0)
            return -1;
    return 0;
}

static int fill_pool(struct pool *p, int contents, struct err *err)
{
    p->residency = pool_keeps(p, contents) ? RESIDENT : STREAMED;
    p->remembers = p->residency == STREAMED && p->device->judge->fingerprint;
    /* The second content says what one costs: the first also starts threads and libraries. */
    if (make_up_to(p, p->residency == RESIDENT ? MIN(2, contents) : 1, err) < 0)
        return -1;
    pool_choose_honest(p);
    if (p->residency == STREAMED) {
        AUTO(phase_end) struct phase_timer timer = phase_begin(pool_phases(p), PHASE_EXPECTED);

        shortcut_prepare(p, &p->slots[0]);
        phase_end(&timer);
        return bring_ahead(p, err);
    }
    contents = MAX(contents, pool_honest_contents(p));
    if (make_up_to(p, contents, err) < 0)
        return -1;
    return pool_measure_gates(p, contents, err);
}

int pool_open(const struct pool_config *c, struct pool *ret, struct err *err)
{
    *ret = (struct pool){.device = c->device,
                         .ctx = c->ctx,
                         .engine = c->engine,
                         .drawer = c->drawer,
                         .graph = c->graph,
                         .seed = c->seed,
                         .params_fixed = c->params_fixed,
                         .law_rounds = MAX(c->law_rounds, 1),
                         .progress = c->progress,
                         .phases = c->phases,
                         .values = MEM_INIT};
    recall_init(&ret->recall);
    lay_out(ret);
    ops_set_threads(ret->large ? 0 : 1);
    if (limit_slots(ret, c, err) < 0 ||
        fill_pool(ret, MAX(c->contents, c->graph->n_laws), err) < 0) {
        pool_close(ret);
        return -1;
    }
    return 0;
}

void pool_close(struct pool *p)
{
    pool_drop_values(p);
    for (int i = 0; i < p->n_slots; i++)
        free_slot(p, &p->slots[i]);
    free(p->slots);
    for (int k = 0; k < p->n_contents; k++) {
        p->device->judge->mem_free(p->ctx, &p->contents[k].row_rms);
        p->device->judge->mem_free(p->ctx, &p->contents[k].kept);
        free(p->contents[k].known);
    }
    free(p->contents);
    digest_release(&p->digest);
    free(p->gates);
    free(p->honest);
    free(p->measured);
    free(p->y_offset);
    free(p->rms_offset);
    layout_release(&p->in);
    layout_release(&p->out);
    *p = (struct pool){0};
}
