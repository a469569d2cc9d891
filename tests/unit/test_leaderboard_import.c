/* SPDX-License-Identifier: MIT */
/* Leaderboards that others published. */
#include "report_rig.h"

#include "report/leaderboard.h"

#include <string.h>

static void a_published_leaderboard(void **state)
{
    struct annotation note = {
        .run_id = (char *)"id1", .verdict = "rubric_leak", .summary = (char *)"bf16 inside"};
    struct annotation *list[] = {&note};
    struct annotations notes = {list, 1};
    struct err err = ERR_INIT;
    json_t *j = NULL;

    (void)state;
    write_file("board.json",
               "{\"schema_version\": 1, \"hardware\": {\"name\": \"GPU X\"}, \"problems\":"
               " [\"01_gemm\", \"02_kda\"], \"models\": [{\"label\": \"m [max]\", \"harness\":"
               " \"h\", \"results\": {\"01_gemm\": {\"run_id\": \"id1\", \"correct\": true,"
               " \"has_solution\": true, \"peak_fraction\": 0.42, \"elapsed_seconds\": 9},"
               " \"02_kda\": {\"run_id\": \"id2\", \"correct\": true, \"has_solution\": true,"
               " \"peak_fraction\": null}}, \"pass_count\": 1, \"total_runs\": 2}]}");
    must(leaderboard_import("board.json", &notes, &j, &err), &err);
    assert_string_equal(json_string_value(json_object_get(j, "title")),
                        "KernelBench-Hard as published, GPU X");

    const json_t *m = json_array_get(json_object_get(j, "models"), 0);
    const json_t *gemm = at(m, "results", "01_gemm");

    assert_near(json_number_value(json_object_get(gemm, "peak_fraction")), 0.42);
    assert_string_equal(json_string_value(at(gemm, "note", "verdict")), "rubric_leak");
    assert_int_equal(json_integer_value(json_object_get(m, "pass_count")), 1);
    json_decref(j);
}

static void ours_can_stand_beside_too(void **state)
{
    json_t *board = board_of(&no_notes), *j = NULL;
    struct err err = ERR_INIT;

    (void)state;
    json_object_set_new(board, "run", json_string("last"));
    assert_int_equal(json_dump_file(board, "board.json", 0), 0);
    must(leaderboard_import("board.json", &no_notes, &j, &err), &err);
    assert_string_equal(json_string_value(json_object_get(j, "title")),
                        "run last, unknown hardware");
    json_decref(j);
    json_decref(board);
}

static void what_is_no_leaderboard_is_refused(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"{", "board.json: line 1: "},
        {"[]", "board.json: this is no leaderboard"},
        {"{\"schema_version\": 2}", "no 'schema_version' of 1"},
        {"{\"schema_version\": 1, \"problems\": 3}", "'problems' is missing or no list"},
        {"{\"schema_version\": 1, \"problems\": [3]}", "problem 1 is no text"},
        {"{\"schema_version\": 1, \"problems\": []}", "'models' is missing or no list"},
        {"{\"schema_version\": 1, \"problems\": [], \"models\": [{}]}", "model 1 has no 'label'"},
        {"{\"schema_version\": 1, \"problems\": [], \"models\": [{\"label\": \"m\", \"results\":"
         " {\"p\": {\"correct\": 1}}}]}",
         "m, p: 'correct' is neither true nor false"},
        {"{\"schema_version\": 1, \"problems\": [], \"models\": [{\"label\": \"m\", \"results\":"
         " {\"p\": {\"correct\": true, \"peak_fraction\": \"x\"}}}]}",
         "'peak_fraction' is neither a number nor null"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct err err = ERR_INIT;
        json_t *j = NULL;

        write_file("board.json", cases[i].text);
        assert_int_equal(leaderboard_import("board.json", &no_notes, &j, &err), -1);
        assert_int_equal(err.kind, ERR_INPUT);
        if (!strstr(err.text, cases[i].want))
            fail_msg("case %zu: \"%s\" does not say \"%s\"", i, err.text, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_published_leaderboard),
        cmocka_unit_test(ours_can_stand_beside_too),
        cmocka_unit_test(what_is_no_leaderboard_is_refused),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
