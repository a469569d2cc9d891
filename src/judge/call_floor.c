/* SPDX-License-Identifier: MIT */
#include "judge/call_floor.h"

#include "base/fs.h"
#include "build/build.h"
#include "judge/audit.h"
#include "judge/stats.h"

#include <math.h>
#include <string.h>

#define CALLS 101

static const char empty_kernel[] =
    "#include \"assay.h\"\n"
    "int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)\n"
    "{\n"
    "    (void)in, (void)n_in, (void)out, (void)n_out, (void)stream;\n"
    "    return 0;\n"
    "}\n";

static const char empty_cuda_kernel[] =
    "#include \"assay.h\"\n"
    "__global__ void nothing(void) {}\n"
    "int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)\n"
    "{\n"
    "    nothing<<<1, 1, 0, (cudaStream_t)stream>>>();\n"
    "    return 0;\n"
    "}\n";

static int build_empty(const struct places *places, const struct device *device, void *ctx,
                       struct build_result *ret, struct err *err)
{
    AUTO(freep) char *include = fs_join(places->share, "include");
    struct device_info info;
    char arch[BUILD_ARCH_MAX] = "";

    if (device->judge->describe(ctx, &info, err) < 0)
        return -1;
    if (info.compute_major)
        build_cuda_arch(info.compute_major, info.compute_minor, arch);

    const char *source = info.compute_major ? empty_cuda_kernel : empty_kernel;
    struct build_request req = {
        .device = device->name,
        .arch = arch,
        .file_name = info.compute_major ? "empty.cu" : "empty.c",
        .source = source,
        .source_len = strlen(source),
        .problem_h = "",
        .include_dir = include,
        .cache_dir = places->cache,
    };

    if (build_artifact(&req, ret, err) < 0)
        return -1;
    if (ret->status != BUILD_OK)
        return fail(err, ERR_SYSTEM, "the compiler refuses an empty kernel: %.500s", ret->log);
    return 0;
}

/* Medians of one kind of order. */
struct medians {
    double ns, wall_ns, hold_ns, probe_ns;
};

struct flushing {
    const struct device_judge_ops *ops;
    void *ctx;
    struct mem *mems; /* two */
};

static int flush(void *arg, struct err *err)
{
    const struct flushing *f = arg;
    struct mem *both[2] = {&f->mems[0], &f->mems[1]};

    return f->ops->flush ? f->ops->flush(f->ctx, both, 2, err) : 0;
}

static int order_once(struct rproc *r, const struct device_judge_ops *ops, void *ctx,
                      struct mem *mems, enum wire_order what, struct rproc_reply *reply,
                      struct verdict *v, struct err *err)
{
    bool hold = r->config->device->hold_ms > 0 && r->seq >= RPROC_UNHELD_CALLS;
    const struct rproc_order order = {what, 0, 1, 1, hold ? WIRE_HOLD_WORK : WIRE_HOLD_NONE};
    struct flushing flushing = {ops, ctx, mems};
    const struct rproc_content content = {flush, &flushing, hold};

    return rproc_order(r, &order, &content, reply, v, err);
}

static int median_of(struct rproc *r, const struct device_judge_ops *ops, void *ctx,
                     struct mem *mems, enum wire_order what, struct medians *ret, struct err *err)
{
    struct verdict v = VERDICT_INIT;
    double ns[CALLS], walls[CALLS], holds[CALLS], probes[CALLS];
    uint32_t ignored[DEVICE_PEEKS];
    struct peeks where;

    layout_peeks(r->config->out, 0, &where);
    for (int i = 0; i < CALLS; i++) {
        struct rproc_reply reply;
        int rc = order_once(r, ops, ctx, mems, what, &reply, &v, err);

        probes[i] = 0;
        if (rc == 0 && r->config->device->clock == CLOCK_CLAIM_AUDITED)
            rc = audit_probe(ops, ctx, &mems[1], &where, ignored, &probes[i], err);
        if (rc)
            return rc > 0 ? fail(err, ERR_SYSTEM, "an empty kernel: %s", v.detail) : -1;
        walls[i] = (double)reply.wall_ns;
        holds[i] = (double)reply.hold_ns;
        ns[i] = (double)(r->config->device->clock == CLOCK_JUDGE ? reply.wall_ns : reply.claim_ns);
    }
    *ret = (struct medians){stats_median(ns, CALLS), stats_median(walls, CALLS),
                            stats_median(holds, CALLS), stats_median(probes, CALLS)};
    return 0;
}

static int measure(const struct rproc_config *config, void *ctx, struct mem *mems,
                   struct call_floor *ret, struct err *err)
{
    AUTO(rproc_release) struct rproc r = RPROC_INIT;
    const struct device_judge_ops *ops = config->device->judge;
    struct verdict v = VERDICT_INIT;
    struct medians call, empty;

    if (rproc_start(&r, config, err) < 0)
        return -1;

    int rc = rproc_ready(&r, &v, err);

    if (rc > 0)
        return fail(err, ERR_SYSTEM, "an empty kernel: %s", v.detail);
    if (rc < 0 || median_of(&r, ops, ctx, mems, WIRE_ORDER_CALL, &call, err) < 0 ||
        median_of(&r, ops, ctx, mems, WIRE_ORDER_EMPTY, &empty, err) < 0)
        return -1;
    ret->floor_ns = fmax(call.ns - empty.ns, 0);
    ret->empty_ns = empty.wall_ns;
    ret->hold_ns = call.hold_ns;
    ret->probe_ns = call.probe_ns;
    ret->layers = r.layers;
    return 0;
}

int call_floor_measure(const struct places *places, const struct device *device, int index,
                       const struct cpus *cpus, struct call_floor *ret, struct err *err)
{
    struct build_result built = {.artifact_fd = -1};
    struct tensor_slot slot = {DT_F32, {1, {16}}, GUARD_BYTES};
    size_t slot_bytes = 64;
    struct layout layout = {&slot, &slot_bytes, 1, 2 * GUARD_BYTES + 256};
    struct mem mems[2] = {MEM_INIT, MEM_INIT};
    struct rproc_config config = {
        .runner_path = places->runner,
        .device = device,
        .device_index = index,
        .in = &layout,
        .out = &layout,
        .in_arenas = &mems[0],
        .n_in_arenas = 1,
        .out_arenas = &mems[1],
        .n_out_arenas = 1,
        .n_inputs = 1,
        .pin = cpus->split,
        .runner_cpus = cpus->runner,
        .start_timeout_ms = 10000,
        .call_timeout_ms = 1000,
    };
    cpu_set_t saved;
    void *ctx = NULL;
    int rc = -1;

    sched_getaffinity(0, sizeof(saved), &saved);
    if (device->judge->open(index, &ctx, err) == 0 &&
        build_empty(places, device, ctx, &built, err) == 0 &&
        device->judge->mem_alloc(ctx, MEM_INPUT, layout.bytes, &mems[0], err) == 0 &&
        device->judge->mem_alloc(ctx, MEM_OUTPUT, layout.bytes, &mems[1], err) == 0) {
        config.artifact_fd = built.artifact_fd;
        if (cpus->split)
            sched_setaffinity(0, sizeof(cpus->judge), &cpus->judge);
        rc = measure(&config, ctx, mems, ret, err);
        sched_setaffinity(0, sizeof(saved), &saved);
    }
    for (int i = 0; i < 2; i++)
        device->judge->mem_free(ctx, &mems[i]);
    device->judge->close(ctx);
    build_result_release(&built);
    return rc;
}
