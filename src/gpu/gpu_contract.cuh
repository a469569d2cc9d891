/* SPDX-License-Identifier: MIT */
/* Products, convolutions, windows and recurrences. Each element of a product is summed strictly in
 * the order of its span, multiply then add from 0: the bits of item_dot. */

#define PRODUCT_K 16 /* terms that a block holds at a time */

/* Element (row, k) of a tile of an operand: which of the two is contiguous decides which of them
 * neighbouring threads take. */
template <int TILE>
static __device__ __forceinline__ void tile_place(int e, bool k_inner, int *row, int *k)
{
    *row = k_inner ? e / PRODUCT_K : e % TILE;
    *k = k_inner ? e % PRODUCT_K : e / TILE;
}

/* This thread's share of a TILE x PRODUCT_K piece of an operand: rows from `first` of `rows`, terms
 * from t of the span; zeros outside. */
template <class R, int TILE>
static __device__ __forceinline__ void tile_read(const R *x, int64_t row_stride, int64_t k_stride,
                                                 int64_t first, int64_t rows,
                                                 const struct span *span, int64_t t,
                                                 R v[TILE * PRODUCT_K / CUDA_THREADS])
{
#pragma unroll
    for (int j = 0; j < TILE * PRODUCT_K / CUDA_THREADS; j++) {
        int row, k;

        tile_place<TILE>(threadIdx.x + j * CUDA_THREADS, k_stride == 1, &row, &k);
        v[j] = 0;
        if (first + row < rows && t + k < span->count)
            v[j] = x[(first + row) * row_stride + span_at(span, t + k) * k_stride];
    }
}

template <class R, int TILE>
static __device__ __forceinline__ void tile_write(R to[PRODUCT_K][TILE + 4], bool k_inner,
                                                  const R v[TILE * PRODUCT_K / CUDA_THREADS])
{
#pragma unroll
    for (int j = 0; j < TILE * PRODUCT_K / CUDA_THREADS; j++) {
        int row, k;

        tile_place<TILE>(threadIdx.x + j * CUDA_THREADS, k_inner, &row, &k);
        to[k][row] = v[j];
    }
}

/* Rows of a thread's M: fours, 64 apart, so that neighbours read neighbouring shared memory. */
static __device__ __forceinline__ int share_row(int thread, int i)
{
    return i / 4 * 64 + thread * 4 + i % 4;
}

template <class R, int M, int TILE>
static __device__ __forceinline__ void tile_sums(const R as[PRODUCT_K][TILE + 4],
                                                 const R bs[PRODUCT_K][TILE + 4], int ty, int tx,
                                                 R acc[M][M])
{
#pragma unroll 4
    for (int k = 0; k < PRODUCT_K; k++) {
        R x[M], w[M];

#pragma unroll
        for (int i = 0; i < M; i++) {
            x[i] = as[k][share_row(ty, i)];
            w[i] = bs[k][share_row(tx, i)];
        }
#pragma unroll
        for (int i = 0; i < M; i++) {
#pragma unroll
            for (int j = 0; j < M; j++)
                acc[i][j] = acc[i][j] + x[i] * w[j];
        }
    }
}

/* A block makes one tile of c, 16 x 16 threads with M x M elements each. The next piece of the
 * operands is on its way from memory while this one is used. */
template <class R, int M> static __device__ __forceinline__ void product_tiled(
    const struct gpu_product &q)
{
    constexpr int TILE = 16 * M, SHARE = TILE * PRODUCT_K / CUDA_THREADS;
    __shared__ R as[PRODUCT_K][TILE + 4], bs[PRODUCT_K][TILE + 4];
    int64_t tiles_n = (q.g.n + TILE - 1) / TILE, tiles_m = (q.g.m + TILE - 1) / TILE;
    int64_t col = blockIdx.x % tiles_n * TILE, row = blockIdx.x / tiles_n % tiles_m * TILE;
    int64_t batch = blockIdx.x / tiles_n / tiles_m;
    const R *a = (const R *)q.a + axes_offset(&q.batch_a, batch);
    const R *b = (const R *)q.b + axes_offset(&q.batch_b, batch);
    R *c = (R *)q.c + batch * q.batch_c;
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    R acc[M][M], va[SHARE], vb[SHARE];

#pragma unroll
    for (int i = 0; i < M; i++) {
#pragma unroll
        for (int j = 0; j < M; j++)
            acc[i][j] = 0;
    }
    /* The first round only reads, the last only sums. */
    ITEM_ROLLED
    for (int64_t t = 0; t < q.g.k.count + PRODUCT_K; t += PRODUCT_K) {
        if (t < q.g.k.count) {
            tile_read<R, TILE>(a, q.g.a_row, q.g.a_col, row, q.g.m, &q.g.k, t, va);
            tile_read<R, TILE>(b, q.g.b_col, q.g.b_row, col, q.g.n, &q.g.k, t, vb);
        }
        if (t > 0)
            tile_sums<R, M, TILE>(as, bs, ty, tx, acc);
        __syncthreads();
        if (t < q.g.k.count) {
            tile_write<R, TILE>(as, q.g.a_col == 1, va);
            tile_write<R, TILE>(bs, q.g.b_row == 1, vb);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < M; i++) {
        int64_t y = row + share_row(ty, i);

#pragma unroll
        for (int j = 0; j < M; j++) {
            int64_t x = col + share_row(tx, j);

            if (y < q.g.m && x < q.g.n)
                c[y * q.g.c_row + x * q.g.c_col] = acc[i][j];
        }
    }
}

KERNEL product_f64(ARGS(gpu_product) q)
{
    product_tiled<double, GPU_TILE / 16>(q);
}

KERNEL product_f32(ARGS(gpu_product) q)
{
    product_tiled<float, GPU_TILE / 16>(q);
}

/* Two blocks to a multiprocessor: while one waits for memory, the other adds. */
extern "C" __global__ void __launch_bounds__(CUDA_THREADS, 2)
    product_large_f32(ARGS(gpu_product) q)
{
    product_tiled<float, GPU_LARGE_TILE / 16>(q);
}

/* Integers are rare: a thread to an element. */
KERNEL product_i64(ARGS(gpu_product) q)
{
    FOR_EACH(i, q.batch * q.g.m * q.g.n) {
        int64_t x = i % q.g.n, y = i / q.g.n % q.g.m, batch = i / q.g.n / q.g.m;

        ((int64_t *)q.c)[batch * q.batch_c + y * q.g.c_row + x * q.g.c_col] =
            item_dot_i64(&q.g, (const int64_t *)q.a + axes_offset(&q.batch_a, batch),
                         (const int64_t *)q.b + axes_offset(&q.batch_b, batch), y, x);
    }
}

/* ---- convolutions ---- */

/* Where the input lies that place `place` reads at `offset` along each axis, within its channel;
 * -1: outside. */
static __device__ __forceinline__ int64_t column_at(const struct conv_args &c,
                                                    const struct conv_phase &p,
                                                    const int64_t offset[ITEM_SPACE], int64_t place)
{
    int64_t at = 0, scale = 1;

    ITEM_ROLLED
    for (int d = ITEM_SPACE - 1; d >= 0; d--) {
        int64_t i = place % p.axis[d].places * p.axis[d].step + offset[d];

        if (i < 0 || i >= c.in[d])
            return -1;
        at += i * scale;
        scale *= c.in[d];
        place /= p.axis[d].places;
    }
    return at;
}

/* A block takes a piece of one row of the matrix, so that its divisions serve four elements of
 * each thread. */
template <class R> static __device__ __forceinline__ void columns_all(const struct gpu_columns &a)
{
    constexpr int64_t PIECE = 4 * CUDA_THREADS;
    int64_t terms = a.phase.span.count, plane = a.c.in[0] * a.c.in[1] * a.c.in[2];
    int64_t cg = a.c.c / a.c.groups, pieces = (a.n + PIECE - 1) / PIECE;

    for (int64_t b = blockIdx.x; b < a.images * terms * pieces; b += gridDim.x) {
        int64_t row = b / pieces, t = row % terms, tap = t % a.phase.taps;
        int64_t channel =
            (a.image + row / terms) * a.c.c + a.group * cg + t / a.phase.taps;
        int64_t offset[ITEM_SPACE];

        ITEM_ROLLED
        for (int d = ITEM_SPACE - 1; d >= 0; d--) {
            const struct conv_axis &axis = a.phase.axis[d];

            offset[d] = axis.offset + tap % axis.taps * axis.offset_step;
            tap /= axis.taps;
        }
        ITEM_ROLLED
        for (int j = 0; j < 4; j++) {
            int64_t p = b % pieces * PIECE + j * CUDA_THREADS + threadIdx.x;
            int64_t at = p < a.n ? column_at(a.c, a.phase, offset, a.place + p) : -1;

            if (p < a.n)
                ((R *)a.to)[row * a.n + p] = at < 0 ? (R)0 : load<R>(a.x, channel * plane + at);
        }
    }
}

/* [o][terms of the phase], from weights that lie [c][o of the group][taps]. */
template <class R>
static __device__ __forceinline__ void phase_weights_all(const struct gpu_phase_weights &a)
{
    int64_t og = a.c.o / a.c.groups, cg = a.c.c / a.c.groups, terms = a.phase.span.count;
    int64_t taps = a.c.k[0] * a.c.k[1] * a.c.k[2];

    FOR_EACH(i, a.c.o * terms) {
        int64_t o = i / terms, t = i % terms, channel = o / og * cg + t / a.phase.taps;
        int64_t tap = conv_phase_tap(&a.c, &a.phase, t % a.phase.taps);

        ((R *)a.to)[i] = ((const R *)a.w)[(channel * og + o % og) * taps + tap];
    }
}

template <class R> static __device__ __forceinline__ void scatter_all(const struct gpu_scatter &a)
{
    int64_t og = a.c.o / a.c.groups, size = a.c.out[0] * a.c.out[1] * a.c.out[2];
    const struct conv_axis *last = &a.phase.axis[2];

    FOR_EACH(i, a.images * og * a.n) {
        int64_t place = a.place + i % a.n, o = a.group * og + i / a.n % og;
        int64_t image = a.image + i / a.n / og;
        int64_t at = conv_phase_row(&a.c, &a.phase, place / last->places) + last->start +
                     place % last->places * last->out_step;
        R v = ((const R *)a.sums)[i];

        ((R *)a.y)[(image * a.c.o + o) * size + at] = a.bias ? v + ((const R *)a.bias)[o] : v;
    }
}

template <class R> static __device__ __forceinline__ void add_bias_all(const struct gpu_add_bias &a)
{
    FOR_EACH(i, a.n)
        ((R *)a.y)[i] += ((const R *)a.bias)[i / a.size % a.channels];
}

template <class R> static __device__ __forceinline__ void conv_all(const struct gpu_conv &a)
{
    FOR_EACH(i, a.n)
        ((R *)a.y)[i] =
            items<R>::conv(&a.c, a.x, (const R *)a.w, (const R *)a.bias, i);
}

template <class R> static __device__ __forceinline__ void pool_all(const struct gpu_pool &a)
{
    int op = a.op == OP_MAX_POOL ? OP_MAX : OP_SUM;
    R window = (R)(a.p.k[0] * a.p.k[1] * a.p.k[2]);

    FOR_EACH(i, a.n) {
        R v = items<R>::pool(op, &a.p, a.x, i);

        ((R *)a.y)[i] = a.op == OP_AVG_POOL ? v / window : v;
    }
}

/* ---- recurrences ---- */

template <class R> static __device__ __forceinline__ void cells_all(const struct gpu_cells &a)
{
    R *states = (R *)a.h, *cells = (R *)a.c;

    FOR_EACH(i, a.batch * a.hidden) {
        int64_t unit = i % a.hidden, at = i / a.hidden * a.row + unit;
        R *y = (R *)a.y + i / a.hidden * a.width + unit;
        R c = cells ? cells[i] : (R)0;

        if (a.sums)
            states[i] = items<R>::cell(a.op, a.hidden, (const R *)a.gates + at,
                                       (const R *)a.sums + at, (const R *)a.bias + unit, states[i],
                                       c, &c);
        y[0] = states[i];
        if (cells) {
            cells[i] = c;
            y[a.hidden] = c;
        }
    }
}

REAL_KERNELS(columns, gpu_columns)
REAL_KERNELS(phase_weights, gpu_phase_weights)
REAL_KERNELS(scatter, gpu_scatter)
REAL_KERNELS(add_bias, gpu_add_bias)
REAL_KERNELS(conv, gpu_conv)
REAL_KERNELS(pool, gpu_pool)
REAL_KERNELS(cells, gpu_cells)
