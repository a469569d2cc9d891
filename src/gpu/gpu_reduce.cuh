/* SPDX-License-Identifier: MIT */
/* Reductions and scans. In double (and of integers, and for extrema) any order will do: groups of
 * threads share out the terms. Sums in float are made in the order that ops.h states. */

/* The terms of one output that one of `group` threads takes: quads where they are neighbours. */
template <class R>
static __device__ __forceinline__ R group_terms(const struct gpu_reduce &a, int64_t start,
                                                int64_t from, int64_t to, int lane)
{
    const struct axes *ax = &a.r.reduced;
    R acc[4], v[4];

    for (int j = 0; j < 4; j++)
        acc[j] = items<R>::neutral(a.op);
    if (ax->rank == 1) {
        int64_t stride = ax->stride[0], t = from + 4 * lane;

        for (; t + 4 <= to; t += 4 * a.group) {
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

/* The combined value of each group of threads, in its first. All of the block calls. */
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

/* Four terms from t on, or as many as are left. */
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

/* Terms of one output in order: from..to, or all of the span from its first on. */
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

/* One part: the span, which may wrap. Several: any order will do. */
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

/* Lanes as [output][lane]. */
KERNEL reduce_lanes_f32(ARGS(gpu_reduce) a)
{
    FOR_EACH(i, a.n * ITEM_LANES)
        ((float *)a.y)[i] =
            item_reduce_lane_f32(a.op, &a.r, a.x, a.from + i / ITEM_LANES, i % ITEM_LANES);
}

/* A block to an output: all of it fetches the lanes, one thread adds them up. */
KERNEL combine_lanes_f32(ARGS(gpu_reduce) a)
{
    constexpr int PIECE = 4 * CUDA_THREADS;
    __shared__ float room[PIECE];

    for (int64_t i = blockIdx.x; i < a.n; i += gridDim.x) {
        float acc = item_neutral_f32(a.op), v[4];

        for (int64_t lane = 0; lane < ITEM_LANES; lane += PIECE) {
            load4<float>(a.x, i * ITEM_LANES + lane + 4 * threadIdx.x, 1, v);
            store4<float>(room, 4 * threadIdx.x, v, 4);
            __syncthreads();
            for (int l = 0; threadIdx.x == 0 && l < PIECE; l++)
                acc = item_combine_f32(a.op, acc, room[l]);
            __syncthreads();
        }
        if (threadIdx.x == 0)
            ((float *)a.y)[i] = acc;
    }
}

template <class R> static __device__ __forceinline__ void arg_all(const struct gpu_lines &a)
{
    FOR_EACH(i, a.line.outer * a.line.inner)
        ((int64_t *)a.y)[i] = items<R>::arg(a.op, &a.line, a.x, i);
}

/* Line i in order, four steps at a time. */
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
ALL_KERNELS(scan, gpu_lines)
