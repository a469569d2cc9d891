/* SPDX-License-Identifier: MIT */
/* alone: it measures time */
/* covers: src/measure/audit.c src/measure/score.c src/measure/trial.c */
/* How the judge times a device that can be held back and whose clock is only a claim. */
#include "timing_rig.h"

#include <math.h>

/* Every look at memory waits while a runner lives, as if it had said too early that it was done. It
 * waits for 25 ms, so that a busy machine adds little to that. */
static int late_peek(void *ctx, const struct mem *m, const struct peeks *where, uint32_t *ret_words,
                     struct err *err)
{
    const struct timespec wait = {.tv_nsec = 25000000};

    if (any_child())
        nanosleep(&wait, NULL);
    return device_fake.judge->peek(ctx, m, where, ret_words, err);
}

static void an_honest_claim_passes_at_once(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_true(timed(&g)->held);
    assert_false(timed(&g)->host_bound);
    assert_true(timed(&g)->hidden_ns == 0);
    assert_true(timed(&g)->cold.median == 10e9);
    assert_int_equal(timed(&g)->runs, 1);
    end(&g);
}

/* 5 ms on the way to a device that is held, where calibration saw a tenth of a millisecond. */
static void work_before_the_release_counts(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    usual.hold_max_ns = 1e5;
    judge(&g, "op relu\ntime 10s\nearly 5ms\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_true(timed(&g)->hold_ns >= 5e6);
    assert_true(timed(&g)->hidden_ns == 0);
    assert_true(timed(&g)->cold.median >= 10e9 + 4.8e6);
    end(&g);
}

/* A little in every call is below what single ones may take, and shows in their median; and no call
 * is charged twice. */
static void a_little_in_every_call_counts(void **state)
{
    struct rig g;

    (void)state;
    for (int both = 0; both < 2; both++) {
        make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
        usual.hold_low_ns = 1e5;
        usual.hold_max_ns = both ? 1e5 : 1e9;
        judge(&g, "op relu\ntime 10s\nearly 5ms\n");
        expect(&g, VERDICT_PASS, "", "");
        assert_true(timed(&g)->hidden_ns >= 4.8e6);
        assert_true(timed(&g)->cold.median >= 10e9 + 4.8e6);
        assert_true(timed(&g)->cold.median <= 10e9 + timed(&g)->hold_ns);
        end(&g);
    }
}

/* What the judge's probe waits for behind "done" is part of the call. */
static void work_after_done_counts(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    ops.peek = late_peek;
    usual.probe_max_ns = 20e6; /* from 30 ms on it would be rejected */
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_true(timed(&g)->cold.median >= 10e9 + 4e6);
    end(&g);
}

/* What the judge's clock sees of held calls beyond their claims is added: 2 ms of 500, which the
 * audit allows, less 0.1 % of the claim. Seven of the twelve scored calls really take as long, in
 * either run, so the median is one of the quickest two of them, however busy the machine is. */
static void what_the_claim_leaves_out_counts(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    judge(&g, "op relu\ntime 500ms\n"
              "sleep 502ms at call 9\nsleep 502ms at call 10\nsleep 502ms at call 11\n"
              "sleep 502ms at call 12\nsleep 502ms at call 13\nsleep 502ms at call 14\n"
              "sleep 502ms at call 15\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_true(timed(&g)->held);
    assert_true(timed(&g)->hidden_ns >= 1.4e6 && timed(&g)->hidden_ns <= 4.6e6);
    assert_true(fabs(timed(&g)->cold.median - 500e6 - timed(&g)->hidden_ns) < 1);
    end(&g);
}

/* The time that is added does not make a claim true: 30 ms of work behind the release, 10 us
 * claimed, as long again before it. */
static void what_is_hidden_excuses_no_claim(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    usual.hold_max_ns = 1e5;
    judge(&g, "op relu\ntime 10us\nearly 30ms\nsleep 30ms\n");
    expect(&g, VERDICT_REJECTED, "clock", "the runner claims 10.0 us a call");
    end(&g);
}

/* What is queued comes before the content: nobody can work on it, and it is not part of the time.
 */
static void queueing_hides_nothing(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    usual.hold_max_ns = 1e6;
    judge(&g, "op relu\ntime 10s\nqueue 50ms\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_true(timed(&g)->queue_ns >= 50e6);
    assert_true(timed(&g)->cold.median < 10e9 + 40e6);
    end(&g);
}

/* Call 9 is a scored one: what was held and what was not do not mix. */
static void a_late_wait_starts_over_without_a_hold(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, DEVICE_HOLD_MS);
    judge(&g, "op relu\nsync at call 9\ntime 10s\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_false(timed(&g)->held);
    assert_int_equal(timed(&g)->n_samples, 12);
    end(&g);
}

static void a_lie_is_confirmed_and_rejected(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    judge(&g, "op relu\ntime 1us\nsleep 5ms\n");
    expect(&g, VERDICT_REJECTED, "clock", "the runner claims 1.0 us a call");
    assert_int_equal(timed(&g)->runs, 2);
    end(&g);
}

/* The same without a hold. */
static void a_lie_of_one_who_waits_is_rejected(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, DEVICE_HOLD_MS);
    judge(&g, "op relu\nsync\ntime 1us\nsleep 5ms\n");
    expect(&g, VERDICT_REJECTED, "clock", "the runner claims 1.0 us a call");
    assert_false(timed(&g)->held);
    end(&g);
}

/* Slow only where the hot calls are: 21 and 22, and 16 and 17 in the second run (in the first they
 * are two of twelve scored ones). The others are far faster than claimed, whatever the load. */
static void a_lie_about_hot_calls_is_rejected(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    judge(&g, "op relu\ntime 40ms\n"
              "sleep 200ms at call 16\nsleep 200ms at call 17\n"
              "sleep 200ms at call 21\nsleep 200ms at call 22\n");
    expect(&g, VERDICT_REJECTED, "clock", "calls back to back");
    assert_int_equal(timed(&g)->runs, 2);
    end(&g);
}

static void work_that_runs_on_is_rejected(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    children_slow = 1;
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_REJECTED, "busy", "goes on between calls");
    assert_int_equal(timed(&g)->runs, 3); /* with a hold, without, and once more */
    end(&g);
}

static void work_after_done_is_rejected(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    ops.peek = late_peek;
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_REJECTED, "busy", "a probe after its calls");
    assert_true(timed(&g)->busy.probe_ns > timed(&g)->idle.probe_ns);
    end(&g);
}

/* Somebody else's work that came and went is no verdict. */
static void a_passing_disturbance_is_forgiven(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    children_slow = slow_once = 1;
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_int_equal(timed(&g)->runs, 3);
    end(&g);
}

static void somebody_elses_work_is_infra(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    always_slow = 1;
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_INFRA, "device", "the device is busy");
    end(&g);
}

#define MAX_CONTENTS 64

/* One content, one score: 14 of 30 scored calls repeated a content, and who remembered answers
 * owned the median. */
static void assert_contents(const struct trial_result *t, int runs, int laws, int first)
{
    int shown[MAX_CONTENTS] = {0}, met[PLAN_MAX_RUNNERS][8] = {0};

    assert_true(t->n_samples >= PLAN_LEAST_CALLS && t->n_samples % runs == 0);
    for (int i = 0; i < t->n_samples; i++) {
        const struct sample *s = &t->samples[i];

        assert_true(s->content >= first && s->content < MAX_CONTENTS);
        assert_int_equal(shown[s->content]++, 0);
        assert_true(s->run >= 0 && s->run < runs && s->law >= 0 && s->law < laws);
        met[s->run][s->law]++;
    }
    for (int law = 0; law < laws; law++) {
        int all = 0;

        for (int run = 0; run < runs; run++) {
            assert_true(met[run][law] > 0);
            all += met[run][law];
        }
        assert_true(all >= PLAN_FRESH_LAW);
    }
}

/* The problem's first laws are scored, and the one behind them is not. Checks come first: one
 * content of every law. */
static void no_content_is_scored_twice(void **state)
{
    static const struct {
        int runners, laws;
        const char *text;
        int64_t memory_bytes; /* 0: all contents fit */
    } cases[] = {
        {1, 2, "spread(), normal()", 0},          {3, 2, "spread(), normal()", 0},
        {3, 3, "spread(), normal(), heavy()", 0}, {2, 2, "spread(), normal()", 0},
        {3, 2, "spread(), normal()", 250000},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(freep)
        char *problem = xasprintf("problem { 'P', level = 1, id = 1 }\n"
                                  "sizes { full = { N = 64 }, small = { N = 16 } }\n"
                                  "output('y', relu(input('x', f32, { N, N }, %s,\n"
                                  "                       check_only(needle()))))\n",
                                  cases[i].text);
        struct rig g;

        make_device(CLOCK_CLAIM, 0);
        n_runners = cases[i].runners;
        memory_bytes = cases[i].memory_bytes;
        judge_on(&g, problem, "op relu\ntime 10us\n");
        memory_bytes = 0;
        expect(&g, VERDICT_PASS, "", "");
        assert_int_equal(pool_keeps(&g.session->pools[0], PLAN_LEAST_CALLS),
                         !cases[i].memory_bytes);
        assert_contents(timed(&g), cases[i].runners, cases[i].laws, cases[i].laws + 1);
        end(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_honest_claim_passes_at_once),
        cmocka_unit_test(work_before_the_release_counts),
        cmocka_unit_test(a_little_in_every_call_counts),
        cmocka_unit_test(work_after_done_counts),
        cmocka_unit_test(what_the_claim_leaves_out_counts),
        cmocka_unit_test(what_is_hidden_excuses_no_claim),
        cmocka_unit_test(queueing_hides_nothing),
        cmocka_unit_test(a_late_wait_starts_over_without_a_hold),
        cmocka_unit_test(a_lie_is_confirmed_and_rejected),
        cmocka_unit_test(a_lie_of_one_who_waits_is_rejected),
        cmocka_unit_test(a_lie_about_hot_calls_is_rejected),
        cmocka_unit_test(work_that_runs_on_is_rejected),
        cmocka_unit_test(work_after_done_is_rejected),
        cmocka_unit_test(a_passing_disturbance_is_forgiven),
        cmocka_unit_test(somebody_elses_work_is_infra),
        cmocka_unit_test(no_content_is_scored_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
