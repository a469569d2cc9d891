/* SPDX-License-Identifier: MIT */
/* Recurrences: each step is a product of the state with the weights, then the cells. */
#include "gpu/gpu_ctx.h"

struct gpu_recur {
    struct gpu *g;
    const struct op_job *j;
    struct gpu_cells cells;
    struct gpu_product product; /* state x weights^T; its operand a is the state, maybe rounded */
    void *rounded;              /* the rounded state; NULL: the state is read as it is */
    int64_t units;
};

/* Rounds the state before a step, for the product. */
static int round_state(const struct gpu_recur *r, struct err *err)
{
    struct gpu_convert a = {.x = {r->cells.h, DT_F32},
                            .y = r->rounded,
                            .n = r->units,
                            .store = STORE_F32,
                            .round = (int)r->j->round,
                            .through = -1,
                            .to = STORE_F32};

    return r->rounded ? gpu_launch(r->g, GPU_convert, (a.n + 3) / 4, &a, err) : 0;
}

static int run_steps(struct gpu_recur *r, struct err *err)
{
    const struct recur_args *a = &r->j->recur;
    size_t size = gpu_store_size(r->j->store);
    int kernel = GPU_cells + (int)r->j->store;
    const char *gates = r->cells.gates;
    void *sums = r->product.c;
    char *y = r->j->y;

    for (int64_t t = 0; t < a->steps; t++) {
        bool used = t < a->used_steps;

        if (used &&
            (round_state(r, err) < 0 || gpu_multiply(r->g, r->j->store, &r->product, err) < 0))
            return -1;
        r->cells.gates = gates + (size_t)(t * a->batch * r->cells.row) * size;
        r->cells.sums = used ? sums : NULL;
        r->cells.y = y + (size_t)(t * a->batch * r->cells.width) * size;
        if (gpu_launch(r->g, kernel, r->units, &r->cells, err) < 0)
            return -1;
    }
    return 0;
}

/* Copies an operand to the state, which is overwritten in each step. */
static int load_state(struct gpu *g, const struct op_job *j, int i, void *to, struct err *err)
{
    struct gpu_convert a = {.x = gpu_operand(j, i),
                            .y = to,
                            .n = j->in_count[i],
                            .store = (int)j->store,
                            .through = -1,
                            .to = (int)j->store};

    return gpu_launch(g, GPU_convert, (a.n + 3) / 4, &a, err);
}

/* Bytes of the sums, h, c, and the rounded state. */
static double state_bytes(const struct recur_args *a, enum store store)
{
    return (double)(a->batch * a->hidden * (a->gates + 3)) * (double)gpu_store_size(store);
}

int gpu_run_recur(struct gpu *g, const struct op_job *j, struct err *err)
{
    const struct recur_args *a = &j->recur;
    int64_t row = a->gates * a->hidden, units = a->batch * a->hidden;
    size_t part = (size_t)units * gpu_store_size(j->store);
    struct op_job plain = *j;
    AUTO(gpu_room_release) struct gpu_room own_w = {g, NULL};
    AUTO(gpu_room_release) struct gpu_room own_gates = {g, NULL};
    AUTO(gpu_room_release) struct gpu_room own_bias = {g, NULL};
    AUTO(gpu_room_release) struct gpu_room room = {g, NULL};
    struct gpu_recur r = {.g = g, .j = j, .units = units};

    plain.round = ROUND_NONE;
    if (gpu_plain(g, &plain, 0, j->store, &own_gates, &r.cells.gates, err) < 0 ||
        gpu_plain(g, j, 1, j->store, &own_w, &r.product.b, err) < 0 ||
        gpu_plain(g, &plain, 2, j->store, &own_bias, &r.cells.bias, err) < 0 ||
        gpu_room_take(&room, state_bytes(a, j->store), err) < 0)
        return -1;
    r.product.c = room.at;
    r.cells.h = (char *)room.at + part * (size_t)a->gates;
    r.cells.c = j->op == OP_LSTM ? (char *)r.cells.h + part : NULL;
    r.rounded = j->round != ROUND_NONE ? (char *)r.cells.h + 2 * part : NULL;
    r.product.a = r.rounded ? r.rounded : r.cells.h;
    r.product.g = (struct gemm){a->batch, row, a->span, a->hidden, 1, 1, a->hidden, row, 1};
    r.product.batch = 1;
    r.cells.batch = a->batch;
    r.cells.hidden = a->hidden;
    r.cells.row = row;
    r.cells.width = j->op == OP_LSTM ? 2 * a->hidden : a->hidden;
    r.cells.op = (int)j->op;
    if (load_state(g, j, 3, r.cells.h, err) < 0 ||
        (r.cells.c && load_state(g, j, 4, r.cells.c, err) < 0))
        return -1;
    return run_steps(&r, err);
}

double gpu_recur_scratch(const struct gpu *g, const struct op_job *j)
{
    double bytes = state_bytes(&j->recur, j->store);

    (void)g;
    for (int i = 0; i < 3; i++)
        bytes += gpu_copy_bytes(j, i, j->store);
    return bytes + (j->store == STORE_F64 ? GPU_BLAS_BYTES : 0);
}

/* ---- the gated delta rule ---- */

/* The job for reading operand i: only q, k and v are rounded. */
static struct op_job delta_operand(const struct op_job *j, int i)
{
    struct op_job one = *j;

    one.round = i < 3 ? j->round : ROUND_NONE;
    return one;
}

int gpu_run_delta(struct gpu *g, const struct op_job *j, struct err *err)
{
    struct gpu_room own[5] = {{g, NULL}, {g, NULL}, {g, NULL}, {g, NULL}, {g, NULL}};
    struct gpu_delta a = {.y = j->y, .args = j->delta};
    const void **to[5] = {&a.q, &a.k, &a.v, &a.decay, &a.beta};
    int64_t pieces = (j->delta.values + GPU_DELTA_COLUMNS - 1) / GPU_DELTA_COLUMNS;
    int rc = 0;

    for (int i = 0; i < 5 && rc == 0; i++) {
        struct op_job one = delta_operand(j, i);

        rc = gpu_plain(g, &one, i, j->store, &own[i], to[i], err);
    }
    if (rc == 0)
        rc = gpu_launch_blocks(g, GPU_delta_rule + (int)j->store,
                               j->delta.batch * j->delta.heads * pieces, &a, err);
    for (int i = 0; i < 5; i++)
        gpu_room_release(&own[i]);
    return rc;
}

double gpu_delta_scratch(const struct gpu *g, const struct op_job *j)
{
    double bytes = 0;

    (void)g;
    for (int i = 0; i < 5; i++) {
        struct op_job one = delta_operand(j, i);

        bytes += gpu_copy_bytes(&one, i, j->store);
    }
    return bytes;
}
