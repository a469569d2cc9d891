/* SPDX-License-Identifier: MIT */
/* Products in double are cuBLAS's. Products in float are our own kernel's, because every float sum
 * has its order. Convolutions are products of the weights with a matrix of columns (conv.h), which
 * is made for as many images and places at a time as columns_bytes allow. */
#include "gpu/gpu_ctx.h"

#include <math.h>

#define PLACES_MIN 1024    /* least places at a time: fewer would not fill a product */
#define BLAS_MIN_FLOPS 1e8 /* with fewer FLOPs, opening cuBLAS would cost more than it gains */
#define NARROW 4 /* with fewer output channels per group, columns would cost more than the sums */

struct cublas *gpu_blas(struct gpu *g)
{
    if (!g->blas_tried)
        g->blas = cublas_open(g->c->stream);
    g->blas_tried = true;
    return g->blas;
}

/* ---- products ---- */

static int64_t tiles(const struct gpu_product *q, int64_t tile)
{
    return q->batch * ((q->g.m + tile - 1) / tile) * ((q->g.n + tile - 1) / tile);
}

static int multiply_own(struct gpu *g, enum store store, const struct gpu_product *q,
                        struct err *err)
{
    struct gpu_product args = *q;

    if (store == STORE_I64)
        return gpu_launch(g, GPU_product + STORE_I64, q->batch * q->g.m * q->g.n, &args, err);
    if (store == STORE_F32 && tiles(q, GPU_LARGE_TILE) >= g->c->sms)
        return gpu_launch_blocks(g, GPU_product_large_f32, tiles(q, GPU_LARGE_TILE), &args, err);
    return gpu_launch_blocks(g, GPU_product + (int)store, tiles(q, GPU_TILE), &args, err);
}

/* Whether cuBLAS does a product. It is opened for the first large product, then also used for small
 * ones. */
static bool wants_blas(struct gpu *g, enum store store, const struct gpu_product *q)
{
    double flops = 2.0 * (double)q->batch * (double)q->g.m * (double)q->g.n * (double)q->g.k.count;

    return store == STORE_F64 && (g->blas || flops >= BLAS_MIN_FLOPS) && cublas_takes(q) &&
           gpu_blas(g);
}

int gpu_multiply(struct gpu *g, enum store store, const struct gpu_product *q, struct err *err)
{
    if (q->batch == 0 || q->g.m == 0 || q->g.n == 0)
        return 0;
    if (wants_blas(g, store, q))
        return cublas_product(g->blas, q, err);
    return multiply_own(g, store, q, err);
}

int gpu_run_matmul(struct gpu *g, const struct op_job *j, struct err *err)
{
    const struct matmul_args *m = &j->matmul;
    AUTO(gpu_room_release) struct gpu_room own_a = {g, NULL};
    AUTO(gpu_room_release) struct gpu_room own_b = {g, NULL};
    struct gpu_product q = {.g = m->gemm,
                            .batch = m->batch,
                            .batch_c = m->gemm.m * m->gemm.n,
                            .batch_a = m->batch_a,
                            .batch_b = m->batch_b,
                            .c = j->y};

    if (gpu_plain(g, j, 0, j->store, &own_a, &q.a, err) < 0 ||
        gpu_plain(g, j, 1, j->store, &own_b, &q.b, err) < 0)
        return -1;
    return gpu_multiply(g, j->store, &q, err);
}

double gpu_matmul_scratch(const struct gpu *g, const struct op_job *j)
{
    (void)g;
    return gpu_copy_bytes(j, 0, j->store) + gpu_copy_bytes(j, 1, j->store) +
           (j->store == STORE_F64 ? GPU_BLAS_BYTES : 0);
}

/* Reads the offsets back to the host, which checks them and launches one product per group. */
static int read_offsets(struct gpu *g, const struct op_job *j, int64_t *ret, struct err *err)
{
    AUTO(gpu_room_release) struct gpu_room own = {g, NULL};
    const void *at;
    CUresult rc;

    if (gpu_plain(g, j, 2, STORE_I64, &own, &at, err) < 0 || cuda_finish(g->c, "offsets", err) < 0)
        return -1;
    rc = g->c->cu->cuMemcpyDtoH_v2(ret, (CUdeviceptr)at, (size_t)j->in_count[2] * sizeof(int64_t));
    if (rc)
        return cuda_fail(g->c->cu, rc, err, "offsets");
    return job_check_offsets(&j->grouped, ret, err);
}

int gpu_run_grouped(struct gpu *g, const struct op_job *j, struct err *err)
{
    const struct gemm *whole = &j->grouped.gemm;
    size_t size = gpu_store_size(j->store);
    AUTO(freep) int64_t *offsets = xcalloc((size_t)j->grouped.groups + 1, sizeof(*offsets));
    AUTO(gpu_room_release) struct gpu_room own_x = {g, NULL};
    AUTO(gpu_room_release) struct gpu_room own_w = {g, NULL};
    struct gpu_product q = {.g = *whole, .batch = 1};
    const void *x, *w;

    if (read_offsets(g, j, offsets, err) < 0 || gpu_plain(g, j, 0, j->store, &own_x, &x, err) < 0 ||
        gpu_plain(g, j, 1, j->store, &own_w, &w, err) < 0)
        return -1;
    for (int64_t i = 0; i < j->grouped.groups; i++) {
        q.g.m = offsets[i + 1] - offsets[i];
        q.a = (const char *)x + (size_t)(offsets[i] * whole->a_row) * size;
        q.b = (const char *)w + (size_t)(i * whole->a_row * whole->b_row) * size;
        q.c = (char *)j->y + (size_t)(offsets[i] * whole->c_row) * size;
        if (gpu_multiply(g, j->store, &q, err) < 0)
            return -1;
    }
    return 0;
}

double gpu_grouped_scratch(const struct gpu *g, const struct op_job *j)
{
    return gpu_matmul_scratch(g, j) + gpu_copy_bytes(j, 2, STORE_I64);
}

/* ---- convolutions ---- */

/* How one phase is cut: `images` images, `places` places and one group at a time. */
struct gpu_conv_plan {
    bool as_is; /* x itself is the matrix of columns */
    bool scattered;
    int64_t images, places;
    double columns, sums, weights; /* bytes */
};

static bool is_pointwise(const struct conv_args *c)
{
    bool one = !c->transposed;

    for (int d = 0; d < ITEM_SPACE; d++)
        one = one && c->k[d] == 1 && c->stride[d] == 1 && c->pad[d] == 0;
    return one;
}

static bool is_narrow(const struct conv_args *c)
{
    return c->o / c->groups < NARROW && c->groups > 1;
}

/* Whether an int holds every place of the phase and every offset at which it reads a channel, also
 * beyond the channel's rim. */
static bool columns_fit(const struct conv_args *c, const struct conv_phase *p)
{
    double reach = 1;

    for (int d = 0; d < ITEM_SPACE; d++) {
        const struct conv_axis *a = &p->axis[d];

        reach *= fmax((double)c->in[d], (double)(a->places * a->step)) + fabs((double)a->offset) +
                 fabs((double)(a->taps * a->offset_step));
    }
    return reach < INT32_MAX && (double)p->places < INT32_MAX;
}

/* Whether a convolution is computed directly, one output element per thread, without columns. */
static bool is_direct(const struct conv_args *c)
{
    bool direct = is_narrow(c);
    struct conv_phase p;

    for (int64_t i = 0; !direct && !is_pointwise(c) && i < conv_phases(c); i++) {
        conv_phase(c, i, &p);
        direct = !columns_fit(c, &p);
    }
    return direct;
}

static struct gpu_conv_plan conv_plan(const struct gpu *g, const struct op_job *j,
                                      const struct conv_phase *p)
{
    const struct conv_args *c = &j->conv;
    double size = (double)gpu_store_size(j->store), column = (double)p->span.count * size;
    struct gpu_conv_plan q = {.scattered = c->transposed, .images = c->n, .places = p->places};

    q.as_is = is_pointwise(c) && !gpu_needs_copy(j, 0, j->store);
    if (q.as_is)
        return q;
    if (column * (double)q.places > g->columns_bytes)
        q.places = MIN(q.places, MAX(PLACES_MIN, (int64_t)(g->columns_bytes / column)));
    q.images = MAX(1, (int64_t)(g->columns_bytes / MAX(1, column * (double)q.places)));
    q.images = MIN(q.images, c->n);
    q.columns = column * (double)q.places * (double)q.images;
    if (q.scattered) {
        q.sums = (double)(c->o / c->groups * q.places * q.images) * size;
        q.weights = (double)c->o * column;
    }
    return q;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* The state of one convolution. */
struct conv_run {
    struct gpu *g;
    const struct op_job *j;
    const struct conv_args *c;
    const void *w, *bias;
    struct typed x;
    struct conv_phase phase;
    struct gpu_conv_plan plan;
    void *columns, *sums;
};

/* Computes the piece of group `group` that begins at `image` and `place`: makes columns, multiplies
 * them, and moves the sums to their places. */
static int conv_piece(const struct conv_run *r, int64_t group, int64_t image, int64_t place,
                      struct err *err)
{
    const struct conv_args *c = r->c;
    size_t size = gpu_store_size(r->j->store);
    int64_t og = c->o / c->groups, out = c->out[0] * c->out[1] * c->out[2];
    int64_t plane = c->in[0] * c->in[1] * c->in[2], terms = r->phase.span.count;
    int64_t images = MIN(r->plan.images, c->n - image);
    int64_t n = MIN(r->plan.places, r->phase.places - place);
    int64_t w_row = c->transposed ? terms : r->phase.terms;
    struct gpu_columns cols = {*c, r->phase, r->x, r->columns, image, images, group, place, n};
    struct gpu_product q = {.g = {og, n, r->phase.span, w_row, 1, n, 1, n, 1},
                            .batch = images,
                            .a = (const char *)r->w + (size_t)(group * og * w_row) * size};
    int64_t pieces = images * ceil_div(terms, GPU_COLUMN_TERMS) * ceil_div(n, GPU_COLUMN_PLACES);

    q.batch_b = (struct axes){1, {images}, {terms * n}};
    q.b = r->columns;
    if (r->plan.as_is) {
        int64_t first = (image * c->c + group * (c->c / c->groups)) * plane;

        q.b = (const char *)r->x.at + (size_t)first * size;
        q.batch_b.stride[0] = c->c * plane;
    } else if (gpu_launch(r->g, GPU_columns + (int)r->j->store, pieces * CUDA_THREADS, &cols, err) <
               0) {
        return -1;
    }
    if (!r->plan.scattered) {
        q.c = (char *)r->j->y + (size_t)((image * c->o + group * og) * out + place) * size;
        q.g.c_row = out;
        q.batch_c = c->o * out;
        return gpu_multiply(r->g, r->j->store, &q, err);
    }

    struct gpu_scatter s = {*c,    r->phase, r->sums, r->bias, r->j->y,
                            image, images,   group,   place,   n};

    q.c = r->sums;
    q.batch_c = og * n;
    if (gpu_multiply(r->g, r->j->store, &q, err) < 0)
        return -1;
    return gpu_launch(r->g, GPU_scatter + (int)r->j->store, images * og * n, &s, err);
}

static int conv_phase_pieces(const struct conv_run *r, struct err *err)
{
    for (int64_t group = 0; group < r->c->groups; group++)
        for (int64_t image = 0; image < r->c->n; image += r->plan.images)
            for (int64_t place = 0; place < r->phase.places; place += r->plan.places)
                if (conv_piece(r, group, image, place, err) < 0)
                    return -1;
    return 0;
}

static int conv_one_phase(struct conv_run *r, struct err *err)
{
    AUTO(gpu_room_release) struct gpu_room columns = {r->g, NULL};
    AUTO(gpu_room_release) struct gpu_room sums = {r->g, NULL};
    AUTO(gpu_room_release) struct gpu_room weights = {r->g, NULL};
    const void *whole = r->w;
    int rc;

    if ((r->plan.columns > 0 && gpu_room_take(&columns, r->plan.columns, err) < 0) ||
        (r->plan.sums > 0 && gpu_room_take(&sums, r->plan.sums, err) < 0) ||
        (r->plan.weights > 0 && gpu_room_take(&weights, r->plan.weights, err) < 0))
        return -1;
    r->columns = columns.at;
    r->sums = sums.at;
    if (r->c->transposed) {
        struct gpu_phase_weights a = {*r->c, r->phase, whole, weights.at};

        if (gpu_launch(r->g, GPU_phase_weights + (int)r->j->store, r->c->o * r->phase.span.count,
                       &a, err) < 0)
            return -1;
        r->w = weights.at;
    }
    rc = conv_phase_pieces(r, err);
    r->w = whole;
    return rc;
}

static int conv_direct(const struct conv_run *r, struct err *err)
{
    struct gpu_conv a = {
        .c = *r->c, .x = r->x, .w = r->w, .bias = r->bias, .y = r->j->y, .n = r->j->count};

    return gpu_launch(r->g, GPU_conv + (int)r->j->store, a.n, &a, err);
}

static int conv_run(struct conv_run *r, struct err *err)
{
    const struct conv_args *c = r->c;

    if (is_direct(c))
        return conv_direct(r, err);
    for (int64_t i = 0; i < conv_phases(c); i++) {
        conv_phase(c, i, &r->phase);
        r->plan = conv_plan(r->g, r->j, &r->phase);
        if (r->phase.places > 0 && conv_one_phase(r, err) < 0)
            return -1;
    }
    if (c->transposed || !r->bias)
        return 0;

    struct gpu_add_bias a = {.y = r->j->y,
                             .bias = r->bias,
                             .n = r->j->count,
                             .channels = c->o,
                             .size = c->out[0] * c->out[1] * c->out[2]};

    return gpu_launch(r->g, GPU_add_bias + (int)r->j->store, a.n, &a, err);
}

/* A job without rounding, for the bias, which is never rounded. */
static struct op_job without_rounding(const struct op_job *j)
{
    struct op_job plain = *j;

    plain.round = ROUND_NONE;
    return plain;
}

/* x is read in its own dtype unless it has to be rounded. */
int gpu_run_conv(struct gpu *g, const struct op_job *j, struct err *err)
{
    struct op_job plain = without_rounding(j);
    AUTO(gpu_room_release) struct gpu_room own_x = {g, NULL};
    AUTO(gpu_room_release) struct gpu_room own_w = {g, NULL};
    AUTO(gpu_room_release) struct gpu_room own_bias = {g, NULL};
    struct conv_run r = {.g = g, .j = j, .c = &j->conv, .x = gpu_operand(j, 0)};

    if (gpu_plain(g, j, 1, j->store, &own_w, &r.w, err) < 0 ||
        gpu_plain(g, &plain, 2, j->store, &own_bias, &r.bias, err) < 0)
        return -1;
    if (j->round != ROUND_NONE) {
        if (gpu_plain(g, j, 0, j->store, &own_x, &r.x.at, err) < 0)
            return -1;
        r.x.type = (int)store_dtype(j->store);
    }
    return conv_run(&r, err);
}

double gpu_conv_scratch(const struct gpu *g, const struct op_job *j)
{
    double most = 0, copies = gpu_copy_bytes(j, 1, j->store);
    struct conv_phase phase;

    if (j->in_count[2] > 0)
        copies += gpu_copy_bytes(j, 2, j->store);
    if (j->round != ROUND_NONE)
        copies += gpu_copy_bytes(j, 0, j->store);
    for (int64_t i = 0; !is_direct(&j->conv) && i < conv_phases(&j->conv); i++) {
        conv_phase(&j->conv, i, &phase);

        struct gpu_conv_plan q = conv_plan(g, j, &phase);

        most = MAX(most, q.columns + q.sums + q.weights);
    }
    return copies + most + (j->store == STORE_F64 ? GPU_BLAS_BYTES : 0);
}

int gpu_run_pool(struct gpu *g, const struct op_job *j, struct err *err)
{
    struct gpu_pool a = {
        .p = j->pool, .x = gpu_operand(j, 0), .y = j->y, .n = j->count, .op = (int)j->op};

    return gpu_launch(g, GPU_pool + (int)j->store, a.n, &a, err);
}
