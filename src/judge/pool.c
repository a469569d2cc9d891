/* SPDX-License-Identifier: MIT */
#include "judge/pool.h"

#include "base/clock.h"
#include "judge/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Enough rows for a stable honest error, and what more of them may cost. */
#define HONEST_CONTENTS 4
#define HONEST_ORDERS 16
#define HONEST_FEW_ORDERS 4
#define APPEAL_ORDERS 8
#define HONEST_ROWS 64
#define MANY_ROWS 256
#define HONEST_DEAR_MS 200
#define ORDERS_DEAR_MS 20
/* What all honest runs of a large pool may take; every law has one, whatever that takes. A gate
 * that rests on fewer is narrower, and who fails at it is heard once more (pool_include_honest). */
#define HONEST_MS 60
#define GATE_FLOOR 0x1p-20
/* A content of this many bytes or FLOPs takes milliseconds: more than waking a thread. */
#define LARGE_BYTES (8 << 20)
#define LARGE_FLOPS 2e8
#define MAX_SLOTS 4096
#define MEMORY_SHARE 0.7

static const struct node *output_node(const struct graph *g, int output)
{
    return &g->nodes[g->outputs[output].node];
}

static int64_t output_count(const struct graph *g, int output)
{
    return shape_count(&output_node(g, output)->shape);
}

/* --- one content --- */

/* Where the engine finds it: engine and device share their memory. */
static char *address(const struct mem *m)
{
    return m->host ? m->host : (char *)(uintptr_t)m->handle;
}

/* kept: where the sources or outputs of a digest's graph lie that the problem's has not. */
static int evaluate(const struct pool *p, const struct graph *g, const struct mem *data,
                    const struct ops_run *run, const struct mem *values, const struct mem *kept,
                    struct err *err)
{
    AUTO(freep) const void **sources = xcalloc((size_t)g->n_sources, sizeof(*sources));
    AUTO(freep) void **outputs = xcalloc((size_t)g->n_outputs, sizeof(*outputs));
    int n_in = p->graph->n_sources, n_out = p->graph->n_outputs;

    for (int i = 0; i < g->n_sources; i++)
        sources[i] = i < n_in ? address(data) + p->in.slots[i].offset
                              : address(kept) + p->digest.offset[i - n_in];
    for (int i = 0; i < g->n_outputs; i++)
        outputs[i] = i < n_out ? address(values) + p->y_offset[i]
                               : address(kept) + p->digest.offset[i - n_out];
    return p->engine->eval(p->engine->ctx, g, run, sources, outputs, err);
}

static int draw_inputs(struct pool *p, int k, struct mem *data, struct err *err)
{
    const struct graph *g = p->graph;
    const struct device_judge_ops *ops = p->device->judge;

    /* Guards hold other garbage in every content: a kernel that reads past an end is never right
     * twice. */
    if (layout_poison(ops, p->ctx, &p->in, data, true, fill_seed(p->seed, (uint64_t)k, UINT32_MAX),
                      err) < 0)
        return -1;
    for (int i = 0; i < g->n_sources; i++) {
        const struct source *s = &g->sources[i];
        const struct law *law = &s->laws[pool_law(p, k) % s->n_laws];

        if (ops->fill(p->ctx, data, p->in.slots[i].offset, law,
                      fill_seed(p->seed, (uint64_t)k, law_tensor(law, i)), s->dtype, &s->shape,
                      err) < 0)
            return -1;
    }
    return 0;
}

static int evaluate_expected(struct pool *p, int k, struct pool_slot *slot, struct err *err)
{
    struct ops_run run = {.precision = OPS_DOUBLE};
    struct pool_content *c = &p->contents[k];
    const struct graph *g = p->graph;

    if (p->digest.n > 0) {
        g = c->made ? &p->digest.again : &p->digest.first;
        if (!c->kept.bytes &&
            p->device->judge->mem_alloc(p->ctx, MEM_PRIVATE, p->digest.bytes, &c->kept, err) < 0)
            return -1;
    }
    return evaluate(p, g, &slot->data, &run, &slot->y, &c->kept, err);
}

static int make_expected(struct pool *p, int k, struct pool_slot *slot, struct err *err)
{
    if (evaluate_expected(p, k, slot, err) < 0)
        return wrap(err, "expected values");
    slot->has_y = true;
    return 0;
}

static int make_first(struct pool *p, int k, struct pool_slot *slot, struct err *err)
{
    uint64_t start = clock_ns(), drawn;

    if (draw_inputs(p, k, &slot->data, err) < 0)
        return -1;
    drawn = clock_ns();
    if (make_expected(p, k, slot, err) < 0)
        return -1;
    p->content_ms = clock_ms_since(start);
    p->inputs_ms += (double)(drawn - start) / 1e6;
    p->expected_ms += clock_ms_since(drawn);
    p->contents[k].made = true;
    return 0;
}

/* Its expected values when something is compared with them: much of what it is answered with is
 * known. */
static int make_again(struct pool *p, int k, struct pool_slot *slot, struct err *err)
{
    uint64_t start = clock_ns();

    if (draw_inputs(p, k, &slot->data, err) < 0)
        return -1;
    p->remade_ms += clock_ms_since(start);
    return 0;
}

static int make_content(struct pool *p, int k, struct pool_slot *slot, struct err *err)
{
    bool again = p->contents[k].made;

    slot->has_y = false;
    if ((again ? make_again : make_first)(p, k, slot, err) < 0)
        return -1;
    slot->content = k;
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

/* The longest unused one, whose content goes. */
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

static void count_content(struct pool *p, int k)
{
    if (k >= p->n_contents)
        p->contents = xrealloc(p->contents, (size_t)(k + 1) * sizeof(*p->contents));
    for (; p->n_contents <= k; p->n_contents++)
        p->contents[p->n_contents] = (struct pool_content){.row_rms = MEM_INIT, .kept = MEM_INIT};
}

static int get_slot(struct pool *p, int content, struct pool_slot **ret, struct err *err)
{
    struct pool_slot *slot = find_slot(p, content);

    if (!slot) {
        if (p->n_slots == p->cap_slots)
            slot = clear_slot(p);
        else if (new_slot(p, &slot, err) < 0)
            return -1;
        count_content(p, content);
        if (make_content(p, content, slot, err) < 0)
            return -1;
    }
    slot->used = ++p->clock;
    *ret = slot;
    return 0;
}

static int get_expected(struct pool *p, int content, struct pool_slot **ret, struct err *err)
{
    struct pool_slot *slot;

    if (get_slot(p, content, &slot, err) < 0)
        return -1;
    if (!slot->has_y) {
        uint64_t start = clock_ns();

        if (make_expected(p, content, slot, err) < 0)
            return -1;
        p->remade_ms += clock_ms_since(start);
    }
    *ret = slot;
    return 0;
}

int pool_get(struct pool *p, int content, const struct pool_slot **ret, struct err *err)
{
    struct pool_slot *slot;

    if (get_slot(p, content, &slot, err) < 0)
        return -1;
    *ret = slot;
    return 0;
}

int pool_get_expected(struct pool *p, int content, const struct pool_slot **ret, struct err *err)
{
    struct pool_slot *slot;

    if (get_expected(p, content, &slot, err) < 0)
        return -1;
    *ret = slot;
    return 0;
}

int pool_bring_first(struct pool *p, struct err *err)
{
    const struct pool_slot *slot;

    for (int k = 0; k < MIN(p->cap_slots, p->n_contents); k++)
        if (pool_get(p, k, &slot, err) < 0)
            return -1;
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

double pool_making_ms(const struct pool *p)
{
    return p->inputs_ms + p->expected_ms + p->remade_ms + p->honest_ms;
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
    return evaluate(p, g, &slot->data, run, values, NULL, err);
}

int pool_evaluate(struct pool *p, int content, const struct ops_run *run, const struct mem *values,
                  struct err *err)
{
    return pool_evaluate_graph(p, p->graph, content, run, values, err);
}

static struct law_gate *law_gate(const struct pool *p, int content, int output)
{
    return &p->gates[pool_law(p, content) * p->graph->n_outputs + output];
}

static int measure_first(struct pool *p, int content, struct err *err);

static int64_t row_length(const struct pool *p, int output, bool *ret_whole)
{
    return shape_row(&output_node(p->graph, output)->shape, ret_whole);
}

/* Whose errors are measured by their own size; a whole tensor has none. */
static int64_t row_count(const struct pool *p, int output)
{
    bool whole;
    int64_t row = row_length(p, output, &whole);

    if (whole || !dtype_is_float(output_node(p->graph, output)->dtype))
        return 0;
    return output_count(p->graph, output) / row;
}

static int fill_row_rms(struct pool *p, const struct pool_slot *slot, struct mem *rms,
                        struct err *err)
{
    for (int o = 0; o < p->graph->n_outputs; o++) {
        int64_t rows = row_count(p, o), n = output_count(p->graph, o);

        if (rows > 0 && p->device->judge->row_rms(p->ctx, &slot->y, p->y_offset[o], n, n / rows,
                                                  rms, p->rms_offset[o], err) < 0)
            return -1;
    }
    return 0;
}

/* Once per content; *ret is NULL where compare() has to find it itself. */
static int get_row_rms(struct pool *p, const struct pool_slot *slot, const struct mem **ret,
                       struct err *err)
{
    const struct device_judge_ops *ops = p->device->judge;
    struct mem *rms = &p->contents[slot->content].row_rms;

    *ret = NULL;
    if (!ops->row_rms || !p->rms_bytes)
        return 0;
    if (!rms->bytes) {
        if (ops->mem_alloc(p->ctx, MEM_PRIVATE, p->rms_bytes, rms, err) < 0)
            return -1;
        if (fill_row_rms(p, slot, rms, err) < 0) {
            ops->mem_free(p->ctx, rms);
            return -1;
        }
    }
    *ret = rms;
    return 0;
}

/* t: of what lies in `got`. print: may be NULL. */
static int compare(struct pool *p, int content, int output, enum dtype t, const struct mem *got,
                   size_t at, struct compare_stats *ret, struct fingerprint *print, struct err *err)
{
    const struct mem *row_rms;
    struct pool_slot *slot;

    if (measure_first(p, content, err) < 0 || get_expected(p, content, &slot, err) < 0 ||
        get_row_rms(p, slot, &row_rms, err) < 0)
        return -1;
    return p->device->judge->compare(
        p->ctx, &slot->y, p->y_offset[output], got, at, t, output_count(p->graph, output),
        &law_gate(p, content, output)->scale, row_rms, p->rms_offset[output], ret, print, err);
}

static struct recall_output *known_of(struct pool *p, int content, int output)
{
    struct pool_content *c;

    count_content(p, content);
    c = &p->contents[content];
    if (!c->known)
        c->known = xcalloc((size_t)p->graph->n_outputs, sizeof(*c->known));
    return &c->known[output];
}

/* Figures that are known stay right: the scale of a law's errors is set before anything is compared
 * with a content of it, and once. */
static int compare_unknown(struct pool *p, int content, int output, const struct mem *got,
                           size_t at, struct compare_stats *ret, struct err *err)
{
    enum dtype t = output_node(p->graph, output)->dtype;
    struct recall_output *known = known_of(p, content, output);
    struct fingerprint print = {.key = p->recall.key};

    if (recall_promises(&p->recall, known)) {
        if (p->device->judge->fingerprint(p->ctx, got, at, t, output_count(p->graph, output),
                                          &print, err) < 0)
            return -1;
        if (recall_find(&p->recall, known, &print, ret))
            return 0;
    }
    if (compare(p, content, output, t, got, at, ret, &print, err) < 0)
        return -1;
    recall_add(&p->recall, known, &print, ret);
    return 0;
}

int pool_compare(struct pool *p, int content, int output, const struct mem *got, size_t at,
                 struct compare_stats *ret, struct err *err)
{
    if (p->remembers)
        return compare_unknown(p, content, output, got, at, ret, err);
    return compare(p, content, output, output_node(p->graph, output)->dtype, got, at, ret, NULL,
                   err);
}

void pool_begin_candidate(struct pool *p)
{
    recall_begin(&p->recall);
}

/* --- the gates --- */

/* Of the expected values; from those of the rows, which are needed anyway, where there are any (not
 * quite the same where values are not finite: it is a scale). */
static int output_rms(struct pool *p, struct pool_slot *slot, int output, double *ret,
                      struct err *err)
{
    const struct device_judge_ops *ops = p->device->judge;
    int64_t rows = row_count(p, output);
    const struct mem *row_rms;

    if (get_row_rms(p, slot, &row_rms, err) < 0)
        return -1;
    if (row_rms && rows > 0)
        return ops->rms(p->ctx, row_rms, p->rms_offset[output], rows, ret, err);
    return ops->rms(p->ctx, &slot->y, p->y_offset[output], output_count(p->graph, output), ret,
                    err);
}

/* Mean square of the finite expected values of one law's contents, per output. */
static int mean_squares(struct pool *p, int law, int first, int end, double *ret, struct err *err)
{
    const struct graph *g = p->graph;
    AUTO(freep) int *seen = xcalloc((size_t)g->n_outputs, sizeof(*seen));

    for (int k = first; k < end; k++) {
        struct pool_slot *slot;

        if (pool_law(p, k) != law)
            continue;
        if (get_expected(p, k, &slot, err) < 0)
            return -1;
        for (int o = 0; o < g->n_outputs; o++) {
            double rms = 0;

            if (!dtype_is_float(output_node(g, o)->dtype))
                continue;
            if (output_rms(p, slot, o, &rms, err) < 0)
                return -1;
            ret[o] += isfinite(rms) ? rms * rms : 0;
            seen[o] += isfinite(rms);
        }
    }
    for (int o = 0; o < g->n_outputs; o++)
        ret[o] = seen[o] ? ret[o] / seen[o] : 0;
    return 0;
}

/* The scale of the errors of one law, from the expected values of its contents among these. */
static int set_scales(struct pool *p, int law, int first, int end, struct err *err)
{
    const struct graph *g = p->graph;
    AUTO(freep) double *squares = xcalloc((size_t)g->n_outputs, sizeof(*squares));

    if (mean_squares(p, law, first, end, squares, err) < 0)
        return -1;
    for (int o = 0; o < g->n_outputs; o++) {
        bool whole;
        int64_t row = row_length(p, o, &whole);
        double rms = sqrt(squares[o]);

        if (dtype_is_float(output_node(g, o)->dtype))
            law_gate(p, law, o)->scale =
                (struct compare_scale){whole ? 0 : row, rms, GATE_FLOOR * rms};
    }
    return 0;
}

/* The honest run in one summation order: the same op source in float, rounded to the output dtype.
 */
static int honest_run(struct pool *p, int content, int order, struct err *err)
{
    const struct graph *g = p->graph;
    struct ops_run run = {.precision = OPS_FLOAT,
                          .order = order,
                          .compensated = g->tolerance.compensated,
                          .f32_outputs = true};
    const struct pool_slot *slot;

    if (pool_get(p, content, &slot, err) < 0)
        return -1;
    if (evaluate(p, p->graph, &slot->data, &run, &p->values, NULL, err) < 0)
        return wrap(err, "honest run");
    for (int o = 0; o < g->n_outputs; o++) {
        struct compare_stats s = COMPARE_STATS_INIT;

        enum dtype t = output_node(g, o)->dtype, stored = t == DT_F32 ? DT_F32 : DT_F64;

        if (!dtype_is_float(t))
            continue;
        if (compare(p, content, o, stored, &p->values, p->y_offset[o], &s, NULL, err) < 0)
            return -1;
        compare_merge(&p->honest[pool_law(p, content) * g->n_outputs + o], &s);
    }
    return 0;
}

static void set_gates(struct pool *p, int law)
{
    const struct graph *g = p->graph;

    for (int o = 0; o < g->n_outputs; o++) {
        struct gate *gate = &law_gate(p, law, o)->gate;
        enum dtype t = output_node(g, o)->dtype;

        gate_factors(g, t, gate);
        gate_set_honest(gate, t, &p->honest[law * g->n_outputs + o]);
    }
}

/* Until `end` is near; once at least. Between hold_values() and drop_values(). */
static int include_honest(struct pool *p, int content, int orders, uint64_t end, struct err *err)
{
    uint64_t start = clock_ns(), now = start;

    /* Rotations spread over the axis, whatever their number. */
    for (int i = 0; i < orders && (i == 0 || now + (now - start) / (uint64_t)i < end); i++) {
        if (honest_run(p, content, i * HONEST_ORDERS / orders, err) < 0)
            return -1;
        now = clock_ns();
    }
    set_gates(p, pool_law(p, content));
    return 0;
}

/* Room for what an honest run makes. Gigabytes are not asked for again for every law. */
static int hold_values(struct pool *p, struct err *err)
{
    if (p->values.bytes)
        return 0;
    return p->device->judge->mem_alloc(p->ctx, MEM_PRIVATE, p->y_bytes, &p->values, err);
}

static void drop_values(struct pool *p)
{
    p->device->judge->mem_free(p->ctx, &p->values);
}

int pool_include_honest(struct pool *p, int content, struct err *err)
{
    if (p->contents[content].appealed)
        return 0;

    int orders = MAX(p->honest_orders, APPEAL_ORDERS);
    double made_ms = pool_making_ms(p);
    uint64_t start = clock_ns();
    int rc = hold_values(p, err);

    if (rc == 0)
        rc = include_honest(p, content, orders, UINT64_MAX, err);
    drop_values(p);
    p->contents[content].appealed = rc == 0;
    p->honest_ms += clock_ms_since(start) - (pool_making_ms(p) - made_ms);
    return rc < 0 ? -1 : 1;
}

/* The least number of rows of any output in one content; a whole tensor is one. */
static int64_t fewest_rows(const struct pool *p)
{
    int64_t fewest = INT64_MAX;

    for (int o = 0; o < p->graph->n_outputs; o++) {
        bool whole;
        int64_t row = row_length(p, o, &whole);

        fewest = MIN(fewest, whole ? 1 : output_count(p->graph, o) / row);
    }
    return fewest;
}

/* What is small gets the same gates on every machine, however busy.
 * Four contents of each law; one will do where it has many rows, or is dear. */
static int choose_honest_contents(const struct pool *p, bool keeps)
{
    bool dear = (p->large && p->content_ms > HONEST_DEAR_MS) ||
                !pool_keeps(p, HONEST_CONTENTS * p->graph->n_laws);

    if (!keeps || dear || (p->large && fewest_rows(p) >= MANY_ROWS))
        return 1;
    return HONEST_CONTENTS;
}

static int choose_honest_orders(const struct pool *p)
{
    if (p->honest_contents * fewest_rows(p) >= HONEST_ROWS)
        return 1;
    return p->large && p->content_ms > ORDERS_DEAR_MS ? HONEST_FEW_ORDERS : HONEST_ORDERS;
}

/* When the honest runs of one law should have ended. What is small gets all of them, so that its
 * gates do not depend on the machine. */
static uint64_t honest_end(const struct pool *p)
{
    if (!p->large)
        return UINT64_MAX;
    return clock_ns() + HONEST_MS * (uint64_t)1000000 / (uint64_t)p->graph->n_laws;
}

static int measure_law(struct pool *p, int law, int contents, struct err *err)
{
    p->measured[law] = true;
    if (set_scales(p, law, 0, contents, err) < 0)
        return -1;

    uint64_t start = clock_ns(), end = honest_end(p);

    for (int i = 0; i < p->honest_contents && (i == 0 || clock_ns() < end); i++) {
        int content = law + i * p->graph->n_laws;

        progress_report(p->progress, "honest run",
                        (p->graph->n_laws - 1 - law) * p->honest_contents + i,
                        p->graph->n_laws * p->honest_contents);
        if (include_honest(p, content, p->honest_orders, end, err) < 0)
            return -1;
    }
    p->honest_ms += clock_ms_since(start);
    return 0;
}

static bool all_measured(const struct pool *p)
{
    for (int law = 0; law < p->graph->n_laws; law++)
        if (!p->measured[law])
            return false;
    return true;
}

static int measure_on(struct pool *p, int content, struct err *err)
{
    if (set_scales(p, pool_law(p, content), content, content + 1, err) < 0)
        return -1;
    return include_honest(p, content, p->honest_orders, honest_end(p), err);
}

/* Where contents are made again and again, a law's gate is measured on the first one of it that
 * something is compared with, as long as that lies there. */
static int measure_first(struct pool *p, int content, struct err *err)
{
    const struct pool_slot *slot;
    int law = pool_law(p, content), rc;
    uint64_t start;

    if (p->measured[law])
        return 0;
    if (pool_get_expected(p, content, &slot, err) < 0)
        return -1;
    start = clock_ns();
    p->measured[law] = true; /* or comparing the honest run would bring us here */
    rc = hold_values(p, err);
    if (rc == 0)
        rc = measure_on(p, content, err);
    if (rc < 0 || all_measured(p))
        drop_values(p);
    p->measured[law] = rc == 0;
    p->honest_ms += clock_ms_since(start);
    return rc;
}

/* contents: the scales rest on. */
static int measure_gates(struct pool *p, int contents, struct err *err)
{
    const struct graph *g = p->graph;
    int rc = hold_values(p, err);

    for (int law = g->n_laws - 1; law >= 0 && rc == 0; law--)
        rc = measure_law(p, law, contents, err);
    drop_values(p);
    return rc;
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
        p->y_bytes += (size_t)output_count(g, o) * 8;
        p->rms_offset[o] = p->rms_bytes;
        p->rms_bytes += (size_t)row_count(p, o) * sizeof(double);
    }
    p->gates = xcalloc((size_t)(g->n_laws * g->n_outputs), sizeof(*p->gates));
    p->honest = xcalloc((size_t)(g->n_laws * g->n_outputs), sizeof(*p->honest));
    for (int i = 0; i < g->n_laws * g->n_outputs; i++)
        p->honest[i] = (struct compare_stats)COMPARE_STATS_INIT;
    p->measured = xcalloc((size_t)g->n_laws, sizeof(*p->measured));
    p->large = p->in.bytes + p->out.bytes > LARGE_BYTES || cost_contract_total(&cost) > LARGE_FLOPS;
}

/* Contents of `each` bytes beside `fixed` bytes of other things: within 70 % of the memory in all,
 * and a third of it. */
static double count_slots(const struct pool_config *c, double fixed, double each)
{
    double memory = (double)c->memory_bytes;

    return fmin(MEMORY_SHARE * memory - fixed, fmax(memory / 3, c->least_slots * each)) / each;
}

/* Where they do not all fit, what is small is kept of each: unless it is not small (rows of a few
 * elements), or leaves no room. */
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
                    "this size needs %.1f GiB, %d content%s at a time; 70 %% of this device's "
                    "memory is %.1f GiB: use --sizes small",
                    (fixed + each * least) / 0x1p30, least, least == 1 ? "" : "s",
                    MEMORY_SHARE * (double)c->memory_bytes / 0x1p30);
    p->cap_slots = (int)fmin(fit, MAX_SLOTS);
    plan_digests(p, c, fixed, each);
    return 0;
}

static int make_up_to(struct pool *p, int contents, struct err *err)
{
    const struct pool_slot *slot;

    for (int k = 0; k < contents; k++) {
        progress_report(p->progress, "expected values", k, contents);
        if (pool_get(p, k, &slot, err) < 0)
            return -1;
    }
    return 0;
}

/* The gates of the contents that will still lie there, while nobody waits; the others' in their
 * turn. */
static int measure_ahead(struct pool *p, struct err *err)
{
    for (int k = 0; k < MIN(p->cap_slots, p->graph->n_laws); k++)
        if (measure_first(p, k, err) < 0)
            return -1;
    return 0;
}

static int fill_pool(struct pool *p, int contents, struct err *err)
{
    const struct graph *g = p->graph;
    bool keeps = pool_keeps(p, contents);

    p->remembers = !keeps && p->device->judge->fingerprint;
    /* The second says what one costs: the first also starts threads and libraries. */
    if (make_up_to(p, keeps ? MIN(2, contents) : 1, err) < 0)
        return -1;
    p->honest_contents = choose_honest_contents(p, keeps);
    p->honest_orders = choose_honest_orders(p);
    if (!keeps)
        return measure_ahead(p, err);
    contents = MAX(contents, p->honest_contents * g->n_laws);
    if (make_up_to(p, contents, err) < 0)
        return -1;
    return measure_gates(p, contents, err);
}

int pool_open(const struct pool_config *c, struct pool *ret, struct err *err)
{
    *ret = (struct pool){.device = c->device,
                         .ctx = c->ctx,
                         .engine = c->engine,
                         .graph = c->graph,
                         .seed = c->seed,
                         .progress = c->progress,
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
    drop_values(p);
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
