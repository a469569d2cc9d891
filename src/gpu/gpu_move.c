/* SPDX-License-Identifier: MIT */
#include "gpu/gpu_ctx.h"

/* The axis that is contiguous in x while the last axis is not: along the last axis, neighbouring
 * threads would read far apart. -1: no such axis, or it is too short. */
static int transposed_axis(const struct axes *ax)
{
    int last = ax->rank - 1;

    if (ax->stride[last] == 1 || ax->stride[last] == 0 || ax->dim[last] < 8)
        return -1;
    for (int d = 0; d < last; d++) {
        if (ax->stride[d] == 1 && ax->dim[d] >= 8)
            return d;
    }
    return -1;
}

static int64_t div_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int run_transpose(struct gpu *g, const struct op_job *j, int d, struct err *err)
{
    const struct axes *ax = &j->ax[0];
    int last = ax->rank - 1;
    struct gpu_transpose a = {.x = gpu_operand(j, 0),
                              .y = j->y,
                              .from = *ax,
                              .to = *ax,
                              .rows = ax->dim[d],
                              .cols = ax->dim[last],
                              .x_row = ax->stride[last]};

    for (int k = last; k >= 0; k--)
        a.to.stride[k] = k == last ? 1 : a.to.stride[k + 1] * ax->dim[k + 1];
    a.y_row = a.to.stride[d];
    a.from.dim[d] = a.to.dim[d] = a.from.dim[last] = a.to.dim[last] = 1;
    a.outer = j->count / a.rows / a.cols;

    int64_t blocks = a.outer * div_up(a.rows, GPU_TRANSPOSE) * div_up(a.cols, GPU_TRANSPOSE);

    return gpu_launch(g, GPU_transpose + (int)j->store, blocks * CUDA_THREADS, &a, err);
}

int gpu_run_move(struct gpu *g, const struct op_job *j, struct err *err)
{
    struct gpu_elementwise a = {.y = j->y, .n = j->count};
    int across = transposed_axis(&j->ax[0]);

    if (across >= 0)
        return run_transpose(g, j, across, err);
    a.in[0] = gpu_operand(j, 0);
    a.ax[0] = j->ax[0];
    return gpu_launch(g, GPU_move + (int)j->store, (a.n + 3) / 4, &a, err);
}

int gpu_run_rows(struct gpu *g, const struct op_job *j, struct err *err)
{
    struct gpu_rows a = {.x = gpu_operand(j, 0),
                         .y = j->y,
                         .rows = j->rows.rows,
                         .width = j->rows.width,
                         .y_row = j->rows.y_row};

    return gpu_launch(g, GPU_rows + (int)j->store, j->count, &a, err);
}

int gpu_run_pad(struct gpu *g, const struct op_job *j, struct err *err)
{
    struct gpu_pad a = {.x = gpu_operand(j, 0), .y = j->y, .n = j->count, .pad = j->pad};

    return gpu_launch(g, GPU_pad + (int)j->store, a.n, &a, err);
}

/* ---- by index ---- */

#define NONE UINT64_MAX

/* The place of the first index outside 0..length-1, or NONE. Waits for the device. */
static int first_bad(struct gpu *g, const int64_t *index, int64_t n, int64_t length,
                     uint64_t *ret_at, struct err *err)
{
    const struct cuda_driver *cu = g->c->cu;
    AUTO(gpu_room_release) struct gpu_room word = {g, NULL};
    struct gpu_check_index a = {.index = index, .n = n, .length = length};
    CUresult rc;

    if (gpu_room_take(&word, sizeof(*ret_at), err) < 0)
        return -1;
    a.ret = word.at;
    rc = cu->cuMemsetD32Async((CUdeviceptr)word.at, UINT32_MAX, 2, g->c->stream);
    if (rc)
        return cuda_fail(cu, rc, err, "check_index");
    if (gpu_launch(g, GPU_check_index, n, &a, err) < 0 || cuda_finish(g->c, "check_index", err) < 0)
        return -1;
    rc = cu->cuMemcpyDtoH_v2(ret_at, (CUdeviceptr)word.at, sizeof(*ret_at));
    return rc ? cuda_fail(cu, rc, err, "check_index") : 0;
}

static int check_index(struct gpu *g, const int64_t *index, int64_t n, int64_t length,
                       struct err *err)
{
    uint64_t at = NONE;
    int64_t bad = 0;
    CUresult rc;

    if (n == 0)
        return 0;
    if (first_bad(g, index, n, length, &at, err) < 0)
        return -1;
    if (at == NONE)
        return 0;
    rc = g->c->cu->cuMemcpyDtoH_v2(&bad, (CUdeviceptr)(index + at), sizeof(bad));
    if (rc)
        return cuda_fail(g->c->cu, rc, err, "check_index");
    return job_index_error(bad, (int64_t)at, length, err);
}

int gpu_run_indexed(struct gpu *g, const struct op_job *j, struct err *err)
{
    bool gathers = j->kind == OP_JOB_GATHER;
    int64_t n = gathers ? j->gather.n_index : j->take.count;
    int64_t length = gathers ? j->gather.length : j->take.length;
    AUTO(gpu_room_release) struct gpu_room own = {g, NULL};
    struct gpu_indexed a = {.x = gpu_operand(j, 0), .y = j->y, .n = j->count};
    const void *index;

    if (gathers)
        a.gather = j->gather;
    else
        a.take = j->take;
    if (gpu_plain(g, j, 1, STORE_I64, &own, &index, err) < 0 ||
        check_index(g, index, n, length, err) < 0)
        return -1;
    a.index = index;
    return gpu_launch(g, (gathers ? GPU_gather : GPU_take) + (int)j->store, a.n, &a, err);
}

double gpu_indexed_scratch(const struct gpu *g, const struct op_job *j)
{
    (void)g;
    return gpu_copy_bytes(j, 1, STORE_I64) + 256;
}
