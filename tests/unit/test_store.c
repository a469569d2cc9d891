/* SPDX-License-Identifier: MIT */
#include "testing.h"

#include "base/fs.h"
#include "base/hash.h"
#include "store/run_store.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *home_dir(void)
{
    char *dir = xstrdup("home-XXXXXX");

    assert_non_null(mkdtemp(dir));
    return dir;
}

static int add(struct store *s, const char *id, struct err *err)
{
    static const char source[] = "int x;\n";
    char hash[HASH_HEX];
    json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:n, s:f}", "id", id, "created", "2026",
                          "problem", "level1/019_relu", "problem_hash", "p", "device", "cpu",
                          "verdict", "pass", "reason", "peak_fraction", 0.5);
    int rc;

    hash_of(source, strlen(source), hash);
    rc = store_add(s, j, hash, source, strlen(source), err);
    json_decref(j);
    return rc;
}

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
    const struct run_row run = {"r", "2026", "small", "", "dir", false, false};
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

/* --- runs --- */

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
    const struct run_row run = {"r", "2026", "small", "", "dir", false, false};
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
    assert_int_equal(err.kind, ERR_INPUT);
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

/* A writer killed at any moment leaves a store that opens, with every record it had confirmed. */
static void survives_kill_9(void **state)
{
    AUTO(freep) char *home = home_dir();
    struct err err = ERR_INIT;
    int64_t n = -1;
    int confirmed = 0;

    (void)state;
    for (int round = 0; round < 10; round++) {
        int out[2];
        char byte;

        assert_int_equal(pipe(out), 0);

        pid_t pid = fork();

        if (pid == 0) {
            struct store *s = NULL;

            if (store_open(home, &s, &err) < 0)
                _exit(1);
            for (int i = 0;; i++) {
                char id[32];

                snprintf(id, sizeof(id), "%d-%d", round, i);
                if (add(s, id, &err) < 0 || write(out[1], "x", 1) != 1)
                    _exit(1);
            }
        }
        close(out[1]);
        for (int i = 0; i < 5 + round && read(out[0], &byte, 1) == 1; i++)
            confirmed++;
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        while (read(out[0], &byte, 1) == 1)
            confirmed++;
        close(out[0]);
    }

    AUTO(store_closep) struct store *s = NULL;

    assert_int_equal(store_open(home, &s, &err), 0);
    assert_int_equal(store_count(s, &n, &err), 0);
    /* One more per round may have been committed and not yet confirmed. */
    assert_true(n >= confirmed && n <= confirmed + 10);
}

/* Eight first users at once: one of them was told "database is locked". */
static void many_open_a_new_store_at_once(void **state)
{
    (void)state;
    for (int round = 0; round < 10; round++) {
        AUTO(freep) char *home = home_dir();
        pid_t pids[8];
        struct err err = ERR_INIT;
        int64_t n = -1;

        for (int i = 0; i < 8; i++) {
            pids[i] = fork();
            if (pids[i] == 0) {
                struct store *s = NULL;
                char id[16];

                snprintf(id, sizeof(id), "%d", i);
                if (store_open(home, &s, &err) < 0 || add(s, id, &err) < 0) {
                    print_error("%s\n", err.text);
                    _exit(1);
                }
                store_close(s);
                _exit(0);
            }
        }
        for (int i = 0; i < 8; i++) {
            int status = -1;

            assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
            assert_int_equal(status, 0);
        }

        AUTO(store_closep) struct store *s = NULL;

        assert_int_equal(store_open(home, &s, &err), 0);
        assert_int_equal(store_count(s, &n, &err), 0);
        assert_int_equal(n, 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_kept_once),
        cmocka_unit_test(a_failed_write_adds_nothing),
        cmocka_unit_test(a_newer_or_broken_store_is_refused),
        cmocka_unit_test(a_store_of_a_newer_version_is_refused),
        cmocka_unit_test(an_older_store_is_brought_up_to_date),
        cmocka_unit_test(a_record_and_its_cells_are_one),
        cmocka_unit_test(a_run_keeps_its_settings),
        cmocka_unit_test(a_home_that_is_a_file_is_refused),
        cmocka_unit_test(survives_kill_9),
        cmocka_unit_test(many_open_a_new_store_at_once),
    };

    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
