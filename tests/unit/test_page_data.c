/* SPDX-License-Identifier: MIT */
/* covers: src/report/page_assets.c src/report/report_page.c */
/* What the report's page knows, and the page itself, from results made by hand. */
#include "report_rig.h"

#include "report/report_page.h"
#include "report/page_data.h"

#include <string.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_text_makes_no_markup),
        cmocka_unit_test(the_index_is_whole_json),
        cmocka_unit_test(samples_are_thinned_and_sources_shared),
        cmocka_unit_test(a_note_on_another_problem_is_an_error),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
