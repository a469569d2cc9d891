/* SPDX-License-Identifier: MIT */
/* Admission of problems: their nulls fail, and those that do not are told. */
#include "admit_rig.h"
#include "problem_rig.h"

/* The holes that the published suites had, each caught by the null that finds it. */
static void problems_with_holes_are_refused(void **state)
{
    static const struct {
        const char *text, *refusal;
    } cases[] = {
        {HEAD "output('y', relu(input('x', f32, { N, N }, uniform(0, 1))))",
         "null 'input_copy' passes"},
        {HEAD "output('y', input('x', f32, { N, N }) * 0)", "null 'zeros' passes"},
        {HEAD "output('y', input('x', f32, { N, N }) * 0 + 3)", "null 'constant' passes"},
        {HEAD "output('y', cast(cast(input('x', f32, { N, N }), bf16), f32))",
         "null 'lower_precision' passes"},
        {HEAD "local x = input('x', f32, { N, N })\noutput('y', (x * x + 1e6) - 1e6)",
         "honest error"}, /* amplifies rounding: no gate means anything */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(problem_freep) struct problem *p = load(cases[i].text);
        struct admit_result r;
        struct err err = ERR_INIT;

        assert_int_equal(admit_on(&device_cpu, p, small(p), 11, &r, &err), 0);
        if (r.admitted || !strstr(r.refusal, cases[i].refusal))
            fail_msg("case %zu: %s, expected %s", i, r.admitted ? "admitted" : r.refusal,
                     cases[i].refusal);
    }
}

static const struct admit_case *find_case(const struct admit_result *r, const char *name)
{
    for (int i = 0; i < r->n_cases; i++)
        if (!strcmp(r->cases[i].name, name))
            return &r->cases[i];
    fail_msg("there is no case %s", name);
    return NULL;
}

/* Nulls of the problem's own: one fails as it must, one is the answer itself. */
static void problems_bring_their_own_nulls(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "local a, b = input('a', f32, { N, N }), input('b', f32, { N })\n"
                                  "output('y', a * b)\nnull('b_ignored', a)\n"
                                  "null('turned_round', b * a, { precision = 'f32' })\n");
    struct admit_result r;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(admit_on(&device_cpu, p, small(p), 11, &r, &err), 0);
    assert_int_equal(find_case(&r, "b_ignored")->outcome, ADMIT_CAUGHT);
    assert_int_equal(find_case(&r, "turned_round")->outcome, ADMIT_MISSED);
    assert_false(r.admitted);
    assert_string_equal(r.refusal, "null 'turned_round' passes");
}

/* Without the contract the same rows do not refuse a plain sum. */
static void plain_sums_are_a_null_where_the_problem_says_so(void **state)
{
    static const char body[] =
        HEAD "local x = input('x', f32, { 4, 64 * N }, peaks(64, 16.65), spread())\n"
             "output('y', softmax(x))\n";
    static const char *const contract[] = {
        "", "tolerance { sums = 'compensated', rms = 3, max = 4, why = 'a test' }\n"};
    static const enum admit_outcome want[] = {ADMIT_NONE, ADMIT_CAUGHT};

    (void)state;
    for (int i = 0; i < 2; i++) {
        AUTO(freep) char *text = xasprintf("%s%s", body, contract[i]);
        AUTO(problem_freep) struct problem *p = load(text);
        struct admit_result r;
        struct err err = ERR_INIT;

        assert_int_equal(admit_on(&device_cpu, p, small(p), 11, &r, &err), 0);
        assert_true(r.admitted);
        assert_int_equal(find_case(&r, "plain_sums")->outcome, want[i]);
    }
}

static void skips_need_the_problem_to_say_so(void **state)
{
    AUTO(problem_freep)
    struct problem *p =
        load(HEAD "nulls { skip = { input_copy = 'a test' } }\n"
                  "output('y', relu(input('x', f32, { N, N }, uniform(0, 1), bands(0, 1))))");
    struct admit_result r;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(admit_on(&device_cpu, p, small(p), 11, &r, &err), 0);
    assert_true(r.admitted);
    assert_int_equal(find_case(&r, "input_copy")->outcome, ADMIT_SKIPPED);
}

static void a_skip_of_an_unknown_null_is_an_error(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "nulls { skip = { zeroes = 'a test' } }\n"
                                  "output('y', relu(input('x', f32, { N, N })))");
    struct admit_result r;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(admit_on(&device_cpu, p, small(p), 11, &r, &err), -1);
    assert_string_equal(err.text,
                        "p.lua: nulls.skip: there is no null 'zeroes'; did you mean zeros");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_with_holes_are_refused),
        cmocka_unit_test(problems_bring_their_own_nulls),
        cmocka_unit_test(plain_sums_are_a_null_where_the_problem_says_so),
        cmocka_unit_test(skips_need_the_problem_to_say_so),
        cmocka_unit_test(a_skip_of_an_unknown_null_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
