/* SPDX-License-Identifier: MIT */
/* The leaderboard and its Markdown, from results made by hand. */
#include "report_rig.h"

#include "report/leaderboard.h"

#include <math.h>
#include <string.h>

static void the_best_sample_stands_for_a_cell(void **state)
{
    json_t *board = board_of(&no_notes);
    const json_t *a = json_array_get(json_object_get(board, "models"), 0);
    const json_t *evil = json_array_get(json_object_get(board, "models"), 1);
    const json_t *p1 = at(a, "results", "level1/p1"), *fast = at(evil, "results", "level1/p1");

    (void)state;
    assert_string_equal(json_string_value(json_object_get(p1, "cell")), "a/level1/p1/1");
    assert_string_equal(json_string_value(json_object_get(p1, "run_id")), "r1");
    assert_int_equal(json_integer_value(json_object_get(p1, "samples")), 3);
    assert_int_equal(json_integer_value(json_object_get(p1, "passed")), 2);
    assert_int_equal(json_integer_value(json_object_get(a, "pass_count")), 1);
    assert_int_equal(json_integer_value(json_object_get(a, "total_runs")), 4);
    assert_int_equal(json_integer_value(at(a, "verdicts", "pass")), 2);
    assert_int_equal(json_integer_value(at(a, "verdicts", "build_error")), 1);
    /* 10 us in 8 .. 12.5 at 0.5 */
    assert_near(json_number_value(json_object_get(fast, "peak_lo")), 0.4);
    assert_near(json_number_value(json_object_get(fast, "peak_hi")), 0.625);
    assert_false(json_is_true(json_object_get(at(evil, "results", "level1/p2"), "has_solution")));
    assert_int_equal(json_integer_value(json_object_get(evil, "total_runs")), 1);
    json_decref(board);
}

/* Judged three times: right twice and wrong once is wrong; right every time has its median (of two
 * the slower); a fault of ours does not count. */
static void repeats_of_a_sample_are_one(void **state)
{
    struct results_cell repeated[] = {
        CELL(0, 0, 0, "x0", VERDICT_PASS, "", 0.9),
        CELL(0, 0, 0, "x1", VERDICT_WRONG, "max", NAN),
        CELL(0, 0, 0, "x2", VERDICT_PASS, "", 0.8),
        CELL(0, 0, 1, "y0", VERDICT_INFRA, "system", NAN),
        CELL(0, 0, 1, "y1", VERDICT_PASS, "", 0.3),
        CELL(0, 0, 1, "y2", VERDICT_PASS, "", 0.2),
        CELL(0, 1, 0, "z0", VERDICT_PASS, "", 0.3),
        CELL(0, 1, 0, "z1", VERDICT_PASS, "", 0.5),
        CELL(0, 1, 0, "z2", VERDICT_PASS, "", 0.4),
    };
    struct results r = results;
    json_t *devices = json_array(), *board;

    (void)state;
    for (int i = 0; i < (int)ARRAY_SIZE(repeated); i++) {
        repeated[i].model = models[0];
        repeated[i].problem = problems[repeated[i].problem_at].name;
        repeated[i].repeat = i % 3;
    }
    r.cells = repeated;
    r.n_cells = ARRAY_SIZE(repeated);
    board = leaderboard_make(&r, &no_notes, devices);

    const json_t *a = json_array_get(json_object_get(board, "models"), 0);
    const json_t *p1 = at(a, "results", "level1/p1");

    assert_string_equal(json_string_value(json_object_get(p1, "cell")), "a/level1/p1/1.2");
    assert_near(json_number_value(json_object_get(p1, "peak_fraction")), 0.2);
    assert_int_equal(json_integer_value(json_object_get(p1, "samples")), 2);
    assert_int_equal(json_integer_value(json_object_get(p1, "passed")), 1);
    assert_int_equal(json_integer_value(at(a, "verdicts", "wrong")), 1);
    assert_int_equal(json_integer_value(json_object_get(a, "total_runs")), 3);
    p1 = at(a, "results", "level1/p2");
    assert_string_equal(json_string_value(json_object_get(p1, "cell")), "a/level1/p2/0.2");
    json_decref(board);
    json_decref(devices);
}

/* A pass whose code was only seen in part stands in a list of its own, and one that was seen stands
 * for a cell before it. */
static void own_code_is_ranked_apart(void **state)
{
    struct results_cell mixed[] = {
        CELL(0, 0, 0, "x0", VERDICT_PASS, "", NAN), CELL(0, 0, 1, "x1", VERDICT_PASS, "", NAN),
        CELL(0, 1, 0, "y0", VERDICT_PASS, "", NAN), CELL(0, 1, 1, "y1", VERDICT_PASS, "", 0.3),
        CELL(1, 0, 0, "z0", VERDICT_PASS, "", 0.4),
    };
    static const double own[] = {0.5, 0.9, 0.8};
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct results r = results;
    json_t *devices = json_array(), *board;

    (void)state;
    for (int i = 0; i < (int)ARRAY_SIZE(mixed); i++) {
        mixed[i].model = models[mixed[i].model_at];
        mixed[i].problem = problems[mixed[i].problem_at].name;
        mixed[i].own_code = i < (int)ARRAY_SIZE(own);
        mixed[i].own_peak = mixed[i].own_code ? own[i] : NAN;
    }
    r.cells = mixed;
    r.n_cells = ARRAY_SIZE(mixed);
    board = leaderboard_make(&r, &no_notes, devices);

    const json_t *a = json_array_get(json_object_get(board, "models"), 0);
    const json_t *cell = at(a, "results", "level1/p1");
    const json_t *p1 = at(board, "per_problem", "level1/p1");
    const json_t *ranked = json_object_get(p1, "ranked_passes");
    const json_t *apart = json_object_get(p1, "ranked_own_code");

    assert_string_equal(json_string_value(json_object_get(cell, "run_id")), "x1");
    assert_true(json_is_true(json_object_get(cell, "own_code")));
    assert_true(json_is_null(json_object_get(cell, "peak_fraction")));
    assert_near(json_number_value(json_object_get(cell, "own_code_peak_fraction")), 0.9);
    assert_int_equal(json_integer_value(json_object_get(p1, "n_passed")), 2);
    assert_string_equal(json_string_value(json_object_get(p1, "best_model")), EVIL);
    assert_int_equal(json_array_size(ranked), 1);
    assert_int_equal(json_array_size(apart), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(apart, 0), "model")), "a");
    cell = at(a, "results", "level1/p2");
    assert_string_equal(json_string_value(json_object_get(cell, "run_id")), "y1");
    assert_true(json_is_null(json_object_get(cell, "own_code_peak_fraction")));
    leaderboard_markdown(board, &text);
    assert_non_null(strstr(buf_str(&text), "| a | 2/2 | pass (own code: 90.0 %) | 30.0 % |"));
    json_decref(board);
    json_decref(devices);
}

static void problems_rank_their_passes(void **state)
{
    json_t *board = board_of(&no_notes);
    const json_t *p1 = at(board, "per_problem", "level1/p1");
    const json_t *p2 = at(board, "per_problem", "level1/p2");
    const json_t *ranked = json_object_get(p1, "ranked_passes");

    (void)state;
    assert_int_equal(json_integer_value(json_object_get(p1, "n_attempted")), 2);
    assert_int_equal(json_integer_value(json_object_get(p1, "n_passed")), 2);
    assert_string_equal(json_string_value(json_object_get(p1, "best_model")), EVIL);
    assert_int_equal(json_array_size(ranked), 2);
    assert_near(json_number_value(json_object_get(json_array_get(ranked, 1), "peak_fraction")),
                0.4);
    assert_int_equal(json_integer_value(json_object_get(p2, "n_attempted")), 1);
    assert_true(json_is_null(json_object_get(p2, "best_model")));
    json_decref(board);
}

static void markdown_is_a_table_whatever_the_names(void **state)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    json_t *board = board_of(&no_notes);

    (void)state;
    leaderboard_markdown(board, &text);
    assert_string_equal(buf_str(&text),
                        "| model | passed | level1/p1 | level1/p2 |\n"
                        "|---|--:|--:|--:|\n"
                        "| a | 1/2 | 40.0 % | build\\_error: compiler |\n"
                        "| \\</script\\>\\<script\\>window.pwned=1\\</script\\>\\<!-- | 1/2 | 50.0 "
                        "% | skipped |\n");
    json_decref(board);
}

static void marks_come_from_notes(void **state)
{
    struct annotation note = {.record = (char *)"r4", .verdict = "reward_hack"};
    struct annotation *list[] = {&note};
    struct annotations notes = {list, 1};
    json_t *board = board_of(&notes);
    const json_t *evil = json_array_get(json_object_get(board, "models"), 1);
    AUTO(buf_release) struct buf text = BUF_INIT;

    (void)state;
    assert_string_equal(
        json_string_value(json_object_get(at(evil, "results", "level1/p1"), "annotation")),
        "reward_hack");
    leaderboard_markdown(board, &text);
    assert_non_null(strstr(buf_str(&text), "| 50.0 % (reward\\_hack) |"));
    json_decref(board);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_sample_stands_for_a_cell),
        cmocka_unit_test(repeats_of_a_sample_are_one),
        cmocka_unit_test(own_code_is_ranked_apart),
        cmocka_unit_test(problems_rank_their_passes),
        cmocka_unit_test(markdown_is_a_table_whatever_the_names),
        cmocka_unit_test(marks_come_from_notes),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
