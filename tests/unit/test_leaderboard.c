/* SPDX-License-Identifier: MIT */
/* Leaderboard, Markdown, import and the page, from results made by hand. */
#include "testing.h"

#include "base/fs.h"
#include "report/json_text.h"
#include "report/leaderboard.h"
#include "report/report_page.h"
#include "report/page_data.h"

#include <math.h>
#include <string.h>

#define EVIL "</script><script>window.pwned=1</script><!--"

/* Two models, two problems. "a" has three samples of p1 (wrong, 40 %, 20 %) and a build error on
 * p2; EVIL passes p1 at 50 % with an interval, and its p2 is skipped. */
static struct results_size fast_sizes[] = {{"s1", 10, 8, 12.5, 0.5}};
static struct results_problem problems[] = {
    {(char *)"level1/p1", (char *)"h1", (char *)"One", (char *)"level1", (char *)"why", NULL},
    {(char *)"level1/p2", (char *)"h2", (char *)"Two", (char *)"level1", NULL, (char *)"how"},
};
static char *models[] = {(char *)"a", (char *)EVIL};

#define CELL(m, p, s, rec, kind, why, peak)                                                   \
    {                                                                                         \
        .model = NULL, .problem = NULL, .model_at = m, .problem_at = p, .sample = s,          \
        .file = (char *)"k.c", .record = (char *)rec, .verdict = kind, .reason = (char *)why, \
        .device = (char *)"cpu", .peak_fraction = peak, .sol = NAN                            \
    }
static struct results_cell cells[] = {
    CELL(0, 0, 0, "r0", VERDICT_WRONG, "max", NAN),
    CELL(0, 0, 1, "r1", VERDICT_PASS, "", 0.4),
    CELL(0, 0, 2, "r2", VERDICT_PASS, "", 0.2),
    CELL(0, 1, 0, "r3", VERDICT_BUILD_ERROR, "compiler", NAN),
    CELL(1, 0, 0, "r4", VERDICT_PASS, "", 0.5),
    CELL(1, 1, 0, NULL, VERDICT_PASS, NULL, NAN),
};
static struct results results = {
    .name = (char *)"t" EVIL,
    .created = (char *)"2026-01-01T00:00:00Z",
    .sizes = (char *)"small",
    .device = (char *)"",
    .source = (char *)"",
    .models = models,
    .n_models = 2,
    .problems = problems,
    .n_problems = 2,
    .cells = cells,
    .n_cells = 6,
};
static const struct annotations no_notes = ANNOTATIONS_INIT;

static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < results.n_cells; i++) {
        cells[i].model = models[cells[i].model_at];
        cells[i].problem = problems[cells[i].problem_at].name;
    }
    cells[4].sizes = fast_sizes;
    cells[4].n_sizes = 1;
    cells[5].skipped = (char *)"no runner for .py";
    return 0;
}

static json_t *record_of(const char *id)
{
    return json_pack("{s:s, s:s, s:{s:s, s:s}, s:n, s:n, s:[{s:s, s:{s:i}, s:f, s:f, s:f, s:f,"
                     " s:[f, f], s:[i, i]}], s:{s:s}, s:{s:s, s:s, s:i}, s:s}",
                     "id", id, "device", "cpu", "device_info", "name", "CPU " EVIL, "fingerprint",
                     "f", "calibration", "datasheet", "sizes", "hash", "s1", "params", "N", 4,
                     "flops", 0.0, "bytes", 64.0, "cold_us", 10.0, "peak_fraction", 0.5, "samples",
                     9.0, 10.0, "sample_runner", 0, 1, "build", "log", EVIL, "candidate", "hash",
                     id, "printed", "", "bytes", 3, "detail", EVIL);
}

static void collect(struct page_data *d, const struct annotations *notes)
{
    struct err err = ERR_INIT;

    page_data_init(d, &results, notes);
    for (int i = 0; i < results.n_cells; i++) {
        json_t *record = cells[i].record ? record_of(cells[i].record) : NULL;

        must(page_data_add(d, &cells[i], record, "/* " EVIL " */\n", strlen("/* " EVIL " */\n"),
                           &err),
             &err);
        json_decref(record);
    }
}

static const json_t *at(const json_t *j, const char *a, const char *b)
{
    return json_object_get(json_object_get(j, a), b);
}

static json_t *board_of(const struct annotations *notes)
{
    json_t *devices = json_array();
    json_t *board = leaderboard_make(&results, notes, devices);

    json_decref(devices);
    assert_non_null(board);
    return board;
}

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) < 1e-12))
        fail_msg("%g is not %g", got, want);
}

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

/* --- the page --- */

static void write_page(struct buf *out)
{
    AUTO(page_data_release) struct page_data d;
    struct err err = ERR_INIT;
    json_t *board = board_of(&no_notes);

    collect(&d, &no_notes);

    json_t *index = page_index(&d, board, NULL, NULL), *details = page_details(&d);

    assert_non_null(index);
    assert_non_null(details);
    must(report_page_write(results.name, index, details, out, &err), &err);
    json_decref(index);
    json_decref(details);
    json_decref(board);
}

static int count_of(const char *text, const char *word)
{
    int n = 0;

    while ((text = strstr(text, word))) {
        text += strlen(word);
        n++;
    }
    return n;
}

/* Names, sources and logs hold tags; the page has its own three scripts and no other. */
static void hostile_text_makes_no_markup(void **state)
{
    AUTO(buf_release) struct buf page = BUF_INIT;

    (void)state;
    write_page(&page);
    assert_int_equal(count_of(buf_str(&page), "<script"), 3);
    assert_int_equal(count_of(buf_str(&page), "</script"), 3);
    assert_int_equal(count_of(buf_str(&page), "<!--"), 0);
    assert_non_null(strstr(buf_str(&page), "\\u003c/script>\\u003cscript>window.pwned=1"));
    assert_non_null(strstr(buf_str(&page), "<title>t&#60;/script&#62;"));
    assert_null(strstr(buf_str(&page), "{{"));
    /* the only address is SVG's name */
    assert_int_equal(count_of(buf_str(&page), "http:"), 1);
    assert_int_equal(count_of(buf_str(&page), "https:"), 0);
}

static void the_index_is_whole_json(void **state)
{
    static const char start[] = "<script type=\"application/json\" id=\"data\">";
    AUTO(buf_release) struct buf page = BUF_INIT;

    (void)state;
    write_page(&page);

    const char *from = strstr(buf_str(&page), start) + strlen(start);
    json_t *j = json_loadb(from, (size_t)(strstr(from, "</script>") - from), 0, NULL);
    const json_t *cell = json_array_get(json_object_get(j, "cells"), 4);
    const json_t *size;

    assert_non_null(j);
    assert_string_equal(json_string_value(json_object_get(cell, "id")), EVIL "/level1/p1/0");
    assert_int_equal(json_array_size(json_object_get(j, "devices")), 1);
    size = json_array_get(
        json_object_get(json_array_get(json_object_get(j, "problems"), 0), "sizes"), 0);
    assert_int_equal(json_integer_value(at(size, "params", "N")), 4);
    cell = json_array_get(json_object_get(j, "cells"), 5);
    assert_string_equal(json_string_value(json_object_get(cell, "skipped")), "no runner for .py");
    json_decref(j);
}

static void samples_are_thinned_and_sources_shared(void **state)
{
    AUTO(page_data_release) struct page_data d;
    json_t *record = record_of("r1"), *samples = json_array(), *runners = json_array();
    json_t *size = json_array_get(json_object_get(record, "sizes"), 0);
    struct err err = ERR_INIT;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        json_array_append_new(samples, json_real(i));
        json_array_append_new(runners, json_integer(i % 3));
    }
    json_object_set_new(size, "samples", samples);
    json_object_set_new(size, "sample_runner", runners);
    page_data_init(&d, &results, &no_notes);
    assert_int_equal(page_data_add(&d, &cells[1], record, "x", 1, &err), 0);
    assert_int_equal(page_data_add(&d, &cells[1], record, "x", 1, &err), 0);
    assert_int_equal(json_array_size(d.sources), 1);
    size = json_array_get(json_object_get(json_array_get(d.records, 0), "sizes"), 0);
    assert_int_equal(json_integer_value(json_object_get(size, "n_samples")), 1000);
    assert_in_range(json_array_size(json_object_get(size, "samples")), 100, 120);
    assert_int_equal(json_array_size(json_object_get(size, "samples")),
                     json_array_size(json_object_get(size, "sample_runner")));
    /* the record itself is not ours to change */
    assert_int_equal(json_array_size(samples), 1000);
    json_decref(record);
}

static void a_note_on_another_problem_is_an_error(void **state)
{
    struct annotation note = {.path = (char *)"n.yaml",
                              .record = (char *)"r1",
                              .problem = (char *)"level1/p2",
                              .verdict = "bug",
                              .summary = (char *)"s"};
    struct annotation *list[] = {&note};
    struct annotations notes = {list, 1};
    AUTO(page_data_release) struct page_data d;
    json_t *record = record_of("r1");
    struct err err = ERR_INIT;

    (void)state;
    page_data_init(&d, &results, &notes);
    assert_int_equal(page_data_add(&d, &cells[1], record, "x", 1, &err), -1);
    assert_string_equal(err.text, "n.yaml: says problem level1/p2, but record r1 is of level1/p1");
    json_decref(record);
}

static void text_from_outside_is_always_json(void **state)
{
    json_t *j = json_text("a\xff\0b\xc3\xa9", 6);

    (void)state;
    assert_string_equal(json_string_value(j), "a??b??");
    json_decref(j);
    j = json_text("\xc3\xa9", 2);
    assert_string_equal(json_string_value(j), "\xc3\xa9");
    json_decref(j);
    assert_true(json_is_null(json_text_or_null("")));
    assert_true(json_is_null(json_figure(NAN)));
}

/* --- import --- */

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
        cmocka_unit_test(the_best_sample_stands_for_a_cell),
        cmocka_unit_test(repeats_of_a_sample_are_one),
        cmocka_unit_test(problems_rank_their_passes),
        cmocka_unit_test(markdown_is_a_table_whatever_the_names),
        cmocka_unit_test(marks_come_from_notes),
        cmocka_unit_test(hostile_text_makes_no_markup),
        cmocka_unit_test(the_index_is_whole_json),
        cmocka_unit_test(samples_are_thinned_and_sources_shared),
        cmocka_unit_test(a_note_on_another_problem_is_an_error),
        cmocka_unit_test(text_from_outside_is_always_json),
        cmocka_unit_test(a_published_leaderboard),
        cmocka_unit_test(ours_can_stand_beside_too),
        cmocka_unit_test(what_is_no_leaderboard_is_refused),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
