/* SPDX-License-Identifier: MIT */
/* Products, convolutions, windows and recurrences over REAL, and the table LOOPS of all loops.
 * Included after loops_body.h and after product(g, a, b, c, scratch, blas), product_scratch(g) and
 * product_blas(g, flops), which do one product on one thread. Work is cut into tiles that threads
 * take in turn. A tile never cuts k, so the bits do not depend on the tiles. */
#include "ops/blas.h"
#include "ops/conv.h"
#include "ops/gemm.h"

#include <omp.h>

#define NARROW 16 /* with fewer columns, the transposed product fills vectors better */
#define TINY 512  /* with at most so many multiply-adds, packing costs more than it gains */

static double gemm_flops(const struct gemm *g)
{
    return 2.0 * (double)g->m * (double)g->n * (double)g->k.count;
}

/* The transposed product c^T = b^T a^T: it has the same sums. */
static struct gemm swap_operands(const struct gemm *g)
{
    struct gemm t = {g->n, g->m, g->k, g->b_col, g->b_row, g->a_col, g->a_row, g->c_col, g->c_row};

    return t;
}

struct tiling {
    struct gemm whole;
    struct gemm tile; /* the largest tile */
    int64_t rows, cols, jobs;
    bool blas, swapped;
    int threads;
    size_t scratch; /* bytes per thread */
};

static int64_t div_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Halves tiles until there are a few for every thread. */
static void tile_sizes(struct tiling *t, int64_t batch, int64_t size)
{
    int64_t m = MIN(size, t->whole.m), n = MIN(size, t->whole.n), enough = 3 * t->threads;

    while (t->threads > 1 && batch * div_up(t->whole.m, m) * div_up(t->whole.n, n) < enough &&
           (m > 32 || n > 128)) {
        if (m > 32 && m >= n / 2)
            m = div_up(m, 2);
        else
            n = div_up(n, 2);
    }
    t->tile = t->whole;
    t->tile.m = m;
    t->tile.n = n;
    t->rows = div_up(t->whole.m, m);
    t->cols = div_up(t->whole.n, n);
    t->jobs = batch * t->rows * t->cols;
}

static struct tiling tiling(const struct gemm *g, int64_t batch, double flops)
{
    struct tiling t = {.whole = *g, .blas = product_blas(g, flops)};

    t.swapped = !t.blas && g->n < NARROW && g->m > g->n;
    if (t.swapped)
        t.whole = swap_operands(g);
    t.threads = threads_for(gemm_flops(g) * (double)batch / 4); /* several FLOPs per operation */
    if (t.blas)
        t.threads = MIN(t.threads, BLAS_MAX_CALLERS);
    tile_sizes(&t, batch, t.blas ? 4 * GEMM_TILE : GEMM_TILE);
    t.threads = (int)MIN(t.threads, t.jobs);
    t.scratch = t.blas ? 0 : product_scratch(&t.tile);
    return t;
}

static void tile(const struct tiling *t, int64_t job, const REAL *a, const REAL *b, REAL *c,
                 void *scratch)
{
    int64_t i = job / t->cols % t->rows * t->tile.m, j = job % t->cols * t->tile.n;
    struct gemm g = t->whole;

    g.m = MIN(t->tile.m, t->whole.m - i);
    g.n = MIN(t->tile.n, t->whole.n - j);
    product(&g, a + i * g.a_row, b + j * g.b_col, c + i * g.c_row + j * g.c_col, scratch, t->blas);
}

/* Computes a batch of products. flops: those of the whole job that it is part of; they decide
 * whether to load a BLAS. */
static int products(const struct matmul_args *m, double flops, const REAL *a, const REAL *b,
                    REAL *y, struct err *err)
{
    struct tiling t = tiling(&m->gemm, m->batch, flops);
    AUTO(freep) char *scratch = loops_scratch(t.scratch * (size_t)t.threads, err);

    if (!scratch)
        return -1;
#pragma omp parallel for num_threads(t.threads) schedule(dynamic)
    for (int64_t job = 0; job < t.jobs; job++) {
        int64_t batch = job / t.cols / t.rows;
        const REAL *pa = a + axes_offset(&m->batch_a, batch);
        const REAL *pb = b + axes_offset(&m->batch_b, batch);

        tile(&t, job, t.swapped ? pb : pa, t.swapped ? pa : pb, y + batch * m->gemm.m * m->gemm.n,
             scratch + (size_t)omp_get_thread_num() * t.scratch);
    }
    return 0;
}

static int matmul(const struct matmul_args *m, const void *a, const void *b, void *y,
                  struct err *err)
{
    double flops = gemm_flops(&m->gemm) * (double)m->batch;

    if (flops > 2 * TINY)
        return products(m, flops, a, b, y, err);
    for (int64_t i = 0; i < m->batch * m->gemm.m * m->gemm.n; i++)
        ((REAL *)y)[i] = ITEM(matmul)(m, a, b, i);
    return 0;
}

static int grouped(const struct grouped_args *g, const void *x, const void *w,
                   const int64_t *offsets, void *y, struct err *err)
{
    const struct gemm *whole = &g->gemm;
    double flops = gemm_flops(whole);

    for (int64_t i = 0; i < g->groups; i++) {
        struct matmul_args m = {.gemm = *whole, .batch = 1};

        m.gemm.m = offsets[i + 1] - offsets[i];
        if (m.gemm.m > 0 && products(&m, flops, (const REAL *)x + offsets[i] * whole->a_row,
                                     (const REAL *)w + i * whole->a_row * whole->b_row,
                                     (REAL *)y + offsets[i] * whole->c_row, err) < 0)
            return -1;
    }
    return 0;
}

/* --- convolutions: a panel of output places becomes a matrix (terms, places) --- */

/* The inputs of n places of one output row for one tap: place i reads element at + i * step of the
 * input row, or 0 outside it. */
static void column_run(const REAL *row, int64_t length, int64_t at, int64_t step, int64_t n,
                       REAL *to)
{
    int64_t lo = at >= 0 ? 0 : div_up(-at, step);
    int64_t hi = at >= length ? 0 : div_up(length - at, step);

    lo = MIN(lo, n);
    hi = MAX(lo, MIN(hi, n));
    memset(to, 0, (size_t)lo * sizeof(REAL));
    if (step == 1)
        memcpy(to + lo, row + at + lo, (size_t)(hi - lo) * sizeof(REAL));
    else
        for (int64_t i = lo; i < hi; i++)
            to[i] = row[at + i * step];
    memset(to + hi, 0, (size_t)(n - hi) * sizeof(REAL));
}

/* The inputs of one term for the n places from `place` on; x is the term's channel. */
static void column_row(const struct conv_phase *p, const int64_t in[ITEM_SPACE],
                       const int64_t tap[ITEM_SPACE], const REAL *x, int64_t place, int64_t n,
                       REAL *to)
{
    int64_t off[ITEM_SPACE];

    for (int d = 0; d < ITEM_SPACE; d++)
        off[d] = p->axis[d].offset + tap[d] * p->axis[d].offset_step;
    while (n > 0) {
        int64_t v = place % p->axis[2].places, row = place / p->axis[2].places;
        int64_t y = row % p->axis[1].places * p->axis[1].step + off[1];
        int64_t z = row / p->axis[1].places * p->axis[0].step + off[0];
        int64_t run = MIN(n, p->axis[2].places - v);

        if (y < 0 || y >= in[1] || z < 0 || z >= in[0])
            memset(to, 0, (size_t)run * sizeof(REAL));
        else
            column_run(x + (z * in[1] + y) * in[2], in[2], v * p->axis[2].step + off[2],
                       p->axis[2].step, run, to);
        to += run;
        place += run;
        n -= run;
    }
}

/* Fills the matrix `to`, [terms][n], of the n places from `place` on. x: the channels of one image
 * and group. */
static void fill_columns(const struct conv_args *c, const struct conv_phase *p, const REAL *x,
                         int64_t place, int64_t n, REAL *to)
{
    int64_t tap[ITEM_SPACE] = {0, 0, 0};

    for (int64_t t = 0; t < p->span.count; t++, to += n) {
        column_row(p, c->in, tap, x, place, n, to);
        for (int d = ITEM_SPACE - 1; d >= 0; d--) {
            if (++tap[d] < p->axis[d].taps)
                break;
            tap[d] = 0;
            x += d == 0 ? c->in[0] * c->in[1] * c->in[2] : 0;
        }
    }
}

/* Copies weights from [c][o of the group][taps] to [o][terms of the phase]. */
static void phase_weights(const struct conv_args *c, const struct conv_phase *p, const REAL *w,
                          REAL *to)
{
    int64_t og = c->o / c->groups, cg = c->c / c->groups, taps = c->k[0] * c->k[1] * c->k[2];

    for (int64_t o = 0; o < c->o; o++) {
        for (int64_t t = 0; t < p->span.count; t++) {
            int64_t ch = o / og * cg + t / p->taps;

            *to++ = w[(ch * og + o % og) * taps + conv_phase_tap(c, p, t % p->taps)];
        }
    }
}

/* Writes the sums of one panel to their output places and adds the bias. */
static void scatter(const struct conv_args *c, const struct conv_phase *p, const REAL *from,
                    const REAL *bias, int64_t rows, int64_t place, int64_t n, REAL *y)
{
    int64_t size = c->out[0] * c->out[1] * c->out[2];

    for (int64_t o = 0; o < rows; o++, from += n, y += size) {
        int64_t at = place, left = n;
        const REAL *sum = from;

        while (left > 0) {
            int64_t v = at % p->axis[2].places, row = at / p->axis[2].places;
            int64_t run = MIN(left, p->axis[2].places - v), step = p->axis[2].out_step;
            REAL *to = y + conv_phase_row(c, p, row) + p->axis[2].start + v * step;

            for (int64_t i = 0; i < run; i++)
                to[i * step] = bias ? sum[i] + bias[o] : sum[i];
            sum += run;
            at += run;
            left -= run;
        }
    }
}

struct conv_plan {
    const struct conv_args *c;
    const struct conv_phase *phase;
    struct gemm gemm; /* the product of the largest job: its rows x a panel */
    int64_t panels, row_blocks, jobs;
    bool blas;
    int threads;
    size_t columns, sums, scratch; /* per thread, in elements, elements, bytes */
};

/* Cuts a convolution into panels of GEMM_TILE places. If these are too few jobs, a job gets fewer
 * rows. */
static struct conv_plan conv_plan(const struct conv_args *c, const struct conv_phase *p,
                                  double flops)
{
    int64_t og = c->o / c->groups, n = MIN(GEMM_TILE, p->places), outer = c->n * c->groups;
    struct gemm g = {og, n, p->span, c->transposed ? p->span.count : p->terms, 1, n, 1, n, 1};
    struct conv_plan q = {.c = c, .phase = p, .panels = div_up(p->places, n)};

    q.blas = product_blas(&g, flops);
    q.threads = threads_for(flops / 4);
    if (q.blas)
        q.threads = MIN(q.threads, BLAS_MAX_CALLERS);
    q.row_blocks = 1;
    while (outer * q.panels * q.row_blocks < 2 * q.threads && og / q.row_blocks >= 64)
        q.row_blocks *= 2;
    g.m = div_up(og, q.row_blocks);
    q.gemm = g;
    q.jobs = outer * q.panels * q.row_blocks;
    q.threads = (int)MIN(q.threads, q.jobs);
    q.columns = (size_t)(p->span.count * n);
    q.sums = (size_t)(g.m * n);
    q.scratch = q.blas ? 0 : product_scratch(&g);
    return q;
}

static void conv_job(const struct conv_plan *q, int64_t job, const REAL *x, const REAL *w,
                     const REAL *bias, REAL *y, REAL *room)
{
    const struct conv_args *c = q->c;
    int64_t block = job % q->row_blocks, panel = job / q->row_blocks % q->panels;
    int64_t image = job / q->row_blocks / q->panels / c->groups;
    int64_t group = job / q->row_blocks / q->panels % c->groups;
    int64_t og = c->o / c->groups, cg = c->c / c->groups, place = panel * q->gemm.n;
    int64_t row = block * q->gemm.m, o = group * og + row;
    struct gemm g = q->gemm;
    REAL *columns = room, *sums = columns + q->columns;

    g.m = MIN(g.m, og - row);
    g.n = g.b_row = g.c_row = MIN(g.n, q->phase->places - place);
    if (g.m <= 0)
        return;
    fill_columns(c, q->phase, x + (image * c->c + group * cg) * c->in[0] * c->in[1] * c->in[2],
                 place, g.n, columns);
    product(&g, w + o * g.a_row, columns, sums, sums + q->sums, q->blas);
    scatter(c, q->phase, sums, bias ? bias + o : NULL, g.m, place, g.n,
            y + (image * c->o + o) * c->out[0] * c->out[1] * c->out[2]);
}

static int conv_one(const struct conv_args *c, const struct conv_phase *p, double flops,
                    const REAL *x, const REAL *w, const REAL *bias, REAL *y, struct err *err)
{
    struct conv_plan q = conv_plan(c, p, flops);
    size_t each = (q.columns + q.sums) * sizeof(REAL) + q.scratch;
    AUTO(freep) REAL *own = NULL;

    each = (each + 63) / 64 * 64;
    if (c->transposed) {
        own = loops_scratch((size_t)(c->o * p->span.count) * sizeof(REAL), err);
        if (!own)
            return -1;
        phase_weights(c, p, w, own);
        w = own;
    }

    AUTO(freep) char *room = loops_scratch(each * (size_t)q.threads, err);

    if (!room)
        return -1;
#pragma omp parallel for num_threads(q.threads) schedule(dynamic)
    for (int64_t job = 0; job < q.jobs; job++)
        conv_job(&q, job, x, w, bias, y, (REAL *)(room + (size_t)omp_get_thread_num() * each));
    return 0;
}

static int conv(const struct conv_args *c, const void *x, const void *w, const void *bias, void *y,
                struct err *err)
{
    double flops = conv_flops(c);
    struct conv_phase p;

    for (int64_t i = 0; i < conv_phases(c); i++) {
        conv_phase(c, i, &p);
        if (p.places > 0 && conv_one(c, &p, flops, x, w, bias, y, err) < 0)
            return -1;
    }
    return 0;
}

/* --- pooling --- */

/* Combines one tap into the n places of an output row. Place i reads element at + i * step of the
 * input row, which lies inside it for lo <= i < hi. */
static void pool_tap(int op, const REAL *row, int64_t length, int64_t at, int64_t step, int64_t n,
                     REAL *acc)
{
    int64_t lo = at >= 0 ? 0 : div_up(-at, step);
    int64_t hi = at >= length ? 0 : MIN(n, div_up(length - at, step));

    if (op == OP_MAX)
        for (int64_t i = lo; i < hi; i++)
            acc[i] = ITEM(combine)(OP_MAX, acc[i], row[at + i * step]);
    else
        for (int64_t i = lo; i < hi; i++)
            acc[i] = ITEM(combine)(OP_SUM, acc[i], row[at + i * step]);
}

/* Computes one row of outputs, tap after tap. */
static void pool_row(int op, const struct pool_args *p, const REAL *x, int64_t row, REAL *acc)
{
    int64_t y0 = row % p->out[1] * p->stride[1] - p->pad[1];
    int64_t z0 = row / p->out[1] % p->out[0] * p->stride[0] - p->pad[0];

    x += row / p->out[1] / p->out[0] * p->in[0] * p->in[1] * p->in[2];
    for (int64_t i = 0; i < p->out[2]; i++)
        acc[i] = ITEM(neutral)(op);
    for (int64_t t = 0; t < p->span.count; t++) {
        int64_t tap = span_at(&p->span, t);
        int64_t y = y0 + tap / p->k[2] % p->k[1] * p->dilation[1];
        int64_t z = z0 + tap / p->k[2] / p->k[1] * p->dilation[0];

        if (y >= 0 && y < p->in[1] && z >= 0 && z < p->in[0])
            pool_tap(op, x + (z * p->in[1] + y) * p->in[2], p->in[2],
                     tap % p->k[2] * p->dilation[2] - p->pad[2], p->stride[2], p->out[2], acc);
    }
}

static void pool(enum op_code op, const struct pool_args *p, const void *x, void *y)
{
    int64_t rows = p->planes * p->out[0] * p->out[1], window = p->k[0] * p->k[1] * p->k[2];
    int combine = op == OP_MAX_POOL ? OP_MAX : OP_SUM;

    PARALLEL_FOR((double)rows * (double)p->out[2] * (double)window)
    for (int64_t row = 0; row < rows; row++) {
        REAL *acc = (REAL *)y + row * p->out[2];

        pool_row(combine, p, x, row, acc);
        if (op == OP_AVG_POOL)
            for (int64_t i = 0; i < p->out[2]; i++)
                acc[i] /= (REAL)window;
    }
}

/* --- recurrences --- */

struct recur {
    const struct recur_args *r;
    enum op_code op;
    enum rounding round;
    const REAL *gates, *bias;
    REAL *weights; /* [hidden][gates]: transposed once, so that packing is a copy in each step */
    REAL *h, *c, *used, *sums;
    int64_t units, width; /* batch * hidden; the width of an output row */
};

static void round_copy(enum rounding round, const REAL *x, REAL *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = round == ROUND_NONE ? x[i] : (REAL)round_to(round, (float)x[i]);
}

static void recur_cells(const struct recur *s, int64_t step, REAL *y)
{
    int64_t hidden = s->r->hidden, row = s->r->gates * hidden;
    const REAL *gates = s->gates + step * s->r->batch * row;

    PARALLEL_FOR((double)s->units * 4 * EXPENSIVE)
    for (int64_t i = 0; i < s->units; i++) {
        int64_t at = i / hidden * row + i % hidden, out = i / hidden * s->width + i % hidden;

        s->h[i] = ITEM(cell)(s->op, hidden, gates + at, s->sums + at, s->bias + i % hidden, s->h[i],
                             s->c[i], &s->c[i]);
        y[out] = s->h[i];
        if (s->op == OP_LSTM)
            y[out + hidden] = s->c[i];
    }
}

/* Writes the last state again, to the outputs y of one step. */
static void recur_repeat(const struct recur *s, REAL *y)
{
    int64_t hidden = s->r->hidden;

    for (int64_t i = 0; i < s->units; i++) {
        int64_t out = i / hidden * s->width + i % hidden;

        y[out] = s->h[i];
        if (s->op == OP_LSTM)
            y[out + hidden] = s->c[i];
    }
}

static int recur_steps(const struct recur *s, REAL *y, struct err *err)
{
    const struct recur_args *r = s->r;
    int64_t n = r->gates * r->hidden;
    struct matmul_args m = {.gemm = {r->batch, n, r->span, r->hidden, 1, n, 1, n, 1}, .batch = 1};
    double flops = gemm_flops(&m.gemm) * (double)r->steps;

    for (int64_t t = 0; t < r->steps; t++, y += r->batch * s->width) {
        if (t >= r->used_steps) {
            recur_repeat(s, y);
            continue;
        }
        round_copy(s->round, s->h, s->used, s->units);
        if (products(&m, flops, s->used, s->weights, s->sums, err) < 0)
            return -1;
        recur_cells(s, t, y);
    }
    return 0;
}

static int recur(enum op_code op, const struct recur_args *r, const void *const in[5],
                 enum rounding round, void *y, struct err *err)
{
    int64_t units = r->batch * r->hidden, row = r->gates * r->hidden;
    int64_t room = row * r->hidden + r->batch * row + 3 * units;
    AUTO(freep) REAL *memory = loops_scratch((size_t)room * sizeof(REAL), err);
    struct recur s = {.r = r, .op = op, .round = round, .gates = in[0], .bias = in[2]};
    struct axes across = {2, {r->hidden, row}, {1, r->hidden}};

    if (!memory)
        return -1;
    s.units = units;
    s.width = op == OP_LSTM ? 2 * r->hidden : r->hidden;
    s.weights = memory;
    s.sums = s.weights + row * r->hidden;
    s.h = s.sums + r->batch * row;
    s.c = s.h + units;
    s.used = s.c + units;
    move(&across, in[1], s.weights);
    round_copy(round, s.weights, s.weights, row * r->hidden);
    memcpy(s.h, in[3], (size_t)units * sizeof(REAL));
    if (op == OP_LSTM)
        memcpy(s.c, in[4], (size_t)units * sizeof(REAL));
    return recur_steps(&s, y, err);
}

static int delta(const struct delta_args *a, const void *const in[5], void *y, struct err *err)
{
    int64_t columns = a->batch * a->heads * a->values;
    int threads = threads_for(6.0 * (double)columns * (double)a->steps * (double)a->keys);
    AUTO(freep) REAL *states = loops_scratch((size_t)(threads * a->keys) * sizeof(REAL), err);

    if (!states)
        return -1;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < columns; i++) {
        REAL *state = states + omp_get_thread_num() * a->keys;

        ITEM(delta_rule)(a, in[0], in[1], in[2], in[3], in[4], state, y, i);
    }
    return 0;
}

const struct loops LOOPS = {
    .size = sizeof(REAL),
    .fill = fill,
    .iota = iota,
    .unary = unary,
    .binary = binary,
    .compare = compare,
    .where = where,
    .reduce = reduce,
    .arg = arg,
    .topk = topk,
    .scan = scan,
    .matmul = matmul,
    .move = move,
    .pad = pad,
    .gather = gather,
    .take = take,
    .conv = conv,
    .pool = pool,
    .recur = recur,
    .grouped = grouped,
    .delta = delta,
};
