/* SPDX-License-Identifier: MIT */
/* Elementwise ops with broadcasting, conversions, and kernels that fill a tensor without operands.
 */

static __device__ __forceinline__ int left_of(int64_t i, int64_t n)
{
    return n - i < 4 ? (int)(n - i) : 4;
}

/* The offsets of element i, of a shape that N operands share, in each operand; returns its place in
 * its row. U is the type of i: division is expensive, and in 64 bits even more so. */
template <class U, int N>
static __device__ __forceinline__ int64_t offsets_of(const struct axes *ax, U i, int64_t at[N])
{
    int64_t in_row = 0;

    for (int k = 0; k < N; k++)
        at[k] = 0;
    ITEM_ROLLED
    for (int d = ax->rank - 1; d > 0; d--) {
        U rows = i / (U)ax->dim[d], over = i - rows * (U)ax->dim[d];

        for (int k = 0; k < N; k++)
            at[k] += (int64_t)over * ax[k].stride[d];
        if (d == ax->rank - 1)
            in_row = (int64_t)over;
        i = rows;
    }
    for (int k = 0; k < N; k++)
        at[k] += (int64_t)i * ax[k].stride[0];
    return ax->rank > 1 ? in_row : (int64_t)i;
}

/* Four elements of N operands, from element i of n on: their offsets, computed once for all
 * operands, and whether they are in one row. */
template <int N> struct four {
    int64_t i, at[N];
    int left;
    bool in_one_row;

    __device__ __forceinline__ four(const struct axes *ax, int64_t first, int64_t n) : i(first)
    {
        int64_t in_row = n <= UINT32_MAX ? offsets_of<uint32_t, N>(ax, (uint32_t)i, at)
                                         : offsets_of<uint64_t, N>(ax, (uint64_t)i, at);

        left = left_of(i, n);
        in_one_row = left == 4 && in_row + 4 <= ax->dim[ax->rank - 1];
    }
    /* Loads the four elements of operand k. */
    template <class R>
    __device__ __forceinline__ void fetch(struct typed x, const struct axes *ax, int k,
                                          R v[4]) const
    {
        if (in_one_row) {
            load4<R>(x, at[k], ax[k].stride[ax[k].rank - 1], v);
            return;
        }
        for (int j = 0; j < 4; j++)
            v[j] = j < left ? load_at<R>(x, &ax[k], 0, i + j) : (R)0;
    }
};

/* Loads four elements from i on of a contiguous tensor. */
template <class R>
static __device__ __forceinline__ void fetch4_flat(struct typed x, int64_t i, int left, R v[4])
{
    if (left >= 4) {
        load4<R>(x, i, 1, v);
        return;
    }
    for (int j = 0; j < 4; j++)
        v[j] = j < left ? load<R>(x, i + j) : (R)0;
}

#define COMPARE_CASE(op) EACH_CASE(op, items<R>::compare((int)op, a[j], b[j]))
template <int N, class R>
static __device__ __forceinline__ void compare_each(int op, const R a[N], const R b[N],
                                                    int64_t y[N])
{
    switch (op) {
        COMPARE_CASE(OP_LT)
        COMPARE_CASE(OP_LE)
        COMPARE_CASE(OP_GT)
        COMPARE_CASE(OP_GE)
        COMPARE_CASE(OP_EQ)
        COMPARE_CASE(OP_NE)
    }
}

/* Four elements from i on of operand k of a pass, or of the pass's value so far. */
template <class R>
static __device__ __forceinline__ void take4(const struct gpu_pass &a, int k, int64_t i,
                                             const R value[4], R v[4])
{
    if (k == PASS_VALUE) {
        for (int j = 0; j < 4; j++)
            v[j] = value[j];
    } else if (!a.in[k].at) {
        for (int j = 0; j < 4; j++)
            v[j] = (R)a.pass.number[k];
    } else {
        four<1>(&a.pass.ax[k], i, a.n).fetch(a.in[k], &a.pass.ax[k], 0, v);
    }
}

template <class R>
static __device__ __forceinline__ void step4(const struct gpu_pass &a, const struct pass_step &s,
                                             int64_t i, R v[4])
{
    R p[4], q[4];

    if (s.op < OP_ADD) {
        for (int j = 0; j < 4; j++)
            p[j] = v[j];
        unary_each<4, R>(s.op, p, v);
        return;
    }
    take4(a, s.with, i, v, q);
    for (int j = 0; j < 4; j++) {
        p[j] = s.is_second ? q[j] : v[j];
        q[j] = s.is_second ? v[j] : q[j];
    }
    binary_each<4, R>(s.op, p, q, v);
}

/* A thread loads one operand at a time and waits for it. So the next four elements of operand 0 are
 * prefetched into L2 meanwhile. */
static __device__ __forceinline__ void prefetch(const struct gpu_pass &a, int64_t i)
{
#ifdef __CUDA_ARCH__
    if (a.ahead_bytes && i < a.n)
        asm volatile("prefetch.global.L2 [%0];" ::"l"((const char *)a.in[0].at + i * a.ahead_bytes));
#else
    (void)a, (void)i;
#endif
}

/* Runs a pass. Steps are not unrolled, so that the code of each op exists once. */
template <class R> static __device__ __forceinline__ void pass_all(const struct gpu_pass &a)
{
    FOR_EACH_FOUR(i, a.n) {
        R v[4];

        prefetch(a, i + 4 * thread_count());
        take4(a, 0, i, v, v);
        ITEM_ROLLED
        for (int s = 0; s < a.pass.n_steps; s++)
            step4(a, a.pass.steps[s], i, v);
        store4<R>((R *)a.y, i, v, left_of(i, a.n));
    }
}

template <class R>
static __device__ __forceinline__ void relation_all(const struct gpu_elementwise &a)
{
    FOR_EACH_FOUR(i, a.n) {
        four<2> f(a.ax, i, a.n);
        int64_t y[4];
        R p[4], q[4];

        f.fetch(a.in[0], a.ax, 0, p);
        f.fetch(a.in[1], a.ax, 1, q);
        compare_each<4, R>(a.op, p, q, y);
        store4<int64_t>((int64_t *)a.y, i, y, f.left);
    }
}

template <class R> static __device__ __forceinline__ void where_all(const struct gpu_elementwise &a)
{
    FOR_EACH_FOUR(i, a.n) {
        four<3> f(a.ax, i, a.n);
        int64_t c[4];
        R p[4], q[4], y[4];

        f.fetch(a.in[0], a.ax, 0, c);
        f.fetch(a.in[1], a.ax, 1, p);
        f.fetch(a.in[2], a.ax, 2, q);
        for (int j = 0; j < 4; j++)
            y[j] = c[j] ? p[j] : q[j];
        store4<R>((R *)a.y, i, y, f.left);
    }
}

/* Four blocks per multiprocessor: by itself the compiler takes so many registers that three fit,
 * and three have too few loads in flight. */
#define PASS_KERNEL(suffix, R)                                                                  \
    extern "C" __global__ void __launch_bounds__(CUDA_THREADS, 4) pass_##suffix(ARGS(gpu_pass) a) \
    {                                                                                           \
        pass_all<R>(a);                                                                         \
    }
PASS_KERNEL(f64, double)
PASS_KERNEL(f32, float)
PASS_KERNEL(i64, int64_t)
ALL_KERNELS(relation, gpu_elementwise)
ALL_KERNELS(where, gpu_elementwise)

/* ---- conversions ---- */

/* Takes a value through dtype t as dtype.c does, for floats and integers. Floats are handled as
 * doubles, which hold the numbers of every float type. */
#define THROUGH_REAL(code, name) \
    case code:                   \
        return widen_##name(narrow_##name(v));

static __device__ double through_real(int t, double v)
{
    switch (t) {
        THROUGH_REAL(DT_F32, f32)
        THROUGH_REAL(DT_F16, f16)
        THROUGH_REAL(DT_BF16, bf16)
        THROUGH_REAL(DT_F8E4M3, f8e4m3)
        THROUGH_REAL(DT_F8E5M2, f8e5m2)
    default:
        return v;
    }
}

static __device__ int64_t real_to_integer(int t, double v)
{
    switch (t) {
    case DT_I32:
        return narrow_i32(v);
    case DT_I8:
        return narrow_i8(v);
    case DT_U8:
        return narrow_u8(v);
    case DT_BOOL:
        return narrow_bool(v);
    default:
        return narrow_i64(v);
    }
}

static __device__ int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

static __device__ int64_t through_integer(int t, int64_t v)
{
    switch (t) {
    case DT_I32:
        return clamp(v, INT32_MIN, INT32_MAX);
    case DT_I8:
        return clamp(v, -128, 127);
    case DT_U8:
        return clamp(v, 0, 255);
    case DT_BOOL:
        return v != 0;
    default:
        return v;
    }
}

static __device__ bool is_real(int t)
{
    return t < DT_I64;
}

static __device__ void store_real4(const struct gpu_convert &a, int64_t i, const double v[4],
                                   int left)
{
    if (a.to == STORE_F32) {
        float y[4] = {(float)v[0], (float)v[1], (float)v[2], (float)v[3]};

        store4<float>((float *)a.y, i, y, left);
    } else {
        store4<double>((double *)a.y, i, v, left);
    }
}

static __device__ void convert_reals(const struct gpu_convert &a, int64_t i, int left)
{
    double v[4];
    int64_t y[4] = {0, 0, 0, 0};

    fetch4_flat<double>(a.x, i, left, v);
    for (int j = 0; j < 4; j++) {
        if (a.store == STORE_F32)
            v[j] = round_value((enum rounding)a.round, (float)v[j]);
        if (a.through >= 0 && is_real(a.through))
            v[j] = through_real(a.through, v[j]);
        else if (a.through >= 0)
            y[j] = real_to_integer(a.through, v[j]);
    }
    if (a.to == STORE_I64)
        store4<int64_t>((int64_t *)a.y, i, y, left);
    else
        store_real4(a, i, v, left);
}

static __device__ void convert_integers(const struct gpu_convert &a, int64_t i, int left)
{
    double v[4] = {0, 0, 0, 0};
    int64_t y[4];

    fetch4_flat<int64_t>(a.x, i, left, y);
    for (int j = 0; j < 4; j++) {
        if (a.through >= 0 && is_real(a.through))
            v[j] = through_real(a.through, (double)y[j]);
        else
            y[j] = through_integer(a.through, y[j]);
    }
    if (a.to == STORE_I64)
        store4<int64_t>((int64_t *)a.y, i, y, left);
    else
        store_real4(a, i, v, left);
}

KERNEL convert(ARGS(gpu_convert) a)
{
    FOR_EACH_FOUR(i, a.n) {
        if (a.store == STORE_I64)
            convert_integers(a, i, left_of(i, a.n));
        else
            convert_reals(a, i, left_of(i, a.n));
    }
}

/* ---- without operands ---- */

template <class R> static __device__ __forceinline__ void fill_all(const struct gpu_fill &a)
{
    R v = (R)a.value, y[4] = {v, v, v, v};

    FOR_EACH_FOUR(i, a.n)
        store4<R>((R *)a.y, i, y, left_of(i, a.n));
}

template <class R> static __device__ __forceinline__ void iota_all(const struct gpu_fill &a)
{
    FOR_EACH(i, a.n)
        ((R *)a.y)[i] = (R)(i / a.line.inner % a.line.length);
}

ALL_KERNELS(fill, gpu_fill)
ALL_KERNELS(iota, gpu_fill)
