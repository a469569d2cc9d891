/* SPDX-License-Identifier: MIT */
/* Problems of what a reference says about itself. */
#include "testing.h"

#include "problem/problem.h"

#include <string.h>

#define X "{\"name\": \"x\", \"dtype\": \"f32\", \"shape\": [4, 8]}"
#define Y "{\"name\": \"y\", \"dtype\": \"f32\", \"shape\": [4]}"
#define TEXT(inputs, params, outputs, more) \
    "{\"inputs\": [" inputs "], \"params\": [" params "], \"outputs\": [" outputs "]" more "}"
#define INIT ", \"init\": []"

static int load(const char *text, struct problem **ret, struct err *err)
{
    return problem_of_description(text, strlen(text), "ref:0123", ret, err);
}

static void a_whole_one(void **state)
{
    AUTO(problem_freep) struct problem *p = NULL;
    AUTO(buf_release) struct buf line = BUF_INIT, size = BUF_INIT;
    struct err err = ERR_INIT;

    (void)state;
    must(load(TEXT(X ", {\"name\": \"s\", \"value\": 2.5}, {\"name\": \"k\", \"dtype\": \"i64\", "
                     "\"shape\": []}",
                   "{\"name\": \"p0.weight\", \"dtype\": \"bf16\", \"shape\": [3], "
                   "\"state\": \"0.weight\"}",
                   Y,
                   ", \"mode\": \"eval\", \"init\": [1, {\"tuple\": [2.5, null]}, [true], \"a\"]"),
              &p, &err),
         &err);
    assert_string_equal(p->name, "ref:0123");
    for (int set = 0; set < SIZES_COUNT; set++) {
        const struct graph *g = p->sizes[set][0].graph;

        assert_int_equal(p->n_sizes[set], 1);
        assert_true(g->by_reference);
        assert_int_equal(g->n_sources, 3);
        assert_int_equal(g->n_inputs, 2);
        assert_int_equal(g->sources[2].dtype, DT_BF16);
        assert_int_equal(g->n_outputs, 1);
        assert_true(g->tolerance.rms == 16 && g->tolerance.max == 32);
    }
    construct_json(p, p->sizes[0][0].graph, &line);
    assert_string_equal(buf_str(&line),
                        "{\"init\": [1, [2.5, null], [true], \"a\"], "
                        "\"init_python\": \"[1, (2.5, None), [True], 'a']\", "
                        "\"forward\": [{\"input\": 0}, {\"value\": 2.5}, {\"input\": 1}], "
                        "\"state\": [\"0.weight\"], \"mode\": \"eval\"}");
    size_print(&p->sizes[0][0], &size);
    assert_string_equal(buf_str(&size), "[4, 8]");
}

/* Nobody knows what a reference reads, so only its outputs are bytes that must be moved. */
static void only_outputs_cost(void **state)
{
    AUTO(problem_freep) struct problem *p = NULL;
    struct err err = ERR_INIT;
    struct cost cost;

    (void)state;
    must(load(TEXT(X, "", Y, INIT), &p, &err), &err);
    graph_cost(p->sizes[SIZES_FULL][0].graph, &cost);
    assert_true(cost_bytes(&cost) == 16 && cost_contract_total(&cost) == 0);
}

static const struct {
    const char *text, *want;
} bad[] = {
    {"", "the reference's description cannot be read"},
    {"[1]", "the reference's description cannot be read"},
    {"{}", "the reference's description has no lists of tensors"},
    {TEXT("", "", Y, INIT), "get_inputs() returns no tensor"},
    {TEXT("{\"name\": \"s\", \"value\": 1}", "", Y, INIT), "get_inputs() returns no tensor"},
    {TEXT(X, "", "", INIT), "there is no output: end with output(\"y\", y)"},
    {TEXT(X, "", Y, ""), "get_init_inputs: at most 256 values in a list, 8 lists in one another"},
    {TEXT(X, "", Y, ", \"init\": [[[[[[[[[[1]]]]]]]]]]"),
     "get_init_inputs: at most 256 values in a list, 8 lists in one another"},
    {TEXT(X, "", Y, ", \"init\": [{\"a\": 1}]"),
     "get_init_inputs: at most 256 values in a list, 8 lists in one another"},
    {TEXT(X ", " X, "", Y, INIT), "there is already a tensor named x"},
    {TEXT(X, X, Y, INIT), "there is already a tensor named x"},
    {TEXT("{\"dtype\": \"f32\", \"shape\": [1]}", "", Y, INIT),
     "the reference describes a tensor without a name"},
    {TEXT("1", "", Y, INIT), "the reference describes a tensor without a name"},
    {TEXT("{\"name\": \"x\", \"dtype\": \"c64\", \"shape\": [1]}", "", Y, INIT),
     "x: there is no type 'c64'"},
    {TEXT("{\"name\": \"x\", \"dtype\": \"f32\", \"shape\": [0]}", "", Y, INIT),
     "x: a tensor has 1 to 70368744177664 elements and at most 8 dimensions"},
    {TEXT("{\"name\": \"x\", \"dtype\": \"f32\", \"shape\": [-1]}", "", Y, INIT),
     "x: a tensor has 1 to 70368744177664 elements and at most 8 dimensions"},
    {TEXT("{\"name\": \"x\", \"dtype\": \"f32\", \"shape\": [1.5]}", "", Y, INIT),
     "x: a tensor has 1 to 70368744177664 elements and at most 8 dimensions"},
    {TEXT("{\"name\": \"x\", \"dtype\": \"f32\", \"shape\": [4294967296, 4294967296]}", "", Y,
          INIT),
     "x: a tensor has 1 to 70368744177664 elements and at most 8 dimensions"},
    {TEXT("{\"name\": \"x\", \"dtype\": \"f32\", \"shape\": [1,1,1,1,1,1,1,1,1]}", "", Y, INIT),
     "x: a tensor has 1 to 70368744177664 elements and at most 8 dimensions"},
    {TEXT("{\"name\": \"x\", \"value\": \"1\"}", "", Y, INIT),
     "the reference describes an input that is no tensor or number"},
    {TEXT(X, "{\"name\": \"w\", \"dtype\": \"f32\", \"shape\": [1], \"state\": \"a b\"}", Y, INIT),
     "w: 'a b' is no name: letters, digits, '_' and '.'"},
};

static void bad_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        AUTO(problem_freep) struct problem *p = NULL;
        struct err err = ERR_INIT;

        if (load(bad[i].text, &p, &err) == 0)
            fail_msg("taken: %s", bad[i].text);
        if (strcmp(err.text, bad[i].want) != 0)
            fail_msg("%s\n  got  %s\n  want %s", bad[i].text, err.text, bad[i].want);
        assert_int_equal(err.kind, ERR_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_one),
        cmocka_unit_test(only_outputs_cost),
        cmocka_unit_test(bad_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
