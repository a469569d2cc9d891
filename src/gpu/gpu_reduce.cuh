/* SPDX-License-Identifier: MIT */
/* Reductions and scans. Doubles, integers and extrema may be combined in any order: groups of
 * threads share the terms. Sums in float are made in the order that ops.h states. */

/* Combines the terms of one output that thread `lane` of its group takes: quads along one axis. */
template <class R>
static __device__ __forceinline__ R group_terms(const struct gpu_reduce &a, int64_t start,
                                                int64_t from, int64_t to, int lane)
{
    const struct axes *ax = &a.r.reduced;
    R acc[4], v[4];

    for (int j = 0; j < 4; j++)
        acc[j] = items<R>::neutral(a.op);
    if (ax->rank == 1) {
        int64_t stride = ax->stride[0], t = from + 4 * lane, apart = 4 * a.group;
        R two[2][4];

        ITEM_ROLLED
        for (; t + apart + 4 <= to; t += 2 * apart) {
            load_fours<R, 2>(a.x, start + t * stride, stride, apart * stride, two);
            for (int j = 0; j < 8; j++)
                acc[j % 4] = items<R>::combine(a.op, acc[j % 4], two[j / 4][j % 4]);
        }
        for (; t + 4 <= to; t += apart) {
            load4<R>(a.x, start + t * stride, stride, v);
            for (int j = 0; j < 4; j++)
                acc[j] = items<R>::combine(a.op, acc[j], v[j]);
        }
        for (int j = 0; j < 4; j++) {
            if (t + j < to)
                acc[j] =
                    items<R>::combine(a.op, acc[j], load_at<R>(a.x, ax, start, t + j));
        }
    } else {
        ITEM_ROLLED
        for (int64_t t = from + lane; t < to; t += a.group)
            acc[0] = items<R>::combine(a.op, acc[0], load<R>(a.x, start + axes_offset(ax, t)));
    }
    for (int j = 1; j < 4; j++)
        acc[0] = items<R>::combine(a.op, acc[0], acc[j]);
    return acc[0];
}

/* Returns the combined value of each group of threads to the group's first thread. All threads of
 * the block call it. */
template <class R> static __device__ __forceinline__ R combine_group(int op, R v, int group)
{
    __shared__ R room[CUDA_THREADS];
    int lane = threadIdx.x % group;

    for (int half = group / 2; half > 0; half /= 2) {
        room[threadIdx.x] = v;
        __syncthreads();
        if (lane < half)
            v = items<R>::combine(op, v, room[threadIdx.x + half]);
        __syncthreads();
    }
    return v;
}

template <class R>
static __device__ __forceinline__ void reduce_groups_all(const struct gpu_reduce &a)
{
    int lane = threadIdx.x % a.group, slot = threadIdx.x / a.group;
    int64_t slots = CUDA_THREADS / a.group, jobs = a.n * a.parts;

    for (int64_t first = blockIdx.x * slots; first < jobs; first += gridDim.x * slots) {
        int64_t job = first + slot;
        R acc = items<R>::neutral(a.op);

        if (job < jobs) {
            int64_t from = job % a.parts * a.chunk, to = from + a.chunk;

            acc = group_terms<R>(a, axes_offset(&a.r.kept, a.from + job / a.parts), from,
                                 to < a.r.span.count ? to : a.r.span.count, lane);
        }
        acc = combine_group<R>(a.op, acc, a.group);
        if (lane == 0 && job < jobs)
            ((R *)a.y)[job] = acc;
    }
}

/* Loads four terms from t on, or as many as are left. */
template <class R>
static __device__ __forceinline__ void serial_load(const struct gpu_reduce &a, int64_t start,
                                                   int64_t t, int64_t left, R v[4])
{
    const struct axes *ax = &a.r.reduced;

    if (ax->rank == 1 && left >= 4) {
        load4<R>(a.x, start + t * ax->stride[0], ax->stride[0], v);
        return;
    }
    for (int j = 0; j < 4; j++)
        v[j] = j < left ? load_at<R>(a.x, ax, start, t + j) : (R)0;
}

/* Combines terms from..to of one output in order; if it wraps, from the span's first term on. */
template <class R>
static __device__ __forceinline__ R serial_terms(const struct gpu_reduce &a, int64_t start,
                                                 int64_t from, int64_t to, bool wraps)
{
    R acc = items<R>::neutral(a.op), v[4];
    int64_t t = wraps ? a.r.span.first : from;

    ITEM_ROLLED
    for (int64_t left = to - from, n; left > 0; left -= n) {
        n = to - t < 4 ? to - t : 4;
        n = n < left ? n : left;
        serial_load<R>(a, start, t, n, v);
        for (int j = 0; j < 4; j++) {
            if (j < n)
                acc = items<R>::combine(a.op, acc, v[j]);
        }
        t = t + n < to ? t + n : from;
    }
    return acc;
}

/* One thread per part. A single part takes the span in its order, which may wrap around; several
 * parts may go in any order. */
template <class R>
static __device__ __forceinline__ void reduce_serial_all(const struct gpu_reduce &a)
{
    FOR_EACH(job, a.n * a.parts) {
        int64_t from = job / a.n * a.chunk, to = from + a.chunk;

        to = to < a.r.span.count ? to : a.r.span.count;
        ((R *)a.y)[job] = serial_terms<R>(a, axes_offset(&a.r.kept, a.from + job % a.n), from, to,
                                          a.parts == 1);
    }
}

ALL_KERNELS(reduce_groups, gpu_reduce)
ALL_KERNELS(reduce_serial, gpu_reduce)

/* A distance in terms, as whole rows and a rest. */
struct lane_stride {
    int terms, rows, at;

    __device__ lane_stride(int n, int width) : terms(n), rows(n / width)
    {
        at = n - rows * width;
    }
};

/* The place of a term of a reduction over one axis or two. It goes forward by additions, because a
 * division for every term costs more than the term. One axis is one row without end. */
struct lane_walk {
    int flat; /* number of the term, in the order of memory */
    int row, at;

    __device__ void forward(const struct lane_stride &by, const struct lane_stride &all,
                            int width)
    {
        flat += by.terms;
        row += by.rows;
        at += by.at;
        if (at >= width) {
            at -= width;
            row++;
        }
        if (flat >= all.terms) {
            flat -= all.terms;
            row -= all.rows;
            at -= all.at;
            if (at < 0) {
                at += width;
                row--;
            }
        }
    }
};

#define LANE_ROUNDS 4 /* rounds over the lanes that are loaded at once */

/* Whether four_lanes() can take the terms: floats in one row or several, whose number fits an int.
 */
static __device__ __forceinline__ bool has_four_lanes(const struct gpu_reduce &a)
{
    const struct axes &ax = a.r.reduced;

    return a.x.type == DT_F32 && (ax.rank == 1 || ax.rank == 2) && ax.stride[ax.rank - 1] == 1 &&
           a.r.span.count < INT32_MAX - ITEM_LANES;
}

/* Computes lanes lane..lane+3 of the output whose terms begin at x. */
template <int OP>
static __device__ __forceinline__ void four_lanes(const struct gpu_reduce &a, const float *x,
                                                  int lane, float acc[4])
{
    const struct axes &ax = a.r.reduced;
    int width = ax.rank == 2 && ax.dim[1] < INT32_MAX ? (int)ax.dim[1] : INT32_MAX;
    int64_t row_stride = ax.stride[0];
    struct lane_stride all((int)a.r.span.count, width), round(ITEM_LANES, width), one(1, width);
    struct lane_stride start((int)span_at(&a.r.span, lane), width);
    struct lane_walk walk = {start.terms, start.rows, start.at};
    quad<float> v[LANE_ROUNDS];

    ITEM_ROLLED
    for (int left = all.terms - lane; left > 0; left -= LANE_ROUNDS * ITEM_LANES) {
#pragma unroll
        for (int r = 0; r < LANE_ROUNDS; r++) {
            int here = left - r * ITEM_LANES;

            if (here >= 4 && width - walk.at >= 4 && walk.flat + 4 <= all.terms) {
                v[r] = load_quad(x + walk.row * row_stride + walk.at, 1);
            } else {
                struct lane_walk w = walk;

#pragma unroll
                for (int j = 0; j < 4; j++, w.forward(one, all, width))
                    v[r].v[j] = j < here ? x[w.row * row_stride + w.at] : 0;
            }
            walk.forward(round, all, width);
        }
#pragma unroll
        for (int r = 0; r < LANE_ROUNDS; r++) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                if (left - r * ITEM_LANES > j)
                    acc[j] = item_combine_f32(OP, acc[j], v[r].v[j]);
            }
        }
    }
}

template <int OP> static __device__ __forceinline__ void reduce_lanes(const struct gpu_reduce &a)
{
    FOR_EACH_FOUR(i, a.n * ITEM_LANES) {
        int64_t output = a.from + i / ITEM_LANES;
        int lane = (int)(i % ITEM_LANES);
        float acc[4], neutral = item_neutral_f32(OP);

        if (!has_four_lanes(a)) {
            ITEM_ROLLED
            for (int j = 0; j < 4; j++)
                ((float *)a.y)[i + j] = item_reduce_lane_f32(OP, &a.r, a.x, output, lane + j);
            continue;
        }
        acc[0] = acc[1] = acc[2] = acc[3] = neutral;
        four_lanes<OP>(a, (const float *)a.x.at + axes_offset(&a.r.kept, output), lane, acc);
        store4<float>((float *)a.y, i, acc, 4);
    }
}

/* Writes lanes as [output][lane]. Only sums and products have an order, and therefore lanes. */
KERNEL reduce_lanes_f32(ARGS(gpu_reduce) a)
{
    if (a.op == OP_PROD)
        reduce_lanes<OP_PROD>(a);
    else
        reduce_lanes<OP_SUM>(a);
}

/* One block per output and one thread per group of lanes; then one thread combines the groups. */
template <int OP>
static __device__ __forceinline__ void combine_lanes(const struct gpu_reduce &a, float *groups)
{
    static_assert(ITEM_LANE_GROUPS == CUDA_THREADS, "a thread to a group");

    for (int64_t i = blockIdx.x; i < a.n; i += gridDim.x) {
        const float *lanes = (const float *)a.x.at + i * ITEM_LANES + threadIdx.x;
        float acc = item_neutral_f32(OP);

#pragma unroll 16
        for (int64_t l = 0; l < ITEM_LANES; l += ITEM_LANE_GROUPS)
            acc = item_combine_f32(OP, acc, lanes[l]);
        groups[threadIdx.x] = acc;
        __syncthreads();
        acc = item_neutral_f32(OP);
        for (int g = 0; threadIdx.x == 0 && g < ITEM_LANE_GROUPS; g++)
            acc = item_combine_f32(OP, acc, groups[g]);
        if (threadIdx.x == 0)
            ((float *)a.y)[i] = acc;
        __syncthreads();
    }
}

KERNEL combine_lanes_f32(ARGS(gpu_reduce) a)
{
    __shared__ float groups[ITEM_LANE_GROUPS];

    if (a.op == OP_PROD)
        combine_lanes<OP_PROD>(a, groups);
    else
        combine_lanes<OP_SUM>(a, groups);
}

/* One block per output and one thread per lane; then one thread adds the lanes. */
KERNEL compensated_f32(ARGS(gpu_reduce) a)
{
    static_assert(ITEM_WIDE_LANES == CUDA_THREADS, "a thread to a lane");
    __shared__ double room[CUDA_THREADS];

    for (int64_t i = blockIdx.x; i < a.n; i += gridDim.x) {
        double acc = 0;

        room[threadIdx.x] = item_compensated_lane_f32(&a.r, a.x, i, threadIdx.x);
        __syncthreads();
        for (int l = 0; threadIdx.x == 0 && l < CUDA_THREADS; l++)
            acc += room[l];
        if (threadIdx.x == 0)
            ((float *)a.y)[i] = (float)acc;
        __syncthreads();
    }
}

template <class R> static __device__ __forceinline__ void topk_all(const struct gpu_topk &a)
{
    FOR_EACH(i, a.args.line.outer * a.args.line.inner)
        items<R>::topk(&a.args, a.x, a.y, i);
}

/* A place in a line and its value; at -1: no place. */
template <class R> struct place {
    R v;
    int64_t at;
};

/* The order of item_topk for two different places; "no place" comes last. */
template <class R> static __device__ __forceinline__ bool is_before(place<R> a, place<R> b)
{
    if (a.at < 0 || b.at < 0)
        return a.at >= 0;
    return items<R>::is_larger(a.v, b.v) || (!items<R>::is_larger(b.v, a.v) && a.at < b.at);
}

/* The first place after `last`, in that order, in this thread's share of the line that begins at
 * `start`. */
template <class R>
static __device__ __forceinline__ place<R> next_of_share(const struct gpu_topk &a, int64_t start,
                                                         place<R> last)
{
    int64_t count = a.args.line.count, inner = a.args.line.inner;
    place<R> best = {0, -1};
    R v[4];

    ITEM_ROLLED
    for (int64_t t = 4 * threadIdx.x; t < count; t += 4 * CUDA_THREADS) {
        if (t + 4 <= count) {
            load4<R>(a.x, start + t * inner, inner, v);
        } else {
            for (int j = 0; j < 4; j++)
                v[j] = t + j < count ? load<R>(a.x, start + (t + j) * inner) : (R)0;
        }
        for (int j = 0; j < 4; j++) {
            place<R> here = {v[j], t + j};

            if (t + j < count && (last.at < 0 || is_before(last, here)) && is_before(here, best))
                best = here;
        }
    }
    return best;
}

/* Returns the first of the block's places to all of its threads. */
template <class R> static __device__ __forceinline__ place<R> first_of_block(place<R> mine)
{
    __shared__ place<R> room[CUDA_THREADS];

    for (int half = CUDA_THREADS / 2; half > 0; half /= 2) {
        room[threadIdx.x] = mine;
        __syncthreads();
        if ((int)threadIdx.x < half && is_before(room[threadIdx.x + half], mine))
            mine = room[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        room[0] = mine;
    __syncthreads();
    mine = room[0];
    __syncthreads();
    return mine;
}

/* One block per line. It walks the line k times: the line stays in the cache, and k is small. */
template <class R> static __device__ __forceinline__ void topk_long_all(const struct gpu_topk &a)
{
    int64_t inner = a.args.line.inner, lines = a.args.line.outer * inner;

    for (int64_t i = blockIdx.x; i < lines; i += gridDim.x) {
        int64_t start = i / inner * a.args.line.length * inner + i % inner;
        int64_t *y = a.y + i / inner * a.args.k * inner + i % inner;
        place<R> last = {0, -1};

        for (int64_t k = 0; k < a.args.k; k++) {
            last = first_of_block(next_of_share(a, start, last));
            if (threadIdx.x == 0)
                y[k * inner] = last.at;
        }
    }
}

template <class R> static __device__ __forceinline__ void arg_all(const struct gpu_lines &a)
{
    FOR_EACH(i, a.line.outer * a.line.inner)
        ((int64_t *)a.y)[i] = items<R>::arg(a.op, &a.line, a.x, i);
}

/* Scans the line that begins at `start` in order, four steps at a time. */
template <class R>
static __device__ __forceinline__ void scan_line(const struct gpu_lines &a, int64_t start)
{
    int64_t inner = a.line.inner, t = 0;
    R acc = items<R>::neutral(a.op), v[4];

    for (; t + 4 <= a.line.count; t += 4) {
        load4<R>(a.x, start + t * inner, inner, v);
        for (int j = 0; j < 4; j++)
            v[j] = acc = items<R>::combine(a.op, acc, v[j]);
        if (inner == 1) {
            store4<R>((R *)a.y, start + t, v, 4);
        } else {
            for (int j = 0; j < 4; j++)
                ((R *)a.y)[start + (t + j) * inner] = v[j];
        }
    }
    for (; t < a.line.length; t++) {
        if (t < a.line.count)
            acc = items<R>::combine(a.op, acc, load<R>(a.x, start + t * inner));
        ((R *)a.y)[start + t * inner] = acc;
    }
}

template <class R> static __device__ __forceinline__ void scan_all(const struct gpu_lines &a)
{
    int64_t inner = a.line.inner;

    FOR_EACH(i, a.line.outer * inner)
        scan_line<R>(a, i / inner * a.line.length * inner + i % inner);
}

ALL_KERNELS(arg, gpu_lines)
ALL_KERNELS(topk, gpu_topk)
ALL_KERNELS(topk_long, gpu_topk)
ALL_KERNELS(scan, gpu_lines)
