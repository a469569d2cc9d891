/* SPDX-License-Identifier: MIT */
/* Candidates that do nothing are called as any other would be. Their times say what an honest call
 * takes besides its work, before anybody is judged: the way there and back, the time until a device
 * is held, and the time until the judge's first work behind a call. */
#include "judge/call_floor.h"

#include "base/fs.h"
#include "build/build.h"
#include "measure/audit.h"
#include "measure/stats.h"

#include <math.h>
#include <string.h>

#define CALLS 1000
/* The way to a standstill differs by 1 or 2 us from one process to the next. */
#define HOLD_PROCESSES 8
#define HOLD_CALLS 120
#define WRITER_CALLS 300 /* calls of the writer, which writes twice the last cache */
#define THREADS_CALLS 300
/* On a CPU the judge makes a content between two calls, and the caches forget the runner
 * meanwhile. */
#define MADE_BYTES ((size_t)8 << 20)
/* Batches of two lengths: the second half of the longer one adds calls back to back. Batches for a
 * GPU are queued before it is released, so that no host keeps it waiting. */
#define HOT_BATCHES 63
#define HOT_CALLS 16
#define LEAST 0.01 /* quantiles that are kept */
#define MOST 0.99
#define MOST_PARTS 5
#define MOST_FACTOR 2 /* times beyond this multiple of the median are somebody else's doing */

/* Device and processes of the measurement. */
struct bench {
    const struct places *places;
    const struct device *device;
    void *ctx;
    struct device_info info;
    struct rproc_config config;
    struct mem mems[2]; /* input, output */
    char *made;         /* MADE_BYTES, written between calls; NULL: nothing is written */
};

static int build(const struct bench *b, const char *source, struct build_result *ret,
                 struct err *err)
{
    AUTO(freep) char *include = fs_join(b->places->share, "include");
    struct build_request req = {
        .device = b->device,
        .arch = b->info.arch,
        .file_name = b->device->gauges->file,
        .source = source,
        .source_len = strlen(source),
        .problem_h = "",
        .include_dir = include,
        .cache_dir = b->places->cache,
    };

    if (build_artifact(&req, ret, err) < 0)
        return -1;
    if (ret->status != BUILD_OK)
        return fail(err, ERR_SYSTEM, "the compiler refuses an empty kernel: %.500s", ret->log);
    return 0;
}

/* --- orders --- */

/* Times of one kind of order, call by call. */
struct times {
    struct series ns; /* times by the clock that is the score */
    struct series walls, holds, probes, heads;
};

static void times_release(struct times *t)
{
    series_release(&t->ns);
    series_release(&t->walls);
    series_release(&t->holds);
    series_release(&t->probes);
    series_release(&t->heads);
}

static int flush(void *arg, struct err *err)
{
    struct bench *b = arg;
    struct mem *both[2] = {&b->mems[0], &b->mems[1]};

    if (b->made)
        memset(b->made, b->made[0] + 1, MADE_BYTES);
    return b->device->judge->flush ? b->device->judge->flush(b->ctx, both, 2, err) : 0;
}

static int order_once(struct bench *b, struct rproc *r, enum wire_order what, int count,
                      struct rproc_reply *reply, struct verdict *v, struct err *err)
{
    bool hold = b->device->hold_ms > 0 && r->seq >= RPROC_UNHELD_CALLS;
    const struct rproc_order order = {what, 0, 1, count, hold ? WIRE_HOLD_WORK : WIRE_HOLD_NONE};
    const struct rproc_content content = {flush, b, hold};

    return rproc_order(r, &order, &content, reply, v, err);
}

static int probe(struct bench *b, double *ret_ns, struct err *err)
{
    uint32_t ignored[DEVICE_PEEKS];
    struct peeks where;

    *ret_ns = 0;
    if (b->device->clock != CLOCK_CLAIM_AUDITED)
        return 0;
    layout_peeks(b->config.out, 0, &where);
    return audit_probe(b->device->judge, b->ctx, &b->mems[1], &where, ignored, ret_ns, err);
}

static int time_order(struct bench *b, struct rproc *r, enum wire_order what, int count,
                      struct times *ret, struct err *err)
{
    struct verdict v = VERDICT_INIT;
    struct rproc_reply reply;
    double probe_ns = 0;
    int rc = order_once(b, r, what, count, &reply, &v, err);

    if (rc == 0)
        rc = probe(b, &probe_ns, err);
    if (rc == 0)
        rc = rproc_stop(r, &v, err);
    if (rc)
        return rc > 0 ? fail(err, ERR_SYSTEM, "an empty kernel: %s", v.detail) : -1;
    series_add(&ret->ns,
               (double)(b->device->clock == CLOCK_JUDGE ? reply.wall_ns : reply.claim_ns) / count);
    series_add(&ret->walls, (double)reply.wall_ns);
    series_add(&ret->holds, (double)reply.hold_ns);
    series_add(&ret->probes, probe_ns);
    series_add(&ret->heads, (double)rproc_unexplained_ns(r));
    return 0;
}

/* The first calls are not held, and load what is loaded lazily. */
static int time_orders(struct bench *b, struct rproc *r, enum wire_order what, int calls, int count,
                       struct times *ret, struct err *err)
{
    struct times first = {0};
    int rc = 0;

    for (int i = 0; i < RPROC_UNHELD_CALLS && rc == 0; i++)
        rc = time_order(b, r, what, 1, &first, err);
    for (int i = 0; i < calls && rc == 0; i++)
        rc = time_order(b, r, what, count, ret, err);
    times_release(&first);
    return rc;
}

/* --- candidates --- */

static int start(struct bench *b, const char *source, struct rproc *ret, struct err *err)
{
    struct build_result built = {.artifact_fd = -1};
    struct verdict v = VERDICT_INIT;
    int rc = build(b, source, &built, err);

    b->config.artifact_fd = built.artifact_fd;
    if (rc == 0)
        rc = rproc_start(ret, &b->config, err);
    if (rc == 0)
        rc = rproc_ready(ret, &v, err);
    build_result_release(&built);
    return rc > 0 ? fail(err, ERR_SYSTEM, "an empty kernel: %s", v.detail) : rc;
}

/* The most that honest calls take. */
static double most_of(const struct series *s)
{
    return fmin(series_steady_quantile(s, MOST, MOST_PARTS), MOST_FACTOR * series_median(s));
}

/* The least time of a call back to back. */
static int hot_floor(struct bench *b, struct rproc *r, double *ret_ns, struct err *err)
{
    AUTO(times_release) struct times all = {0}, half = {0};
    int n = HOT_CALLS;

    if (time_orders(b, r, WIRE_ORDER_CALL, HOT_BATCHES, n, &all, err) < 0 ||
        time_orders(b, r, WIRE_ORDER_CALL, HOT_BATCHES, n / 2, &half, err) < 0)
        return -1;
    *ret_ns = fmax(2 * series_quantile(&all.ns, LEAST) - series_median(&half.ns), 0);
    return 0;
}

static int measure_empty(struct bench *b, struct calibration *ret, uint32_t *ret_layers,
                         struct err *err)
{
    AUTO(rproc_release) struct rproc r = RPROC_INIT;
    AUTO(times_release) struct times call = {0}, empty = {0};

    if (start(b, b->device->gauges->empty, &r, err) < 0 ||
        time_orders(b, &r, WIRE_ORDER_CALL, CALLS, 1, &call, err) < 0 ||
        time_orders(b, &r, WIRE_ORDER_EMPTY, CALLS, 1, &empty, err) < 0 ||
        hot_floor(b, &r, &ret->hot_floor_ns, err) < 0)
        return -1;

    double way_ns = b->device->clock == CLOCK_JUDGE ? series_median(&empty.ns) : 0;

    ret->call_floor_ns = fmax(series_median(&call.ns) - way_ns, 0);
    ret->cold_floor_ns = fmax(series_quantile(&call.ns, LEAST) - way_ns, 0);
    ret->empty_order_ns = series_median(&empty.walls);
    ret->empty_order_max_ns = most_of(&empty.walls);
    ret->hold_low_ns = series_quantile(&call.holds, AUDIT_LOW);
    ret->hold_max_ns = most_of(&call.holds);
    ret->probe_max_ns = most_of(&call.probes);
    *ret_layers = r.layers;
    return 0;
}

/* The low quantile of the way to a standstill, in the process in which it is longest. */
static int measure_holds(struct bench *b, struct calibration *ret, struct err *err)
{
    for (int i = 1; i < HOLD_PROCESSES; i++) {
        AUTO(rproc_release) struct rproc r = RPROC_INIT;
        AUTO(times_release) struct times call = {0};

        if (start(b, b->device->gauges->empty, &r, err) < 0 ||
            time_orders(b, &r, WIRE_ORDER_CALL, HOLD_CALLS, 1, &call, err) < 0)
            return -1;
        ret->hold_low_ns = fmax(ret->hold_low_ns, series_quantile(&call.holds, AUDIT_LOW));
    }
    return 0;
}

/* Measures a launch by the runner itself, if there is a compiler for it. */
static int measure_launched(struct bench *b, struct calibration *ret, struct err *err)
{
    AUTO(rproc_release) struct rproc r = RPROC_INIT;
    struct err ignored = ERR_INIT;
    double hot_ns;

    if (start(b, b->device->gauges->launched, &r, &ignored) < 0)
        return 0;
    if (hot_floor(b, &r, &hot_ns, err) < 0)
        return -1;
    ret->hot_floor_ns = fmin(ret->hot_floor_ns, hot_ns);
    return 0;
}

static int measure_writer(struct bench *b, struct calibration *ret, struct err *err)
{
    AUTO(rproc_release) struct rproc r = RPROC_INIT;
    AUTO(times_release) struct times call = {0};

    if (start(b, b->device->gauges->writer, &r, err) < 0 ||
        time_orders(b, &r, WIRE_ORDER_CALL, WRITER_CALLS, 1, &call, err) < 0)
        return -1;
    ret->probe_max_ns = fmax(ret->probe_max_ns, most_of(&call.probes));
    return 0;
}

static int measure_threads(struct bench *b, struct calibration *ret, struct err *err)
{
    AUTO(rproc_release) struct rproc r = RPROC_INIT;
    AUTO(times_release) struct times call = {0};

    int rc = start(b, b->device->gauges->threads, &r, err);

    b->made = xcalloc(1, MADE_BYTES);
    if (rc == 0)
        rc = time_orders(b, &r, WIRE_ORDER_CALL, THREADS_CALLS, 1, &call, err);
    freep(&b->made);
    if (rc < 0)
        return -1;
    ret->head_ns = series_median(&call.heads);
    ret->head_max_ns = most_of(&call.heads);
    return 0;
}

static int measure_all(struct bench *b, struct calibration *ret, uint32_t *ret_layers,
                       struct err *err)
{
    const struct device_gauges *g = b->device->gauges;

    if (measure_empty(b, ret, ret_layers, err) < 0 ||
        (b->device->hold_ms > 0 && measure_holds(b, ret, err) < 0) ||
        (g->launched && measure_launched(b, ret, err) < 0) ||
        (g->writer && measure_writer(b, ret, err) < 0) ||
        (g->threads && measure_threads(b, ret, err) < 0))
        return -1;
    return 0;
}

/* --- all of it --- */

/* Elements of the output: twice the last cache for a writer. Elsewhere as much as
 * candidates have: the judge looks at some words of it before it stops the runner, and these are
 * not in its cache. */
static int64_t output_count(const struct bench *b)
{
    return (b->device->gauges->writer ? MAX(2 * b->info.cache_bytes, (int64_t)1 << 20)
                                      : (int64_t)4 << 20) /
           4;
}

static int make_memory(struct bench *b, const struct layout *in, const struct layout *out,
                       struct err *err)
{
    const struct device_judge_ops *ops = b->device->judge;

    if (ops->mem_alloc(b->ctx, MEM_INPUT, in->bytes, &b->mems[0], err) < 0 ||
        ops->mem_alloc(b->ctx, MEM_OUTPUT, out->bytes, &b->mems[1], err) < 0)
        return -1;
    if (ops->sweep && !(b->config.sweep = ops->sweep(b->ctx, err)))
        return -1;
    return 0;
}

static int measure(struct bench *b, const struct cpus *cpus, struct calibration *ret,
                   uint32_t *ret_layers, struct err *err)
{
    struct tensor_slot slots[2] = {{DT_F32, {1, {16}}, GUARD_BYTES},
                                   {DT_F32, {1, {output_count(b)}}, GUARD_BYTES}};
    size_t bytes[2] = {64, (size_t)output_count(b) * 4};
    struct layout in = {&slots[0], &bytes[0], 1, 2 * GUARD_BYTES + 256};
    struct layout out = {&slots[1], &bytes[1], 1, 2 * GUARD_BYTES + (bytes[1] + 255) / 256 * 256};
    cpu_set_t saved;

    b->config.in = &in;
    b->config.out = &out;
    sched_getaffinity(0, sizeof(saved), &saved);

    int rc = make_memory(b, &in, &out, err);

    if (cpus->split)
        sched_setaffinity(0, sizeof(cpus->judge), &cpus->judge);
    if (rc == 0)
        rc = measure_all(b, ret, ret_layers, err);
    sched_setaffinity(0, sizeof(saved), &saved);
    return rc;
}

int call_floor_measure(const struct places *places, const struct device *device, int index,
                       const struct cpus *cpus, struct calibration *ret, uint32_t *ret_layers,
                       struct err *err)
{
    struct bench b = {.places = places, .device = device, .mems = {MEM_INIT, MEM_INIT}};

    b.config = (struct rproc_config){
        .runner_path = places->runner,
        .subject = {.kind = &subject_native},
        .device = device,
        .device_index = index,
        .in_arenas = &b.mems[0],
        .n_in_arenas = 1,
        .out_arenas = &b.mems[1],
        .n_out_arenas = 1,
        .n_inputs = 1,
        .pin = cpus->split,
        .runner_cpus = cpus->runner,
        .start_timeout_ms = 10000,
        .call_timeout_ms = 1000,
        .artifact_fd = -1,
    };
    if (device->judge->open(index, &b.ctx, err) < 0)
        return -1;

    int rc = device->judge->describe(b.ctx, &b.info, err);

    if (rc == 0)
        rc = measure(&b, cpus, ret, ret_layers, err);
    for (int i = 0; i < 2; i++)
        device->judge->mem_free(b.ctx, &b.mems[i]);
    device->judge->close(b.ctx);
    return rc;
}
