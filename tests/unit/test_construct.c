/* SPDX-License-Identifier: MIT */
/* covers: src/problem/declare_module.c */
/* What a file says about published PyTorch modules. Bodies start at line 3, behind HEAD. */
#include "problem_text_rig.h"

#include <string.h>

static const struct {
    const char *text, *want; /* the message behind "p.lua:" */
} bad[] = {
    {"init(1)", "1: init comes after problem { ... } and sizes { ... }"},
    {"problem { 't' } scalar('s', 1)", "1: scalar comes after problem { ... } and sizes { ... }"},
    {HEAD "init(1)\ninit(1)", "4: init comes once"},
    {HEAD X "init(x)",
     "4: init: argument 1 is a tensor: numbers, booleans, strings, nil, lists and "
     "tuple(...) only"},
    {HEAD "init(1, { 2, relu })", "3: init: argument 2 is a function: numbers, booleans, strings, "
                                  "nil, lists and tuple(...) only"},
    {HEAD "init(spread())", "3: init: argument 1 is a userdata: numbers, booleans, strings, nil, "
                            "lists and tuple(...) only"},
    {HEAD "init({ k = 3 })", "3: init: argument 1: a list has no names and no nil in it"},
    {HEAD "init(1, { 1, k = 3 })", "3: init: argument 2: a list has no names and no nil in it"},
    {HEAD "init({ 1, nil, 2, nil, 3, nil })",
     "3: init: argument 1: a list has no names and no nil in it"},
    {HEAD "init(1 / 0)", "3: init: argument 1 is not finite"},
    {HEAD "init(2, { { 0 / 0 } })", "3: init: argument 2 is not finite"},
    {HEAD "local t = {} for i = 1, 300 do t[i] = i end init(t)",
     "3: init: argument 1: at most 256 values in a list, 8 lists in one another"},
    {HEAD "local t = {} for i = 1, 20 do t = { t } end init(t)",
     "3: init: argument 1: at most 256 values in a list, 8 lists in one another"},
    {HEAD "local t = {} t[1] = t init(t)",
     "3: init: argument 1: at most 256 values in a list, 8 lists in one another"},
    {HEAD "scalar('s')", "3: write scalar(\"name\", value)"},
    {HEAD "scalar(3.14)", "3: write scalar(\"name\", value)"},
    {HEAD "scalar('s', 1, 2)", "3: write scalar(\"name\", value)"},
    {HEAD "scalar('s', '3')", "3: scalar s: a number is wanted, not string"},
    {HEAD X "scalar('s', x)", "4: scalar s: a number is wanted, not tensor"},
    {HEAD "scalar('s', math.huge)", "3: scalar s is not finite"},
    {HEAD "scalar('2s', 1)", "3: scalar: '2s' is no tensor name: letters, digits, '_' and '.', a "
                             "letter first"},
    {HEAD X "scalar('x', 1)", "4: scalar: there is already a tensor named x"},
    {HEAD "scalar('x', 1)\n" X, "4: input: there is already a tensor named x"},
    {HEAD "state 'weight'", "3: state takes a table: state { ... }"},
    {HEAD "state { 'weight' }", "3: write state { parameter = \"name in the module\" }"},
    {HEAD "param('w', f32, { N }) state { w = 1 }",
     "3: write state { parameter = \"name in the module\" }"},
    {HEAD "state { w = 'weight' }",
     "3: state: there is no parameter w; state comes behind them all"},
    {HEAD X "state { x = 'weight' }",
     "4: state: there is no parameter x; state comes behind them all"},
    {HEAD "param('w', f32, { N }) state { w = '' }", "3: state: the module's name of w is empty"},
    {HEAD "param('w', f32, { N })\nstate { w = 'a' }\nstate { w = 'b' }", "5: state comes once"},
    {"problem { 't', mode = 'test' }", "1: problem: mode can only be \"train\" or \"eval\""},
    {"problem { 't', mode = 1 }", "1: problem: mode can only be \"train\" or \"eval\""},
    {"problem { 't', foreign = true }", "1: problem: foreign must be a string, not boolean"},
    {"problem { 't', foreing = 'x' }", "1: problem: unknown key 'foreing': did you mean foreign?"},
};

static void test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        AUTO(problem_freep) struct problem *p = NULL;
        AUTO(freep) char *want = xasprintf("p.lua:%s", bad[i].want);
        struct err err = ERR_INIT;

        if (load(bad[i].text, &p, &err) == 0)
            fail_msg("loaded:\n%s", bad[i].text);
        if (strcmp(err.text, want) != 0)
            fail_msg("%s\n  got  %s\n  want %s", bad[i].text, err.text, want);
    }
}

/* Two parameters under one name: which of them is named first is Lua's order of keys. */
static void test_one_name_twice(void **state)
{
    AUTO(problem_freep) struct problem *p = NULL;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(load(HEAD "param('v', f32, { N }) param('w', f32, { N })\n"
                               "state { v = 'a', w = 'a' }",
                          &p, &err),
                     -1);
    assert_non_null(strstr(err.text, "p.lua:4: state: "));
    assert_non_null(strstr(err.text, " are both named a"));
}

static void expect_json(const struct problem *p, enum size_set set, const char *want)
{
    AUTO(buf_release) struct buf line = BUF_INIT;

    construct_json(p, p->sizes[set][0].graph, &line);
    assert_string_equal(buf_str(&line), want);
}

/* Every kind of value, at two sizes. */
static void test_values(void **state)
{
    AUTO(problem_freep) struct problem *p = NULL;

    (void)state;
    must_load(HEAD X "init(N, N * 1.0, 1e-5, 0.1, -3, true, false, nil, 'a\\'\"\\\\\\n',\n"
                     "  { N, { 2, 'x' } }, {}, tuple(N, 1), tuple(N), tuple(), nil)\n" Y,
              &p);
    expect_json(p, SIZES_FULL,
                "{\"init\": [8, 8.0, 1e-05, 0.1, -3, true, false, null, \"a'\\\"\\\\\\u000a\", "
                "[8, [2, \"x\"]], [], [8, 1], [8], [], null], "
                "\"init_python\": \"[8, 8.0, 1e-05, 0.1, -3, True, False, None, "
                "'a\\\\'\\\"\\\\\\\\\\\\u000a', [8, [2, 'x']], [], (8, 1), (8,), (), None]\", "
                "\"forward\": [{\"input\": 0}], \"state\": [], \"mode\": \"train\"}");

    AUTO(buf_release) struct buf small = BUF_INIT;

    assert_true(construct_init(p->sizes[SIZES_SMALL][0].graph, &small));
    assert_string_equal(buf_str(&small),
                        "[6, 6.0, 1e-05, 0.1, -3, True, False, None, 'a\\'\"\\\\\\u000a', "
                        "[6, [2, 'x']], [], (6, 1), (6,), (), None]");
}

/* init() and no init: the first has no arguments, the second no constructor. */
static void test_no_arguments(void **state)
{
    AUTO(problem_freep) struct problem *p = NULL;
    AUTO(buf_release) struct buf none = BUF_INIT;

    (void)state;
    must_load("problem { 't', mode = 'eval', foreign = 'why' }\n"
              "sizes { full = { B = 4, N = 8 }, small = { B = 2, N = 6 } }\n" X
              "if N == 8 then init() end\n" Y,
              &p);
    assert_string_equal(p->foreign, "why");
    expect_json(p, SIZES_FULL,
                "{\"init\": [], \"init_python\": \"[]\", \"forward\": [{\"input\": 0}], "
                "\"state\": [], \"mode\": \"eval\"}");
    expect_json(p, SIZES_SMALL,
                "{\"init\": null, \"init_python\": null, \"forward\": [{\"input\": 0}], "
                "\"state\": [], \"mode\": \"eval\"}");
    assert_false(construct_init(p->sizes[SIZES_SMALL][0].graph, &none));
    assert_int_equal(none.len, 0);
}

/* Parameters between the inputs do not count; scalars may come first, last and side by side. */
static void test_forward(void **state)
{
    static const struct {
        const char *name;
        int input;
    } want[] = {{"first", -1}, {"x", 0}, {"s", -1}, {"t", -1}, {"z", 1}, {"last", -1}};
    AUTO(problem_freep) struct problem *p = NULL;

    (void)state;
    must_load(HEAD "scalar('first', 1)\n" X "local w = param('w', f32, { N })\n"
                   "local s = scalar('s', 2.5) + scalar('t', 3)\n"
                   "local z = input('z', f32, { B, N })\n"
                   "local v = param('a.v', f32, { N })\n"
                   "state { w = 'weight' }\n"
                   "output('y', (x * w + z * v) * s * scalar('last', -1))\n",
              &p);

    const struct graph *g = p->sizes[SIZES_SMALL][0].graph;

    assert_int_equal(construct_n_forward(g), ARRAY_SIZE(want));
    for (int k = 0; k < (int)ARRAY_SIZE(want); k++) {
        struct forward_arg a = construct_forward(g, k);

        assert_string_equal(a.name, want[k].name);
        assert_int_equal(a.input, want[k].input);
        assert_int_equal(a.scalar != NULL, a.input < 0);
    }
    assert_string_equal(construct_state(g, 2), "weight");
    assert_string_equal(construct_state(g, 3), "a.v");
    expect_json(p, SIZES_SMALL,
                "{\"init\": null, \"init_python\": null, \"forward\": [{\"value\": 1}, "
                "{\"input\": 0}, {\"value\": 2.5}, {\"value\": 3}, {\"input\": 1}, "
                "{\"value\": -1}], \"state\": [\"weight\", \"a.v\"], \"mode\": \"train\"}");
}

/* A scalar is part of the graph as the number that it is. All else is the module's alone: it does
 * not change the problem's hash, and does change its own. */
static void test_hashes(void **state)
{
    static const char plain[] = HEAD X "local w = param('w', f32, { N })\noutput('y', x * w)\n";
    static const char *const others[] = {
        HEAD X "local w = param('w', f32, { N })\ninit(N)\noutput('y', x * w)\n",
        HEAD X "local w = param('w', f32, { N })\ninit()\noutput('y', x * w)\n",
        HEAD X "local w = param('w', f32, { N })\ninit(tuple(N))\noutput('y', x * w)\n",
        HEAD X "local w = param('w', f32, { N })\ninit({ N })\noutput('y', x * w)\n",
        HEAD X "local w = param('w', f32, { N })\nscalar('s', 1)\noutput('y', x * w)\n",
        HEAD X "local w = param('w', f32, { N }) state { w = 'v' }\noutput('y', x * w)\n",
        "problem { 't', mode = 'eval' }\n"
        "sizes { full = { B = 4, N = 8 }, small = { B = 2, N = 6 } }\n" X
        "local w = param('w', f32, { N })\noutput('y', x * w)\n",
    };
    char hashes[ARRAY_SIZE(others) + 1][HASH_HEX];
    AUTO(problem_freep) struct problem *p = NULL;

    (void)state;
    must_load(plain, &p);
    construct_hash(p, hashes[0]);
    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        AUTO(problem_freep) struct problem *other = NULL;

        must_load(others[i], &other);
        assert_string_equal(other->hash, p->hash);
        construct_hash(other, hashes[i + 1]);
        for (size_t j = 0; j <= i; j++)
            assert_string_not_equal(hashes[i + 1], hashes[j]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad),     cmocka_unit_test(test_one_name_twice),
        cmocka_unit_test(test_values),  cmocka_unit_test(test_no_arguments),
        cmocka_unit_test(test_forward), cmocka_unit_test(test_hashes),
    };

    return cmocka_run_group_tests(tests, testing_enter_folder, testing_leave_folder);
}
