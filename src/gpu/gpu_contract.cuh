/* SPDX-License-Identifier: MIT */
/* Products, convolutions, windows and recurrences. Each element of a product is summed strictly in
 * the order of its span, by fused multiply-adds from 0. Its bits are those of item_dot. */

#define PRODUCT_K 8 /* terms that a block holds at a time */

template <class R, int TILE> using tile_room = R[PRODUCT_K][TILE + 4];

/* This thread's share of every TILE x PRODUCT_K piece of an operand. Neighbouring threads take
 * neighbouring k if k is contiguous, else neighbouring rows. The j-th element of the share is
 * j * row_step rows or j * k_step terms further. */
template <class R, int TILE> struct tile_share {
    static constexpr int COUNT = TILE * PRODUCT_K / CUDA_THREADS;
    const R *x; /* the share's first element for term 0 */
    int64_t k_stride, jump;
    int row, k, row_step, k_step, rows;

    __device__ tile_share(const R *operand, int64_t row_stride, int64_t operand_k_stride,
                          int64_t first, int64_t all_rows)
        : k_stride(operand_k_stride)
    {
        bool k_inner = k_stride == 1;

        row = k_inner ? threadIdx.x / PRODUCT_K : threadIdx.x % TILE;
        k = k_inner ? threadIdx.x % PRODUCT_K : threadIdx.x / TILE;
        row_step = k_inner ? CUDA_THREADS / PRODUCT_K : 0;
        k_step = k_inner ? 0 : CUDA_THREADS / TILE;
        rows = all_rows - first < TILE ? (int)(all_rows - first) : TILE;
        x = operand + (first + row) * row_stride + k * k_stride;
        jump = row_step * row_stride + k_step * k_stride;
    }
    /* Reads terms from t of the span on, zeros outside. */
    __device__ __forceinline__ void read(const struct span &span, int64_t t, R v[COUNT]) const
    {
        int64_t from = span_at(&span, t);

        if (rows == TILE && from + PRODUCT_K <= span.count && t + PRODUCT_K <= span.count) {
#pragma unroll
            for (int j = 0; j < COUNT; j++)
                v[j] = x[from * k_stride + j * jump];
            return;
        }
#pragma unroll
        for (int j = 0; j < COUNT; j++) {
            int64_t nth = t + k + j * k_step;

            v[j] = 0;
            if (row + j * row_step < rows && nth < span.count)
                v[j] = x[(span_at(&span, nth) - k - j * k_step) * k_stride + j * jump];
        }
    }
    __device__ __forceinline__ void write(tile_room<R, TILE> &to, const R v[COUNT]) const
    {
#pragma unroll
        for (int j = 0; j < COUNT; j++)
            to[k + j * k_step][row + j * row_step] = v[j];
    }
};

/* Reads a thread's M rows (or columns): fours that are 64 apart, so that neighbouring threads read
 * neighbouring shared memory. */
template <class R, int M>
static __device__ __forceinline__ void share_rows(const R *rows, int thread, R v[M])
{
#pragma unroll
    for (int i = 0; i < M; i += 4) {
        quad<R> q = *(const quad<R> *)(rows + i * 16 + thread * 4);

#pragma unroll
        for (int j = 0; j < 4; j++)
            v[i + j] = q.v[j];
    }
}

template <class R, int M, int TILE>
static __device__ __forceinline__ void tile_sums(const tile_room<R, TILE> &as,
                                                 const tile_room<R, TILE> &bs, int ty, int tx,
                                                 R acc[M][M])
{
    /* Not unrolled, or registers would spill. While a warp waits for shared memory, others add. */
    ITEM_ROLLED
    for (int k = 0; k < PRODUCT_K; k++) {
        R x[M], w[M];

        share_rows<R, M>(as[k], ty, x);
        share_rows<R, M>(bs[k], tx, w);
#pragma unroll
        for (int i = 0; i < M; i++) {
#pragma unroll
            for (int j = 0; j < M; j++)
                acc[i][j] = items<R>::fused(acc[i][j], x[i], w[j]);
        }
    }
}

/* Stores a thread's elements of c; the tile begins at (row, col). */
template <class R, int M>
static __device__ __forceinline__ void tile_store(const struct gemm &g, R *c, int64_t row,
                                                  int64_t col, int ty, int tx, const R acc[M][M])
{
#pragma unroll
    for (int i = 0; i < M; i++) {
        int64_t y = row + i / 4 * 64 + ty * 4 + i % 4;

#pragma unroll
        for (int j = 0; j < M; j += 4) {
            int64_t x = col + j * 16 + tx * 4;
            int left = g.n - x < 4 ? (int)(g.n - x) : 4;

            if (y >= g.m)
                continue;
            if (g.c_col == 1) {
                store4<R>(c, y * g.c_row + x, &acc[i][j], left);
            } else {
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    if (k < left)
                        c[y * g.c_row + (x + k) * g.c_col] = acc[i][j + k];
                }
            }
        }
    }
}

/* A block makes one tile of c: 16 x 16 threads with M x M elements each. The next piece of the
 * operands is loaded from memory while this one is used. */
template <class R, int M> static __device__ __forceinline__ void product_tiled(
    const struct gpu_product &q)
{
    constexpr int TILE = 16 * M, SHARE = tile_share<R, TILE>::COUNT;
    alignas(32) __shared__ tile_room<R, TILE> as[2], bs[2];
    int64_t tiles_n = (q.g.n + TILE - 1) / TILE, tiles_m = (q.g.m + TILE - 1) / TILE;
    int64_t col = blockIdx.x % tiles_n * TILE, row = blockIdx.x / tiles_n % tiles_m * TILE;
    int64_t batch = blockIdx.x / tiles_n / tiles_m;
    tile_share<R, TILE> a((const R *)q.a + axes_offset(&q.batch_a, batch), q.g.a_row, q.g.a_col,
                          row, q.g.m);
    tile_share<R, TILE> b((const R *)q.b + axes_offset(&q.batch_b, batch), q.g.b_col, q.g.b_row,
                          col, q.g.n);
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16, now = 0;
    R acc[M][M], va[SHARE], vb[SHARE];

#pragma unroll
    for (int i = 0; i < M; i++) {
#pragma unroll
        for (int j = 0; j < M; j++)
            acc[i][j] = 0;
    }
    if (q.g.k.count > 0) {
        a.read(q.g.k, 0, va);
        b.read(q.g.k, 0, vb);
    }
    ITEM_ROLLED
    for (int64_t t = 0; t < q.g.k.count; t += PRODUCT_K, now ^= 1) {
        a.write(as[now], va);
        b.write(bs[now], vb);
        __syncthreads();
        if (t + PRODUCT_K < q.g.k.count) {
            a.read(q.g.k, t + PRODUCT_K, va);
            b.read(q.g.k, t + PRODUCT_K, vb);
        }
        tile_sums<R, M, TILE>(as[now], bs[now], ty, tx, acc);
    }
#pragma unroll
    for (int i = 0; i < M; i++) {
#pragma unroll
        for (int j = 0; j < M; j++)
            acc[i][j] = items<R>::fused_end(acc[i][j]);
    }
    tile_store<R, M>(q.g, (R *)q.c + batch * q.batch_c, row, col, ty, tx, acc);
}

KERNEL product_f64(ARGS(gpu_product) q)
{
    product_tiled<double, GPU_TILE / 16>(q);
}

KERNEL product_f32(ARGS(gpu_product) q)
{
    product_tiled<float, GPU_TILE / 16>(q);
}

/* Two blocks per multiprocessor: while one waits for memory, the other adds. */
extern "C" __global__ void __launch_bounds__(CUDA_THREADS, 2)
    product_large_f32(ARGS(gpu_product) q)
{
    product_tiled<float, GPU_LARGE_TILE / 16>(q);
}

/* Integers are rare, so each thread simply computes one element. */
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

/* A place of a phase: its input coordinates and its offset in a channel. The offset of a tap is
 * added to both. */
struct column {
    int at[ITEM_SPACE];
    int offset;
};

static __device__ __forceinline__ struct column column_of(const struct conv_args &c,
                                                          const struct conv_phase &p,
                                                          unsigned place)
{
    unsigned width = (unsigned)p.axis[2].places, height = (unsigned)p.axis[1].places;
    unsigned row = place / width, layer = row / height;
    struct column ret;

    ret.at[0] = (int)(layer * (unsigned)p.axis[0].step);
    ret.at[1] = (int)((row - layer * height) * (unsigned)p.axis[1].step);
    ret.at[2] = (int)((place - row * width) * (unsigned)p.axis[2].step);
    ret.offset = (ret.at[0] * (int)c.in[1] + ret.at[1]) * (int)c.in[2] + ret.at[2];
    return ret;
}

/* A term: a channel of the group, and the offset of a tap along each axis. */
struct column_term {
    int64_t channel;
    int tap[ITEM_SPACE], by[ITEM_SPACE];
    int offset;

    __device__ void place(const struct conv_args &c, const struct conv_phase &p)
    {
#pragma unroll
        for (int d = 0; d < ITEM_SPACE; d++)
            by[d] = (int)p.axis[d].offset + tap[d] * (int)p.axis[d].offset_step;
        offset = (by[0] * (int)c.in[1] + by[1]) * (int)c.in[2] + by[2];
    }
    __device__ column_term(const struct conv_args &c, const struct conv_phase &p, int64_t t)
    {
        int j = (int)(t % p.taps);

        channel = t / p.taps;
        tap[2] = j % (int)p.axis[2].taps;
        j /= (int)p.axis[2].taps;
        tap[1] = j % (int)p.axis[1].taps;
        tap[0] = j / (int)p.axis[1].taps;
        place(c, p);
    }
    __device__ void next(const struct conv_args &c, const struct conv_phase &p)
    {
        if (++tap[2] == (int)p.axis[2].taps) {
            tap[2] = 0;
            if (++tap[1] == (int)p.axis[1].taps) {
                tap[1] = 0;
                if (++tap[0] == (int)p.axis[0].taps) {
                    tap[0] = 0;
                    channel++;
                }
            }
        }
        place(c, p);
    }
};

/* The offset in its channel that a place reads for a term; -1: outside. */
static __device__ __forceinline__ int column_at(const struct conv_args &c, const struct column &p,
                                                const struct column_term &t)
{
    bool inside = (unsigned)(p.at[0] + t.by[0]) < (unsigned)c.in[0] &&
                  (unsigned)(p.at[1] + t.by[1]) < (unsigned)c.in[1] &&
                  (unsigned)(p.at[2] + t.by[2]) < (unsigned)c.in[2];

    return inside ? p.offset + t.offset : -1;
}

/* Loads elements start + at[j], all at once; 0 if at[j] is negative. */
template <class R>
static __device__ __forceinline__ void gather4(struct typed x, int64_t start, const int at[4],
                                               R v[4])
{
#define GATHER4_CASE(code, element, widen)                \
    case code: {                                          \
        const element *from = (const element *)x.at + start; \
        element e[4];                                     \
                                                          \
        for (int j = 0; j < 4; j++)                       \
            e[j] = at[j] < 0 ? (element)0 : from[at[j]];  \
        for (int j = 0; j < 4; j++)                       \
            v[j] = (R)widen(e[j]);                        \
        break;                                            \
    }

    switch (x.type) { REAL_TYPES(GATHER4_CASE) }
#undef GATHER4_CASE
}

/* Makes terms from..to of an image at the four places of a thread, the first of which is p. The
 * places are computed once, so no element needs a division. Offsets within a channel fit an int:
 * gpu_contract.c checks that. */
template <class R>
static __device__ __forceinline__ void columns_share(const struct gpu_columns &a, int64_t image,
                                                     int64_t p, int64_t from, int64_t to)
{
    int64_t plane = a.c.in[0] * a.c.in[1] * a.c.in[2];
    int64_t first = (a.image + image) * a.c.c + a.group * (a.c.c / a.c.groups);
    unsigned last = (unsigned)(a.place + a.n - 1), mine = (unsigned)(a.place + p);
    R *y = (R *)a.to + (image * a.phase.span.count + from) * a.n + p;
    int n = (int)(a.n - p);
    struct column_term term(a.c, a.phase, from);
    struct column place[4];

#pragma unroll
    for (int j = 0; j < 4; j++, mine += CUDA_THREADS)
        place[j] = column_of(a.c, a.phase, mine < last ? mine : last);
    ITEM_ROLLED
    for (int64_t t = from; t < to; t++, y += a.n, term.next(a.c, a.phase)) {
        int at[4];
        R v[4];

#pragma unroll
        for (int j = 0; j < 4; j++)
            at[j] = column_at(a.c, place[j], term);
        gather4<R>(a.x, (first + term.channel) * plane, at, v);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            if (j * CUDA_THREADS < n)
                y[j * CUDA_THREADS] = v[j];
        }
    }
}

/* Neighbouring blocks take neighbouring places. */
template <class R> static __device__ __forceinline__ void columns_all(const struct gpu_columns &a)
{
    int64_t terms = a.phase.span.count;
    int64_t shares = (terms + GPU_COLUMN_TERMS - 1) / GPU_COLUMN_TERMS;
    int64_t pieces = (a.n + GPU_COLUMN_PLACES - 1) / GPU_COLUMN_PLACES;

    ITEM_ROLLED
    for (int64_t b = blockIdx.x; b < a.images * shares * pieces; b += gridDim.x) {
        int64_t p = b % pieces * GPU_COLUMN_PLACES + threadIdx.x;
        int64_t from = b / pieces % shares * GPU_COLUMN_TERMS, to = from + GPU_COLUMN_TERMS;

        if (p < a.n)
            columns_share<R>(a, b / pieces / shares, p, from, to < terms ? to : terms);
    }
}

/* Copies weights from [c][o of the group][taps] to [o][terms of the phase]. */
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

/* ---- the gated delta rule ---- */

#define DELTA_AHEAD 512 /* numbers of q, of k and of decay that a block fetches at a time */

template <class R> struct delta_room {
    R state[OP_DELTA_KEYS * GPU_DELTA_COLUMNS]; /* [key][column] */
    R q[DELTA_AHEAD], k[DELTA_AHEAD], decay[DELTA_AHEAD];
};

/* Fetches q, k and decay of `steps` steps of a head, the first of which is row `at`. All threads of
 * the block take part. */
template <class R>
static __device__ __forceinline__ void delta_fetch(const struct gpu_delta &a, int64_t at, int steps,
                                                   struct delta_room<R> *room)
{
    int keys = (int)a.args.keys;

    for (int i = threadIdx.x; i < steps * keys; i += CUDA_THREADS) {
        int64_t from = (at + i / keys * a.args.heads) * keys + i % keys;

        room->q[i] = ((const R *)a.q)[from];
        room->k[i] = ((const R *)a.k)[from];
        room->decay[i] = ((const R *)a.decay)[from];
    }
}

/* Takes one column through the steps that were fetched, which begin with step t of the sequence.
 * out: the output of the step before. */
template <class R>
static __device__ __forceinline__ R delta_steps(const struct gpu_delta &a, int64_t at, int64_t t,
                                                int steps, int64_t value,
                                                struct delta_room<R> *room, R out)
{
    const struct delta_args &d = a.args;

    for (int s = 0; s < steps; s++, at += d.heads) {
        R v = ((const R *)a.v)[at * d.values + value], beta = ((const R *)a.beta)[at];
        int64_t key = s * d.keys;

        if (t + s < d.used_steps)
            out = items<R>::delta_step(&d.span, room->q + key, room->k + key, room->decay + key, v,
                                       beta, room->state + threadIdx.x,
                                       (int64_t)GPU_DELTA_COLUMNS);
        ((R *)a.y)[at * d.values + value] = out;
    }
    return out;
}

/* Steps depend on each other, and the sums of each step are in order. So a thread takes one column,
 * and a block few columns, so that all multiprocessors have some. The other threads only fetch. */
template <class R> static __device__ __forceinline__ void delta_rule_all(const struct gpu_delta &a)
{
    __shared__ struct delta_room<R> room;
    const struct delta_args &d = a.args;
    int64_t pieces = (d.values + GPU_DELTA_COLUMNS - 1) / GPU_DELTA_COLUMNS;
    int ahead = DELTA_AHEAD / (int)d.keys;

    for (int64_t i = blockIdx.x; i < d.batch * d.heads * pieces; i += gridDim.x) {
        int64_t sequence = i / pieces / d.heads, head = i / pieces % d.heads;
        int64_t value = i % pieces * GPU_DELTA_COLUMNS + threadIdx.x;
        bool mine = threadIdx.x < GPU_DELTA_COLUMNS && value < d.values;
        R out = 0;

        for (int64_t k = 0; mine && k < d.keys; k++)
            room.state[k * GPU_DELTA_COLUMNS + threadIdx.x] = 0;
        for (int64_t t = 0; t < d.steps; t += ahead) {
            int64_t at = (sequence * d.steps + t) * d.heads + head;
            int steps = (int)(d.steps - t < ahead ? d.steps - t : ahead);

            __syncthreads();
            delta_fetch<R>(a, at, steps, &room);
            __syncthreads();
            if (mine)
                out = delta_steps<R>(a, at, t, steps, value, &room, out);
        }
    }
}

REAL_KERNELS(delta_rule, gpu_delta)
