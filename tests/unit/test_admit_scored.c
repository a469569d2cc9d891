/* SPDX-License-Identifier: MIT */
/* Admission's rules for scored contents: what each refuses, and what it leaves alone. */
#include "admit_rig.h"
#include "problem_rig.h"

#include "judge/admit_scored.h"

#define SEED 11

static const struct admit_case *find_rule(const struct admit_result *r, enum scored_rule rule)
{
    for (int i = 0; i < r->n_cases; i++)
        if (!strcmp(r->cases[i].name, scored_rule_names[rule]))
            return &r->cases[i];
    fail_msg("there is no case %s", scored_rule_names[rule]);
    return NULL;
}

static void admit(const char *text, uint64_t seed, struct admit_result *ret)
{
    AUTO(problem_freep) struct problem *p = load(text);
    struct err err = ERR_INIT;

    must(admit_on(&device_cpu, p, small(p), seed, ret, &err), &err);
    for (int i = 0; i < ret->n_cases; i++) /* the problem goes away */
        ret->cases[i].name = i < ret->n_cases - SCORED_COUNT
                                 ? ""
                                 : scored_rule_names[i + SCORED_COUNT - ret->n_cases];
}

struct rule_case {
    const char *laws; /* of an input x of N rows of N, with its type */
    enum scored_rule rule;
    enum admit_outcome outcome;
    const char *detail; /* part of it */
};

static const struct rule_case rule_cases[] = {
    {"f32, { N, N }", SCORED_LAWS, ADMIT_KEPT, "3 scored"},
    {"f32, { N, N }, spread()", SCORED_LAWS, ADMIT_BROKEN, "1 scored, at least 2"},
    {"f32, { N, N }, spread(), needle(), sorted(1)", SCORED_LAWS, ADMIT_BROKEN, "1 scored"},
    {"f32, { N, N }, spread(), spread()", SCORED_LAWS, ADMIT_BROKEN, "1 scored"},
    {"f32, { N, N }, spread(), check_only(heavy())", SCORED_LAWS, ADMIT_BROKEN, "1 scored"},
    {"f32, { N, N }, spread(), spread { scale = 2 }", SCORED_LAWS, ADMIT_KEPT, "2 scored"},

    {"f32, { N, N }", SCORED_ZEROS, ADMIT_KEPT, "0.00 %"}, /* its needle() is not scored */
    {"f8e4m3, { N, N }, normal(0, 0.005), spread()", SCORED_ZEROS, ADMIT_BROKEN,
     "x under normal: "},
    {"f8e4m3, { N, 1 }, normal(0, 0.005)", SCORED_ZEROS, ADMIT_BROKEN, "are 0, at most 1 %"},

    {"f32, { N, N }, spread(), normal(120, 1)", SCORED_NEIGHBOURS, ADMIT_KEPT, "at most 1 %"},
    {"bf16, { N, N }, spread(), normal(120, 1)", SCORED_NEIGHBOURS, ADMIT_BROKEN,
     "x under normal: "},
    {"f32, { N, N }, peaks(2, 8)", SCORED_NEIGHBOURS, ADMIT_BROKEN, "of neighbours are equal"},
    {"f8e4m3, { N, N }, spread(), heavy()", SCORED_NEIGHBOURS, ADMIT_KEPT, "at most 10 %"},
    {"f8e4m3, { N, N }, spread(), normal(120, 8)", SCORED_NEIGHBOURS, ADMIT_BROKEN, "at most 10 %"},
    {"f32, { N, 1 }, spread()", SCORED_NEIGHBOURS, ADMIT_NONE, "no float input"},

    {"f32, { N, N }", SCORED_ROWS, ADMIT_KEPT, "x under spread"},
    {"f32, { N, N }, normal(), uniform(0, 1), heavy()", SCORED_ROWS, ADMIT_KEPT, "x under heavy"},
    {"f32, { N, N }, normal(), bands(1, 2)", SCORED_ROWS, ADMIT_KEPT, "x under bands"},
    {"f32, { N, N }, normal(), uniform(0, 1)", SCORED_ROWS, ADMIT_BROKEN,
     "x: its rows share location and scale under every scored law"},
    {"f32, { N, N }, normal(), check_only(spread())", SCORED_ROWS, ADMIT_BROKEN, "x: its rows"},
    {"f32, { N, N }, peaks(64, 16)", SCORED_ROWS, ADMIT_BROKEN, "x: its rows"}, /* one scale */
    {"bf16, { 36, N }, paged(4)", SCORED_ROWS, ADMIT_BROKEN, "x: its rows"},
    {"bf16, { 36, N }, paged(4, 1, 1)", SCORED_ROWS, ADMIT_KEPT, "x under paged"},
    {"f32, { 7, N }, normal()", SCORED_ROWS, ADMIT_NONE, "no float input has 8 rows of 16"},
    {"f32, { N, 15 }, normal()", SCORED_ROWS, ADMIT_NONE, "no float input has 8 rows of 16"},
    {"f32, { 8, 3000 }, normal()", SCORED_ROWS, ADMIT_BROKEN, "x: its rows"}, /* in pieces */
    {"f32, { 8, 3000 }, spread()", SCORED_ROWS, ADMIT_KEPT, "x under spread"},
};

static void rules_are_judged_by_the_contents(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rule_cases); i++) {
        const struct rule_case *c = &rule_cases[i];
        AUTO(freep)
        char *text = xasprintf(HEAD "output('y', cast(input('x', %s), f32) * 3)", c->laws);
        struct admit_result r;

        admit(text, SEED, &r);

        const struct admit_case *found = find_rule(&r, c->rule);

        if (found->outcome != c->outcome || !strstr(found->detail, c->detail))
            fail_msg("%s: %s is %s: %s", c->laws, found->name, admit_outcome_names[found->outcome],
                     found->detail);
    }
}

/* Parameters, indices and masks are not asked: they give a problem its shape. */
static void only_float_inputs_are_asked(void **state)
{
    struct admit_result r;

    (void)state;
    admit(HEAD "local x = input('x', f32, { N, N })\n"
               "local i = input('i', i32, { N, N }, constant(3))\n"
               "local m = input('m', bool, { N, N }, bernoulli(0.5))\n"
               "local w = param('w', f32, { N, N }, bernoulli(0.5))\n"
               "output('y', where(m, x * cast(i, f32), x + w))\n",
          SEED, &r);
    for (int i = 0; i < SCORED_COUNT; i++)
        assert_int_equal(find_rule(&r, (enum scored_rule)i)->outcome, ADMIT_KEPT);
    assert_true(r.admitted);
}

/* Every input is asked, not the first one alone. */
static void a_second_input_breaks_a_rule(void **state)
{
    struct admit_result r;

    (void)state;
    admit(HEAD "local x = input('x', f32, { N, N })\n"
               "output('y', x * input('z', f32, { N, N }, normal()))\n",
          SEED, &r);
    assert_false(r.admitted);
    assert_string_equal(r.refusal,
                        "scored_rows: z: its rows share location and scale under every scored law");
}

static void a_problem_is_excused_with_a_reason(void **state)
{
    struct admit_result r;

    (void)state;
    admit(HEAD "nulls { skip = { scored_rows = 'a test' } }\n"
               "local x = input('x', f32, { N, N })\n"
               "output('y', x * input('z', f32, { N, N }, normal()))\n",
          SEED, &r);
    assert_true(r.admitted);
    assert_int_equal(find_rule(&r, SCORED_ROWS)->outcome, ADMIT_SKIPPED);
    assert_string_equal(find_rule(&r, SCORED_ROWS)->detail, "a test");
}

/* The rules look at a sample: another seed must not say otherwise of short rows either. */
static void seeds_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct admit_result own, alike;

        admit(HEAD "output('y', input('x', f32, { 8, 16 }, normal(), spread()) * 3)", seed, &own);
        admit(HEAD "output('y', input('x', f32, { 8, 16 }, normal(), uniform(-1, 1)) * 3)", seed,
              &alike);
        assert_int_equal(find_rule(&own, SCORED_ROWS)->outcome, ADMIT_KEPT);
        assert_int_equal(find_rule(&alike, SCORED_ROWS)->outcome, ADMIT_BROKEN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_judged_by_the_contents),
        cmocka_unit_test(only_float_inputs_are_asked),
        cmocka_unit_test(a_second_input_breaks_a_rule),
        cmocka_unit_test(a_problem_is_excused_with_a_reason),
        cmocka_unit_test(seeds_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
