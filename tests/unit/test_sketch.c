/* SPDX-License-Identifier: MIT */
/* Sketches on the emulated GPU: the sums against their definition computed in the plainest way, and
 * what the distance from one says of errors that are known. */
#include "emulated_judge.h"
#include "testing.h"

#include "device/cuda_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEY 0x5851F42D4C957F2Du
#define STEP 2048                      /* what a block takes at a time ... */
#define PAIR_STRIDE (2 * CUDA_THREADS) /* ... of which a thread has four pairs, so far apart */

static void put(struct mem *m, const void *data, size_t bytes)
{
    struct err err = ERR_INIT;

    must(ops->mem_alloc(ctx, MEM_PRIVATE, MAX(bytes, 8), m, &err), &err);
    must(ops->upload(ctx, m, 0, data, bytes, &err), &err);
}

/* ---- values, and their sketch ---- */

/* Expected values of rows whose sizes differ, in the device's memory. */
struct rig {
    int64_t n;
    struct compare_scale scale;
    double *values, *rms; /* rms: of the rows, or the one that stands for all */
    struct mem y, row_rms, kept;
    struct device_sketch sketch;
};

/* Between -1 and 1. */
static double noise(int64_t i, uint32_t what)
{
    return philox4x32((uint32_t)i, what, 0, 0, 5, 6).v[0] * 0x1p-31 - 1;
}

static double size_at(const struct rig *r, int64_t i)
{
    return r->scale.row_len ? r->rms[i / r->scale.row_len] : r->scale.pooled_rms;
}

static void rig_open(struct rig *r, int64_t n, int64_t row_len)
{
    int64_t rows = row_len ? n / row_len : 0;
    struct err err = ERR_INIT;

    *r = (struct rig){.n = n, .scale = {row_len, 3, 1e-3}, .y = MEM_INIT, .row_rms = MEM_INIT};
    r->values = xcalloc((size_t)n + 1, sizeof(*r->values));
    r->rms = xcalloc((size_t)rows + 1, sizeof(*r->rms));
    for (int64_t i = 0; i < n; i++)
        r->values[i] = noise(i, 1) * (row_len ? 1 + (double)(i / row_len % 7) : 3);
    put(&r->y, r->values, (size_t)n * sizeof(*r->values));
    put(&r->row_rms, r->rms, (size_t)rows * sizeof(*r->rms));
    r->kept = (struct mem)MEM_INIT;
    must(ops->mem_alloc(ctx, MEM_PRIVATE, MAX(sketch_bytes(n), 1), &r->kept, &err), &err);
    if (rows) {
        must(ops->row_rms(ctx, &r->y, 0, n, row_len, &r->row_rms, 0, &err), &err);
        must(ops->download(ctx, &r->row_rms, 0, r->rms, (size_t)rows * sizeof(*r->rms), &err),
             &err);
    }
    r->sketch = (struct device_sketch){
        .key = KEY, .scale = &r->scale, .row_rms = rows ? &r->row_rms : NULL, .kept = &r->kept};
    must(ops->sketch(ctx, &r->y, 0, n, &r->sketch, &err), &err);
}

static void rig_close(struct rig *r)
{
    ops->mem_free(ctx, &r->y);
    ops->mem_free(ctx, &r->row_rms);
    ops->mem_free(ctx, &r->kept);
    free(r->values);
    free(r->rms);
}

static struct sketch_stats distance(struct rig *r, enum dtype t, const double *answer)
{
    AUTO(freep) char *got = xcalloc((size_t)r->n + 1, dtype_size(t));
    struct mem m = MEM_INIT;
    struct sketch_stats s;
    struct err err = ERR_INIT;

    dtype_from_f64(t, answer, got, r->n);
    put(&m, got, (size_t)r->n * dtype_size(t));
    must(ops->distance(ctx, &m, 0, t, r->n, &r->sketch, &s, &err), &err);
    ops->mem_free(ctx, &m);
    return s;
}

static const struct {
    int64_t n, row_len;
} shapes[] = {
    {1, 0},         {4096, 0},        {150001, 0},       {20 * 340, 340}, {SKETCH_SPAN, 64},
    {15 * 5002, 0}, {3 * 5002, 5002}, {17 * 4111, 4111}, {100 * 17, 17},
};

/* ---- the definition ---- */

static int place_in_block(int64_t e)
{
    int64_t in_step = e % STEP;

    return (int)(e % CUDA_COMPARE_CHUNK / STEP * 8 + in_step / PAIR_STRIDE * 2 + in_step % 2);
}

static int64_t group_of(int64_t e)
{
    return e / SKETCH_SPAN * SKETCH_BESIDE + e % PAIR_STRIDE / 2;
}

/* The factor of element e in sum k of its group. */
static double factor(int64_t e, int k)
{
    int block = (int)(e % SKETCH_SPAN / CUDA_COMPARE_CHUNK), i = place_in_block(e);
    uint32_t signs = sketch_signs(KEY, group_of(e), block / 4).v[block % 4];
    int minus = (int)(signs >> i & 1) + (int)(signs >> (SKETCH_SUMS + k) & 1) +
                __builtin_popcount((unsigned)(i & k));

    return minus % 2 ? -1 : 1;
}

static void sums_follow_the_definition(void **state)
{
    (void)state;
    for (size_t s = 0; s < ARRAY_SIZE(shapes); s++) {
        size_t bytes = sketch_bytes(shapes[s].n);
        AUTO(freep) double *want = xcalloc(bytes / sizeof(float), sizeof(*want));
        AUTO(freep) float *have = xcalloc(bytes, 1);
        struct err err = ERR_INIT;
        struct rig r;

        rig_open(&r, shapes[s].n, shapes[s].row_len);
        for (int64_t e = 0; e < r.n; e++)
            for (int k = 0; k < SKETCH_SUMS; k++)
                want[group_of(e) * SKETCH_SUMS + k] += factor(e, k) * r.values[e] / size_at(&r, e);
        must(ops->download(ctx, &r.kept, 0, have, bytes, &err), &err);
        for (size_t i = 0; i < bytes / sizeof(float); i++)
            if (!(fabs(have[i] - want[i]) <= 1e-5))
                fail_msg("%ld by %ld, sum %zu: %.9g, not %.9g", (long)r.n, (long)shapes[s].row_len,
                         i, have[i], want[i]);
        rig_close(&r);
    }
}

/* ---- errors ---- */

static const enum dtype types[] = {DT_F64, DT_F32};

/* Of one that is wrong the size is told, wherever it is; and it is not lost among rounding. */
static void one_error_is_told(void **state)
{
    (void)state;
    for (size_t s = 0; s < ARRAY_SIZE(shapes); s++) {
        struct rig r;

        rig_open(&r, shapes[s].n, shapes[s].row_len);

        const int64_t places[] = {0, r.n / 3, MIN(r.n / 2 + 1, r.n - 1), r.n - 1};

        for (size_t i = 0; i < ARRAY_SIZE(places) * ARRAY_SIZE(types); i++) {
            enum dtype t = types[i % ARRAY_SIZE(types)];
            double *at = &r.values[places[i / ARRAY_SIZE(types)]], right = *at;
            double round = 64 * fmax(dtype_roundoff(t), 0x1p-24); /* sums are kept in float */
            struct sketch_stats none = distance(&r, t, r.values), one;

            *at += 200 * round * size_at(&r, at - r.values);
            one = distance(&r, t, r.values);
            *at = right;
            assert_true(none.max < round && none.rms < round);
            if (fabs(one.max - 200 * round) > 2 * round)
                fail_msg("%ld by %ld: %g, not %g", (long)r.n, (long)shapes[s].row_len, one.max,
                         200 * round);
        }
        rig_close(&r);
    }
}

static void rms_is_told(void **state)
{
    (void)state;
    for (size_t s = 0; s < ARRAY_SIZE(shapes); s++) {
        double sum_sq = 0, off;
        struct sketch_stats told;
        struct rig r;

        if (shapes[s].n < 4096) /* an estimate */
            continue;
        rig_open(&r, shapes[s].n, shapes[s].row_len);
        for (int64_t e = 0; e < r.n; e++) {
            double error = 0.01 * noise(e, 2);

            sum_sq += error * error;
            r.values[e] += error * size_at(&r, e);
        }
        told = distance(&r, DT_F32, r.values);
        off = told.rms / sqrt(sum_sq / (double)r.n);
        if (!(off > 0.9 && off < 1.1))
            fail_msg("%ld by %ld: told %gx", (long)r.n, (long)shapes[s].row_len, off);
        rig_close(&r);
    }
}

/* Pairs of errors that are alike, or opposites: of one block they never cancel out, of one group in
 * one case of many thousands. */
static void pairs_of_errors_are_seen(void **state)
{
    static const int64_t apart[] = {1, PAIR_STRIDE, STEP, CUDA_COMPARE_CHUNK,
                                    9 * CUDA_COMPARE_CHUNK};
    struct rig r;

    (void)state;
    rig_open(&r, SKETCH_SPAN, 0);
    for (int i = 0; i < 40; i++) {
        int64_t at = 2 * (i % 20) * 7, other = at + apart[i % (int)ARRAY_SIZE(apart)];
        bool in_block = other - at < CUDA_COMPARE_CHUNK;
        double sign = i < 20 ? 1 : -1, error = 0.5 * r.scale.pooled_rms;
        struct sketch_stats told;

        r.values[at] += error;
        r.values[other] += sign * error;
        told = distance(&r, DT_F64, r.values);
        r.values[at] -= error;
        r.values[other] -= sign * error;
        assert_true(told.max > 0.1);
        assert_true(!in_block || fabs(told.max - 0.5 * sqrt(2)) < 1e-5);
    }
    rig_close(&r);
}

/* The first `each` numbers of two blocks are wrong by 1. */
static bool cancels_out(int each, int64_t group)
{
    static const struct sketch_group none;
    struct philox signs = sketch_signs(KEY, group, 0);
    struct sketch_sums sums = {{0}};

    for (int block = 0; block < 2; block++) {
        double v[SKETCH_SUMS] = {0};

        for (int i = 0; i < each; i++)
            v[i] = 1;
        sketch_add(&sums, v, signs.v[block]);
    }
    return sketch_distance_sq(&sums, &none) < 0.25;
}

/* As often as sketch.h says; the limits are five standard deviations above that. */
static void equal_errors_seldom_cancel_out(void **state)
{
    enum { GROUPS = 1 << 17 };
    static const struct {
        int each, most;
    } cases[] = {{1, 10}, {2, 336}, {4, 625}, {8, 50}, {16, 2}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        int n = 0;

        for (int64_t group = 0; group < GROUPS; group++)
            n += cancels_out(cases[i].each, group);
        if (n > cases[i].most)
            fail_msg("%d in each block: %d of %d", cases[i].each, n, (int)GROUPS);
    }
}

/* Bugs of kernels: rows that changed places, a tile that is shifted, or of other data. */
static void misplaced_values_are_far(void **state)
{
    enum { ROW = 64, TILE = 32 };
    struct rig r;

    (void)state;
    for (int bug = 0; bug < 3; bug++) {
        struct sketch_stats told;

        rig_open(&r, SKETCH_SPAN + 40 * ROW, ROW);
        for (int64_t i = 0; i < ROW; i++) {
            double *v = r.values + 9 * ROW + i, other = v[7 * ROW]; /* of the same size */

            if (bug == 0) {
                v[7 * ROW] = *v;
                *v = other;
            } else if (i < TILE) {
                *v = bug == 1 ? v[1] : 2 * noise(i, 3);
            }
        }
        told = distance(&r, DT_F32, r.values);
        assert_true(told.max > 0.1);
        rig_close(&r);
    }
}

/* Nothing that is not a number is near anything. */
static void what_is_not_finite_is_far(void **state)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY};
    struct rig r;

    (void)state;
    rig_open(&r, 9000, 3000);
    for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
        double right = r.values[4321];
        struct sketch_stats told;

        r.values[4321] = odd[i];
        told = distance(&r, DT_F32, r.values);
        r.values[4321] = right;
        assert_false(isfinite(told.rms));
    }
    rig_close(&r);
}

/* Where such a thing is expected, not even the right answer is near: infinities are compared one by
 * one. Nor where rows have no size. */
static void what_is_expected_has_to_be_finite(void **state)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY};
    static const int64_t places[] = {17, CUDA_COMPARE_CHUNK + 5, 3 * 3000 - 1};
    struct err err = ERR_INIT;
    struct rig r;

    (void)state;
    rig_open(&r, 9000, 3000);
    for (size_t i = 0; i < ARRAY_SIZE(odd) * ARRAY_SIZE(places); i++) {
        double *at = &r.values[places[i / ARRAY_SIZE(odd)]], right = *at;

        *at = odd[i % ARRAY_SIZE(odd)];
        must(ops->upload(ctx, &r.y, 0, r.values, 9000 * sizeof(double), &err), &err);
        must(ops->sketch(ctx, &r.y, 0, r.n, &r.sketch, &err), &err);
        assert_false(isfinite(distance(&r, DT_F32, r.values).rms));
        *at = right;
        assert_false(isfinite(distance(&r, DT_F32, r.values).rms));
    }
    memset(r.values, 0, 9000 * sizeof(double));
    memset(r.rms, 0, 3 * sizeof(double));
    r.scale.floor = 0;
    must(ops->upload(ctx, &r.y, 0, r.values, 9000 * sizeof(double), &err), &err);
    must(ops->upload(ctx, &r.row_rms, 0, r.rms, 3 * sizeof(double), &err), &err);
    must(ops->sketch(ctx, &r.y, 0, r.n, &r.sketch, &err), &err);
    assert_false(isfinite(distance(&r, DT_F32, r.values).rms));
    rig_close(&r);
}

static void the_key_is_needed(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, 9000, 3000);
    assert_true(distance(&r, DT_F64, r.values).rms < 1e-6);
    r.sketch.key++;
    assert_true(distance(&r, DT_F64, r.values).rms > 0.5);
    rig_close(&r);
}

static void wrong_places_are_errors(void **state)
{
    struct sketch_stats s;
    struct err err = ERR_INIT;
    struct rig r;

    (void)state;
    rig_open(&r, 9000, 3000);
    r.sketch.kept_at = r.kept.bytes;
    assert_int_equal(ops->sketch(ctx, &r.y, 0, r.n, &r.sketch, &err), -1);
    assert_int_equal(ops->distance(ctx, &r.y, 0, DT_F64, r.n, &r.sketch, &s, &err), -1);
    r.sketch.kept_at = 0;
    assert_int_equal(ops->distance(ctx, &r.y, 8, DT_F64, r.n, &r.sketch, &s, &err), -1);
    r.sketch.row_rms = NULL;
    assert_int_equal(ops->sketch(ctx, &r.y, 0, r.n, &r.sketch, &err), -1);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_follow_the_definition),
        cmocka_unit_test(one_error_is_told),
        cmocka_unit_test(rms_is_told),
        cmocka_unit_test(pairs_of_errors_are_seen),
        cmocka_unit_test(equal_errors_seldom_cancel_out),
        cmocka_unit_test(misplaced_values_are_far),
        cmocka_unit_test(what_is_not_finite_is_far),
        cmocka_unit_test(what_is_expected_has_to_be_finite),
        cmocka_unit_test(the_key_is_needed),
        cmocka_unit_test(wrong_places_are_errors),
    };

    return cmocka_run_group_tests(tests, emulated_open, emulated_close);
}
