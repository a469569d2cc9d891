/* SPDX-License-Identifier: MIT */
/* covers: src/ops/blas.c src/ops/conv.c src/ops/gemm_f32.c src/ops/gemm_f64.c src/ops/isa.c */
/* covers: src/ops/loops_f32.c src/ops/loops_f64.c */
/* The fast loops against items.h: the same bits in float, whatever the sizes, the order, the number
 * of threads and the instruction set. The BLAS in double: the same to rounding. */
#include "testing.h"

#include "base/util.h"
#include "ops/blas.h"
#include "ops/gemm.h"
#include "ops/loops.h"
#include "ops/ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REAL float
#define ITEM(name) item_##name
#define ITEM_INTEGER 0
#define ITEM_MATH(name) name##f
#include "ops/items.h"

static struct err err;

static uint32_t random_u32(void)
{
    static uint64_t state = 0x9E3779B97F4A7C15u;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static int64_t between(int64_t lo, int64_t hi)
{
    return lo + random_u32() % (hi - lo + 1);
}

static float *numbers(int64_t n)
{
    float *x = xmalloc((size_t)n * sizeof(*x));

    for (int64_t i = 0; i < n; i++)
        x[i] = (float)random_u32() / 0x1p30f - 1;
    return x;
}

static struct span some_span(int64_t n)
{
    struct span s = {between(MAX(1, n - n / 8), n), 0};

    s.first = between(0, s.count - 1);
    return s;
}

static void assert_same(const char *what, const float *got, const float *want, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (memcmp(&got[i], &want[i], sizeof(float)) != 0)
            fail_msg("%s: element %lld is %a, not %a", what, (long long)i, (double)got[i],
                     (double)want[i]);
    }
}

static void test_matmul_bits(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        int64_t m = between(1, round % 5 ? 40 : 300), n = between(1, round % 3 ? 20 : 300);
        int64_t k = between(1, round % 4 ? 70 : 600), batch = between(1, 3);
        bool ta = round & 1, tb = round & 2;
        struct matmul_args a = {.batch = batch,
                                .batch_a = {1, {batch}, {m * k}},
                                .batch_b = {1, {batch}, {round % 7 ? k * n : 0}}};
        AUTO(freep) float *x = numbers(batch * m * k);
        AUTO(freep) float *w = numbers(batch * k * n);
        AUTO(freep) float *got = numbers(batch * m * n);
        AUTO(freep) float *want = numbers(batch * m * n);

        a.gemm =
            (struct gemm){m, n, some_span(k), ta ? 1 : k, ta ? m : 1, tb ? 1 : n, tb ? k : 1, n, 1};
        for (int64_t i = 0; i < batch * m * n; i++)
            want[i] = item_matmul(&a, x, w, i);
        for (int isa = GEMM_BASE; isa <= GEMM_AVX512; isa++) {
            gemm_limit_isa(isa);
            ops_set_threads(1 + isa % 2);
            assert_int_equal(loops_f32.matmul(&a, x, w, got, &err), 0);
            assert_same("matmul", got, want, batch * m * n);
        }
    }
    ops_set_threads(0);
}

/* Sums of two products that come out otherwise where a term is rounded twice: before it is added,
 * or to double and then to float. */
static const struct {
    float a[2], b[2], want;
} fused_sums[] = {
    {{-0x1.002p0f, 0x1.001p0f}, {1, 0x1.001p0f}, 0x1p-24f}, /* 2^-24 lies under the product */
    {{0x1.002p0f, -0x1.001p0f}, {1, 0x1.001p0f}, -0x1p-24f},
    {{0x1.fffffep0f, 0x1.fffffep-24f}, {1, 0x1p-24f}, 0x1.fffffep0f},
    /* 2^-70 short of a tie, and beyond it */
    {{0x1.000002p0f, 0x1.fffffcp-13f}, {1, 0x1.000002p-12f}, 0x1.000002p0f},
    {{-0x1.000002p0f, -0x1.fffffcp-13f}, {1, 0x1.000002p-12f}, -0x1.000002p0f},
    {{0x1.000002p0f, -0x1.fffffcp-13f}, {1, 0x1.000002p-12f}, 0x1.000002p0f},
    {{-0x1.000002p0f, 0x1.fffffcp-13f}, {1, 0x1.000002p-12f}, -0x1.000002p0f},
    {{0x1p-149f, 0x1.fffffcp-75f}, {1, 0x1.000002p-76f}, 0x1p-149f},
    {{0x1p100f, 1}, {0x1p100f, 1}, INFINITY},
    {{0x1p100f, 0x1p-100f}, {0x1p100f, -0x1p-100f}, INFINITY},
    /* Too small: 0, not -0, which another zero would have turned. */
    {{0x1p-100f, 0x1p-100f}, {-0x1p-100f, -0x1p-100f}, 0},
    {{0x1p-100f, 0}, {-0x1p-100f, 0}, 0},
};

static void test_one_rounding(void **state)
{
    enum { N = 24 };
    struct matmul_args m = {.gemm = {N, N, {2, 0}, 2, 1, 1, 2, N, 1}, .batch = 1};
    /* One place of a 3x3 kernel meets x; the other terms lie outside. */
    struct conv_args c = {.n = 1,
                          .c = 2,
                          .o = N,
                          .groups = 1,
                          .in = {1, 1, 1},
                          .k = {1, 3, 3},
                          .stride = {1, 1, 1},
                          .dilation = {1, 1, 1},
                          .pad = {0, 1, 1},
                          .out = {1, 1, 1},
                          .span = {18, 0}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(fused_sums); i++) {
        float x[2 * N], w[2 * N], taps[N * 18], want[N * N], got[N * N];

        for (int k = 0; k < 2 * N; k++) {
            x[k] = fused_sums[i].a[k % 2];
            w[k] = fused_sums[i].b[k % 2];
        }
        for (int k = 0; k < N * 18; k++)
            taps[k] = k % 9 == 4 ? fused_sums[i].b[k / 9 % 2] : 3;
        for (int k = 0; k < N * N; k++) {
            want[k] = fused_sums[i].want;
            got[k] = item_matmul(&m, x, w, k);
        }
        assert_same("item_dot", got, want, N * N);
        for (int k = 0; k < N; k++)
            got[k] = item_conv(&c, x, taps, NULL, k);
        assert_same("item_conv", got, want, N);
        for (int isa = GEMM_BASE; isa <= GEMM_AVX512; isa++) {
            gemm_limit_isa(isa);
            assert_int_equal(loops_f32.matmul(&m, x, w, got, &err), 0);
            assert_same("matmul", got, want, N * N);
            assert_int_equal(loops_f32.conv(&c, x, taps, NULL, got, &err), 0);
            assert_same("conv", got, want, N);
        }
    }
}

/* A power of two with a bit or two at its end. */
static float sparse_number(int exponent)
{
    float x = 1 + (float)between(-1, 1) * 0x1p-22f + (float)between(-1, 1) * 0x1p-23f;

    return ldexpf(between(0, 1) ? x : -x, exponent);
}

/* A number and a product about 2^-24 of it, against the C library's own. */
static void test_nearly_ties(void **state)
{
    enum { N = 64 };
    struct matmul_args m = {.gemm = {N, N, {2, 0}, 2, 1, N, 1, N, 1}, .batch = 1};
    static const int exponents[] = {0, -12, -70, -76, 50};

    (void)state;
    for (int round = 0; round < 200; round++) {
        int e = exponents[round % 5];
        float x[N][2], w[2][N], want[N * N], got[N * N];

        for (int i = 0; i < N; i++) {
            x[i][0] = sparse_number(2 * e + (int)between(22, 26));
            x[i][1] = sparse_number(e);
            w[0][i] = 1;
            w[1][i] = sparse_number(e);
            if (round % 2) { /* a number and nearly its inverse */
                float f = 1 + (float)random_u32() / 0x1p32f;

                x[i][1] = ldexpf(f, e);
                w[1][i] = ldexpf(1 / f, e);
            }
        }
        for (int i = 0; i < N * N; i++)
            want[i] = fmaf(x[i / N][1], w[1][i % N], x[i / N][0]);
        for (int isa = GEMM_BASE; isa <= GEMM_AVX512; isa++) {
            gemm_limit_isa(isa);
            assert_int_equal(loops_f32.matmul(&m, x, w, got, &err), 0);
            assert_same("nearly a tie", got, want, N * N);
        }
    }
}

/* 2^-54 lies under the product. */
static void test_one_rounding_of_doubles(void **state)
{
    enum { N = 24 };
    struct gemm g = {N, N, {2, 0}, 2, 1, 1, 2, N, 1};
    double x[2 * N], w[2 * N], got[N * N];
    AUTO(freep) void *scratch = xmalloc(gemm_scratch_f64(&g));

    (void)state;
    for (int k = 0; k < N; k++) {
        x[2 * k] = -(1 + 0x1p-26);
        w[2 * k] = 1;
        x[2 * k + 1] = w[2 * k + 1] = 1 + 0x1p-27;
    }
    for (int isa = GEMM_BASE; isa <= GEMM_AVX512; isa++) {
        gemm_limit_isa(isa);
        gemm_f64(&g, x, w, got, scratch);
        for (int k = 0; k < N * N; k++)
            assert_true(got[k] == 0x1p-54);
    }
}

static struct conv_args some_conv(bool transposed)
{
    struct conv_args c = {.n = between(1, 2), .groups = between(1, 3), .transposed = transposed};
    bool flat = between(0, 2) != 0;

    c.c = c.groups * between(1, 4);
    c.o = c.groups * between(1, 20);
    for (int d = 0; d < ITEM_SPACE; d++) {
        bool on = d > 0 || !flat;

        c.in[d] = on ? between(3, 14) : 1;
        c.k[d] = on ? between(1, 3) : 1;
        c.stride[d] = on ? between(1, 3) : 1;
        c.dilation[d] = on ? between(1, 3) : 1;
        c.pad[d] = on ? between(0, 2) : 0;

        int64_t reach = (c.k[d] - 1) * c.dilation[d] + 1;

        c.in[d] = MAX(c.in[d], reach);
        if (transposed)
            c.pad[d] = MIN(c.pad[d], (c.in[d] - 1) * c.stride[d] / 2);
        c.out[d] = transposed ? (c.in[d] - 1) * c.stride[d] - 2 * c.pad[d] + reach
                              : (c.in[d] + 2 * c.pad[d] - reach) / c.stride[d] + 1;
    }
    c.span = some_span(c.c / c.groups * c.k[0] * c.k[1] * c.k[2]);
    return c;
}

static void test_conv_bits(void **state)
{
    (void)state;
    for (int round = 0; round < 80; round++) {
        struct conv_args c = some_conv(round & 1);
        int64_t taps = c.k[0] * c.k[1] * c.k[2];
        int64_t n_y = c.n * c.o * c.out[0] * c.out[1] * c.out[2];
        AUTO(freep) float *x = numbers(c.n * c.c * c.in[0] * c.in[1] * c.in[2]);
        AUTO(freep) float *w = numbers(c.c * c.o / c.groups * taps);
        AUTO(freep) float *bias = numbers(c.o);
        AUTO(freep) float *got = numbers(n_y);
        AUTO(freep) float *want = numbers(n_y);
        const float *b = round % 3 ? bias : NULL;

        for (int64_t i = 0; i < n_y; i++)
            want[i] = item_conv(&c, x, w, b, i);
        for (int isa = GEMM_BASE; isa <= GEMM_AVX512; isa++) {
            gemm_limit_isa(isa);
            ops_set_threads(1 + round % 2);
            assert_int_equal(loops_f32.conv(&c, x, w, b, got, &err), 0);
            assert_same(c.transposed ? "conv_transpose" : "conv", got, want, n_y);
        }
    }
    ops_set_threads(0);
}

static float reduce_by_items(enum op_code op, const struct reduce_args *r, const float *x,
                             int64_t i)
{
    float acc = item_neutral(op);

    if (!reduce_goes_by_lanes(r))
        return item_reduce(op, r, x, i);
    for (int group = 0; group < ITEM_LANE_GROUPS; group++) {
        float sum = item_neutral(op);

        for (int64_t lane = group; lane < ITEM_LANES; lane += ITEM_LANE_GROUPS)
            sum = item_combine(op, sum, item_reduce_lane(op, r, x, i, lane));
        acc = item_combine(op, acc, sum);
    }
    return acc;
}

static void test_reduce_bits(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        int64_t dim[4], stride = 1;
        struct reduce_args r = {.kept = {.rank = 0}};
        /* Every 20th by lanes: all axes, or three of them. */
        int which = round % 20 ? (int)between(1, 15) : round % 40 ? 15 - (1 << between(0, 3)) : 15;
        int64_t lanes_dim = which == 15 ? 15 : 38;

        for (int d = 3; d >= 0; d--)
            dim[d] = round % 20       ? between(1, d == 3 && round % 4 == 0 ? 300 : 9)
                     : which >> d & 1 ? between(lanes_dim, lanes_dim + 5)
                                      : between(1, 3);
        for (int d = 0; d < 4; d++) {
            struct axes *a = which >> d & 1 ? &r.reduced : &r.kept;

            stride = 1;
            for (int e = d + 1; e < 4; e++)
                stride *= dim[e];
            a->dim[a->rank] = dim[d];
            a->stride[a->rank++] = stride;
        }
        axes_join(&r.kept, 1);
        axes_join(&r.reduced, 1);
        r.span = some_span(axes_count(&r.reduced));

        int64_t n = axes_count(&r.kept);
        enum op_code op = (enum op_code)between(OP_SUM, OP_MIN);
        AUTO(freep) float *x = numbers(dim[0] * dim[1] * dim[2] * dim[3]);
        AUTO(freep) float *got = numbers(n);
        AUTO(freep) float *want = numbers(n);

        for (int64_t i = 0; i < n; i++)
            want[i] = reduce_by_items(op, &r, x, i);
        assert_int_equal(loops_f32.reduce(op, &r, x, got, &err), 0);
        assert_same(op_table[op].name, got, want, n);
    }
}

static void test_pool_bits(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        struct conv_args c = some_conv(false);
        struct pool_args p = {.planes = between(1, 3)};

        for (int d = 0; d < ITEM_SPACE; d++) {
            p.in[d] = c.in[d];
            p.k[d] = c.k[d];
            p.stride[d] = c.stride[d];
            p.dilation[d] = c.dilation[d];
            p.pad[d] = c.pad[d];
            p.out[d] = c.out[d] + (round % 4 == 0); /* as with ceil: a window past the end */
        }
        p.span = some_span(p.k[0] * p.k[1] * p.k[2]);

        int64_t n = p.planes * p.out[0] * p.out[1] * p.out[2];
        AUTO(freep) float *x = numbers(p.planes * p.in[0] * p.in[1] * p.in[2]);
        AUTO(freep) float *got = numbers(n);
        AUTO(freep) float *want = numbers(n);
        enum op_code op = round & 1 ? OP_MAX_POOL : OP_AVG_POOL;

        for (int64_t i = 0; i < n; i++) {
            want[i] = item_pool(op == OP_MAX_POOL ? OP_MAX : OP_SUM, &p, x, i);
            if (op == OP_AVG_POOL)
                want[i] /= (float)(p.k[0] * p.k[1] * p.k[2]);
        }
        loops_f32.pool(op, &p, x, got);
        assert_same(op_table[op].name, got, want, n);
    }
}

static void test_move_bits(void **state)
{
    (void)state;
    for (int round = 0; round < 100; round++) {
        struct axes a = {4, {between(1, 40), between(1, 9), between(1, 20), between(1, 40)}, {0}};
        int64_t order[4] = {0, 1, 2, 3}, n = axes_count(&a), stride = 1;

        for (int d = 3; d > 0; d--) {
            int64_t other = between(0, d), was = order[d];

            order[d] = order[other];
            order[other] = was;
        }
        for (int d = 0; d < 4; d++) {
            a.stride[order[d]] = stride;
            stride *= a.dim[order[d]];
        }
        axes_join(&a, 1);

        AUTO(freep) float *x = numbers(n);
        AUTO(freep) float *got = numbers(n);
        AUTO(freep) float *want = numbers(n);

        for (int64_t i = 0; i < n; i++)
            want[i] = x[axes_offset(&a, i)];
        loops_f32.move(&a, x, got);
        assert_same("move", got, want, n);
    }
}

static void test_pad_and_gather_bits(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        struct pad_args p = {.rank = (int)between(1, 4), .value = 0.25};
        struct gather_args g = {between(1, 4), between(1, 9), between(1, 20), between(1, 5)};
        int64_t in = 1, n = 1, index[20], n_g = g.outer * g.n_index * g.inner;

        for (int d = 0; d < p.rank; d++) {
            p.in[d] = between(1, 6);
            p.lo[d] = between(0, 3);
            p.out[d] = p.in[d] + p.lo[d] + between(0, 3);
            in *= p.in[d];
            n *= p.out[d];
        }
        for (int64_t i = 0; i < g.n_index; i++)
            index[i] = between(0, g.length - 1);

        AUTO(freep) float *x = numbers(MAX(in, g.outer * g.length * g.inner));
        AUTO(freep) float *got = numbers(MAX(n, n_g));
        AUTO(freep) float *want = numbers(MAX(n, n_g));

        for (int64_t i = 0; i < n; i++)
            want[i] = item_pad(&p, x, i);
        loops_f32.pad(&p, x, got);
        assert_same("pad", got, want, n);
        for (int64_t i = 0; i < n_g; i++)
            want[i] = item_gather(&g, x, index, i);
        loops_f32.gather(&g, x, index, got);
        assert_same("gather", got, want, n_g);
    }
}

/* Large enough that the loops load OpenBLAS; against our own product on one thread. */
static void test_blas_agrees(void **state)
{
    static const struct {
        int64_t m, n, k;
        bool ta, tb;
    } cases[] = {{256, 256, 256, false, false}, {130, 1100, 200, true, false},
                 {1100, 70, 300, false, true},  {300, 300, 130, true, true},
                 {5, 3000, 1500, false, true},  {4100, 4, 1000, false, false}};

    (void)state;
    unsetenv("OPENBLAS_CORETYPE");
    for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
        int64_t m = cases[c].m, n = cases[c].n, k = cases[c].k;
        bool ta = cases[c].ta, tb = cases[c].tb;
        struct gemm g = {m, n, {k, 0}, ta ? 1 : k, ta ? m : 1, tb ? 1 : n, tb ? k : 1, n, 1};
        struct matmul_args args = {.gemm = g, .batch = 1};
        AUTO(freep) double *a = xcalloc((size_t)(m * k), sizeof(double));
        AUTO(freep) double *b = xcalloc((size_t)(k * n), sizeof(double));
        AUTO(freep) double *got = xcalloc((size_t)(m * n), sizeof(double));
        AUTO(freep) double *want = xcalloc((size_t)(m * n), sizeof(double));
        AUTO(freep) void *scratch = xmalloc(gemm_scratch_f64(&g));
        double d = 0, w = 0;

        for (int64_t i = 0; i < m * k; i++)
            a[i] = random_u32() / 0x1p30 - 1;
        for (int64_t i = 0; i < k * n; i++)
            b[i] = random_u32() / 0x1p30 - 1;
        assert_int_equal(loops_f64.matmul(&args, a, b, got, &err), 0);
        gemm_f64(&g, a, b, want, scratch);
        for (int64_t i = 0; i < m * n; i++) {
            d += (got[i] - want[i]) * (got[i] - want[i]);
            w += want[i] * want[i];
        }
        if (!(sqrt(d / w) < 1e-12))
            fail_msg("case %zu: off by %g", c, sqrt(d / w));
    }
    assert_null(getenv("OPENBLAS_CORETYPE")); /* it was only lent */
    if (strcmp(ops_blas_name(), "none") == 0) {
        print_message("no libopenblas.so.0: our own product only\n");
        skip();
    }
    assert_memory_equal(ops_blas_name(), "OpenBLAS ", 9);
}

/* Baselines may use it for floats; last, since there is no way back. Few terms it adds as we do. */
static void test_float_blas(void **state)
{
    enum { K = 3000 };
    struct gemm g = {70, 33, {K, 0}, K, 1, 1, K, 33, 1};
    struct matmul_args args = {.gemm = g, .batch = 1};
    static float a[70 * K], b[K * 33], want[70 * 33], got[70 * 33];
    double d = 0, w = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(a); i++)
        a[i] = (float)(random_u32() / 0x1p30 - 1);
    for (size_t i = 0; i < ARRAY_SIZE(b); i++)
        b[i] = (float)(random_u32() / 0x1p30 - 1);
    assert_int_equal(loops_f32.matmul(&args, a, b, want, &err), 0);
    if (!ops_blas_for_floats()) {
        print_message("no libopenblas.so.0\n");
        skip();
    }
    assert_int_equal(loops_f32.matmul(&args, a, b, got, &err), 0);
    for (size_t i = 0; i < ARRAY_SIZE(got); i++) {
        d += ((double)got[i] - want[i]) * ((double)got[i] - want[i]);
        w += (double)want[i] * want[i];
    }
    assert_true(sqrt(d / w) < 1e-5);
    assert_true(d > 0); /* another order: it was not our own loop again */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matmul_bits),         cmocka_unit_test(test_one_rounding),
        cmocka_unit_test(test_nearly_ties),         cmocka_unit_test(test_one_rounding_of_doubles),
        cmocka_unit_test(test_conv_bits),           cmocka_unit_test(test_reduce_bits),
        cmocka_unit_test(test_pool_bits),           cmocka_unit_test(test_move_bits),
        cmocka_unit_test(test_pad_and_gather_bits), cmocka_unit_test(test_blas_agrees),
        cmocka_unit_test(test_float_blas),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
