/* SPDX-License-Identifier: MIT */
/* The 8- and 16-bit types are small enough to be tried whole: every code, and every place between
 * two neighbours where rounding changes its mind. */
#include "testing.h"

#include "base/util.h"
#include "tensor/dtype.h"

#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

struct small_float {
    enum dtype dtype;
    int bits, mantissa, bias;
    uint32_t max; /* code of the largest number */
    bool saturates;
};

static const struct small_float small_floats[] = {
    {DT_F16, 16, 10, 15, 0x7BFF, false},
    {DT_BF16, 16, 7, 127, 0x7F7F, false},
    {DT_F8E4M3, 8, 3, 7, 0x7E, true},
    {DT_F8E5M2, 8, 2, 15, 0x7B, false},
};

/* By the definition of the format; finite codes only. */
static double decode(const struct small_float *f, uint32_t code)
{
    uint32_t size = code & ((1u << (f->bits - 1)) - 1);
    int exponent = (int)(size >> f->mantissa);
    double fraction = (double)(size & ((1u << f->mantissa) - 1));
    double value = exponent ? ldexp(fraction + (1 << f->mantissa), exponent - f->bias - f->mantissa)
                            : ldexp(fraction, 1 - f->bias - f->mantissa);

    return size == code ? value : -value;
}

static double load(const struct small_float *f, uint32_t code)
{
    uint16_t wide = (uint16_t)code;

    return dtype_load(f->dtype, &wide); /* low byte first, for the 8-bit types */
}

static uint32_t store(const struct small_float *f, double value)
{
    uint16_t code = 0;

    dtype_store(f->dtype, &code, value);
    return code;
}

static void test_every_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(small_floats); i++) {
        const struct small_float *f = &small_floats[i];
        uint32_t sign = 1u << (f->bits - 1);

        for (uint32_t code = 0; code < 2 * sign; code++) {
            uint32_t size = code & (sign - 1);
            double value = load(f, code);

            if (size <= f->max) {
                assert_true(value == decode(f, code));
                assert_int_equal(!!signbit(value), code >= sign);
                assert_int_equal(store(f, value), code);
            } else if (!f->saturates && size == f->max + 1) {
                assert_true(value == (code < sign ? INFINITY : -INFINITY));
                assert_int_equal(store(f, value), code);
            } else {
                assert_true(isnan(value));
                assert_true(isnan(load(f, store(f, value))));
            }
        }
    }
}

/* Between the numbers of code and code + 1. */
static void check_between(const struct small_float *f, uint32_t code)
{
    uint32_t sign = 1u << (f->bits - 1);
    double low = decode(f, code), high = decode(f, code + 1), mid = (low + high) / 2;
    uint32_t even = code & 1 ? code + 1 : code;

    assert_int_equal(store(f, mid), even);
    assert_int_equal(store(f, nextafter(mid, low)), code);
    assert_int_equal(store(f, nextafter(mid, high)), code + 1);
    assert_int_equal(store(f, -mid), even | sign);
    assert_int_equal(store(f, -nextafter(mid, low)), code | sign);
    assert_int_equal(store(f, -nextafter(mid, high)), (code + 1) | sign);
}

static void test_rounding_between_neighbours(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(small_floats); i++) {
        for (uint32_t code = 0; code < small_floats[i].max; code++)
            check_between(&small_floats[i], code);
    }
}

static void test_overflow(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(small_floats); i++) {
        const struct small_float *f = &small_floats[i];
        uint32_t sign = 1u << (f->bits - 1), over = f->saturates ? f->max : f->max + 1;
        double max = decode(f, f->max), limit = max + (max - decode(f, f->max - 1)) / 2;

        assert_int_equal(store(f, nextafter(limit, 0)), f->max);
        assert_int_equal(store(f, limit), over);
        assert_int_equal(store(f, nextafter(limit, INFINITY)), over);
        assert_int_equal(store(f, DBL_MAX), over);
        assert_int_equal(store(f, INFINITY), over);
        assert_int_equal(store(f, -INFINITY), over | sign);
        assert_int_equal(store(f, DBL_TRUE_MIN), 0);
        assert_int_equal(store(f, -DBL_TRUE_MIN), sign);
        assert_true(isnan(load(f, store(f, NAN))));
        assert_true(isnan(load(f, store(f, -NAN))));
    }
}

#if defined(__x86_64__) && defined(__FLT16_MAX__) && !defined(__clang__)
static void test_compiler_agrees_on_f16(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x10000; code++) {
        uint16_t ours = (uint16_t)code;
        _Float16 theirs;

        memcpy(&theirs, &ours, 2);
        if (isnan((float)theirs))
            assert_true(isnan(dtype_load(DT_F16, &ours)));
        else
            assert_true(dtype_load(DT_F16, &ours) == (double)theirs);
    }
    srand(1);
    for (int i = 0; i < 200000; i++) {
        double value = ldexp((double)rand() / RAND_MAX * 2 - 1, rand() % 44 - 26);
        _Float16 theirs = (_Float16)value;
        uint16_t ours;

        dtype_store(DT_F16, &ours, value);
        assert_memory_equal(&ours, &theirs, 2);
    }
}
#else
static void test_compiler_agrees_on_f16(void **state)
{
    (void)state;
    skip();
}
#endif

static const struct {
    enum dtype dtype;
    const char *name;
    size_t size;
    double roundoff;
    uint8_t code, bits;
} facts[] = {
    {DT_F64, "f64", 8, DBL_EPSILON / 2, 2, 64},
    {DT_F32, "f32", 4, FLT_EPSILON / 2, 2, 32},
    {DT_F16, "f16", 2, 1.0 / 2048, 2, 16},
    {DT_BF16, "bf16", 2, 1.0 / 256, 4, 16},
    {DT_F8E4M3, "f8e4m3", 1, 1.0 / 16, 10, 8},
    {DT_F8E5M2, "f8e5m2", 1, 1.0 / 8, 12, 8},
    {DT_I64, "i64", 8, 0, 0, 64},
    {DT_I32, "i32", 4, 0, 0, 32},
    {DT_I8, "i8", 1, 0, 0, 8},
    {DT_U8, "u8", 1, 0, 1, 8},
    {DT_BOOL, "bool", 1, 0, 6, 8},
};

static void test_facts(void **state)
{
    (void)state;
    assert_int_equal(ARRAY_SIZE(facts), DT_COUNT);
    for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
        enum dtype t = facts[i].dtype, parsed = DT_COUNT;
        uint8_t code, bits;

        assert_int_equal(dtype_size(t), facts[i].size);
        assert_string_equal(dtype_name(t), facts[i].name);
        assert_true(dtype_parse(facts[i].name, &parsed) && parsed == t);
        assert_int_equal(dtype_is_float(t), t <= DT_F8E5M2);
        assert_true(dtype_roundoff(t) == facts[i].roundoff);
        dtype_dlpack(t, &code, &bits);
        assert_int_equal(code, facts[i].code);
        assert_int_equal(bits, facts[i].bits);
        if (!dtype_is_float(t))
            continue;
        /* u itself: 1 + u is a tie that stays at 1, anything above it does not */
        assert_true(dtype_round(t, 1 + facts[i].roundoff) == 1);
        if (t != DT_F64)
            assert_true(dtype_round(t, nextafter(1 + facts[i].roundoff, 2)) ==
                        1 + 2 * facts[i].roundoff);
    }

    enum dtype untouched = DT_I8;

    assert_false(dtype_parse("float", &untouched));
    assert_false(dtype_parse("", &untouched));
    assert_int_equal(untouched, DT_I8);
}

static void test_integers_saturate(void **state)
{
    static const struct {
        enum dtype dtype;
        double value, want;
    } cases[] = {
        {DT_I8, 127.9, 127},
        {DT_I8, 128, 127},
        {DT_I8, -128.5, -128},
        {DT_I8, -1e300, -128},
        {DT_I8, INFINITY, 127},
        {DT_I8, NAN, 0},
        {DT_I8, -1.9, -1},
        {DT_U8, -1, 0},
        {DT_U8, 255.5, 255},
        {DT_U8, 1e9, 255},
        {DT_U8, NAN, 0},
        {DT_U8, 254.99, 254},
        {DT_I32, 2147483647.5, 2147483647.0},
        {DT_I32, 1e10, 2147483647.0},
        {DT_I32, -1e10, -2147483648.0},
        {DT_I32, NAN, 0},
        {DT_I32, -7.99, -7},
        {DT_I64, 0x1p63, 0x1p63},
        {DT_I64, -0x1p64, -0x1p63},
        {DT_I64, NAN, 0},
        {DT_I64, -2.5, -2},
        {DT_I64, 0x1p62, 0x1p62},
        {DT_BOOL, 0, 0},
        {DT_BOOL, -0.0, 0},
        {DT_BOOL, 0.25, 1},
        {DT_BOOL, -3, 1},
        {DT_BOOL, NAN, 1},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_true(dtype_round(cases[i].dtype, cases[i].value) == cases[i].want);
}

static void test_i64_paths_are_exact(void **state)
{
    static const int64_t in[] = {INT64_MAX, INT64_MIN, ((int64_t)1 << 53) + 1, -7, 0, 300, -300};
    static const int32_t as_i32[] = {INT32_MAX, INT32_MIN, INT32_MAX, -7, 0, 300, -300};
    static const int8_t as_i8[] = {127, -128, 127, -7, 0, 127, -128};
    static const uint8_t as_u8[] = {255, 0, 255, 0, 0, 255, 0};
    static const uint8_t as_bool[] = {1, 1, 1, 1, 0, 1, 1};
    static const struct {
        enum dtype dtype;
        const void *want;
    } cases[] = {
        {DT_I64, in}, {DT_I32, as_i32}, {DT_I8, as_i8}, {DT_U8, as_u8}, {DT_BOOL, as_bool},
    };
    const int64_t n = ARRAY_SIZE(in);

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        int64_t out[ARRAY_SIZE(in)], back[ARRAY_SIZE(in)];

        dtype_from_i64(cases[i].dtype, in, out, n);
        assert_memory_equal(out, cases[i].want, (size_t)n * dtype_size(cases[i].dtype));
        dtype_to_i64(cases[i].dtype, out, back, n);
        for (int64_t k = 0; k < n; k++)
            assert_int_equal(back[k], cases[i].dtype == DT_I64   ? in[k]
                                      : cases[i].dtype == DT_I32 ? as_i32[k]
                                      : cases[i].dtype == DT_I8  ? as_i8[k]
                                                                 : ((uint8_t *)out)[k]);
    }
}

static void test_round_to(void **state)
{
    static const struct {
        enum rounding r;
        float value, want;
    } cases[] = {
        {ROUND_NONE, 1.2345678f, 1.2345678f},
        {ROUND_TF32, 1 + 0x1p-11f, 1},
        {ROUND_TF32, 1 + 0x1.8p-10f, 1 + 0x1p-9f},
        {ROUND_TF32, 1 + 0x1.002p-11f, 1 + 0x1p-10f},
        {ROUND_TF32, -1 - 0x1.8p-10f, -1 - 0x1p-9f},
        {ROUND_TF32, FLT_MAX, INFINITY},
        {ROUND_TF32, -INFINITY, -INFINITY},
        {ROUND_TF32, 0x1p-149f, 0},
        {ROUND_TF32, 0x1p-136f, 0x1p-136f},
        {ROUND_TF32, 0x1.8p-136f, 0x1p-135f},
        {ROUND_TF32, 0x1.ffffffp-1f, 1},
        {ROUND_BF16, 1 + 0x1p-8f, 1},
        {ROUND_BF16, 1 + 0x1.8p-7f, 1 + 0x1p-6f},
        {ROUND_BF16, 1 + 0x1.01p-8f, 1 + 0x1p-7f},
        {ROUND_BF16, FLT_MAX, INFINITY},
        {ROUND_F16, 65519, 65504},
        {ROUND_F16, 65520, INFINITY},
        {ROUND_F16, 0x1p-25f, 0},
        {ROUND_F16, 0x1.8p-25f, 0x1p-24f},
        {ROUND_E4M3, 464, 448},
        {ROUND_E4M3, -1e30f, -448},
        {ROUND_E4M3, INFINITY, 448},
        {ROUND_E4M3, 17, 16},
        {ROUND_E4M3, 19, 20},
        {ROUND_E4M3, 0x1p-10f, 0},
        {ROUND_E4M3, 0x1.8p-10f, 0x1p-9f},
        {ROUND_E2M1, 0.25f, 0},
        {ROUND_E2M1, 0.26f, 0.5f},
        {ROUND_E2M1, 0.5f, 0.5f},
        {ROUND_E2M1, 0.75f, 1},
        {ROUND_E2M1, 1.25f, 1},
        {ROUND_E2M1, 1.3f, 1.5f},
        {ROUND_E2M1, 1.75f, 2},
        {ROUND_E2M1, 2.5f, 2},
        {ROUND_E2M1, 2.6f, 3},
        {ROUND_E2M1, 3.5f, 4},
        {ROUND_E2M1, 5, 4},
        {ROUND_E2M1, 5.1f, 6},
        {ROUND_E2M1, 100, 6},
        {ROUND_E2M1, -INFINITY, -6},
        {ROUND_E2M1, -1.4f, -1.5f},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_true(round_to(cases[i].r, cases[i].value) == cases[i].want);
    for (int r = ROUND_NONE; r <= ROUND_E2M1; r++)
        assert_true(isnan(round_to(r, NAN)));
}

/* A mixture of sizes and signs, with zeros and what is not finite. */
static double sample(int64_t i)
{
    static const double odd[] = {0, -0.0, INFINITY, -INFINITY, NAN, 1e300, -1e-300, 0.5};

    if (i % 13 == 0)
        return odd[i / 13 % ARRAY_SIZE(odd)];
    return ldexp((double)((i * 2654435761) % 4096 - 2048), (int)(i % 37) - 26);
}

static void check_same(double a, double b)
{
    if (isnan(a) || isnan(b))
        assert_true(isnan(a) && isnan(b));
    else
        assert_true(a == b && !signbit(a) == !signbit(b));
}

/* The array forms against the single element, on both sides of the size that brings threads. */
static void check_arrays(enum dtype t, int64_t n)
{
    size_t count = (size_t)n + 1;
    AUTO(freep) double *in = xcalloc(count, sizeof(*in));
    AUTO(freep) double *wide = xcalloc(count, sizeof(*wide));
    AUTO(freep) float *in32 = xcalloc(count, sizeof(*in32));
    AUTO(freep) float *wide32 = xcalloc(count, sizeof(*wide32));
    AUTO(freep) char *out = xcalloc(count, 8);
    AUTO(freep) char *out32 = xcalloc(count, 8);

    for (int64_t i = 0; i < n; i++) {
        in[i] = sample(i);
        in32[i] = (float)in[i];
    }
    out[(size_t)n * dtype_size(t)] = 77;
    dtype_from_f64(t, in, out, n);
    dtype_to_f64(t, out, wide, n);
    dtype_to_f32(t, out, wide32, n);
    dtype_from_f32(t, in32, out32, n);
    for (int64_t i = 0; i < n; i++) {
        check_same(wide[i], dtype_round(t, in[i]));
        check_same(wide32[i], (float)wide[i]);
        check_same(dtype_load(t, out32 + i * (int64_t)dtype_size(t)), dtype_round(t, in32[i]));
    }
    assert_int_equal(out[(size_t)n * dtype_size(t)], 77);
}

static void test_arrays(void **state)
{
    static const int64_t sizes[] = {0, 1, 7, 1000, 65535, 65536 + 3};

    (void)state;
    omp_set_num_threads(2);
    for (int t = 0; t < DT_COUNT; t++) {
        for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
            check_arrays(t, sizes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_every_code),
        cmocka_unit_test(test_rounding_between_neighbours),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_compiler_agrees_on_f16),
        cmocka_unit_test(test_integers_saturate),
        cmocka_unit_test(test_i64_paths_are_exact),
        cmocka_unit_test(test_round_to),
        cmocka_unit_test(test_arrays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
