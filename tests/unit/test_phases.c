/* SPDX-License-Identifier: MIT */
/* covers: src/base/clock.c */
/* The time of phases inside others. What a timer sees of the clock is compared with the clock
 * around it, never with a number. */
#include "testing.h"

#include "base/clock.h"
#include "base/util.h"
#include "terms/phases.h"

#include <string.h>

static void pass_time(void)
{
    uint64_t start = clock_ns();

    while (clock_ns() - start < 100000)
        ;
}

static void an_inner_phase_is_taken_off_the_outer_one(void **state)
{
    struct phases p = {{0}};
    uint64_t start = clock_ns();

    (void)state;
    {
        AUTO(phase_end) struct phase_timer outer = phase_begin(&p, PHASE_CHECKS);

        pass_time();
        {
            AUTO(phase_end) struct phase_timer inner = phase_begin(&p, PHASE_REMADE);

            pass_time();
        }
        assert_true(p.ms[PHASE_REMADE] > 0);
        assert_true(p.ms[PHASE_CHECKS] == 0);
    }
    assert_true(p.ms[PHASE_CHECKS] > 0);
    assert_true(p.ms[PHASE_CHECKS] + p.ms[PHASE_REMADE] <= clock_ms_since(start));
}

static void what_overlaps_is_not_taken_off(void **state)
{
    static const struct {
        enum phase phase;
        bool overlaps;
    } cases[] = {
        {PHASE_CANDIDATE, true}, {PHASE_TOTAL, true},   {PHASE_REMADE, false},
        {PHASE_AUDIT, false},    {PHASE_HONEST, false}, {PHASE_END, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct phases p = {{0}};
        struct phase_timer t = phase_begin(&p, PHASE_CHECKS);

        pass_time();
        p.ms[cases[i].phase] += 1e9; /* longer than any test takes: never below 0 */
        phase_end(&t);
        assert_int_equal(p.ms[PHASE_CHECKS] > 0, cases[i].overlaps);
        assert_true(p.ms[PHASE_CHECKS] >= 0);
    }
}

static void a_phase_ends_once_and_adds_up(void **state)
{
    struct phases p = {{0}};
    struct phase_timer t = phase_begin(&p, PHASE_START);
    double once;

    (void)state;
    pass_time();
    phase_end(&t);
    once = p.ms[PHASE_START];
    pass_time();
    phase_end(&t);
    assert_true(p.ms[PHASE_START] == once);

    t = phase_begin(&p, PHASE_START);
    pass_time();
    phase_end(&t);
    assert_true(p.ms[PHASE_START] > once);
}

static void every_phase_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < PHASE_COUNT; i++) {
        assert_non_null(phase_names[i]);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(phase_names[i], phase_names[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_inner_phase_is_taken_off_the_outer_one),
        cmocka_unit_test(what_overlaps_is_not_taken_off),
        cmocka_unit_test(a_phase_ends_once_and_adds_up),
        cmocka_unit_test(every_phase_has_a_name_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
