/* SPDX-License-Identifier: MIT */
/* covers: src/run/candidates.c src/base/ydoc.c */
/* Plans of a run: what they say, and what is refused. */
#include "candidates_rig.h"

#include "problem/problem.h"
#include "run/plan_file.h"
#include "run/run.h"

#include <string.h>

static int load(const char *text, struct run_settings *s, struct candidates *c, struct err *err)
{
    put(".", "plan.yaml", text);
    return plan_file_load("plan.yaml", share(), s, c, err);
}

static void plans_that_are_refused(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", "plan.yaml: line 1: the file is empty"},
        {"- a\n", "plan.yaml: line 1: this has to be a map"},
        {"name: a\n\nsize: small\n",
         "plan.yaml: line 3: unknown key 'size'; did you mean 'sizes'?"},
        {"name: a\nname: b\n", "plan.yaml: line 2: 'name' is given twice"},
        {"sizes: huge\n",
         "plan.yaml: line 1: 'sizes' takes auto, small, medium or full, not 'huge'"},
        {"name: a\nweights: often\n",
         "plan.yaml: line 2: 'weights' takes one of per_call, fixed, seed, not 'often'"},
        {"repeats: many\n", "plan.yaml: line 1: 'repeats' takes a whole number"},
        {"repeats: 0\n", "plan.yaml: line 1: 'repeats' takes a whole number from 1 to 100"},
        {"limits:\n  call_ms: 5\n  calls: 1\n", "plan.yaml: line 3: unknown key 'calls'"},
        {"candidates:\n  - model: a\n    problem: level1/19\n",
         "plan.yaml: line 2: a candidate needs model, file, and either problem or ref"},
        {"candidates:\n  - model: a\n    fil: x\n", "plan.yaml: line 3: unknown key 'fil'"},
        {"candidates: x\n", "plan.yaml: line 1: 'candidates' takes a list"},
        {"folders: [nowhere]\n", "plan.yaml: line 1: nowhere: No such file"},
        {"problems: [level1/998]\n", "plan.yaml: line 1: there is no problem 'level1/998'"},
        {"name: [a\n", "plan.yaml: line 2: did not find expected"},
        {"a: &a [*a]\n", "plan.yaml: line"},
        {"folders:\n", "plan.yaml: line 1: 'folders' takes a list of names"},
        {"models: [a, b,\n a]\n", "plan.yaml: line 2: model a is given twice"},
        {"models: [\"a\\e[31m\"]\n", "plan.yaml: line 1: the model's name is no plain text"},
        {"problems:\n- level1/19\n- 1/19\n",
         "plan.yaml: line 3: problem level1/019_relu is given twice"},
        {"candidates:\n- { model: \"a\\nb\", problem: level1/19, file: a.c }\n",
         "plan.yaml: line 2: the model's name is no plain text"},
        {"name: \"a\\0b\"\n", "plan.yaml: line 1: a text with a NUL in it"},
        {"name: a\n---\nrepeats: 3\n", "plan.yaml: line 3: a second YAML document"},
        {"name: a\n---\n[\n", "plan.yaml: line"},
        {"models: [a, b, c, d, e, f, g, h, i, j, k]\nsamples: 10000\n"
         "problems: [1/1, 1/2, 1/3, 1/4, 1/5, 1/6, 1/7, 1/8, 1/9, 1/10]\n",
         "plan.yaml: line 2: models x problems x samples are more than 1000000 cells"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(run_settings_release) struct run_settings s = {0};
        AUTO(candidates_release) struct candidates c = {0};
        struct err err = ERR_INIT;

        assert_int_equal(load(cases[i].text, &s, &c, &err), -1);
        assert_int_equal(err.kind, ERR_INPUT);
        if (!strstr(err.text, cases[i].want))
            fail_msg("case %zu: '%s', wanted '%s'", i, err.text, cases[i].want);
    }
}

static void a_plan(void **state)
{
    AUTO(run_settings_release) struct run_settings s = {0};
    AUTO(candidates_release) struct candidates c = {0};
    struct err err = ERR_INIT;

    (void)state;
    put(".", "gen/m1/level1_19/sample0.c", "a");
    put(".", "gen/m1/level1_19/sample5.c", "a");
    put(".", "gen/m1/level1_20/sample0.c", "a");
    put(".", "gen/m3/level1_19/sample0.c", "a");
    assert_int_equal(load("name: night\n"
                          "sizes: full\n"
                          "device: cuda:1\n"
                          "repeats: 2\n"
                          "weights: fixed\n"
                          "limits: { build_ms: 1, call_ms: 2, check_ms: 3, timing_ms: 4 }\n"
                          "folders: gen\n"
                          "models: [m1, m2]\n"
                          "problems: [level1_19, level1/023_softmax]\n"
                          "samples: 2\n"
                          "candidates:\n"
                          "  - { model: m2, problem: level1/19, sample: 1, file: own.c }\n",
                          &s, &c, &err),
                     0);
    assert_string_equal(s.name, "night");
    assert_string_equal(size_choice_names[s.sizes], "full");
    assert_string_equal(s.device, "cuda:1");
    assert_int_equal(s.repeats, 2);
    assert_int_equal(s.weights, WEIGHTS_FIXED);
    assert_int_equal(s.build_ms + 10 * s.call_ms + 100 * s.check_ms + 1000 * s.timing_ms, 4321);
    /* 2 models x 2 problems x 2 samples; what nobody wrote is there, and skipped */
    assert_int_equal(c.n, 8);
    assert_null(find(&c, "m1", "level1/019_relu", 0)->skipped);
    assert_non_null(strstr(find(&c, "m1", "level1/019_relu", 1)->skipped, "no candidate"));
    assert_null(find(&c, "m2", "level1/019_relu", 1)->skipped);
    assert_string_equal(find(&c, "m2", "level1/019_relu", 1)->origin, "plan.yaml: line 12");
    assert_non_null(find(&c, "m2", "level1/023_softmax", 1));
    assert_int_equal(c.n_problems, 2);
}

/* A problem whose candidates were all left out used to be one of the run's, with nothing in it. */
static void problems_of_left_out_models(void **state)
{
    AUTO(run_settings_release) struct run_settings s = {0};
    AUTO(candidates_release) struct candidates c = {0};
    struct err err = ERR_INIT;

    (void)state;
    put(".", "all/m1/level1_20/sample0.c", "a");
    put(".", "all/m2/level1_19/sample0.c", "a");
    put(".", "all/m2/level1_23/sample0.c", "a");
    assert_int_equal(load("folders: all\nmodels: [m2]\n", &s, &c, &err), 0);
    assert_int_equal(c.n, 2);
    assert_int_equal(c.n_problems, 2);
    for (int i = 0; i < c.n; i++)
        assert_string_equal(c.problems[c.items[i].problem_at].name, c.items[i].problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_that_are_refused),
        cmocka_unit_test(a_plan),
        cmocka_unit_test(problems_of_left_out_models),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
