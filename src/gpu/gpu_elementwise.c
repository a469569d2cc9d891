/* SPDX-License-Identifier: MIT */
#include "gpu/gpu_ctx.h"

static int launch_convert(struct gpu *g, const struct op_job *j, struct gpu_convert a,
                          struct err *err)
{
    bool as_is = j->type[0] == store_dtype(a.to) && a.through < 0 && a.round == ROUND_NONE;
    CUresult rc;

    if (!as_is)
        return gpu_launch(g, GPU_convert, (a.n + 3) / 4, &a, err);
    if (a.n == 0)
        return 0;
    rc = g->c->cu->cuMemcpyDtoDAsync_v2((CUdeviceptr)a.y, (CUdeviceptr)a.x.at,
                                        (size_t)a.n * gpu_store_size((enum store)a.to),
                                        g->c->stream);
    return rc ? cuda_fail(g->c->cu, rc, err, "copy") : 0;
}

int gpu_run_convert(struct gpu *g, const struct op_job *j, struct err *err)
{
    struct gpu_convert a = {.x = gpu_operand(j, 0),
                            .y = j->y,
                            .n = j->count,
                            .store = (int)j->store,
                            .round = (int)j->round,
                            .through = j->convert.passes ? (int)j->convert.through : -1,
                            .to = (int)j->convert.to};

    /* Going through the store's own dtype does not change a value. */
    if (a.through == (int)store_dtype(j->store))
        a.through = a.to == a.store ? -1 : a.through;
    return launch_convert(g, j, a, err);
}

bool gpu_needs_copy(const struct op_job *j, int i, enum store store)
{
    return j->type[i] != store_dtype(store) || (store == STORE_F32 && j->round != ROUND_NONE);
}

double gpu_copy_bytes(const struct op_job *j, int i, enum store store)
{
    return gpu_needs_copy(j, i, store) ? (double)j->in_count[i] * (double)gpu_store_size(store) : 0;
}

int gpu_plain(struct gpu *g, const struct op_job *j, int i, enum store store, struct gpu_room *r,
              const void **ret, struct err *err)
{
    *ret = j->in[i];
    if (!j->in[i] || !gpu_needs_copy(j, i, store))
        return 0;
    if (gpu_room_take(r, gpu_copy_bytes(j, i, store), err) < 0)
        return -1;
    *ret = r->at;

    struct gpu_convert a = {.x = gpu_operand(j, i),
                            .y = r->at,
                            .n = j->in_count[i],
                            .store = (int)store,
                            .round = store == STORE_F32 ? (int)j->round : ROUND_NONE,
                            .through = -1,
                            .to = (int)store};

    return gpu_launch(g, GPU_convert, (a.n + 3) / 4, &a, err);
}

int gpu_run_made(struct gpu *g, const struct op_job *j, struct err *err)
{
    struct gpu_fill a = {.y = j->y, .n = j->count};

    if (j->kind == OP_JOB_FILL) {
        a.value = j->value;
        return gpu_launch(g, GPU_fill + (int)j->store, (a.n + 3) / 4, &a, err);
    }
    a.line = j->line;
    return gpu_launch(g, GPU_iota + (int)j->store, a.n, &a, err);
}

struct gpu_pass gpu_pass_of(const struct op_job *j)
{
    struct gpu_pass a = {.pass = j->pass, .y = j->y, .n = j->count};

    for (int i = 0; i < PASS_MAX_IN; i++)
        a.in[i] = gpu_operand(j, i);
    return a;
}

int gpu_run_pass(struct gpu *g, const struct op_job *j, struct err *err)
{
    struct gpu_pass a = gpu_pass_of(j);
    const struct axes *first = &a.pass.ax[0];
    CUfunction special = gpu_special_kernel(g, &a, j->store);

    if (special)
        return gpu_special_launch(g, special, &a, err);
    if (a.in[0].at && first->rank == 1 && first->stride[0] == 1)
        a.ahead_bytes = (int)dtype_size(j->type[0]);
    return gpu_launch(g, GPU_pass + (int)j->store, (a.n + 3) / 4, &a, err);
}

int gpu_run_elementwise(struct gpu *g, const struct op_job *j, struct err *err)
{
    struct gpu_elementwise a = {.y = j->y, .n = j->count, .op = (int)j->op};
    int kernel = j->kind == OP_JOB_COMPARE ? GPU_relation : GPU_where;

    for (int i = 0; i < 3; i++) {
        a.in[i] = gpu_operand(j, i);
        a.ax[i] = j->ax[i];
    }
    return gpu_launch(g, kernel + (int)j->store, (a.n + 3) / 4, &a, err);
}
