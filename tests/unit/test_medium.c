/* SPDX-License-Identifier: MIT */
/* The size set `medium`: the rule that makes it, and what it promises of every problem. */
#include "problem_rig.h"

#include "judge/session.h"

#include <stdlib.h>

/* A bound on the work that needs no clock: what 1 GFLOP/s makes in the time that cpu:naive has.
 * bench/medium_cpu measures the time itself. */
#define NAIVE_FLOPS (MEDIUM_NAIVE_MS * 1e6)
/* About twice the bytes that the floor asks for: 100 us at 20 GB/s are 2 MB. */
#define MOST_BYTES 4.2e6

#define TITLE "problem { 'P' }\n"

static void assert_medium(const struct problem *p, int i, const char *want)
{
    AUTO(buf_release) struct buf got = BUF_INIT;

    assert_true(i < p->n_sizes[SIZES_MEDIUM]);
    size_print(&p->sizes[SIZES_MEDIUM][i], &got);
    assert_string_equal(buf_str(&got), want);
}

static void test_rule(void **state)
{
    static const struct {
        const char *what, *text, *want;
    } cases[] = {
        /* A row is 4,096 bytes in and out. 489 rows are 2 MB; 492 is the next multiple of 4. */
        {"a batch",
         "sizes { full = { B = 64, N = 4096 }, small = { B = 4, N = 512 } }\n"
         "output('y', relu(input('x', f32, { B, N })))\n",
         "B=492 N=512"},
        {"large enough as it is",
         "sizes { full = { N = 4096 }, small = { N = 250000 } }\n"
         "output('y', relu(input('x', f32, { N })))\n",
         "N=250000"},
        {"the work grows with the cube: no linear guess",
         "sizes { full = { N = 4096 }, small = { N = 40 } }\n"
         "output('y', matmul(input('a', f32, { N, N }), input('b', f32, { N, N })))\n",
         "N=160"},
        {"a factor far from the linear guess",
         "sizes { full = { N = 64 }, small = { N = 16 } }\n"
         "output('y', relu(input('x', f32, { N, N })))\n",
         "N=512"},
        {"weights are bytes that do not grow",
         "sizes { full = { B = 64, N = 512 }, small = { B = 1, N = 512 } }\n"
         "output('y', matmul(input('a', f32, { B, N }), param('w', f32, { N, N })))\n",
         "B=10 N=512"},
        {"a parameter that both agree on is left alone",
         "sizes { full = { G = 8, N = 4096 }, small = { G = 8, N = 32 } }\n"
         "output('y', relu(input('x', f32, { G, N })))\n",
         "G=8 N=31264"},
        {"the first that the file takes: rows are four",
         "sizes { full = { R = 2, N = 4096 }, small = { R = 4, N = 1000 } }\n"
         "local x = input('x', f32, { R, N })\n"
         "output('y', R > 4 and matmul(x, x) or relu(x))\n",
         "N=63000 R=4"},
        {"small is full: one size for all",
         "sizes { full = { N = 32 }, small = { N = 32 } }\n"
         "output('y', relu(input('x', f32, { N })))\n",
         "N=32"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(freep) char *text = xasprintf(TITLE "%s", cases[i].text);
        AUTO(problem_freep) struct problem *p = load(text);

        print_message("# %s\n", cases[i].what);
        assert_int_equal(p->n_sizes[SIZES_MEDIUM], 1);
        assert_false(p->medium_stated);
        assert_medium(p, 0, cases[i].want);
    }
}

static void test_several(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(
        TITLE "sizes { full = { { B = 64, N = 4096 }, { B = 8, N = 64 } },\n"
              "        small = { { B = 4, N = 512 }, { B = 2, N = 300000 }, { B = 1, N = 7 } } }\n"
              "output('y', relu(input('x', f32, { B, N })))\n");

    (void)state;
    assert_int_equal(p->n_sizes[SIZES_MEDIUM], 3);
    assert_medium(p, 0, "B=492 N=512");
    assert_medium(p, 1, "B=2 N=300000");
    assert_medium(p, 2, "B=35715 N=7");
}

static void test_stated(void **state)
{
    static const char stated[] = TITLE
        "sizes { full = { N = 64 }, medium = { { N = 500 }, { N = 32 } }, small = { N = 16 } }\n"
        "output('y', relu(input('x', f32, { N })))\n";
    AUTO(problem_freep) struct problem *p = load(stated);

    (void)state;
    assert_true(p->medium_stated);
    assert_int_equal(p->n_sizes[SIZES_MEDIUM], 2);
    assert_medium(p, 0, "N=500");
    assert_medium(p, 1, "N=32");
}

/* Cells of a run are known again by the problem's hash. A medium that follows from small must not
 * be part of it, or no run from before there was one could be resumed. */
static void test_hash_stays(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(TITLE "sizes { full = { N = 64 }, small = { N = 16 } }\n"
                                   "output('y', relu(input('x', f32, { N })))\n");
    AUTO(problem_freep)
    struct problem *q =
        load(TITLE "sizes { full = { N = 64 }, medium = { N = 250000 }, small = { N = 16 } }\n"
                   "output('y', relu(input('x', f32, { N })))\n");

    (void)state;
    assert_medium(p, 0, "N=250000");
    assert_string_equal(p->sizes[SIZES_MEDIUM][0].hash, q->sizes[SIZES_MEDIUM][0].hash);
    assert_string_not_equal(p->hash, q->hash);
}

/* What is shown and hashed of a problem is its full size's, whichever size was traced last. */
static void test_memory(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(TITLE "sizes { full = { N = 64 }, small = { N = 16 } }\n"
                                   "requires { memory = N }\n"
                                   "output('y', relu(input('x', f32, { N })))\n");

    (void)state;
    assert_int_equal(p->requires_memory, 64);
    assert_int_equal(p->sizes[SIZES_SMALL][0].graph->memory_bytes, 16);
    assert_int_equal(p->sizes[SIZES_MEDIUM][0].graph->memory_bytes, 250000);
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"sizes { full = { N = 64, G = 2 }, medium = { N = 64, G = 4 }, small = { N = 8, G = 2 } "
         "}\n"
         "output('y', relu(input('x', f32, { N, G })))\n",
         "p.lua:2: sizes: medium changes G, which small and full agree on"},
        {"sizes { full = { N = 64 }, medium = { M = 64 }, small = { N = 8 } }\n"
         "output('y', relu(input('x', f32, { N })))\n",
         "p.lua:2: sizes: medium lacks N"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(freep) char *text = xasprintf(TITLE "%s", cases[i].text);
        struct problem *p = NULL;
        struct err err = ERR_INIT;

        assert_int_equal(fs_write_atomic("p.lua", text, strlen(text), &err), 0);
        assert_int_equal(problem_load("p.lua", "p", &p, &err), -1);
        assert_string_equal(err.text, cases[i].want);
    }
}

/* Small experiments were refused where the rule finds no medium. They load without one, and only
 * who asks for it is refused. */
static void test_none(void **state)
{
    static const char text[] =
        TITLE "sizes { full = { K = 9 }, small = { { K = 3 }, { K = 5 } } }\n"
              "output('y', avg_pool(input('x', f32, { 1, 1, 64, 64 }), { k = K }))\n";
    AUTO(problem_freep) struct problem *p = load(text);
    AUTO(buf_release) struct buf shown = BUF_INIT;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(p->n_sizes[SIZES_MEDIUM], 0);
    assert_null(p->sizes[SIZES_MEDIUM]);
    assert_false(p->medium_stated);
    assert_int_equal(problem_need_sizes(p, SIZES_SMALL, &err), 0);
    assert_int_equal(problem_need_sizes(p, SIZES_FULL, &err), 0);
    assert_int_equal(problem_need_sizes(p, SIZES_MEDIUM, &err), -1);
    assert_int_equal(err.kind, ERR_INPUT);
    assert_string_equal(err.text,
                        "p.lua: sizes: medium does not follow from small: state medium = { ... } "
                        "with a floor of 100 us at 20 GB/s and 50 GFLOP/s");
    emit_text(p, &shown);
    assert_null(strstr(buf_str(&shown), "medium"));
}

static void test_auto(void **state)
{
    (void)state;
    assert_int_equal(session_auto_sizes(&device_cuda), SIZES_FULL);
    assert_int_equal(session_auto_sizes(&device_cpu), SIZES_MEDIUM);
    assert_int_equal(session_auto_sizes(&device_fake), SIZES_SMALL);
    assert_string_equal(size_choice_names[0], "auto");
    for (int set = 0; set < SIZES_COUNT; set++)
        assert_string_equal(size_choice_names[set + 1], size_set_names[set]);
}

static void test_all_problems(void **state)
{
    AUTO(freep) char *share = fs_share_dir();
    struct problem_ref *refs = NULL;
    struct err err = ERR_INIT;
    int n = 0;

    (void)state;
    assert_int_equal(problem_list(share, NULL, 0, &refs, &n, &err), 0);
    assert_true(n >= 257);
    for (int k = 0; k < n; k++) {
        AUTO(problem_freep) struct problem *p = NULL;

        must(problem_load(refs[k].path, refs[k].name, &p, &err), &err);
        assert_true(p->n_sizes[SIZES_MEDIUM] > 0);
        for (int i = 0; i < p->n_sizes[SIZES_MEDIUM]; i++) {
            const struct graph *g = p->sizes[SIZES_MEDIUM][i].graph;
            struct cost c;

            graph_cost(g, &c);
            if (graph_core_floor_us(g) < MEDIUM_FLOOR_US)
                fail_msg("%s: size %d: a floor of %.1f us", p->name, i, graph_core_floor_us(g));
            if (cost_contract_total(&c) + c.other > NAIVE_FLOPS || cost_bytes(&c) > MOST_BYTES)
                fail_msg("%s: size %d: %.1f MFLOP, %.1f MB", p->name, i,
                         (cost_contract_total(&c) + c.other) / 1e6, cost_bytes(&c) / 1e6);
        }
    }
    problem_refs_free(refs, n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rule),         cmocka_unit_test(test_several),
        cmocka_unit_test(test_stated),       cmocka_unit_test(test_hash_stays),
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_refused),
        cmocka_unit_test(test_none),         cmocka_unit_test(test_auto),
        cmocka_unit_test(test_all_problems),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
