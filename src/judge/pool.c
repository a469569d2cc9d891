/* SPDX-License-Identifier: MIT */
#include "judge/pool.h"

#include "base/clock.h"
#include "ops/ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Enough rows for a stable honest error, and what more of them may cost. */
#define HONEST_CONTENTS 4
#define HONEST_ORDERS 16
#define APPEAL_ORDERS 8
#define HONEST_ROWS 64
#define HONEST_DEAR_MS 200
#define GATE_FLOOR 0x1p-20
/* A content of this many bytes or FLOPs takes milliseconds: more than waking a thread. */
#define LARGE_BYTES (8 << 20)
#define LARGE_FLOPS 2e8

static const struct node *output_node(const struct graph *g, int output)
{
    return &g->nodes[g->outputs[output].node];
}

static int64_t output_count(const struct graph *g, int output)
{
    return shape_count(&output_node(g, output)->shape);
}

/* --- one content --- */

int pool_evaluate_graph(const struct pool *p, const struct graph *g, int content,
                        const struct ops_run *run, void *values, struct err *err)
{
    const struct mem *data = &p->contents[content].host_data;
    AUTO(freep) const void **sources = xcalloc((size_t)g->n_sources, sizeof(*sources));
    AUTO(freep) void **outputs = xcalloc((size_t)g->n_outputs, sizeof(*outputs));

    for (int i = 0; i < g->n_sources; i++)
        sources[i] = (const char *)data->host + p->in.slots[i].offset;
    for (int i = 0; i < g->n_outputs; i++)
        outputs[i] = (char *)values + p->y_offset[i];
    return ops_eval(g, run, sources, outputs, err);
}

int pool_evaluate(const struct pool *p, int content, const struct ops_run *run, void *values,
                  struct err *err)
{
    return pool_evaluate_graph(p, p->graph, content, run, values, err);
}

/* Everything is drawn and evaluated in host memory: the cpu device's functions do it. */
static const struct device_judge_ops *host_ops(void)
{
    return device_cpu.judge;
}

static int draw_inputs(struct pool *p, int k, struct err *err)
{
    const struct graph *g = p->graph;
    struct mem *data = &p->contents[k].host_data;

    /* Guards hold other garbage in every content: a kernel that reads past an end is never right
     * twice. */
    if (layout_poison(host_ops(), NULL, &p->in, data, true,
                      fill_seed(p->seed, (uint64_t)k, UINT32_MAX), err) < 0)
        return -1;
    for (int i = 0; i < g->n_sources; i++) {
        const struct source *s = &g->sources[i];
        const struct law *law = &s->laws[pool_law(p, k) % s->n_laws];

        if (host_ops()->fill(NULL, data, p->in.slots[i].offset, law,
                             fill_seed(p->seed, (uint64_t)k, law_tensor(law, i)), s->dtype,
                             &s->shape, err) < 0)
            return -1;
    }
    return 0;
}

/* Memory for one tensor block on the device, and where the host sees it. */
static int alloc_pair(struct pool *p, size_t bytes, struct mem *device, struct mem *host,
                      struct err *err)
{
    if (p->device->judge->mem_alloc(p->ctx, MEM_PRIVATE, bytes, device, err) < 0)
        return -1;
    if (!device->host)
        return host_ops()->mem_alloc(NULL, MEM_PRIVATE, bytes, host, err);
    *host = *device;
    return 0;
}

static void free_pair(struct pool *p, struct mem *device, struct mem *host)
{
    if (host->host != device->host)
        host_ops()->mem_free(NULL, host);
    p->device->judge->mem_free(p->ctx, device);
}

static int send(struct pool *p, struct mem *device, const struct mem *host, size_t bytes,
                struct err *err)
{
    if (device->host)
        return 0;
    return p->device->judge->upload(p->ctx, device, 0, host->host, bytes, err);
}

static int make_content(struct pool *p, int k, struct err *err)
{
    struct content *c = &p->contents[k];
    struct ops_run run = {.precision = OPS_DOUBLE};
    uint64_t start = clock_ns();

    *c = (struct content){
        .data = MEM_INIT, .y = MEM_INIT, .host_data = MEM_INIT, .host_y = MEM_INIT};
    if (alloc_pair(p, p->in.bytes, &c->data, &c->host_data, err) < 0 ||
        alloc_pair(p, p->y_bytes, &c->y, &c->host_y, err) < 0 || draw_inputs(p, k, err) < 0 ||
        send(p, &c->data, &c->host_data, p->in.bytes, err) < 0)
        return -1;
    p->inputs_ms += clock_ms_since(start);

    uint64_t drawn = clock_ns();

    if (pool_evaluate(p, k, &run, c->host_y.host, err) < 0 ||
        send(p, &c->y, &c->host_y, p->y_bytes, err) < 0)
        return -1;
    p->expected_ms += clock_ms_since(drawn);
    p->content_ms = clock_ms_since(start);
    return 0;
}

int pool_grow(struct pool *p, int n, struct err *err)
{
    n = MIN(n, p->max_contents);
    if (n > p->n_contents)
        p->contents = xrealloc(p->contents, (size_t)n * sizeof(*p->contents));
    while (p->n_contents < n) {
        progress_report(p->progress, "expected values", p->n_contents, n);
        /* Counted before it is complete: pool_close frees a half-made one. */
        if (make_content(p, p->n_contents++, err) < 0)
            return wrap(err, "expected values");
    }
    return 0;
}

int pool_compare(const struct pool *p, int content, int output, const struct mem *got, size_t at,
                 struct compare_stats *ret, struct err *err)
{
    const struct law_gate *lg = &p->gates[pool_law(p, content) * p->graph->n_outputs + output];

    return p->device->judge->compare(p->ctx, &p->contents[content].y, p->y_offset[output], got, at,
                                     output_node(p->graph, output)->dtype,
                                     output_count(p->graph, output), &lg->scale, ret, err);
}

/* --- the gates --- */

/* The scale of the errors of one law and output, from the expected values of the law's contents. */
static void set_scale(struct pool *p, int law, int output)
{
    const struct graph *g = p->graph;
    struct law_gate *lg = &p->gates[law * g->n_outputs + output];
    int64_t n = output_count(g, output);
    bool whole;
    int64_t row = shape_row(&output_node(g, output)->shape, &whole);
    double sum_sq = 0;
    int seen = 0;

    if (!dtype_is_float(output_node(g, output)->dtype))
        return;
    for (int k = 0; k < p->n_contents; k++) {
        if (pool_law(p, k) != law)
            continue;

        double rms =
            compare_rms((double *)((char *)p->contents[k].host_y.host + p->y_offset[output]), n);

        if (isfinite(rms)) {
            sum_sq += rms * rms;
            seen++;
        }
    }

    double rms = seen ? sqrt(sum_sq / seen) : 0;

    lg->scale = (struct compare_scale){whole ? 0 : row, rms, GATE_FLOOR * rms};
}

static int64_t pooled_rows(const struct pool *p, int output)
{
    bool whole;
    int64_t row = shape_row(&output_node(p->graph, output)->shape, &whole);

    return whole ? p->honest_contents : p->honest_contents * (output_count(p->graph, output) / row);
}

/* The honest run in one summation order: the same op source in float, rounded to the output dtype.
 */
static int honest_run(struct pool *p, int content, int order, void *values, struct err *err)
{
    const struct graph *g = p->graph;
    struct ops_run run = {
        .precision = OPS_FLOAT, .order = order, .compensated = g->tolerance.compensated};

    if (pool_evaluate(p, content, &run, values, err) < 0)
        return wrap(err, "honest run");
    for (int o = 0; o < g->n_outputs; o++) {
        int at = pool_law(p, content) * g->n_outputs + o;
        struct compare_stats s = COMPARE_STATS_INIT;

        if (!dtype_is_float(output_node(g, o)->dtype))
            continue;
        compare_output(DT_F64, (char *)p->contents[content].host_y.host + p->y_offset[o],
                       (char *)values + p->y_offset[o], output_count(g, o), &p->gates[at].scale,
                       &s);
        compare_merge(&p->honest[at], &s);
    }
    return 0;
}

static void set_gates(struct pool *p, int law)
{
    const struct graph *g = p->graph;

    for (int o = 0; o < g->n_outputs; o++) {
        struct gate *gate = &p->gates[law * g->n_outputs + o].gate;
        enum dtype t = output_node(g, o)->dtype;

        gate_factors(g, t, gate);
        gate_set_honest(gate, t, &p->honest[law * g->n_outputs + o]);
    }
}

static int include_honest(struct pool *p, int content, int orders, struct err *err)
{
    AUTO(freep) void *values = NULL;

    values = try_alloc(p->y_bytes);
    if (!values)
        return fail(err, ERR_SYSTEM, "not enough memory for the honest run");
    /* Rotations spread over the axis, whatever their number. */
    for (int i = 0; i < orders; i++)
        if (honest_run(p, content, i * HONEST_ORDERS / orders, values, err) < 0)
            return -1;
    set_gates(p, pool_law(p, content));
    return 1;
}

int pool_include_honest(struct pool *p, int content, struct err *err)
{
    if (p->contents[content].appealed)
        return 0;
    p->contents[content].appealed = true;
    return include_honest(p, content, MAX(p->honest_orders, APPEAL_ORDERS), err);
}

static bool few_rows(const struct pool *p)
{
    for (int o = 0; o < p->graph->n_outputs; o++)
        if (pooled_rows(p, o) < HONEST_ROWS)
            return true;
    return false;
}

static int measure_honest(struct pool *p, struct err *err)
{
    const struct graph *g = p->graph;
    uint64_t start = clock_ns();
    int n = p->honest_contents * g->n_laws;

    p->honest_orders = few_rows(p) ? HONEST_ORDERS : 1;
    for (int i = 0; i < g->n_laws * g->n_outputs; i++)
        p->honest[i] = (struct compare_stats)COMPARE_STATS_INIT;
    for (int k = 0; k < n; k++) {
        progress_report(p->progress, "honest run", k, n);
        if (include_honest(p, k, p->honest_orders, err) < 0)
            return -1;
    }
    p->honest_ms = clock_ms_since(start);
    return 0;
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
    for (int o = 0; o < g->n_outputs; o++) {
        p->y_offset[o] = p->y_bytes;
        p->y_bytes += (size_t)output_count(g, o) * 8;
    }
    p->gates = xcalloc((size_t)(g->n_laws * g->n_outputs), sizeof(*p->gates));
    p->honest = xcalloc((size_t)(g->n_laws * g->n_outputs), sizeof(*p->honest));
    p->large = p->in.bytes + p->out.bytes > LARGE_BYTES || cost_contract_total(&cost) > LARGE_FLOPS;
}

/* Room for the contents once arenas and the intermediates of one evaluation have theirs. */
static int limit_contents(struct pool *p, int needed, int64_t memory_bytes, struct err *err)
{
    double each = (double)p->in.bytes + (double)p->y_bytes;
    double fixed = 2.0 * (double)(p->in.bytes + p->out.bytes) + (double)p->y_bytes +
                   fmax(ops_peak_bytes(p->graph, OPS_DOUBLE), ops_peak_bytes(p->graph, OPS_FLOAT));
    double fit = (0.7 * (double)memory_bytes - fixed) / each;

    if (fit < needed)
        return fail(
            err, ERR_INPUT,
            "this size needs %.1f GiB for %d contents, 70 %% of this device's memory is %.1f "
            "GiB: use --sizes small",
            (fixed + each * needed) / 0x1p30, needed, 0.7 * (double)memory_bytes / 0x1p30);
    p->max_contents = (int)fmin(fit, 4096);
    return 0;
}

int pool_open(const struct device *device, void *ctx, const struct graph *g, uint64_t seed,
              int min_contents, int64_t memory_bytes, const struct progress *progress,
              struct pool *ret, struct err *err)
{
    *ret =
        (struct pool){.device = device, .ctx = ctx, .graph = g, .seed = seed, .progress = progress};
    lay_out(ret);
    ops_set_threads(ret->large ? 0 : 1);
    if (limit_contents(ret, MAX(min_contents, g->n_laws), memory_bytes, err) < 0 ||
        pool_grow(ret, g->n_laws, err) < 0)
        goto failed;
    /* Four contents of each law; where one is dear it has thousands of rows, and one will do. */
    ret->honest_contents = ret->content_ms > HONEST_DEAR_MS ? 1 : HONEST_CONTENTS;
    if (pool_grow(ret, MAX(min_contents, ret->honest_contents * g->n_laws), err) < 0)
        goto failed;
    ret->honest_contents = MIN(ret->honest_contents, ret->n_contents / g->n_laws);
    for (int law = 0; law < g->n_laws; law++)
        for (int o = 0; o < g->n_outputs; o++)
            set_scale(ret, law, o);
    if (measure_honest(ret, err) == 0)
        return 0;
failed:
    pool_close(ret);
    return -1;
}

void pool_close(struct pool *p)
{
    for (int k = 0; k < p->n_contents; k++) {
        free_pair(p, &p->contents[k].data, &p->contents[k].host_data);
        free_pair(p, &p->contents[k].y, &p->contents[k].host_y);
    }
    free(p->contents);
    free(p->gates);
    free(p->honest);
    free(p->y_offset);
    layout_release(&p->in);
    layout_release(&p->out);
    *p = (struct pool){0};
}
