/* SPDX-License-Identifier: MIT */
/* Runs and their cells in the store. */
#include "store_rig.h"

#include "base/hash.h"
#include "store/run_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_cell(struct store *s, const char *id, int sample, struct err *err)
{
    static const char source[] = "int x;\n";
    char hash[HASH_HEX];
    json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "id", id, "created", "2026", "problem",
                          "p", "problem_hash", "h", "device", "cpu", "verdict", "pass");
    const struct cell_row cells[] = {
        {.model = "m", .problem = "p", .sample = sample, .file = "f", .record = id},
        {.model = "twin", .problem = "p", .sample = sample, .file = "f", .record = id},
    };
    int rc;

    hash_of(source, strlen(source), hash);
    rc = store_run_add(s, "r", j, hash, source, strlen(source), cells, 2, err);
    json_decref(j);
    return rc;
}

static int count_cell(void *arg, const struct cell_row *c, const char *record_json, struct err *err)
{
    (void)err;
    assert_non_null(record_json);
    assert_string_equal(c->verdict, "pass");
    ++*(int *)arg;
    return 0;
}

static void a_record_and_its_cells_are_one(void **state)
{
    AUTO(freep) char *home = home_dir();
    AUTO(store_closep) struct store *s = NULL;
    struct err err = ERR_INIT;
    int cells = 0, failures = 0;
    int64_t n = -1;

    (void)state;
    assert_int_equal(store_open(home, &s, &err), 0);
    assert_int_equal(add_cell(s, "a", 0, &err), 0);
    assert_int_equal(add_cell(s, "a", 1, &err), -1); /* the record is there: no cell either */
    /* Nor when the record cannot be written: one of these is the process's 30th write. */
    setenv("ASSAY_FAULT", "write:30", 1);
    for (int i = 0; i < 40; i++) {
        char id[8];

        snprintf(id, sizeof(id), "f%d", i);
        failures += add_cell(s, id, 10 + i, &err) < 0;
    }
    unsetenv("ASSAY_FAULT");
    assert_int_equal(failures, 1);
    assert_int_equal(store_count(s, &n, &err), 0);
    assert_int_equal(store_run_cells(s, "r", count_cell, &cells, &err), 0);
    assert_int_equal(cells, 2 * n);
    assert_int_equal(n, 40);
    assert_int_equal(add_cell(s, "b", 0, &err), 0); /* judged again: the cells are replaced */
    cells = 0;
    assert_int_equal(store_run_cells(s, "r", count_cell, &cells, &err), 0);
    assert_int_equal(cells, 2 * n);
}

static void a_run_keeps_its_settings(void **state)
{
    AUTO(freep) char *home = home_dir();
    AUTO(store_closep) struct store *s = NULL;
    const struct run_row run = {"r", "2026", "small", "", "dir", false, false, "per_call"};
    struct run_row other = run;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(store_open(home, &s, &err), 0);
    assert_int_equal(store_run_begin(s, &run, &err), 0);
    other.source = "another folder";
    assert_int_equal(store_run_begin(s, &other, &err), 0);
    other.sizes = "full";
    assert_int_equal(store_run_begin(s, &other, &err), -1);
    assert_non_null(strstr(err.text, "has sizes small, not full"));
    other = run;
    other.device = "cpu";
    assert_int_equal(store_run_begin(s, &other, &err), -1);
    other = run;
    other.check_only = true;
    assert_int_equal(store_run_begin(s, &other, &err), -1);
    other = run;
    other.steady = true;
    assert_int_equal(store_run_begin(s, &other, &err), -1);
    assert_non_null(strstr(err.text, "was made without --steady"));
    other = run;
    other.weights = "fixed";
    assert_int_equal(store_run_begin(s, &other, &err), -1);
    assert_non_null(strstr(err.text, "was made with weights per_call, not fixed"));
    assert_int_equal(err.kind, ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_and_its_cells_are_one),
        cmocka_unit_test(a_run_keeps_its_settings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
