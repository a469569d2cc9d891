/* SPDX-License-Identifier: MIT */
/* covers: src/device/cuda/cuda_compare.c */
/* The fingerprint of outputs on the emulated GPU, alone and beside a comparison, against its
 * definition computed in the plainest way. */
#include "emulated_judge.h"
#include "testing.h"

#include "device/cuda/cuda_kernels.h"

#include <string.h>

#define KEY 0x9D2C5680A1B2C3D4u
#define STEP 2048                      /* what a block takes at a time ... */
#define PAIR_STRIDE (2 * CUDA_THREADS) /* ... of which a thread has four pairs, so far apart */
#define MOST 13001                     /* elements of most tests: the last step is not whole */

/* ---- the definition ---- */

static uint64_t times(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b % FINGERPRINT_PRIME);
}

static uint64_t power(uint64_t base, int64_t exponent)
{
    uint64_t all = 1;

    for (; exponent > 0; exponent /= 2, base = times(base, base))
        all = exponent % 2 ? times(all, base) : all;
    return all;
}

static int64_t block_count(int64_t n)
{
    return MIN((n + CUDA_COMPARE_CHUNK - 1) / CUDA_COMPARE_CHUNK, CUDA_COMPARE_BLOCKS);
}

/* How many steps a block takes in all. */
static int64_t steps_of(int64_t block, int64_t n)
{
    int64_t steps = 0, stride = block_count(n) * CUDA_COMPARE_CHUNK;

    for (int64_t at = block * CUDA_COMPARE_CHUNK; at < n; at += stride)
        steps += MIN(CUDA_COMPARE_CHUNK, n - at + STEP - 1) / STEP;
    return steps;
}

/* What 32 bits of element e are multiplied by, before shifts. */
static uint64_t coefficient(const struct fingerprint_secrets *s, int row, size_t size, int64_t e,
                            int half, int64_t n)
{
    int64_t blocks = block_count(n), chunk = e / CUDA_COMPARE_CHUNK, block = chunk % blocks;
    int64_t step = chunk / blocks * (CUDA_COMPARE_CHUNK / STEP) + e % CUDA_COMPARE_CHUNK / STEP;
    int pair = (int)(e % STEP / PAIR_STRIDE), second = (int)(e % 2);
    int word = size == 8 ? 4 * pair + 2 * second + half : size == 4 ? 2 * pair + second : pair;
    struct philox lane =
        fingerprint_draw(s->key, 2, (uint32_t)(block * CUDA_THREADS + e % PAIR_STRIDE / 2));

    return times(times(s->a[row][word], power(s->beta[row], steps_of(block, n) - 1 - step)),
                 fingerprint_factor(&lane, row) % FINGERPRINT_PRIME);
}

static struct fingerprint defined(const void *data, size_t size, int64_t n, uint64_t key)
{
    struct fingerprint_secrets s = fingerprint_secrets_of(key);
    struct fingerprint f = {.key = key};

    for (int64_t e = 0; e < n; e++) {
        uint64_t bits = 0;

        memcpy(&bits, (const char *)data + (size_t)e * size, size);
        if (size < 4 && e % 2)
            bits <<= 8 * size;
        for (int half = 0; half < (size == 8 ? 2 : 1); half++)
            for (int row = 0; row < FINGERPRINT_ROWS; row++)
                f.v[row] = (f.v[row] + times((uint32_t)(bits >> (32 * half)),
                                             coefficient(&s, row, size, e, half, n))) %
                           FINGERPRINT_PRIME;
    }
    return f;
}

/* ---- the kernels' ---- */

static void *garbage(size_t bytes)
{
    uint32_t *words = xcalloc(bytes / 16 + 1, 16);

    for (size_t i = 0; i <= bytes / 16; i++)
        memcpy(&words[4 * i], philox4x32((uint32_t)i, 0, 0, 0, 3, 4).v, 16);
    return words;
}

static struct mem uploaded(const void *data, size_t at, size_t bytes)
{
    struct mem m = MEM_INIT;
    struct err err = ERR_INIT;

    must(ops->mem_alloc(ctx, MEM_PRIVATE, at + bytes, &m, &err), &err);
    must(ops->upload(ctx, &m, at, data, bytes, &err), &err);
    return m;
}

static struct fingerprint alone(const struct mem *m, size_t at, enum dtype t, int64_t n)
{
    struct fingerprint f = {.key = KEY};
    struct err err = ERR_INIT;

    must(ops->fingerprint(ctx, m, at, t, n, &f, &err), &err);
    return f;
}

static void same(const struct fingerprint *have, const struct fingerprint *want, enum dtype t,
                 int64_t n, const char *what)
{
    if (memcmp(have, want, sizeof(*have)) != 0)
        fail_msg("%s of %lld %s: %llx %llx, not %llx %llx", what, (long long)n, dtype_name(t),
                 (unsigned long long)have->v[0], (unsigned long long)have->v[1],
                 (unsigned long long)want->v[0], (unsigned long long)want->v[1]);
}

static void one_output(enum dtype t, const char *data, const struct mem *y, size_t y_at, int64_t n,
                       int64_t row_len, size_t at)
{
    size_t size = dtype_size(t), bytes = (size_t)n * size;
    struct mem m = uploaded(data, at, MAX(bytes, 1));
    struct fingerprint want = defined(data, size, n, KEY), have = alone(&m, at, t, n);
    struct compare_scale scale = {row_len, 1, 0x1p-20};
    struct compare_stats stats, other;
    struct err err = ERR_INIT;

    same(&have, &want, t, n, "the fingerprint");
    have = (struct fingerprint){.key = KEY};
    must(ops->compare(ctx, &(struct device_compare){y, y_at, &m, at, t, n, &scale, NULL, 0, &have},
                      &stats, &err),
         &err);
    same(&have, &want, t, n, "a comparison's");
    must(ops->compare(ctx, &(struct device_compare){y, y_at, &m, at, t, n, &scale, NULL, 0, NULL},
                      &other, &err),
         &err);
    assert_memory_equal(&stats, &other, sizeof(stats)); /* whether anybody asks or not */
    ops->mem_free(ctx, &m);
}

/* Every dtype; odd lengths; pairs that do not lie for one read; short rows and long ones; outputs
 * that are exact and others that are far off. */
static void kernels_follow_the_definition(void **state)
{
    static const struct {
        int64_t n, row_len;
    } cases[] = {{0, 0},    {1, 0},           {2, 0},     {511, 0},  {2047, 0},
                 {2048, 0}, {4095, 0},        {4096, 64}, {4097, 0}, {3 * 2049, 2049},
                 {8192, 0}, {2 * 5000, 5000}, {MOST, 0}};
    AUTO(freep) char *data = garbage(MOST * 8);
    AUTO(freep) double *y = xcalloc(MOST + 1, sizeof(*y));

    (void)state;
    for (int t = 0; t < DT_COUNT; t++) {
        for (int i = 0; i < MOST; i++) {
            const char *from = data + (size_t)i * dtype_size(t);
            double got = i % 3 ? dtype_load(t, from) : 1;
            int64_t whole = (int64_t)(got < 1e9 && got > -1e9 ? got : 0);

            y[i] = got;
            if (!dtype_is_float(t))
                memcpy(&y[i], &whole, sizeof(whole));
        }
        for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
            size_t off = i % 2;
            struct mem m = uploaded(y, 8 * off, (MOST + 1) * sizeof(*y));

            one_output(t, data, &m, 8 * off, cases[i / 2].n, cases[i / 2].row_len,
                       off * dtype_size(t));
            ops->mem_free(ctx, &m);
        }
    }
}

/* More elements than all blocks take in one turn. */
static void blocks_take_turns(void **state)
{
    int64_t n = (int64_t)CUDA_COMPARE_BLOCKS * CUDA_COMPARE_CHUNK + 3 * CUDA_COMPARE_CHUNK + 77;
    int64_t places[] = {0, n / 2, n - 3 * CUDA_COMPARE_CHUNK, n - 78, n - 1};
    AUTO(freep) char *data = xcalloc((size_t)n, 1);
    struct fingerprint want, have;
    struct mem m;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(places); i++)
        data[places[i]] = (char)(17 * i + 1);
    m = uploaded(data, 0, (size_t)n);
    have = alone(&m, 0, DT_U8, n);
    want = (struct fingerprint){.key = KEY};
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) { /* the others are 0 */
        struct fingerprint_secrets s = fingerprint_secrets_of(KEY);
        int64_t e = places[i];

        for (int row = 0; row < FINGERPRINT_ROWS; row++)
            want.v[row] = (want.v[row] + times((uint64_t)data[e] << (e % 2 * 8),
                                               coefficient(&s, row, 1, e, 0, n))) %
                          FINGERPRINT_PRIME;
    }
    same(&have, &want, DT_U8, n, "the fingerprint");
    ops->mem_free(ctx, &m);
}

/* Wherever it is, in whatever; and back again. */
static void a_flipped_bit_shows(void **state)
{
    static const enum dtype types[] = {DT_U8, DT_BF16, DT_F32, DT_F64};
    enum { N = 2500, FLIPS = 60 };
    AUTO(freep) char *data = garbage(N * 8);
    struct err err = ERR_INIT;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        size_t bytes = N * dtype_size(types[i]);
        struct mem m = uploaded(data, 0, bytes);
        struct fingerprint before = alone(&m, 0, types[i], N), after;

        for (uint32_t k = 0; k < FLIPS; k++) {
            size_t bit = k == 0 ? 0 : k == 1 ? 8 * bytes - 1 : philox_place(KEY, k, 8 * bytes);
            char byte = (char)(data[bit / 8] ^ 1 << bit % 8);

            must(ops->upload(ctx, &m, bit / 8, &byte, 1, &err), &err);
            after = alone(&m, 0, types[i], N);
            for (int row = 0; row < FINGERPRINT_ROWS; row++)
                assert_true(after.v[row] != before.v[row]);
            must(ops->upload(ctx, &m, bit / 8, &data[bit / 8], 1, &err), &err);
        }
        after = alone(&m, 0, types[i], N);
        same(&after, &before, types[i], N, "the fingerprint");
        ops->mem_free(ctx, &m);
    }
}

/* Under another key the same bits have another one; a sum of words would not notice an exchange. */
static void keys_and_places_count(void **state)
{
    float data[5000] = {[0] = 1, [1] = 2, [2048] = 3, [4096] = 4};
    size_t swaps[][2] = {{0, 1}, {0, 512}, {0, 2}, {0, 2048}, {0, 4096}, {2048, 4096}};
    struct mem m = uploaded(data, 0, sizeof(data));
    struct fingerprint first = alone(&m, 0, DT_F32, 5000), other = {.key = KEY + 1};
    struct err err = ERR_INIT;

    (void)state;
    must(ops->fingerprint(ctx, &m, 0, DT_F32, 5000, &other, &err), &err);
    assert_memory_not_equal(other.v, first.v, sizeof(other.v));
    assert_int_equal(other.key, KEY + 1);
    for (size_t i = 0; i < ARRAY_SIZE(swaps); i++) {
        float swapped[5000];

        memcpy(swapped, data, sizeof(data));
        swapped[swaps[i][0]] = data[swaps[i][1]];
        swapped[swaps[i][1]] = data[swaps[i][0]];
        must(ops->upload(ctx, &m, 0, swapped, sizeof(swapped), &err), &err);
        other = alone(&m, 0, DT_F32, 5000);
        assert_memory_not_equal(other.v, first.v, sizeof(other.v));
    }
    assert_int_equal(ops->fingerprint(ctx, &m, 4, DT_F32, 5000, &other, &err),
                     -1); /* past the end */
    ops->mem_free(ctx, &m);
}

/* At its edges, where a carry would be lost. */
static void products_are_exact(void **state)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     7,
                                     0xFFFFFFFF,
                                     0x100000000,
                                     FINGERPRINT_PRIME - 1,
                                     FINGERPRINT_PRIME,
                                     FINGERPRINT_PRIME + 1,
                                     FINGERPRINT_PRIME + 8,
                                     0x1555555555555555};
    static const uint64_t sums[] = {0, 1, FINGERPRINT_PRIME, UINT64_MAX - 1, UINT64_MAX};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(edges); i++)
        for (size_t k = 0; k < ARRAY_SIZE(edges); k++)
            for (size_t s = 0; s < ARRAY_SIZE(sums); s++) {
                unsigned __int128 want = (unsigned __int128)edges[i] * edges[k] + sums[s];
                uint64_t got = fingerprint_times(edges[i], edges[k], sums[s]);

                assert_true(got < FINGERPRINT_PRIME + 9);
                assert_true(fingerprint_least(got) == (uint64_t)(want % FINGERPRINT_PRIME));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_exact),
        cmocka_unit_test(keys_and_places_count),
        cmocka_unit_test(kernels_follow_the_definition),
        cmocka_unit_test(blocks_take_turns),
        cmocka_unit_test(a_flipped_bit_shows),
    };

    return cmocka_run_group_tests(tests, emulated_open, emulated_close);
}
