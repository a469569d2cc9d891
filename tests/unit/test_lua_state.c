/* SPDX-License-Identifier: MIT */
/* What Lua may do in a problem file, and what ends it. */
#include "problem_text_rig.h"

#include <string.h>

/* Names that would reach outside, and tricks that hang or fill memory inside one C call. */
static const struct {
    const char *body, *want;
} escapes[] = {
    {"io.open('/etc/passwd')", "unknown name 'io'"},
    {"os.exit(1)", "unknown name 'os'"},
    {"require('os')", "unknown name 'require'"},
    {"load('return 1')()", "unknown name 'load'"},
    {"dofile('p.lua')", "unknown name 'dofile'"},
    {"pcall(relu)", "unknown name 'pcall'"},
    {"error('x')", "unknown name 'error'"},
    {"debug.sethook()", "unknown name 'debug'"},
    {"coroutine.wrap(relu)", "unknown name 'coroutine'"},
    {"setmetatable({}, {})", "unknown name 'setmetatable'"},
    {"getmetatable('').__index = nil", "unknown name 'getmetatable'"},
    {"rawset(nn, 'x', 1)", "unknown name 'rawset'"},
    {"collectgarbage()", "unknown name 'collectgarbage'"},
    {"string.rep('a', 1 << 30)", "unknown name 'string'"},
    {"local s = ('a?'):rep(28)", "strings have no methods here: build names with .."},
    {"local f = ('x').find", "strings have no methods here: build names with .."},
    {"math.random()", "unknown name 'random'"},
    {"local n = '10' + 1", "attempt to perform arithmetic on a string value (constant '10')"},
    {"_G.x = 1", "unknown name '_G'"},
    {"local s = 'x' while true do s = s .. s end",
     "more than 256 MiB of memory: is a loop endless?"},
    {"local t = {} for i = 1, 1 << 40 do t[i] = i end", "more than "},
    {"while true do end", "more than 20 million instructions: is a loop endless?"},
    {"for i = 1, 1 << 40 do local y = i end",
     "more than 20 million instructions: is a loop endless?"},
    {"local function f() return f() end f()",
     "more than 20 million instructions: is a loop endless?"},
    {"local function f() return 1 + f() end f()", "stack overflow"},
    {"local x = input('x', f32, { 2 }) while true do x = x + 1 end",
     "more than 200000 nodes: is a loop endless?"},
};

static void test_sandbox(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(escapes); i++) {
        AUTO(problem_freep) struct problem *p = NULL;
        AUTO(freep) char *text = xasprintf(HEAD "%s\n", escapes[i].body);
        AUTO(freep) char *want = xasprintf("p.lua:3: %s", escapes[i].want);
        struct err err = ERR_INIT;

        assert_int_equal(load(text, &p, &err), -1);
        if (strncmp(err.text, want, strlen(want)) != 0)
            fail_msg("%s\n  got  %s\n  want %s", escapes[i].body, err.text, want);
    }
}

static void test_byte_code(void **state)
{
    AUTO(problem_freep) struct problem *p = NULL;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(load("\033Lua\x54", &p, &err), -1);
    assert_string_equal(err.text, "p.lua: attempt to load a binary chunk (mode is 't')");
}

/* pairs() of twelve keys declares parameters in order; Lua's own order differs between runs. */
static void test_sorted_pairs(void **state)
{
    AUTO(problem_freep) struct problem *p = NULL;
    const char *last = "";

    (void)state;
    must_load(
        HEAD X
        "for k, v in pairs { q = 1, w = 2, e = 3, r = 4, t = 5, z = 6, u = 7, i = 8, o = 9, p = 10,"
        " a = 11, s = 12 } do x = x * v * param(k, f32, { N }) end\n" Y,
        &p);

    const struct graph *g = p->sizes[SIZES_FULL][0].graph;

    assert_int_equal(g->n_sources, 13);
    for (int i = 1; i < g->n_sources; i++) {
        assert_true(strcmp(last, g->sources[i].name) < 0);
        last = g->sources[i].name;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sandbox),
        cmocka_unit_test(test_byte_code),
        cmocka_unit_test(test_sorted_pairs),
    };

    return cmocka_run_group_tests(tests, testing_enter_folder, testing_leave_folder);
}
