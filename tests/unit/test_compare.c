/* SPDX-License-Identifier: MIT */
#include "testing.h"

#include "base/util.h"
#include "tensor/compare.h"

#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static double noise(int64_t i)
{
    uint64_t x = (uint64_t)i * 0x9E3779B97F4A7C15u;

    x = (x ^ (x >> 31)) * 0xBF58476D1CE4E5B9u;
    return (double)(int64_t)(x ^ (x >> 29)) * 0x1p-63;
}

/* The rules of compare.h word by word, in long double and one element after the other. */
static struct compare_stats plain(const double *y, const float *got, int64_t n,
                                  const struct compare_scale *scale)
{
    struct compare_stats s = COMPARE_STATS_INIT;
    double rms = scale->pooled_rms;

    s.count = n;
    for (int64_t i = 0; i < n; i++) {
        if (scale->row_len && i % scale->row_len == 0) {
            long double sum = 0;

            for (int64_t k = 0; k < scale->row_len; k++)
                sum += (long double)y[i + k] * y[i + k];
            rms = (double)sqrtl(sum / scale->row_len);
        }
        double r = fmax(fmax(fabs(y[i]), rms), scale->floor);
        double ratio = fabs(got[i] - y[i]) / r;

        s.sum_sq += ratio * ratio;
        if (ratio > s.max || s.max_at < 0) {
            s.max = ratio;
            s.max_at = i;
            s.got = got[i];
            s.want = y[i];
        }
    }
    return s;
}

static void check_near(double a, double b)
{
    assert_true(fabs(a - b) <= 1e-12 * fabs(b));
}

static void check_same(const struct compare_stats *a, const struct compare_stats *b)
{
    assert_int_equal(a->count, b->count);
    assert_true(memcmp(&a->sum_sq, &b->sum_sq, sizeof(double)) == 0);
    assert_true(a->max == b->max && a->max_at == b->max_at);
    assert_int_equal(a->n_nonfinite, b->n_nonfinite);
    assert_int_equal(a->first_nonfinite, b->first_nonfinite);
    assert_int_equal(a->n_unequal, b->n_unequal);
    assert_int_equal(a->first_unequal, b->first_unequal);
}

static void check_against_plain(int64_t n, const struct compare_scale *scale)
{
    AUTO(freep) double *y = xcalloc((size_t)n, sizeof(*y));
    AUTO(freep) float *got = xcalloc((size_t)n, sizeof(*got));
    struct compare_stats s, again;

    for (int64_t i = 0; i < n; i++) {
        y[i] = noise(i) * exp2((double)(i / 64 % 20) - 10);
        got[i] = (float)(y[i] * (1 + 1e-4 * noise(i + n)));
    }

    struct compare_stats want = plain(y, got, n, scale);

    omp_set_num_threads(1);
    compare_output(DT_F32, y, got, n, scale, &s);
    check_near(s.sum_sq, want.sum_sq);
    check_near(s.max, want.max);
    assert_int_equal(s.max_at, want.max_at);
    assert_true(s.got == want.got && s.want == want.want);
    assert_int_equal(s.n_nonfinite, 0);
    assert_int_equal(s.first_nonfinite, -1);
    assert_int_equal(s.n_unequal, 0);
    for (int threads = 2; threads <= 3; threads++) {
        omp_set_num_threads(threads);
        compare_output(DT_F32, y, got, n, scale, &again);
        check_same(&s, &again);
    }
}

static void test_figures(void **state)
{
    static const struct {
        int64_t n;
        struct compare_scale scale;
    } cases[] = {
        {1, {0, 0.5, 0}},
        {7, {0, 1e-3, 1e-6}},
        {513, {0, 0, 1e-3}},
        {48, {16, 0, 0}},
        {1000 * 17, {17, 0, 1e-5}},
        {20 * 1000, {1000, 0, 0.5}},
        {65536, {64, 0, 0}},
        {200003, {0, 0.1, 1e-6}},
        {100 * 4099, {4099, 0, 0}},
        {3 * 65536, {65536, 0, 100}}, /* rows long enough to be shared by threads */
        {2 * 100003, {100003, 0, 0}},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_against_plain(cases[i].n, &cases[i].scale);
}

/* One element beside three ordinary ones; what may become of it. */
static void test_rules_for_one_element(void **state)
{
    static const struct {
        double y, got, floor;
        double ratio;
        int nonfinite;
    } cases[] = {
        {2, 3, 0, 0.5, 0},
        {-2, 2, 0, 2, 0},
        {0, 1, 4, 0.25, 0},
        {1, 3, 4, 0.5, 0},
        {0, 0, 0, 0, 0},
        {0, -0.0, 0, 0, 0},
        {0, 1e-30, 0, INFINITY, 0},
        {1, INFINITY, 0, 0, 1},
        {1, NAN, 1, 0, 1},
        {0, NAN, 0, 0, 1},
        {INFINITY, INFINITY, 0, 0, 0},
        {-INFINITY, -INFINITY, 1, 0, 0},
        {INFINITY, -INFINITY, 0, 0, 1},
        {INFINITY, 1, 1, 0, 1},
        {INFINITY, NAN, 1, 0, 1},
        {NAN, NAN, 0, 0, 0},
        {NAN, 1, 1, 0, 1},
        {NAN, INFINITY, 1, 0, 1},
        {1, DBL_MAX, 1, DBL_MAX, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        for (int64_t at = 0; at < 20; at += 19) {
            const struct compare_scale scale = {0, 0, cases[i].floor};
            double y[20], got[20];
            struct compare_stats s;

            for (int k = 0; k < 20; k++)
                y[k] = got[k] = 0;
            y[at] = cases[i].y;
            got[at] = cases[i].got;
            compare_output(DT_F64, y, got, 20, &scale, &s);
            assert_true(s.max == cases[i].ratio);
            assert_int_equal(s.max_at, cases[i].ratio > 0 ? at : 0);
            assert_int_equal(s.n_nonfinite, cases[i].nonfinite);
            assert_int_equal(s.first_nonfinite, cases[i].nonfinite ? at : -1);
            if (isinf(cases[i].ratio) || cases[i].ratio == 0)
                assert_true(s.sum_sq == 0);
            else
                assert_true(s.sum_sq == cases[i].ratio * cases[i].ratio);
        }
    }
}

/* An infinity that is expected must not become the scale that excuses its row. */
static void test_infinite_neighbours_excuse_nothing(void **state)
{
    static const double bad[] = {INFINITY, -INFINITY, NAN};
    const struct compare_scale rows = {16, 0, 0};

    (void)state;
    for (size_t b = 0; b < ARRAY_SIZE(bad); b++) {
        double y[32], got[32];
        struct compare_stats s;

        for (int i = 0; i < 32; i++)
            y[i] = got[i] = i < 16 ? 1 : 2;
        y[3] = got[3] = bad[b];
        got[9] = 1.5;
        compare_output(DT_F64, y, got, 32, &rows, &s);
        assert_true(s.max == 0.5 && s.max_at == 9 && s.sum_sq == 0.25);
        assert_int_equal(s.n_nonfinite, 0);

        const struct compare_scale pooled = {0, bad[b], bad[b]};

        compare_output(DT_F64, y, got, 32, &pooled, &s);
        assert_true(s.max == 0.5 && s.max_at == 9);
    }
}

static void test_nan_is_found_anywhere(void **state)
{
    enum { N = 70000 };
    static const int64_t places[] = {0, 511, 512, 16383, 16384, 65535, N - 1};
    AUTO(freep) double *y = xcalloc(N, sizeof(*y));
    AUTO(freep) float *got = xcalloc(N, sizeof(*got));
    static const int64_t row_lens[] = {0, 20, 1000, N};

    (void)state;
    for (int64_t i = 0; i < N; i++)
        got[i] = (float)(y[i] = noise(i));
    for (size_t r = 0; r < ARRAY_SIZE(row_lens); r++) {
        const struct compare_scale scale = {row_lens[r], 1, 0};

        for (size_t p = 0; p < ARRAY_SIZE(places); p++) {
            float kept = got[places[p]];
            struct compare_stats s;

            got[places[p]] = NAN;
            got[N - 1] = NAN;
            compare_output(DT_F32, y, got, N, &scale, &s);
            assert_int_equal(s.n_nonfinite, places[p] == N - 1 ? 1 : 2);
            assert_int_equal(s.first_nonfinite, places[p]);
            assert_true(isfinite(s.sum_sq) && isfinite(s.max));
            got[N - 1] = (float)y[N - 1];
            got[places[p]] = kept;
        }
    }
}

static void test_ties_take_the_lowest_index(void **state)
{
    enum { N = 70000 };
    AUTO(freep) double *y = xcalloc(N, sizeof(*y));
    AUTO(freep) double *got = xcalloc(N, sizeof(*got));
    const struct compare_scale scale = {0, 1, 0};
    struct compare_stats s;

    (void)state;
    got[69999] = got[40000] = got[12345] = got[12346] = got[13000] = -0.5;
    compare_output(DT_F64, y, got, N, &scale, &s);
    assert_true(s.max == 0.5 && s.got == -0.5 && s.want == 0);
    assert_int_equal(s.max_at, 12345);
}

static void test_every_float_type(void **state)
{
    const struct compare_scale scale = {0, 1, 0};

    (void)state;
    for (int t = DT_F64; t <= DT_F8E5M2; t++) {
        double y[100], values[100], room[100];
        struct compare_stats s;

        for (int i = 0; i < 100; i++)
            values[i] = y[i] = dtype_round(t, noise(i));
        values[42] = 3;
        y[42] = 1;
        dtype_from_f64(t, values, room, 100);
        compare_output(t, y, room, 100, &scale, &s);
        assert_true(s.max == 2 && s.max_at == 42 && s.sum_sq == 4 && s.count == 100);
    }
}

static void check_unequal(enum dtype t, int64_t n)
{
    AUTO(freep) int64_t *y = xcalloc((size_t)n, sizeof(*y));
    AUTO(freep) char *got = xcalloc((size_t)n, 8);
    const struct compare_scale scale = {0, 0, 0};
    struct compare_stats s;

    for (int64_t i = 0; i < n; i++)
        y[i] = i % 3 == 1;
    dtype_from_i64(t, y, got, n);
    compare_output(t, y, got, n, &scale, &s);
    assert_int_equal(s.count, n);
    assert_int_equal(s.n_unequal, 0);
    assert_int_equal(s.first_unequal, -1);
    y[n - 1] = 5;
    y[n / 2] = 7;
    compare_output(t, y, got, n, &scale, &s);
    assert_int_equal(s.n_unequal, 2);
    assert_int_equal(s.first_unequal, n / 2);
    assert_int_equal(s.max_at, n / 2);
    assert_true(s.want == 7 && s.got == (n / 2) % 3 % 2);
    assert_true(s.max == 0 && s.sum_sq == 0 && s.n_nonfinite == 0);
}

static void test_integers(void **state)
{
    (void)state;
    for (int t = DT_I64; t < DT_COUNT; t++) {
        check_unequal(t, 10);
        check_unequal(t, 100001);
    }
}

static void test_integers_are_exact(void **state)
{
    const int64_t y[] = {((int64_t)1 << 53) + 1}, got[] = {(int64_t)1 << 53};
    const struct compare_scale scale = {0, 0, 0};
    struct compare_stats s;

    (void)state;
    compare_output(DT_I64, y, got, 1, &scale, &s);
    assert_int_equal(s.n_unequal, 1);
}

/* 0x37 is not false, but it is no bool either: half of all poison would be right. */
static void test_bool_takes_no_other_byte(void **state)
{
    const int64_t y[] = {1, 1, 0};
    const uint8_t got[] = {1, 0x37, 0};
    const struct compare_scale scale = {0, 0, 0};
    struct compare_stats s;

    (void)state;
    compare_output(DT_BOOL, y, got, 3, &scale, &s);
    assert_int_equal(s.n_unequal, 1);
    assert_int_equal(s.first_unequal, 1);
}

static void test_nothing_to_compare(void **state)
{
    const struct compare_stats want = COMPARE_STATS_INIT;
    const struct compare_scale scale = {0, 1, 1};
    double y = 1, got = 2;
    struct compare_stats s;

    (void)state;
    compare_output(DT_F64, &y, &got, 0, &scale, &s);
    check_same(&s, &want);
    compare_output(DT_I64, &y, &got, 0, &scale, &s);
    check_same(&s, &want);
    assert_true(compare_rms(&y, 0) == 0);
}

static void test_merge(void **state)
{
    struct compare_stats a = COMPARE_STATS_INIT;
    const struct compare_stats parts[] = {
        {10, 1.5, 0, 0, 7, 7, 0, -1, 0, -1},
        {20, 2, 0.5, 3, 1, 2, 1, 4, 0, -1},
        {30, 4, 0.5, 1, 8, 9, 2, 0, 5, 6},
        {40, 0, 0.75, 2, 3, 4, 0, -1, 1, 0},
    };

    (void)state;
    compare_merge(&a, &parts[0]);
    assert_true(a.max == 0 && a.max_at == 0 && a.got == 7);
    compare_merge(&a, &parts[1]);
    compare_merge(&a, &parts[2]);
    assert_true(a.max == 0.5 && a.max_at == 3 && a.got == 1 && a.want == 2); /* the earlier */
    compare_merge(&a, &parts[3]);
    assert_true(a.max == 0.75 && a.max_at == 2 && a.sum_sq == 7.5);
    assert_int_equal(a.count, 100);
    assert_int_equal(a.n_nonfinite, 3);
    assert_int_equal(a.first_nonfinite, 4);
    assert_int_equal(a.n_unequal, 6);
    assert_int_equal(a.first_unequal, 6);
}

static void test_rms(void **state)
{
    enum { N = 300001 };
    AUTO(freep) double *y = xcalloc(N, sizeof(*y));
    long double sum = 0;

    (void)state;
    for (int64_t i = 0; i < N; i++) {
        y[i] = noise(i);
        sum += (long double)y[i] * y[i];
    }
    omp_set_num_threads(1);

    double one = compare_rms(y, N);

    check_near(one, (double)sqrtl(sum / N));
    for (int threads = 2; threads <= 3; threads++) {
        omp_set_num_threads(threads);
        assert_true(compare_rms(y, N) == one);
    }
    y[N / 2] = INFINITY; /* what is not finite does not count */
    y[N - 1] = NAN;
    sum -= (long double)noise(N / 2) * noise(N / 2) + (long double)noise(N - 1) * noise(N - 1);
    check_near(compare_rms(y, N), (double)sqrtl(sum / (N - 2)));

    const double huge[] = {3e200, -4e200, NAN}, none[] = {NAN, INFINITY};

    check_near(compare_rms(huge, 3), sqrt(12.5) * 1e200);
    assert_true(compare_rms(none, 2) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_rules_for_one_element),
        cmocka_unit_test(test_infinite_neighbours_excuse_nothing),
        cmocka_unit_test(test_nan_is_found_anywhere),
        cmocka_unit_test(test_ties_take_the_lowest_index),
        cmocka_unit_test(test_every_float_type),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_integers_are_exact),
        cmocka_unit_test(test_bool_takes_no_other_byte),
        cmocka_unit_test(test_nothing_to_compare),
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_rms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
