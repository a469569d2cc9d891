/* SPDX-License-Identifier: MIT */
/* covers: src/device/cuda/cuda_driver.c */
/* On the emulated GPU: the judge's flush, which memory it goes through, and what it asks of the
 * driver. That a real L2 is empty behind it only a GPU shows (tests/gpu). And how the judge finds
 * that memory changed. */
#include "emulated_judge.h"

#include "device/cuda/cuda_ctx.h"

#include <string.h>

#define L2_BYTES ((size_t)3 << 20) /* not what anything is rounded to */
#define SWEPT (2 * L2_BYTES)       /* at least; one pass over L2's size still leaves hits */
#define NOT_SUPPORTED 801          /* CUDA_ERROR_NOT_SUPPORTED */

static int resets;
static CUresult reset_result;
static const unsigned *first_word; /* of the sweep; NULL: none yet */
static unsigned word_at_reset;

static CUresult count_resets(void)
{
    resets++;
    word_at_reset = first_word ? *first_word : 0;
    return reset_result;
}

/* A driver that counts, and a cache of its own size. */
static struct cuda_ctx *rigged(void)
{
    static struct cuda_driver driver;
    struct cuda_ctx *c = ctx;

    if (c->cu != &driver) {
        driver = *c->cu;
        driver.cuCtxResetPersistingL2Cache = count_resets;
        c->cu = &driver;
        c->l2_bytes = L2_BYTES;
    }
    resets = 0;
    reset_result = 0;
    return c;
}

static void flush(void)
{
    struct err err = ERR_INIT;

    must(ops->flush(ctx, NULL, 0, &err), &err);
}

/* Host memory is the device's here. */
static unsigned *sweep(const struct cuda_ctx *c)
{
    return (unsigned *)(uintptr_t)c->sweep.mem.handle;
}

static void twice_the_cache_is_written(void **state)
{
    struct cuda_ctx *c = rigged();
    size_t missed = 0;

    (void)state;
    flush(); /* makes the memory */
    assert_true(c->sweep.mem.bytes >= SWEPT && c->unread.bytes >= SWEPT);
    memset(sweep(c), 0xAA, SWEPT);
    flush();
    for (size_t i = 0; i < SWEPT / sizeof(unsigned); i++)
        missed += sweep(c)[i] == 0xAAAAAAAA;
    assert_int_equal(missed, 0);
}

/* A word of all ones is what the reading kernel would answer to, where the sum is: at both ends of
 * twice the cache, in memory that is not the written one. */
static void as_much_other_memory_is_read(void **state)
{
    struct cuda_ctx *c = rigged();

    (void)state;
    flush();

    unsigned *words = (unsigned *)(uintptr_t)c->unread.at;
    const unsigned *sum = (const unsigned *)(uintptr_t)c->sum.at;
    size_t ends[2] = {0, SWEPT / sizeof(unsigned) - 1};

    for (int i = 0; i < 2; i++) {
        assert_int_equal(words[ends[i]], 0);
        words[ends[i]] = 0xFFFFFFFF;
        flush();
        assert_int_equal(*sum, 0xFFFFFFFF);
        words[ends[i]] = 0;
    }
}

static unsigned sum_of(const struct cuda_ctx *c)
{
    unsigned sum = 0;

    for (size_t i = 0; i < c->sweep.mem.bytes / sizeof(unsigned); i++)
        sum += sweep(c)[i];
    return sum;
}

/* A runner proves by the sum that it read all of it: so it is known, and another one each time. Of
 * each 32 bytes, the least that memory gives, it has to see some. */
static void the_sum_of_what_is_written_is_known(void **state)
{
    struct cuda_ctx *c = rigged();
    struct err err = ERR_INIT;
    const struct device_sweep *s = ops->sweep(ctx, &err);
    size_t same = 0;

    (void)state;
    assert_non_null(s);
    flush();
    assert_int_equal(s->sum, sum_of(c));

    unsigned before = s->sum;

    flush();
    assert_int_equal(s->sum, sum_of(c));
    assert_int_not_equal(s->sum, before);
    for (size_t i = 8; i < SWEPT / sizeof(unsigned); i += 8)
        same += sweep(c)[i] == sweep(c)[i - 8];
    assert_true(same < 4);
}

/* A candidate can mark lines as persisting: they outlive any sweep, so they go first. */
static void persisting_lines_are_given_up_before_each_sweep(void **state)
{
    struct cuda_ctx *c = rigged();

    (void)state;
    flush();
    first_word = sweep(c);
    for (int i = 1; i <= 3; i++) {
        sweep(c)[0] = 0xAAAAAAAA;
        resets = 0;
        flush();
        assert_int_equal(resets, 1);
        assert_int_equal(word_at_reset, 0xAAAAAAAA);
    }
    first_word = NULL;
}

static void a_reset_may_be_unsupported_but_not_fail(void **state)
{
    struct err err = ERR_INIT;

    (void)state;
    rigged();
    reset_result = NOT_SUPPORTED;
    flush();
    assert_int_equal(resets, 1);
    reset_result = 1;
    assert_int_equal(ops->flush(ctx, NULL, 0, &err), -1);
    assert_non_null(strstr(err.text, "flush"));
}

/* What tells that a runner wrote to its input: one byte, wherever it is. */
static void inputs_are_compared(void **state)
{
    static const size_t places[] = {0, 1, 4095, 65537, 69999}; /* the last word is not whole */
    size_t bytes = 70000;
    struct mem a = MEM_INIT, b = MEM_INIT;
    struct err err = ERR_INIT;
    int64_t at = 0;

    (void)state;
    assert_int_equal(ops->mem_alloc(ctx, MEM_PRIVATE, bytes, &a, &err), 0);
    assert_int_equal(ops->mem_alloc(ctx, MEM_PRIVATE, bytes, &b, &err), 0);
    assert_int_equal(ops->poison(ctx, &a, 0, bytes, 7, &err), 0);
    assert_int_equal(ops->copy(ctx, &b, 0, &a, 0, bytes, &err), 0);
    assert_int_equal(ops->differ(ctx, &a, &b, bytes, &at, &err), 0);
    assert_int_equal(at, -1);
    for (size_t i = ARRAY_SIZE(places); i-- > 0;) { /* each before the one that is off already */
        unsigned char byte;

        assert_int_equal(ops->download(ctx, &b, places[i], &byte, 1, &err), 0);
        byte ^= 0x80;
        assert_int_equal(ops->upload(ctx, &b, places[i], &byte, 1, &err), 0);
        assert_int_equal(ops->differ(ctx, &a, &b, bytes, &at, &err), 0);
        assert_int_equal(at, (int64_t)places[i]);
    }
    assert_int_equal(ops->differ(ctx, &a, &b, bytes + 1, &at, &err), -1);
    ops->mem_free(ctx, &a);
    ops->mem_free(ctx, &b);
}

/* What tells that an output changes behind "done": as many words of a small one as of a large one,
 * in as many spans as there can be. */
static void every_span_is_peeked_at(void **state)
{
    enum { WORDS = 70000 };
    struct peeks where = {.key = 7, .n = PEEK_SPANS, .spans = {{1024, 60000}}};
    AUTO(freep) uint32_t *words = xcalloc(WORDS, sizeof(*words));
    uint32_t seen[DEVICE_PEEKS];
    struct mem m = MEM_INIT;
    struct err err = ERR_INIT;

    (void)state;
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = 3 * i;
    for (uint32_t i = 1; i < PEEK_SPANS; i++)
        where.spans[i] = (struct peek_span){62000 + 100 * i, i};
    assert_int_equal(ops->mem_alloc(ctx, MEM_PRIVATE, WORDS * sizeof(*words), &m, &err), 0);
    assert_int_equal(ops->upload(ctx, &m, 0, words, WORDS * sizeof(*words), &err), 0);
    assert_int_equal(ops->peek(ctx, &m, &where, seen, &err), 0);
    for (uint32_t i = 0; i < DEVICE_PEEKS; i++) {
        const struct peek_span *s = &where.spans[i % PEEK_SPANS];

        assert_int_equal(seen[i], words[peeks_place(&where, i)]);
        assert_in_range(seen[i] / 3, s->at, s->at + s->words - 1);
    }
    where.spans[PEEK_SPANS - 1].at = m.bytes / sizeof(*words);
    assert_int_equal(ops->peek(ctx, &m, &where, seen, &err), -1);
    ops->mem_free(ctx, &m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twice_the_cache_is_written),
        cmocka_unit_test(as_much_other_memory_is_read),
        cmocka_unit_test(the_sum_of_what_is_written_is_known),
        cmocka_unit_test(persisting_lines_are_given_up_before_each_sweep),
        cmocka_unit_test(a_reset_may_be_unsupported_but_not_fail),
        cmocka_unit_test(inputs_are_compared),
        cmocka_unit_test(every_span_is_peeked_at),
    };

    return cmocka_run_group_tests(tests, emulated_open, emulated_close);
}
