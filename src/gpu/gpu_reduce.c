/* SPDX-License-Identifier: MIT */
/* How a reduction is divided among threads. A float sum has its order: one thread per output, or
 * lanes. All other reductions may be cut. If the terms of an output are neighbours, a group of
 * threads takes them; if neighbouring outputs are, a thread takes a part. If there are few outputs,
 * each is cut into parts. */
#include "gpu/gpu_ctx.h"

#define MAX_BLOCKS 65536 /* kernels stride over the rest */
#define TERMS_MIN 16     /* with fewer terms per thread, a part costs more than it gains */
#define LONG_LINE 256    /* from this length on, a block takes a line of top-k */

struct reduce_plan {
    bool by_lanes, serial;
    int group;
    int64_t n, parts, chunk;
    int64_t at_a_time; /* outputs at a time, if it goes by lanes */
    double bytes;
};

static bool any_order(const struct op_job *j)
{
    return j->store != STORE_F32 || j->op == OP_MAX || j->op == OP_MIN;
}

/* Whether neighbouring outputs are contiguous in memory and neighbouring terms are not. */
static bool is_columns(const struct reduce_args *r)
{
    int kept = r->kept.rank - 1, reduced = r->reduced.rank - 1;

    return r->kept.stride[kept] == 1 && r->kept.dim[kept] >= 32 && r->reduced.stride[reduced] != 1;
}

static void cut(const struct gpu *g, const struct reduce_args *r, struct reduce_plan *p)
{
    int64_t wanted = (int64_t)g->c->sms * 2048, threads = p->n * p->group;
    int64_t most = MAX(1, r->span.count / (p->group * TERMS_MIN));

    p->parts = MAX(1, MIN(most, wanted / MAX(1, threads)));
    p->chunk = (r->span.count + p->parts - 1) / p->parts;
    p->chunk = (p->chunk + 3) / 4 * 4; /* a multiple of 4 keeps quads aligned */
    p->parts = MAX(1, (r->span.count + p->chunk - 1) / MAX(1, p->chunk));
}

static struct reduce_plan make_plan(const struct gpu *g, const struct op_job *j)
{
    const struct reduce_args *r = &j->reduce;
    struct reduce_plan p = {
        .n = axes_count(&r->kept), .parts = 1, .chunk = r->span.count, .group = 1};

    if (!any_order(j)) {
        p.by_lanes = reduce_goes_by_lanes(r);
        p.serial = true;
        p.at_a_time = MIN(p.n, MAX(1, (int64_t)(g->lanes_bytes / (ITEM_LANES * sizeof(float)))));
        p.bytes = p.by_lanes ? (double)p.at_a_time * ITEM_LANES * sizeof(float) : 0;
        return p;
    }
    p.serial = is_columns(r);
    if (!p.serial)
        p.group = r->span.count >= 1024 ? CUDA_THREADS : r->span.count >= 64 ? 32 : 1;
    cut(g, r, &p);
    if (p.parts > 1)
        p.bytes = (double)(p.n * p.parts) * (double)gpu_store_size(j->store);
    return p;
}

static int launch(struct gpu *g, const struct op_job *j, const struct reduce_plan *p,
                  struct gpu_reduce a, struct err *err)
{
    int kernel = (p->serial ? GPU_reduce_serial : GPU_reduce_groups) + (int)j->store;

    a.op = (int)j->op;
    a.n = p->n;
    a.parts = p->parts;
    a.chunk = p->chunk;
    a.group = p->group;
    return gpu_launch(g, kernel, p->n * p->parts * p->group, &a, err);
}

/* Combines the parts of n outputs. Parts of output i begin at i * start and lie stride apart. */
static int combine(struct gpu *g, const struct op_job *j, const void *x, int64_t n, int64_t parts,
                   int64_t start, int64_t stride, void *y, struct err *err)
{
    struct reduce_plan p = {.serial = stride != 1, .group = 1, .n = n, .parts = 1};
    struct gpu_reduce a = {.x = {x, (int)store_dtype(j->store)}, .y = y};

    if (!p.serial)
        p.group = parts >= 64 ? 32 : 1;
    p.chunk = parts;
    a.r = (struct reduce_args){
        .kept = {1, {n}, {start}}, .reduced = {1, {parts}, {stride}}, .span = {parts, 0}};
    return launch(g, j, &p, a, err);
}

static int run_lanes(struct gpu *g, const struct op_job *j, const struct reduce_plan *p,
                     void *lanes, struct err *err)
{
    struct gpu_reduce a = {.r = j->reduce, .op = (int)j->op};

    for (a.from = 0; a.from < p->n; a.from += p->at_a_time) {
        a.n = MIN(p->at_a_time, p->n - a.from);
        a.x = gpu_operand(j, 0);
        a.y = lanes;
        if (gpu_launch(g, GPU_reduce_lanes_f32, a.n * ITEM_LANES / 4, &a, err) < 0)
            return -1;
        a.x = (struct typed){lanes, DT_F32};
        a.y = (float *)j->y + a.from;
        if (gpu_launch_blocks(g, GPU_combine_lanes_f32, MIN(a.n, MAX_BLOCKS), &a, err) < 0)
            return -1;
    }
    return 0;
}

int gpu_run_reduce(struct gpu *g, const struct op_job *j, struct err *err)
{
    struct reduce_plan p = make_plan(g, j);
    AUTO(gpu_room_release) struct gpu_room room = {g, NULL};
    struct gpu_reduce a = {.x = gpu_operand(j, 0), .y = j->y, .r = j->reduce};

    if (j->reduce.compensated) {
        a.n = p.n;
        return gpu_launch_blocks(g, GPU_compensated_f32, MIN(p.n, MAX_BLOCKS), &a, err);
    }
    if (p.bytes > 0 && gpu_room_take(&room, p.bytes, err) < 0)
        return -1;
    if (p.by_lanes)
        return run_lanes(g, j, &p, room.at, err);
    if (p.parts > 1)
        a.y = room.at;
    if (launch(g, j, &p, a, err) < 0)
        return -1;
    if (p.parts == 1)
        return 0;
    return combine(g, j, room.at, p.n, p.parts, p.serial ? 1 : p.parts, p.serial ? p.n : 1, j->y,
                   err);
}

double gpu_reduce_scratch(const struct gpu *g, const struct op_job *j)
{
    return make_plan(g, j).bytes;
}

int gpu_run_topk(struct gpu *g, const struct op_job *j, struct err *err)
{
    struct gpu_topk a = {.x = gpu_operand(j, 0), .y = j->y, .args = j->topk};
    int64_t lines = j->topk.line.outer * j->topk.line.inner;

    if (j->topk.line.count >= LONG_LINE)
        return gpu_launch_blocks(g, GPU_topk_long + (int)j->store, MIN(lines, MAX_BLOCKS), &a, err);
    return gpu_launch(g, GPU_topk + (int)j->store, lines, &a, err);
}

int gpu_run_lines(struct gpu *g, const struct op_job *j, struct err *err)
{
    struct gpu_lines a = {.x = gpu_operand(j, 0), .y = j->y, .line = j->line, .op = (int)j->op};

    return gpu_launch(g, (j->kind == OP_JOB_ARG ? GPU_arg : GPU_scan) + (int)j->store,
                      j->line.outer * j->line.inner, &a, err);
}
