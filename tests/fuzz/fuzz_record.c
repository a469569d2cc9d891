/* SPDX-License-Identifier: MIT */
/* covers: src/results/analyze_json.c src/results/results.c src/report/report_page.c */
/* covers: src/report/page_data.c */
/* Records as they are read back from a store that somebody else may have written: figures, tables
 * and pages come out of all of them, or one line of error. An input is one record a line, the first
 * N_CELLS of them: two samples of model "a" and two of "b" on one problem. */
#include "replay.h"

#include "base/fs.h"
#include "report/leaderboard.h"
#include "report/page_data.h"
#include "report/report_page.h"
#include "results/analyze_json.h"
#include "results/model_baseline.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUN "fuzz"
#define PROBLEM "level1/019_relu"
#define N_CELLS 4

static char home[64];
static struct store *store;
static sqlite3 *db; /* a second connection: the store itself never changes a record */

static void must(bool fine)
{
    if (!fine)
        abort();
}

static void clean_up(void)
{
    sqlite3_close(db);
    store_close(store);
    fs_remove_tree(home);
}

static void add_cell(int i)
{
    char id[] = {'r', (char)('0' + i), 0};
    struct cell_row cell = {.model = i < N_CELLS / 2 ? "a" : "b",
                            .problem = PROBLEM,
                            .sample = i % (N_CELLS / 2),
                            .file = "k.c",
                            .candidate_hash = "cafe",
                            .record = id};
    json_t *record =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "id", id, "created", "now", "problem", PROBLEM,
                  "problem_hash", "f00d", "device", "cpu", "verdict", "pass");
    struct err err = ERR_INIT;

    must(store_run_add(store, RUN, record, "cafe", "int x;\n", 7, &cell, 1, &err) == 0);
    json_decref(record);
}

static void open_store(void)
{
    struct run_row run = {RUN, "now", "small", "", "", false, false, "per_call"};
    struct run_problem_row problem = {PROBLEM, "f00d", "ReLU", "level1", NULL, NULL};
    const char *tmp = getenv("TMPDIR");
    struct err err = ERR_INIT;

    snprintf(home, sizeof(home), "%s/fuzz-record-XXXXXX", tmp ? tmp : "/tmp");
    must(mkdtemp(home) && store_open(home, &store, &err) == 0 &&
         store_run_begin(store, &run, &err) == 0 &&
         store_run_problem(store, RUN, &problem, &err) == 0);
    for (int i = 0; i < N_CELLS; i++)
        add_cell(i);

    AUTO(freep) char *path = fs_join(home, "store.db");

    must(sqlite3_open(path, &db) == SQLITE_OK &&
         sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL) == SQLITE_OK);
    atexit(clean_up);
}

static void replace(int i, const char *text, size_t len)
{
    sqlite3_stmt *q = NULL;
    char id[] = {'r', (char)('0' + i), 0};

    must(sqlite3_prepare_v2(db, "UPDATE records SET json = ? WHERE id = ?", -1, &q, NULL) ==
         SQLITE_OK);
    sqlite3_bind_text(q, 1, text, (int)len, SQLITE_TRANSIENT);
    sqlite3_bind_text(q, 2, id, -1, SQLITE_TRANSIENT);
    must(sqlite3_step(q) == SQLITE_DONE);
    sqlite3_finalize(q);
}

static void replace_all(const char *at, const char *end)
{
    sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
    for (int i = 0; i < N_CELLS; i++) {
        const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : end;

        stop = stop ? stop : end;
        replace(i, at, (size_t)(stop - at));
        at = MIN(stop + 1, end);
    }
    must(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK);
}

/* As `assay analyze` has it; the caller's to json_decref(). */
static json_t *figures(const struct results *r)
{
    AUTO(analysis_release) struct analysis a = {0};
    AUTO(comparison_release) struct comparison c = {0};
    AUTO(results_freep) struct results *other = NULL;
    AUTO(buf_release) struct buf csv = BUF_INIT;
    struct model_baseline model;
    struct analyze_baseline baseline;
    struct err err = ERR_INIT;

    must(model_baseline_open(store, "b", r, &other, &model, &baseline, &err) == 0);
    analyze(r, &baseline, &a);
    analyze_compare(r, r, &c);
    analyze_csv(&a, &csv);

    json_t *j = analyze_json(&a), *against = comparison_json(&c);

    must(j && against);
    json_decref(against);
    return j;
}

/* As `assay report` has it. */
static void report(const struct results *r, json_t *metrics)
{
    const struct annotations notes = ANNOTATIONS_INIT;
    AUTO(buf_release) struct buf out = BUF_INIT;
    struct page_data d;
    struct err err = ERR_INIT;

    page_data_init(&d, r, &notes);
    must(page_data_collect(&d, store, &err) == 0);

    json_t *board = leaderboard_make(r, &notes, d.devices);
    json_t *index = page_index(&d, board, metrics, NULL), *details = page_details(&d);

    must(board && index && details);
    leaderboard_markdown(board, &out);
    must(report_page_write("fuzz", index, details, &out, &err) == 0);
    json_decref(index);
    json_decref(details);
    json_decref(board);
    page_data_release(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(results_freep) struct results *r = NULL;
    struct err err = ERR_INIT;

    if (!store)
        open_store();
    replace_all((const char *)data, (const char *)data + size);
    if (results_load(store, RUN, &r, &err) < 0) {
        must(err.text[0] != '\0');
        return 0;
    }

    json_t *metrics = figures(r);

    fuzz_accepted();
    report(r, metrics);
    json_decref(metrics);
    return 0;
}
