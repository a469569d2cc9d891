/* SPDX-License-Identifier: MIT */
/* san-slow: src/tensor src/base/util.h */
/* long: 5 s */
/* covers: src/tensor/law.h src/tensor/philox.h */
#include "testing.h"

#include "base/util.h"
#include "tensor/fill.h"
#include "tensor/law.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define SEED 0x0123456789ABCDEFu

/* A law of each kind with parameters that fit every type it may fill. */
static const struct law samples[LAW_COUNT] = {
    [LAW_SPREAD] = {LAW_SPREAD, 0, 0, 0},     [LAW_NORMAL] = {LAW_NORMAL, 3, 2, 0},
    [LAW_UNIFORM] = {LAW_UNIFORM, -1, 3, 0},  [LAW_HEAVY] = {LAW_HEAVY, 0, 0, 0},
    [LAW_NEEDLE] = {LAW_NEEDLE, 0, 0, 0},     [LAW_INTS] = {LAW_INTS, 2, 100, 0},
    [LAW_PERM] = {LAW_PERM, 0, 0, 0},         [LAW_LENGTHS] = {LAW_LENGTHS, 100, 16, 0},
    [LAW_CONSTANT] = {LAW_CONSTANT, 1, 0, 0}, [LAW_BERNOULLI] = {LAW_BERNOULLI, 0.25, 0, 0},
    [LAW_SORTED] = {LAW_SORTED, -1, 0, 0},    [LAW_CLUSTER] = {LAW_CLUSTER, 4, 8, 0},
    [LAW_PEAKS] = {LAW_PEAKS, 8, 16.65, 0},   [LAW_OFFSETS] = {LAW_OFFSETS, 100, 1, 0},
    [LAW_PAGES] = {LAW_PAGES, 333, 16, 500},  [LAW_PAGED] = {LAW_PAGED, 400, 0, 0},
    [LAW_TIES] = {LAW_TIES, -6, 9, 0},        [LAW_BANDS] = {LAW_BANDS, -1, 3, 0},
};

static struct shape matrix(int64_t rows, int64_t columns)
{
    return (struct shape){2, {rows, columns}};
}

/* The tensor as doubles, the caller's. */
static double *filled(const struct law *law, uint64_t seed, enum dtype t, const struct shape *shape)
{
    size_t n = (size_t)shape_count(shape);
    AUTO(freep) void *data = xcalloc(n, 8);
    double *out = xcalloc(n, sizeof(*out));

    fill_tensor(law, seed, t, shape, data);
    dtype_to_f64(t, data, out, (int64_t)n);
    return out;
}

static void test_philox_known_answers(void **state)
{
    /* From the reference implementation's table of known answers (Random123). */
    static const uint32_t cases[][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
         0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const uint32_t *c = cases[i];
        struct philox r = philox4x32(c[0], c[1], c[2], c[3], c[4], c[5]);

        assert_memory_equal(r.v, c + 6, sizeof(r.v));
    }
}

static double relative(double got, double want)
{
    return want == 0 ? fabs(got) : fabs(got / want - 1);
}

/* Radius and direction of a pair of normals, against what their comments promise. */
static void check_pair(uint32_t v, double worst[3])
{
    const double pi = 3.14159265358979323846;
    double u = ((double)(v >> 9) + 0.5) * 0x1p-23;
    double angle = pi / 2 * (((double)(v >> 9 | 1)) * 0x1p-22 - 1);
    float c, s;

    law_direction(v, &c, &s);
    worst[0] = fmax(worst[0], relative(law_radius(v), sqrt(-2 * log(u))));
    worst[1] = fmax(worst[1], fabs(c - (v & 1 ? -cos(angle) : cos(angle))));
    worst[2] = fmax(worst[2], relative(s, sin(angle)));
    assert_true(law_radius(v) > 0 && c != 0 && s != 0);
}

static void test_own_functions_against_libm(void **state)
{
    static const uint32_t ends[] = {0, 1, 511, 512, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF};
    double worst[3] = {0, 0, 0}, exp_off = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
        check_pair(ends[i], worst);
    for (uint32_t i = 0; i < 200000; i++) {
        uint32_t v = i * 2654435761u;
        float x = (law_unit(v) - 0.5f) * 200;

        check_pair(v, worst);
        exp_off = fmax(exp_off, relative(law_exp2(x), exp2(x)));
    }
    assert_true(worst[0] < 4e-7 && worst[1] < 4e-7 && worst[2] < 4e-7);
    assert_true(exp_off < 4e-7);
    assert_true(law_unit(0) == 0 && law_unit(UINT32_MAX) == 1 - 0x1p-24f);
}

/* All 32 bits count, and each half octave is a power of two or one and a half of it. */
static void test_heavy_scale(void **state)
{
    static const struct {
        uint32_t v;
        float want;
    } cases[] = {{0, 0x1p-8f},    {0x80000000, 0x1.8p-8f}, {0x0000FFFF, 1},
                 {0xFFFF0000, 1}, {0x0001FFFF, 1.5f},      {0x00007FFF, 0.75f},
                 {0x0F0F0F3F, 2}, {0x7FFFFFFE, 128},       {0xFFFFFFFF, 256}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_true(law_heavy_scale(cases[i].v) == cases[i].want);
}

/* The bits of every law: another compiler, machine or device has to make the same. A change here
 * makes recorded seeds mean something else. */
static void test_bits_are_fixed(void **state)
{
    static const uint64_t want[LAW_COUNT] = {
        [LAW_SPREAD] = 0x32E3CF09A940B316,   [LAW_NORMAL] = 0xB369AB883E4433A3,
        [LAW_UNIFORM] = 0xA6CCA17684CB3977,  [LAW_HEAVY] = 0x931C8347D3F99552,
        [LAW_NEEDLE] = 0x962D9A1CC95926C8,   [LAW_INTS] = 0x8113BC199D622FB9,
        [LAW_PERM] = 0x98DCC207BAECC957,     [LAW_LENGTHS] = 0xFAAE7D31B31A895C,
        [LAW_CONSTANT] = 0x9A588BFFC2F286FC, [LAW_BERNOULLI] = 0x3C5B15EF9DAD75F7,
        [LAW_SORTED] = 0xA6CBF986D1EE74CB,   [LAW_CLUSTER] = 0x7E0BECAEA530EBD1,
        [LAW_PEAKS] = 0x9EFF8D3469232A84,    [LAW_OFFSETS] = 0x51486C27760CB694,
        [LAW_PAGES] = 0xA481E9B40E40292D,    [LAW_PAGED] = 0xEE84270F4A90B794,
        [LAW_TIES] = 0x70C5C42221D426BF,     [LAW_BANDS] = 0xCA4A053A9FEF3D7B,
    };
    const struct shape shape = matrix(9, 37);

    (void)state;
    for (int k = 0; k < LAW_COUNT; k++) {
        const char *why;
        enum dtype t = law_fits(&samples[k], DT_F64, &why) ? DT_F64 : DT_I64;
        uint64_t data[9 * 37], sum = 0;

        fill_tensor(&samples[k], SEED, t, &shape, data);
        for (size_t i = 0; i < ARRAY_SIZE(data); i++)
            sum = law_mix(sum ^ data[i]);
        if (sum != want[k])
            fail_msg("%s: 0x%016llX", law_name(k), (unsigned long long)sum);
    }
}

static void check_threads(const struct law *law, enum dtype t, const struct shape *shape)
{
    size_t bytes = (size_t)shape_count(shape) * dtype_size(t);
    AUTO(freep) char *first = xcalloc(bytes, 1);
    AUTO(freep) char *again = xcalloc(bytes + 1, 1);

    omp_set_num_threads(1);
    fill_tensor(law, SEED, t, shape, first);
    for (int threads = 2; threads <= 3; threads++) {
        memset(again, 0xEE, bytes + 1);
        omp_set_num_threads(threads);
        fill_tensor(law, SEED, t, shape, again);
        assert_memory_equal(first, again, bytes);
        assert_int_equal((unsigned char)again[bytes], 0xEE);
    }
    omp_set_num_threads(2);
}

/* One element at a time, as a device thread may, against the tensor. */
static void check_elements(const struct law *law, enum dtype t, const struct shape *shape)
{
    AUTO(freep) double *x = filled(law, SEED, t, shape);
    int64_t n = shape_count(shape);
    struct law_fill f = law_fill_of(law, SEED, shape->rank ? shape->dim[shape->rank - 1] : 1);

    for (int64_t i = 0; i < n; i += 1 + n / 500) {
        double want = dtype_is_float(t) ? (double)law_real(&f, i) : (double)law_integer(&f, i);

        assert_true(x[i] == dtype_round(t, want));
    }
}

static void test_every_law_with_every_type(void **state)
{
    static const struct shape shapes[] = {
        {0, {0}},    {1, {1}},          {1, {5}},        {2, {7, 3}},
        {2, {3, 0}}, {3, {5, 11, 603}}, {2, {3, 20001}}, {2, {9, 37}},
    };
    const char *why;

    (void)state;
    for (int k = 0; k < LAW_COUNT; k++) {
        int fitting = 0;

        for (int t = 0; t < DT_COUNT; t++) {
            if (!law_fits(&samples[k], t, &why))
                continue;
            fitting++;
            for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
                if (!law_fits_shape(&samples[k], &shapes[i], &why))
                    continue;
                check_threads(&samples[k], t, &shapes[i]);
                check_elements(&samples[k], t, &shapes[i]);
            }
        }
        assert_true(fitting >= 2);
    }
}

struct moments {
    double mean, deviation, skew, kurtosis, min, max;
};

static struct moments moments(const double *x, int64_t n)
{
    struct moments m = {0, 0, 0, 0, INFINITY, -INFINITY};

    for (int64_t i = 0; i < n; i++) {
        m.mean += x[i] / (double)n;
        m.min = fmin(m.min, x[i]);
        m.max = fmax(m.max, x[i]);
    }
    for (int64_t i = 0; i < n; i++)
        m.deviation += (x[i] - m.mean) * (x[i] - m.mean) / (double)n;
    m.deviation = sqrt(m.deviation);
    for (int64_t i = 0; i < n; i++) {
        double z = (x[i] - m.mean) / m.deviation;

        m.skew += z * z * z / (double)n;
        m.kurtosis += z * z * z * z / (double)n;
    }
    return m;
}

/* The bounds are five standard errors of each moment and more; the seed is fixed. */
static void test_moments(void **state)
{
    const struct shape shape = matrix(256, 1024);
    const int64_t n = shape_count(&shape);
    AUTO(freep) double *normal = filled(&samples[LAW_NORMAL], SEED, DT_F64, &shape);
    AUTO(freep) double *uniform = filled(&samples[LAW_UNIFORM], SEED, DT_F64, &shape);
    AUTO(freep) double *coin = filled(&samples[LAW_BERNOULLI], SEED, DT_F32, &shape);
    struct moments m = moments(normal, n);

    (void)state;
    assert_true(fabs(m.mean - 3) < 0.02 && fabs(m.deviation - 2) < 0.015);
    assert_true(fabs(m.skew) < 0.025 && fabs(m.kurtosis - 3) < 0.05);
    assert_true(m.max > 3 + 2 * 4 && m.max < 3 + 2 * 6.8);
    m = moments(uniform, n);
    assert_true(fabs(m.mean - 1) < 0.012 && fabs(m.deviation - 4 / sqrt(12)) < 0.006);
    assert_true(m.min >= -1 && m.min < -0.999 && m.max < 3 && m.max > 2.999);
    m = moments(coin, n);
    assert_true(fabs(m.mean - 0.25) < 0.005 && m.min == 0 && m.max == 1);
}

/* Lanes, neighbours and rows must not repeat each other. */
static void test_no_correlation(void **state)
{
    const struct law law = {LAW_NORMAL, 0, 1, 0};
    const struct shape shape = matrix(64, 4096);
    const int64_t n = shape_count(&shape);
    AUTO(freep) double *x = filled(&law, SEED, DT_F64, &shape);
    AUTO(freep) double *other = filled(&law, SEED + 1, DT_F64, &shape);
    static const int64_t lags[] = {1, 2, 3, 4, 8, 4096};
    double across = 0;

    (void)state;
    for (size_t l = 0; l < ARRAY_SIZE(lags); l++) {
        double sum = 0;

        for (int64_t i = 0; i + lags[l] < n; i++)
            sum += x[i] * x[i + lags[l]];
        assert_true(fabs(sum / (double)n) < 5 / sqrt((double)n));
    }
    for (int64_t i = 0; i < n; i++)
        across += x[i] * other[i];
    assert_true(fabs(across / (double)n) < 5 / sqrt((double)n));
}

struct row_figures {
    double least, most; /* deviation, or half the range of the middle half */
    double widest;      /* location, in those */
    int below;          /* rows whose location is below 0 */
};

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* By quartiles, because heavy tails do not move them. */
static struct row_figures row_figures(const double *x, int rows, int columns)
{
    AUTO(freep) double *row = xcalloc((size_t)columns, sizeof(*row));
    struct row_figures f = {INFINITY, 0, 0, 0};

    for (int r = 0; r < rows; r++) {
        memcpy(row, x + (ptrdiff_t)r * columns, (size_t)columns * sizeof(*row));
        qsort(row, (size_t)columns, sizeof(*row), by_size);

        double half = (row[columns * 3 / 4] - row[columns / 4]) / 2, middle = row[columns / 2];

        f.least = fmin(f.least, half);
        f.most = fmax(f.most, half);
        f.widest = fmax(f.widest, fabs(middle) / half);
        f.below += middle < 0;
    }
    return f;
}

static void test_spread_rows_differ(void **state)
{
    enum { ROWS = 64, COLUMNS = 4096 };
    const struct shape shape = matrix(ROWS, COLUMNS);
    AUTO(freep) double *x = filled(&samples[LAW_SPREAD], SEED, DT_F64, &shape);
    struct row_figures f = row_figures(x, ROWS, COLUMNS);

    (void)state;
    for (int r = 0; r < ROWS; r++)
        assert_true(fabs(moments(x + r * COLUMNS, COLUMNS).kurtosis - 3) < 0.5);
    assert_true(f.least > 0.15 && f.least < 0.24 && f.most > 1.9 && f.most < 2.9);
    assert_true(f.widest > 2 && f.below > ROWS / 4 && f.below < ROWS * 3 / 4);
}

/* Rows of heavy() were all alike once: one threshold for all of them could be written into a
 * kernel. */
static void test_heavy_rows_differ(void **state)
{
    enum { ROWS = 64, COLUMNS = 4096 };
    const struct shape shape = matrix(ROWS, COLUMNS);
    AUTO(freep) double *x = filled(&samples[LAW_HEAVY], SEED, DT_F64, &shape);
    struct row_figures f = row_figures(x, ROWS, COLUMNS);

    (void)state;
    assert_true(f.most > 8 * f.least && f.most < 24 * f.least);
    assert_true(f.widest > 2 && f.below > ROWS / 4 && f.below < ROWS * 3 / 4);
}

static void test_heavy_tails(void **state)
{
    enum { ROWS = 64, COLUMNS = 4096 };
    const struct shape shape = matrix(ROWS, COLUMNS);
    AUTO(freep) double *x = filled(&samples[LAW_HEAVY], SEED, DT_F64, &shape);

    (void)state;
    /* Back to what all rows share. */
    for (int64_t i = 0; i < shape_count(&shape); i++) {
        struct law_row row = law_row_of(&samples[LAW_HEAVY], SEED, COLUMNS, i / COLUMNS);

        x[i] = (x[i] - (double)row.location) / (double)row.deviation;
    }

    struct moments m = moments(x, shape_count(&shape));

    /* E[x^2] = 1.0625 1.5^32 / 2^16 = 2.64^2; the kurtosis is 88 in the limit */
    assert_true(m.deviation > 2.4 && m.deviation < 2.9 && m.kurtosis > 40);
    assert_true(m.min < -20 && m.max > 20);
}

static void check_needle_row(const double *row, int64_t len)
{
    int found = 0;

    for (int64_t i = 0; i < len; i++)
        found += row[i] != 0;
    assert_int_equal(found, MIN(len, 4));
    assert_true(row[0] != 0 && row[len - 1] != 0);
}

static void test_needle_places(void **state)
{
    static const int64_t lens[] = {1, 2, 3, 4, 5, 17, 1000};

    (void)state;
    for (size_t l = 0; l < ARRAY_SIZE(lens); l++) {
        const struct shape shape = matrix(200, lens[l]);
        AUTO(freep) double *x = filled(&samples[LAW_NEEDLE], SEED, DT_F64, &shape);

        for (int64_t r = 0; r < 200; r++)
            check_needle_row(x + r * lens[l], lens[l]);
        if (lens[l] == 17) { /* the two random places reach every inner one */
            for (int64_t c = 1; c < 16; c++) {
                int hits = 0;

                for (int64_t r = 0; r < 200; r++)
                    hits += x[r * 17 + c] != 0;
                assert_true(hits > 5 && hits < 60);
            }
        }
    }
}

static void test_ints(void **state)
{
    static const struct {
        enum dtype dtype;
        double low, high;
    } cases[] = {
        {DT_I32, -3, 4},           {DT_U8, 0, 256}, {DT_I8, -128, 128},
        {DT_I64, -0x1p40, 0x1p40}, {DT_I64, 5, 6},  {DT_I32, -0x1p31, 0x1p31},
    };
    const struct shape shape = matrix(8, 4096);
    const int64_t n = shape_count(&shape);

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct law law = {LAW_INTS, cases[i].low, cases[i].high, 0};
        AUTO(freep) double *x = filled(&law, SEED, cases[i].dtype, &shape);
        struct moments m = moments(x, n);
        double width = law.b - law.a;

        assert_true(m.min >= law.a && m.max < law.b);
        assert_true(m.min <= law.a + width / 100 && m.max >= law.b - 1 - width / 100);
        assert_true(fabs(m.mean - (law.a + law.b - 1) / 2) < width / 100);
    }
}

static void test_perm_is_a_permutation(void **state)
{
    static const int64_t lens[] = {1, 2, 3, 5, 16, 1000, 65537};
    enum { ROWS = 3 };

    (void)state;
    for (size_t l = 0; l < ARRAY_SIZE(lens); l++) {
        const struct shape shape = matrix(ROWS, lens[l]);
        AUTO(freep) double *x = filled(&samples[LAW_PERM], SEED, DT_I32, &shape);

        for (int r = 0; r < ROWS; r++) {
            AUTO(freep) bool *seen = xcalloc((size_t)lens[l], sizeof(*seen));

            for (int64_t i = 0; i < lens[l]; i++) {
                int64_t at = (int64_t)x[r * lens[l] + i];

                assert_true(at >= 0 && at < lens[l] && !seen[at]);
                seen[at] = true;
            }
        }
        if (lens[l] >= 16)
            assert_memory_not_equal(x, x + lens[l], (size_t)lens[l] * sizeof(*x));
    }
}

/* Every one of the orders of three, each about equally often. */
static void test_perm_is_fair(void **state)
{
    enum { ROWS = 6000 };
    const struct shape shape = matrix(ROWS, 3);
    AUTO(freep) double *x = filled(&samples[LAW_PERM], SEED, DT_I64, &shape);
    int count[27] = {0}, orders = 0;

    (void)state;
    for (int r = 0; r < ROWS; r++)
        count[(int)(9 * x[3 * r] + 3 * x[3 * r + 1] + x[3 * r + 2])]++;
    for (int i = 0; i < 27; i++) {
        if (count[i] == 0)
            continue;
        orders++;
        assert_true(count[i] > 800 && count[i] < 1200);
    }
    assert_int_equal(orders, 6);
}

static void test_lengths_have_the_edges(void **state)
{
    static const int edges[] = {1, 15, 16, 17, 100};
    const struct shape shape = {1, {64}};
    AUTO(freep) double *x = filled(&samples[LAW_LENGTHS], SEED, DT_I32, &shape);
    AUTO(freep) double *y = filled(&samples[LAW_LENGTHS], SEED + 1, DT_I32, &shape);
    int count[101] = {0}, others = 0;

    (void)state;
    for (int i = 0; i < 64; i++) {
        assert_true(x[i] >= 1 && x[i] <= 100);
        count[(int)x[i]]++;
    }
    for (size_t i = 0; i < ARRAY_SIZE(edges); i++) {
        assert_true(count[edges[i]] >= 4);
        others -= count[edges[i]];
    }
    for (int i = 1; i <= 100; i++)
        others += count[i];
    assert_true(others >= 24);
    assert_memory_not_equal(x, y, 64 * sizeof(*x));
}

static void test_lengths_of_odd_parameters(void **state)
{
    static const struct law laws[] = {
        {LAW_LENGTHS, 1, 0, 0},  {LAW_LENGTHS, 1, 16, 0},   {LAW_LENGTHS, 7, 16, 0},
        {LAW_LENGTHS, 16, 1, 0}, {LAW_LENGTHS, 1000, 0, 0},
    };
    const struct shape shape = {1, {200}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(laws); i++) {
        AUTO(freep) double *x = filled(&laws[i], SEED, DT_I64, &shape);
        struct moments m = moments(x, 200);

        assert_true(m.min == 1 && m.max == laws[i].a);
    }
}

static void test_scale(void **state)
{
    const struct shape shape = matrix(3, 50);

    (void)state;
    for (int k = 0; k < LAW_COUNT; k++) {
        struct law law = samples[k];
        const char *why;

        if (!law_fits(&law, DT_F64, &why))
            continue;
        law.scale = 0.125;
        AUTO(freep) double *plain = filled(&samples[k], SEED, DT_F64, &shape);
        AUTO(freep) double *scaled = filled(&law, SEED, DT_F64, &shape);

        for (int i = 0; i < 150; i++)
            assert_true(scaled[i] == plain[i] * 0.125);
    }
}

/* Sorted rows once told all by their ends: three spikes at random places are above everything else,
 * one in a short row. */
static void check_sorted_row(const double *row, int64_t len, int way, int64_t *ret_spike)
{
    double before = -way * INFINITY;
    int spikes = 0;

    for (int64_t i = 0; i < len; i++) {
        if (row[i] > 4) {
            assert_true(row[i] > 4.2 && row[i] <= 8);
            *ret_spike = i;
            spikes++;
            continue;
        }
        assert_true(row[i] >= -4 && way * (row[i] - before) > 0);
        before = row[i];
    }
    assert_in_range(spikes, 1, len >= LAW_EXCEPTIONS_MIN ? 3 : 1);
}

static void test_sorted_rows(void **state)
{
    static const int64_t lens[] = {1, 2, 15, 16, 1000, 4096};
    enum { ROWS = 40 };

    (void)state;
    for (int i = 0; i < 2 * (int)ARRAY_SIZE(lens); i++) {
        struct law law = {LAW_SORTED, i % 2 ? 1 : -1, 0, 0};
        int64_t len = lens[i / 2], spike = 0, before = -1, moves = 0;
        const struct shape shape = matrix(ROWS, len);
        AUTO(freep) double *x = filled(&law, SEED, DT_F32, &shape);

        for (int64_t r = 0; r < ROWS; r++, before = spike) {
            check_sorted_row(x + r * len, len, (int)law.a, &spike);
            moves += spike != before;
        }
        assert_true(len < 15 || moves > ROWS / 2);
    }
}

/* A cluster of 16, and one or two lone peaks that are higher, outside of it. */
static void test_clusters(void **state)
{
    const struct law law = {LAW_CLUSTER, 16, 100, 0};
    const struct shape shape = matrix(20, 500);
    AUTO(freep) double *x = filled(&law, SEED, DT_F32, &shape);
    int places = 0, before = -1;

    (void)state;
    for (int r = 0; r < 20; r++) {
        int first = -1, n = 0, lone = 0;

        for (int i = 0; i < 500; i++) {
            double v = x[r * 500 + i];

            lone += v >= 106;
            if (v < 50 || v >= 106)
                continue;
            first = first < 0 ? i : first;
            assert_int_equal(i, first + n++);
        }
        assert_int_equal(n, 16);
        assert_in_range(lone, 1, 2);
        places += first != before;
        before = first;
    }
    assert_true(places > 15);
}

/* A row that the cluster fills has no place for lone peaks. */
static void test_cluster_that_fills_its_row(void **state)
{
    const struct law law = {LAW_CLUSTER, 8, 100, 0};
    const struct shape shape = matrix(50, 8);
    AUTO(freep) double *x = filled(&law, SEED, DT_F32, &shape);

    (void)state;
    for (int i = 0; i < 400; i++)
        assert_true(x[i] > 94 && x[i] < 106);
}

/* Every row has a bound between the middle and the end; up to three numbers reach it or pass it. */
static void test_ties(void **state)
{
    enum { ROWS = 200, COLUMNS = 2000 };
    const struct law law = {LAW_TIES, -40, 40, 0};
    const struct shape shape = matrix(ROWS, COLUMNS);
    AUTO(freep) double *x = filled(&law, SEED, DT_F32, &shape);
    bool bounds[41] = {false};
    int n_bounds = 0, late = 0;

    (void)state;
    for (int64_t r = 0; r < ROWS; r++) {
        int bound = (int)law_row_of(&law, SEED, COLUMNS, r).location, rare = 0;

        assert_in_range(bound, 0, 39);
        n_bounds += !bounds[bound];
        bounds[bound] = true;
        for (int64_t i = 0; i < COLUMNS; i++) {
            double v = x[r * COLUMNS + i];

            assert_true(v == floor(v) && v >= -40 && v < 40);
            rare += v >= bound;
            late += v >= bound && i >= COLUMNS / 2;
        }
        assert_in_range(rare, 1, 3);
    }
    assert_true(n_bounds > 25 && late > ROWS);
}

/* Rows lie in bands of their own, each a quarter to all of the whole. */
static void test_bands(void **state)
{
    enum { ROWS = 200, COLUMNS = 4096 };
    const struct shape shape = matrix(ROWS, COLUMNS);
    AUTO(freep) double *x = filled(&samples[LAW_BANDS], SEED, DT_F64, &shape);
    double least = INFINITY, most = 0, lowest = INFINITY, highest = -INFINITY;

    (void)state;
    for (int r = 0; r < ROWS; r++) {
        struct moments m = moments(x + r * COLUMNS, COLUMNS);
        double width = m.max - m.min;

        assert_true(m.min >= -1 && m.max <= 3 && width > 0.99 && width <= 4);
        assert_true(fabs(m.deviation - width / sqrt(12)) < 0.02 * width);
        least = fmin(least, width);
        most = fmax(most, width);
        lowest = fmin(lowest, m.mean);
        highest = fmax(highest, m.mean);
    }
    assert_true(least < 1.2 && most > 3.8 && lowest < 0.2 && highest > 1.8);
}

/* Live pages with rows of their own are what spread() draws. */
static void test_paged_rows(void **state)
{
    const struct law paged = {LAW_PAGED, 4, 1, 0.5}, spread = {LAW_SPREAD, 0, 0, 0.5};
    const struct shape shape = matrix(80, 30);
    AUTO(freep) double *x = filled(&paged, SEED, DT_F32, &shape);
    AUTO(freep) double *y = filled(&spread, SEED, DT_F32, &shape);

    (void)state;
    for (int64_t i = 0; i < 2400; i++)
        assert_true(law_page_is_dead(i / 30 / 4) ? isnan(x[i]) : x[i] == y[i]);
}

/* Which laws a float input has for checks only, by themselves. */
static void test_laws_for_checks(void **state)
{
    static const enum law_kind checks[] = {LAW_NEEDLE, LAW_INTS,    LAW_CONSTANT, LAW_BERNOULLI,
                                           LAW_SORTED, LAW_CLUSTER, LAW_TIES};
    int n = 0;

    (void)state;
    for (int k = 0; k < LAW_COUNT; k++)
        n += law_is_for_checks((enum law_kind)k);
    assert_int_equal(n, ARRAY_SIZE(checks));
    for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
        assert_true(law_is_for_checks(checks[i]));
}

static void test_peaks_are_equal_and_the_rest_is_below_half_an_ulp(void **state)
{
    const struct law law = {LAW_PEAKS, 64, 16.65, 0};
    const struct shape shape = matrix(8, 4096);
    AUTO(freep) double *x = filled(&law, SEED, DT_F32, &shape);

    (void)state;
    for (int r = 0; r < 8; r++) {
        double top = -INFINITY;
        int peaks = 0;

        for (int i = 0; i < 4096; i++)
            top = fmax(top, x[r * 4096 + i]);
        for (int i = 0; i < 4096; i++) {
            double term = exp(x[r * 4096 + i] - top);

            peaks += term == 1;
            assert_true(term == 1 || (term > 0x1.8p-25 && term < 0x1p-24));
        }
        assert_in_range(peaks, 30, 110);
    }
}

static void test_offsets_even_and_skewed(void **state)
{
    const struct law even = {LAW_OFFSETS, 103, 0, 0}, skewed = {LAW_OFFSETS, 1000, 1, 0};
    const struct shape ten = {1, {11}}, many = {1, {65}};
    AUTO(freep) double *x = filled(&even, SEED, DT_I32, &ten);
    AUTO(freep) double *y = filled(&skewed, SEED, DT_I32, &many);
    int empty = 0, largest = 0;

    (void)state;
    assert_true(x[0] == 0 && x[10] == 103);
    for (int i = 0; i < 10; i++)
        assert_int_equal((int)(x[i + 1] - x[i]), i < 3 ? 11 : 10);
    assert_true(y[0] == 0 && y[64] == 1000);
    for (int i = 0; i < 64; i++) {
        int rows = (int)(y[i + 1] - y[i]);

        assert_true(rows >= 0);
        empty += rows == 0;
        largest = MAX(largest, rows);
    }
    assert_true(empty >= 6 && empty < 48 && largest > 60);
}

/* Table, lengths and cache agree: entries of a sequence name live pages, all different, the rest
 * dead ones, which hold NaN. */
static void test_pages(void **state)
{
    enum { B = 12, PPS = 7, PAGE = 16, LONGEST = 110, LIVE = B * PPS, ROWS = 3 };
    const struct law lengths = {LAW_LENGTHS, LONGEST, PAGE, 0};
    const struct law tables[] = {{LAW_PAGES, LIVE, PAGE, 0}, {LAW_PAGES, LIVE, PAGE, LONGEST}};
    const struct law cache = {LAW_PAGED, ROWS, 0, 2};
    const int64_t pages = LIVE + LIVE / 8 + 9;
    const struct shape shape = matrix(B, PPS), sequences = {1, {B}}, kv = matrix(pages * ROWS, 5);
    AUTO(freep) double *length = filled(&lengths, SEED, DT_I32, &sequences);
    AUTO(freep) double *x = filled(&cache, SEED, DT_BF16, &kv);
    const char *why;

    (void)state;
    assert_true(law_fits_shape(&tables[1], &shape, &why));
    assert_false(law_fits_shape(&tables[1], &sequences, &why));
    for (int ragged = 0; ragged < 2; ragged++) {
        AUTO(freep) double *table = filled(&tables[ragged], SEED, DT_I32, &shape);
        bool seen[LIVE * 2] = {false};
        int in_order = 0;

        for (int i = 0; i < LIVE; i++) {
            int64_t page = (int64_t)table[i];
            bool used = !ragged || i % PPS * PAGE < length[i / PPS];

            assert_true(page >= 0 && page < pages);
            assert_true(!used || !seen[page]);
            for (int k = 0; k < ROWS * 5; k++)
                assert_int_equal(isnan(x[page * ROWS * 5 + k]), !used);
            seen[page] = true;
            in_order += i > 0 && table[i] == table[i - 1] + 1;
        }
        assert_true(in_order < LIVE / 4);
    }
    assert_true(law_tensor(&tables[0], 3) == law_tensor(&lengths, 5));
    assert_true(law_tensor(&cache, 3) == 3);
}

static void test_law_fits(void **state)
{
    static const struct {
        struct law law;
        enum dtype dtype;
        const char *why; /* part of it; NULL: it fits */
    } cases[] = {
        {{LAW_SPREAD, 0, 0, 0}, DT_F8E4M3, NULL},
        {{LAW_SPREAD, 0, 0, 0}, DT_I32, "float type"},
        {{LAW_NEEDLE, 0, 0, 2}, DT_BF16, NULL},
        {{LAW_NORMAL, 0, 0, 0}, DT_F32, "constant(v)"},
        {{LAW_NORMAL, NAN, 1, 0}, DT_F32, "finite mean"},
        {{LAW_NORMAL, 0, 1, NAN}, DT_F32, "scale"},
        {{LAW_NORMAL, 0, 1e300, 0}, DT_F64, "finite mean"}, /* made in float */
        {{LAW_UNIFORM, -3e38, 3e38, 0}, DT_F64, "finite bounds"},
        {{LAW_CONSTANT, 1e300, 0, 0}, DT_F64, "f32's range"},
        {{LAW_INTS, 0, 0x1p24 + 1, 0}, DT_F64, NULL},
        {{LAW_INTS, 0, 0x1p24 + 2, 0}, DT_F64, "wider"},
        {{LAW_UNIFORM, 1, 1, 0}, DT_F32, "lo < hi"},
        {{LAW_UNIFORM, 0, INFINITY, 0}, DT_F32, "finite"},
        {{LAW_UNIFORM, 0, 1, 0}, DT_BOOL, "ints(lo, hi)"},
        {{LAW_INTS, 0, 10, 0}, DT_F32, NULL},
        {{LAW_INTS, -256, 257, 0}, DT_BF16, NULL},
        {{LAW_INTS, 0, 258, 0}, DT_BF16, "wider"}, /* 257 lies between two numbers */
        {{LAW_INTS, 0, 2, 0}, DT_BOOL, "bernoulli(p)"},
        {{LAW_INTS, 0, 256, 0}, DT_U8, NULL},
        {{LAW_INTS, 0, 257, 0}, DT_U8, "wider"},
        {{LAW_INTS, -1, 9, 0}, DT_U8, "wider"},
        {{LAW_INTS, 0.5, 9, 0}, DT_I32, "whole"},
        {{LAW_INTS, 9, 9, 0}, DT_I32, "lo < hi"},
        {{LAW_INTS, 0, 9, 3}, DT_I32, "scale"},
        {{LAW_INTS, 0, 9, 1}, DT_I32, NULL},
        {{LAW_PERM, 0, 0, 0}, DT_I64, NULL},
        {{LAW_PERM, 0, 0, 0}, DT_U8, "i32 or i64"},
        {{LAW_LENGTHS, 0, 0, 0}, DT_I32, "largest length"},
        {{LAW_LENGTHS, 10, -1, 0}, DT_I32, "page"},
        {{LAW_LENGTHS, 10, 4, 0}, DT_F32, "i32 or i64"},
        {{LAW_CONSTANT, -INFINITY, 0, 0}, DT_F32, NULL},
        {{LAW_CONSTANT, 1.5, 0, 0}, DT_I8, "whole"},
        {{LAW_CONSTANT, 300, 0, 0}, DT_U8, "fits"},
        {{LAW_CONSTANT, 1, 0, 0}, DT_BOOL, NULL},
        {{LAW_CONSTANT, -1, 0, 0}, DT_BOOL, "fits"},
        {{LAW_BERNOULLI, 1.5, 0, 0}, DT_BOOL, "probability"},
        {{LAW_BERNOULLI, 0.5, 0, 0}, DT_BOOL, NULL},
        {{LAW_SORTED, 1, 0, 0}, DT_F32, NULL},
        {{LAW_SORTED, 2, 0, 0}, DT_F32, "rising"},
        {{LAW_CLUSTER, 0, 8, 0}, DT_F32, "neighbours"},
        {{LAW_PEAKS, 0.5, 16, 0}, DT_F32, "one peak in"},
        {{LAW_OFFSETS, 8, 1, 0}, DT_I32, NULL},
        {{LAW_OFFSETS, 8, 2, 0}, DT_I32, "skewed"},
        {{LAW_OFFSETS, 8, 0, 0}, DT_F32, "i32 or i64"},
        {{LAW_PAGES, 12, 16, 40}, DT_I32, NULL},
        {{LAW_PAGES, 12, 0, 40}, DT_I32, "tokens of a page"},
        {{LAW_PAGED, 16, 0, 2}, DT_BF16, NULL},
        {{LAW_PAGED, 0, 0, 2}, DT_BF16, "rows of a page"},
        {{LAW_PAGED, 16, 1, 2}, DT_BF16, NULL},
        {{LAW_PAGED, 16, 2, 2}, DT_BF16, "rows of their own"},
        {{LAW_TIES, -40, 40, 0}, DT_BF16, NULL},
        {{LAW_TIES, 0, 2, 0}, DT_F32, NULL},
        {{LAW_TIES, 0, 1, 0}, DT_F32, "at least two"},
        {{LAW_TIES, 0.5, 9, 0}, DT_F32, "whole"},
        {{LAW_TIES, 0, 258, 0}, DT_BF16, "wider"},
        {{LAW_TIES, 0, 9, 0}, DT_I32, "ints(lo, hi)"},
        {{LAW_BANDS, 0.5, 2, 0}, DT_F32, NULL},
        {{LAW_BANDS, 2, 2, 0}, DT_F32, "lo < hi"},
        {{LAW_BANDS, 0, 2, 0}, DT_I32, "float type"},
        {{LAW_COUNT, 0, 0, 0}, DT_F32, "no such law"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const char *why = NULL;
        bool fits = law_fits(&cases[i].law, cases[i].dtype, &why);

        assert_int_equal(fits, !cases[i].why);
        if (cases[i].why && !strstr(why, cases[i].why))
            fail_msg("case %zu: \"%s\" does not say \"%s\"", i, why, cases[i].why);
        if (fits)
            assert_null(why);
    }
}

static void test_law_names(void **state)
{
    static const char *const want[] = {"spread", "normal",  "uniform", "heavy",    "needle",
                                       "ints",   "perm",    "lengths", "constant", "bernoulli",
                                       "sorted", "cluster", "peaks",   "offsets",  "pages",
                                       "paged",  "ties",    "bands"};

    (void)state;
    assert_int_equal(ARRAY_SIZE(want), LAW_COUNT);
    for (int k = 0; k < LAW_COUNT; k++)
        assert_string_equal(law_name(k), want[k]);
}

static void test_poison_bytes(void **state)
{
    enum { N = 1000 };
    unsigned char whole[N + 9], part[N + 9];
    int histogram[256] = {0}, same = 0;

    (void)state;
    fill_poison(SEED, whole, N);
    for (size_t n = 0; n < 40; n++) { /* a shorter one is the beginning of a longer one */
        memset(part, 0, sizeof(part));
        fill_poison(SEED, part + n % 9, n);
        assert_memory_equal(part + n % 9, whole, n);
        assert_int_equal(part[n % 9 + n], 0);
        assert_int_equal(fill_poison_check(SEED, part + n % 9, n), -1);
    }
    fill_poison(SEED + 1, part, N);
    for (int i = 0; i < N; i++) {
        same += part[i] == whole[i];
        histogram[whole[i]]++;
    }
    assert_true(same < 30);
    for (int v = 0; v < 256; v++)
        assert_true(histogram[v] < 20);
    assert_true(fill_poison_check(SEED, part, N) >= 0);
}

static void test_poison_check_finds_the_first(void **state)
{
    static const size_t sizes[] = {1, 7, 8, 13, 1000, (3 << 20) + 5};

    (void)state;
    for (size_t k = 0; k < ARRAY_SIZE(sizes); k++) {
        size_t n = sizes[k], places[] = {0, n / 2, n - 1};
        AUTO(freep) unsigned char *data = xcalloc(n, 1);

        for (int threads = 1; threads <= 3; threads++) {
            omp_set_num_threads(threads);
            fill_poison(k, data, n);
            assert_int_equal(fill_poison_check(k, data, n), -1);
            for (size_t p = ARRAY_SIZE(places); p-- > 0;) { /* from behind: the first one counts */
                data[places[p]] ^= 0x10;
                assert_int_equal(fill_poison_check(k, data, n), places[p]);
                if (p > 0 && places[p] == places[p - 1])
                    data[places[p]] ^= 0x10;
            }
        }
    }
    omp_set_num_threads(2);
}

static void test_seeds_differ(void **state)
{
    enum { N = 16 };
    uint64_t seen[N * N * 2];
    size_t n = 0;

    (void)state;
    for (uint64_t content = 0; content < N; content++) {
        for (uint64_t tensor = 0; tensor < N; tensor++) {
            seen[n++] = fill_seed(1, content, tensor);
            seen[n++] = fill_seed(2, content, tensor);
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            assert_true(seen[i] != seen[j]);
    }
    assert_true(fill_seed(1, 2, 3) == seen[2 * (2 * N + 3)]);
}

/* It was a chain of bijections once: eight bytes of an input's guard told the pool's seed. */
static void test_seeds_are_one_way(void **state)
{
    (void)state;
    /* Of hashlib.blake2b(struct.pack("<3Q", 1, 2, 3), digest_size=32) the first eight bytes. */
    assert_true(fill_seed(1, 2, 3) == 0xBF451474C8CD0943u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_philox_known_answers),
        cmocka_unit_test(test_own_functions_against_libm),
        cmocka_unit_test(test_heavy_scale),
        cmocka_unit_test(test_bits_are_fixed),
        cmocka_unit_test(test_every_law_with_every_type),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_no_correlation),
        cmocka_unit_test(test_spread_rows_differ),
        cmocka_unit_test(test_heavy_rows_differ),
        cmocka_unit_test(test_heavy_tails),
        cmocka_unit_test(test_needle_places),
        cmocka_unit_test(test_ints),
        cmocka_unit_test(test_perm_is_a_permutation),
        cmocka_unit_test(test_perm_is_fair),
        cmocka_unit_test(test_lengths_have_the_edges),
        cmocka_unit_test(test_lengths_of_odd_parameters),
        cmocka_unit_test(test_sorted_rows),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_cluster_that_fills_its_row),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_bands),
        cmocka_unit_test(test_paged_rows),
        cmocka_unit_test(test_laws_for_checks),
        cmocka_unit_test(test_peaks_are_equal_and_the_rest_is_below_half_an_ulp),
        cmocka_unit_test(test_offsets_even_and_skewed),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_law_fits),
        cmocka_unit_test(test_law_names),
        cmocka_unit_test(test_poison_bytes),
        cmocka_unit_test(test_poison_check_finds_the_first),
        cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_seeds_are_one_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
