/* SPDX-License-Identifier: MIT */
/* The score from scored calls: one median a law, and two groups of times. */
#include "testing.h"

#include "base/util.h"
#include "measure/score.h"
#include "terms/plan.h"

#define MOST 400

static struct sample samples[MOST];
static int n;

static void begin(void)
{
    n = 0;
}

/* `count` calls of one law that take about so long: 1 ns apart, around the middle. */
static void add(int law, int count, double ns)
{
    for (int i = 0; i < count; i++, n++)
        samples[n] = (struct sample){
            .ns = ns + i - (count - 1) / 2.0, .law = law, .content = n, .in = n % 2};
}

static void laws_that_agree_share_a_median(void **state)
{
    (void)state;
    begin();
    add(0, 10, 100000);
    add(1, 10, 100900); /* within 1 % */

    struct score s = score_of(samples, n, 1);

    assert_int_equal(s.law, -1);
    assert_true(s.cold.median > 100000 && s.cold.median < 100900);
    assert_true(s.cold.lo <= s.cold.median && s.cold.median <= s.cold.hi);
}

/* A candidate was quick on sparse inputs, and its median was that of the quick ones. */
static void the_slowest_law_binds(void **state)
{
    (void)state;
    begin();
    add(0, 10, 100000);
    add(2, 20, 30000);
    add(3, 10, 99500);

    struct score s = score_of(samples, n, 1);

    assert_int_equal(s.law, 0);
    assert_true(s.cold.median == 100000);
    assert_true(s.cold.hi - s.cold.lo < 10);
}

/* Noise is no difference: each median lies in the other's interval. */
static void wide_intervals_agree(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 20; i++)
        samples[n++] =
            (struct sample){.ns = 1000 + 37 * ((i * 7) % 20), .law = i % 2, .content = i};

    struct score s = score_of(samples, n, 1);

    assert_int_equal(s.law, -1);
}

static void two_groups_of_times_are_bimodal(void **state)
{
    static const struct {
        int slow;
        double ns;
        bool want;
    } cases[] = {
        {4, 120, true},   {16, 120, true},  {3, 120, false}, /* less than a fifth */
        {17, 120, false}, {10, 109, false},                  /* a gap of less than 10 % */
    };

    (void)state;
    for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
        begin();
        for (int i = 0; i < 20; i++)
            samples[n++] = (struct sample){.ns = i < cases[c].slow ? cases[c].ns * 1e3 : 1e5};

        struct score s = score_of(samples, n, 1);

        assert_int_equal(s.bimodal, cases[c].want);
        if (cases[c].want)
            assert_false(s.settled);
    }
}

/* Where a buffer lies may matter, and so may the process, and what is in the buffer. */
static void places_may_differ(void **state)
{
    (void)state;
    for (int what = 0; what < 4; what++) {
        begin();
        for (int i = 0; i < 40; i++) {
            struct sample *s = &samples[n++];
            int other = i % 2;

            *s = (struct sample){.ns = other ? 2e5 : 1e5};
            *(what == 0 ? &s->law : what == 1 ? &s->run : what == 2 ? &s->in : &s->out) = other;
        }
        assert_false(score_of(samples, n, 2).bimodal);
    }
}

static void one_late_call_is_no_group(void **state)
{
    (void)state;
    begin();
    add(0, 3, 1000);
    samples[2].ns = 5000;
    for (int i = 0; i < n; i++)
        samples[i].in = 0;
    assert_false(score_of(samples, n, 1).bimodal);
}

/* The other calls make the score: what slow calls took before they began excuses nothing. */
static void heads_of_slow_calls_do_not_count(void **state)
{
    (void)state;
    begin();
    add(0, 20, 1000);
    for (int i = 0; i < n; i++) {
        samples[i].ns = i < 12 ? 1000 : 1200;
        samples[i].head_ns = i < 12 ? 500 + i : 100;
    }
    assert_true(score_head(samples, n, 0, 150) == 500);
    assert_true(score_head(samples, n, 1, 150) == 511);
    assert_true(score_head(samples, n, 0, 250) == 100);
    assert_true(score_head(NULL, 0, 0.1, 150) == 0);
}

static void without_samples_nothing_is_settled(void **state)
{
    struct score s = score_of(NULL, 0, 3);

    (void)state;
    assert_false(s.settled);
    assert_int_equal(s.law, -1);
    assert_true(s.cold.median == 0);
    assert_true(score_median(NULL, 0, offsetof(struct sample, ns)) == 0);
}

/* Fewer contents than 30 where they are dear, but 6 of each law, and whole rounds. */
static void enough_contents_of_every_law(void **state)
{
    static const struct {
        int runners, laws, min_calls, fresh, least;
    } cases[] = {
        {1, 2, 30, 16, 30}, {1, 3, 30, 18, 30}, {1, 4, 8, 24, 24},
        {3, 2, 30, 18, 30}, {3, 3, 8, 18, 18},  {8, 3, 384, 24, 384},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct plan p = PLAN_DEFAULT;

        p.runners = cases[i].runners;
        p.min_calls = cases[i].min_calls;
        assert_int_equal(plan_fresh(&p, cases[i].laws), cases[i].fresh);
        assert_int_equal(plan_least_calls(&p, cases[i].laws), cases[i].least);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_that_agree_share_a_median),
        cmocka_unit_test(the_slowest_law_binds),
        cmocka_unit_test(wide_intervals_agree),
        cmocka_unit_test(two_groups_of_times_are_bimodal),
        cmocka_unit_test(places_may_differ),
        cmocka_unit_test(one_late_call_is_no_group),
        cmocka_unit_test(heads_of_slow_calls_do_not_count),
        cmocka_unit_test(without_samples_nothing_is_settled),
        cmocka_unit_test(enough_contents_of_every_law),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
