/* SPDX-License-Identifier: MIT */
/* long: 15 s */
/* covers: src/process/rproc_order.c src/measure/trial.c */
/* One call of a candidate on a device that can be held back: what is looked at and compared, and
 * when the hold is given up. */
#include "timing_rig.h"

#include "base/hash.h"

#include <string.h>

/* Fingerprints that a small tensor's own bits make good enough for a test. */
static int compares, prints;

static int test_print(void *ctx, const struct mem *got, size_t at, enum dtype t, int64_t n,
                      struct fingerprint *print, struct err *err)
{
    struct hash h;
    char hex[HASH_HEX];

    (void)ctx, (void)err;
    prints++;
    hash_init(&h);
    hash_add_u64(&h, print->key);
    hash_add(&h, (const char *)got->host + at, (size_t)n * dtype_size(t));
    hash_final(&h, hex);
    memcpy(print->v, hex, sizeof(print->v));
    return 0;
}

static int test_compare(void *ctx, const struct device_compare *what, struct compare_stats *ret,
                        struct err *err)
{
    struct device_compare plain = *what;

    plain.print = NULL;
    compares += what->print != NULL;
    if (what->print &&
        test_print(ctx, what->got, what->got_at, what->type, what->n, what->print, err) < 0)
        return -1;
    prints -= what->print != NULL;
    return device_fake.judge->compare(ctx, &plain, ret, err);
}

static size_t late_at, late_bytes; /* of the output arena */

/* As if the work went on behind the probe: its next look finds something else there. */
static int changing_peek(void *ctx, const struct mem *m, const struct peeks *where,
                         uint32_t *ret_words, struct err *err)
{
    static uint64_t last_key;

    if (where->key == last_key && any_child())
        memset((char *)m->host + late_at, 0xA5, late_bytes);
    last_key = where->key;
    return device_fake.judge->peek(ctx, m, where, ret_words, err);
}

/* What a caller waits contains the launches, whoever's turn the device was. */
static void callers_wait_for_their_launches(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    judge(&g, "op relu\ntime 10s\nqueue 5ms\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_true(timed(&g)->call_ns >= 4.5e6);
    assert_true(timed(&g)->hold_ns > 0);
    end(&g);
}

/* Call 6 is a warm-up, call 9 is scored. In so little memory two contents lie side by side;
 * warm-ups used not to be judged there. */
static void warm_ups_are_judged_whatever_fits(void **state)
{
    static const struct {
        int64_t memory_bytes;
        const char *candidate;
        enum verdict_kind kind;
        const char *reason;
    } cases[] = {
        {0, "op relu\ntime 10s\nwrong at call 6\n", VERDICT_WRONG, "max"},
        {100000, "op relu\ntime 10s\nwrong at call 6\n", VERDICT_WRONG, "max"},
        {100000, "op relu\ntime 10s\nwrong at call 9\n", VERDICT_WRONG, "max"},
        {100000, "op relu\ntime 10s\npast-end at call 6\n", VERDICT_WRONG, "out_of_bounds"},
        {100000, "op relu\ntime 10s\npast-end at call 9\n", VERDICT_WRONG, "out_of_bounds"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct rig g;

        make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
        memory_bytes = cases[i].memory_bytes;
        judge(&g, cases[i].candidate);
        memory_bytes = 0;
        expect(&g, cases[i].kind, cases[i].reason, "");
        assert_int_equal(timed(&g)->residency, cases[i].memory_bytes ? STREAMED : RESIDENT);
        end(&g);
    }
}

/* Calls on large contents take milliseconds, and so does comparing their outputs. */
static void large_contents_have_fewer_warm_ups(void **state)
{
    static const struct {
        int64_t memory_bytes;
        int more; /* calls that seven warm-ups more are worth */
    } cases[] = {{0, 7}, {100000, 2}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        int calls[2];

        for (int more = 0; more < 2; more++) {
            struct rig g;

            make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
            n_warm_ups = more ? 10 : 3;
            memory_bytes = cases[i].memory_bytes;
            judge(&g, "op relu\ntime 10s\n");
            memory_bytes = 0;
            expect(&g, VERDICT_PASS, "", "");
            calls[more] = timed(&g)->n_calls;
            end(&g);
        }
        assert_int_equal(calls[1] - calls[0], cases[i].more);
    }
}

/* On a device that knows outputs again, whose contents do not all fit: calls 1 to 4 are checks, 5
 * is one of them again, 6 to 8 are warm-ups, 9 to 20 are scored, each on a content of its own; 21
 * and 22 are batches on the last one. */
static void known_outputs_are_not_compared(void **state)
{
    static const struct {
        const char *candidate;
        enum verdict_kind kind;
        const char *reason;
        int compares, prints;
    } cases[] = {
        {"op relu\ntime 10s\n", VERDICT_PASS, "", 4 + 12, 1 + 3 + 2},
        {"op relu\ntime 10s\nwrong at call 5\n", VERDICT_WRONG, "max", 5, 1},
        {"op relu\ntime 10s\nwrong at call 11\n", VERDICT_WRONG, "max", 7, 4},
        {"op relu\ntime 10s\nwrong at call 12\n", VERDICT_WRONG, "max", 8, 4},
        {"op relu\ntime 10s\nwrong at call 21\n", VERDICT_WRONG, "max", 17, 5},
        {"op relu\ntime 10s\npast-end at call 12\n", VERDICT_WRONG, "out_of_bounds", 7, 4},
        {"op relu\ntime 10s\nfirst-call-only\n", VERDICT_WRONG, "unwritten", 2, 0},
        {"op relu\ntime 10s\nreplay\n", VERDICT_WRONG, "max", 2, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct rig g;

        make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
        ops.compare = test_compare;
        ops.fingerprint = test_print;
        compares = prints = 0;
        memory_bytes = 100000;
        judge(&g, cases[i].candidate);
        memory_bytes = 0;
        expect(&g, cases[i].kind, cases[i].reason, "");
        assert_true(timed(&g)->deterministic || cases[i].kind == VERDICT_WRONG);
        end(&g);
        assert_int_equal(compares, cases[i].compares);
        assert_int_equal(prints, cases[i].prints);
    }
}

/* Of the same session, so on the same contents. Nothing of who answers as the one before is
 * compared, but what it changes is. */
static void the_next_candidate_is_known_by_its_outputs(void **state)
{
    static const struct {
        const char *candidate;
        enum verdict_kind kind;
        const char *reason;
        int compares, prints;
    } next[] = {
        {"op relu\ntime 9s\n", VERDICT_PASS, "", 0, 22},
        {"op relu\ntime 9s\nwrong at call 12\n", VERDICT_WRONG, "max", 1, 12},
        {"op copy\ntime 9s\n", VERDICT_WRONG, "max", 1, 1},
        {"op relu\ntime 8s\nhalf\n", VERDICT_WRONG, "unwritten", 1, 1},
    };
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    ops.compare = test_compare;
    ops.fingerprint = test_print;
    memory_bytes = 100000;
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_PASS, "", "");
    for (size_t i = 0; i < ARRAY_SIZE(next); i++) {
        evaluation_release(&g.e);
        write_file("k.fake", next[i].candidate);
        compares = prints = 0;
        judge_file(g.session, "k.fake", &g.e);
        expect(&g, next[i].kind, next[i].reason, "");
        assert_int_equal(compares, next[i].compares);
        assert_int_equal(prints, next[i].prints);
    }
    memory_bytes = 0;
    end(&g);
}

/* Slow flushes while work is queued, and none otherwise: streams that wait for each other. The
 * checks show it, and so does a second try. */
static void work_on_several_streams_is_not_held(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    held_slow = 1;
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_false(timed(&g)->held);
    assert_int_equal(timed(&g)->runs, 2);
    end(&g);
}

/* Two slow flushes in a row are another program's as well, if they do not come again. */
static void a_crowd_that_goes_leaves_the_hold(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    twice_slow = 1;
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_true(timed(&g)->held);
    assert_int_equal(timed(&g)->runs, 1);
    end(&g);
}

static void output_that_changes_behind_the_probe_is_late(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    ops.peek = changing_peek;
    late_at = GUARD_BYTES;
    late_bytes = 16 * 16 * sizeof(float);
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_REJECTED, "late", "after it had said that it was done");
    end(&g);
}

/* Places used to be spread over the whole arena: of a word beside a megabyte nobody saw anything.
 */
static void a_small_output_that_changes_is_late_too(void **state)
{
    size_t large = 512 * 512 * sizeof(float);
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    ops.peek = changing_peek;
    late_at = GUARD_BYTES + large + GUARD_BYTES;
    late_bytes = sizeof(float);
    judge_on(&g,
             "problem { 'P', level = 1, id = 1 }\n"
             "sizes { full = { N = 512 }, small = { N = 512 } }\n"
             "output('y', relu(input('x', f32, { N, N })))\n"
             "output('z', relu(input('s', f32, { 1 })))\n",
             "op relu\ntime 10s\n");
    expect(&g, VERDICT_REJECTED, "late", "after it had said that it was done");
    assert_int_equal(timed(&g)->n_calls, 1);
    end(&g);
}

/* A wrong candidate that held all of the device's memory was `infra`: before anybody is called
 * wrong the honest run is made on that content, and there was no room for it. Call 9 is a scored
 * one. */
static void who_holds_all_memory_is_judged(void **state)
{
    static const struct {
        int allocs;
        const char *candidate;
        enum verdict_kind kind;
        const char *reason, *detail;
    } cases[] = {
        {ALLOC_ALONE, "op relu\ntime 10s\nwrong\nstderr 5B\n", VERDICT_WRONG, "max", "y["},
        {ALLOC_ALONE, "op relu\ntime 10s\nwrong at call 9\nstderr 5B\n", VERDICT_WRONG, "max",
         "y["},
        {ALLOC_ALONE, "time 10s\nstderr 5B\n", VERDICT_WRONG, "unwritten", "never written"},
        {ALLOC_ALONE, "op relu\ntime 10s\nstderr 5B\n", VERDICT_PASS, "", ""},
        {ALLOC_NEVER, "op relu\ntime 10s\nwrong\nstderr 5B\n", VERDICT_INFRA, "device",
         "out of memory"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct rig g;

        make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
        allocs = cases[i].allocs;
        judge(&g, cases[i].candidate);
        expect(&g, cases[i].kind, cases[i].reason, cases[i].detail);
        assert_non_null(timed(&g)->text); /* what it printed is not lost with its processes */
        end(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_wait_for_their_launches),
        cmocka_unit_test(warm_ups_are_judged_whatever_fits),
        cmocka_unit_test(large_contents_have_fewer_warm_ups),
        cmocka_unit_test(known_outputs_are_not_compared),
        cmocka_unit_test(the_next_candidate_is_known_by_its_outputs),
        cmocka_unit_test(work_on_several_streams_is_not_held),
        cmocka_unit_test(a_crowd_that_goes_leaves_the_hold),
        cmocka_unit_test(output_that_changes_behind_the_probe_is_late),
        cmocka_unit_test(a_small_output_that_changes_is_late_too),
        cmocka_unit_test(who_holds_all_memory_is_judged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
