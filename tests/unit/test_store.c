/* SPDX-License-Identifier: MIT */
/* covers: src/base/fault.c */
/* The store of records: none is lost, none is there twice, and foreign files are refused. */
#include "store_rig.h"

#include "base/fs.h"
#include "store/run_store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void records_are_kept_once(void **state)
{
    AUTO(freep) char *home = home_dir();
    AUTO(store_closep) struct store *s = NULL;
    struct err err = ERR_INIT;
    int64_t n = -1;

    (void)state;
    assert_int_equal(store_open(home, &s, &err), 0);
    assert_int_equal(add(s, "a", &err), 0);
    assert_int_equal(add(s, "b", &err), 0);
    assert_int_equal(add(s, "a", &err), -1); /* never changed, never twice */
    assert_int_equal(store_count(s, &n, &err), 0);
    assert_int_equal(n, 2);
    store_closep(&s);
    assert_int_equal(store_open(home, &s, &err), 0);
    assert_int_equal(store_count(s, &n, &err), 0);
    assert_int_equal(n, 2);
}

static void a_failed_write_adds_nothing(void **state)
{
    AUTO(freep) char *home = home_dir();
    AUTO(store_closep) struct store *s = NULL;
    struct err err = ERR_INIT;
    int64_t n = -1;
    int failures = 0;

    (void)state;
    assert_int_equal(store_open(home, &s, &err), 0);
    /* The counter of planned faults is the process's: each attempt asks a few times. */
    for (int i = 1; i <= 6; i++) {
        char plan[32], id[8];

        snprintf(plan, sizeof(plan), "write:%d", i);
        snprintf(id, sizeof(id), "r%d", i);
        setenv("ASSAY_FAULT", plan, 1);
        if (add(s, id, &err) < 0) {
            failures++;
            assert_int_equal(err.kind, ERR_SYSTEM);
        }
        unsetenv("ASSAY_FAULT");
    }
    assert_true(failures > 0);
    assert_int_equal(store_count(s, &n, &err), 0);
    assert_int_equal(n, 6 - failures);
}

static void a_newer_or_broken_store_is_refused(void **state)
{
    AUTO(freep) char *home = home_dir();
    AUTO(freep) char *path = fs_join(home, "store.db");
    struct store *s = NULL;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(fs_write_atomic(path, "this is no database at all, not even nearly", 43, &err),
                     0);
    assert_int_equal(store_open(home, &s, &err), -1);
    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_non_null(strstr(err.text, "store.db"));
    assert_null(s);
}

static void execute(const char *home, const char *sql)
{
    AUTO(freep) char *path = fs_join(home, "store.db");
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void a_store_of_a_newer_version_is_refused(void **state)
{
    AUTO(freep) char *home = home_dir();
    struct store *s = NULL;
    struct err err = ERR_INIT;

    (void)state;
    execute(home, "PRAGMA user_version = 99");
    assert_int_equal(store_open(home, &s, &err), -1);
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "newer Assay (schema 99"));
}

/* Version 1 had records and pools; they are there afterwards. */
static void an_older_store_is_brought_up_to_date(void **state)
{
    AUTO(freep) char *home = home_dir();
    AUTO(store_closep) struct store *s = NULL;
    const struct run_row run = {"r", "2026", "small", "", "dir", false, false, "per_call"};
    struct err err = ERR_INIT;
    int64_t n = -1;

    (void)state;
    execute(home, "CREATE TABLE records (id TEXT PRIMARY KEY, created TEXT NOT NULL, problem TEXT "
                  "NOT NULL, problem_hash TEXT NOT NULL, candidate_hash TEXT NOT NULL, device TEXT "
                  "NOT NULL, verdict TEXT NOT NULL, reason TEXT, peak_fraction REAL, json TEXT NOT "
                  "NULL) STRICT;"
                  "CREATE TABLE pools (pool TEXT PRIMARY KEY, seed TEXT NOT NULL) STRICT;"
                  "INSERT INTO records VALUES('x','2026','p','h','c','cpu','pass',NULL,NULL,'{}');"
                  "PRAGMA user_version = 1");
    assert_int_equal(store_open(home, &s, &err), 0);
    assert_int_equal(store_count(s, &n, &err), 0);
    assert_int_equal(n, 1);
    assert_int_equal(store_run_begin(s, &run, &err), 0);
}

static void a_home_that_is_a_file_is_refused(void **state)
{
    struct store *s = NULL;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(fs_write_atomic("plain", "", 0, &err), 0);
    assert_int_equal(store_open("plain/home", &s, &err), -1);
    assert_non_null(strstr(err.text, "plain"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_kept_once),
        cmocka_unit_test(a_failed_write_adds_nothing),
        cmocka_unit_test(a_newer_or_broken_store_is_refused),
        cmocka_unit_test(a_store_of_a_newer_version_is_refused),
        cmocka_unit_test(an_older_store_is_brought_up_to_date),
        cmocka_unit_test(a_home_that_is_a_file_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
