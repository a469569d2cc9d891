/* SPDX-License-Identifier: MIT */
#include "store/run_store.h"

#include "base/fs.h"
#include "store/store_db.h"

#include <string.h>

static const char *column(sqlite3_stmt *q, int at)
{
    return (const char *)sqlite3_column_text(q, at);
}

/* --- writing --- */

static int step(struct store *s, sqlite3_stmt *q, const char *what, struct err *err)
{
    int rc = sqlite3_step(q);

    if (rc == SQLITE_FULL)
        return fail(err, ERR_SYSTEM, "store %s/store.db: the disk is full", s->home);
    return rc == SQLITE_DONE ? 0 : store_fail(s, what, err);
}

static void bind_texts(sqlite3_stmt *q, int at, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        statement_text(q, at + (int)i, texts[i]);
}

/* Binds texts one after the other, from parameter `at` on. */
#define BIND_TEXTS(q, at, ...)                            \
    bind_texts(q, at, (const char *const[]){__VA_ARGS__}, \
               sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static int insert_run(struct store *s, const struct run_row *run, struct err *err)
{
    AUTO(statement_finalizep) sqlite3_stmt *q = NULL;

    if (store_prepare(s,
                      "INSERT OR IGNORE INTO runs(name, created, sizes, device, source, check_only,"
                      " steady, weights) VALUES(?,?,?,?,?,?,?,?)",
                      "cannot add a run", &q, err) < 0)
        return -1;
    BIND_TEXTS(q, 1, run->name, run->created, run->sizes, run->device, run->source);
    sqlite3_bind_int(q, 6, run->check_only);
    sqlite3_bind_int(q, 7, run->steady);
    statement_text(q, 8, run->weights);
    return step(s, q, "cannot add a run", err);
}

/* Figures of one run are compared with each other, so all are made the same way. */
static int same_settings(void *arg, const struct run_row *had, struct err *err)
{
    const struct run_row *want = arg;

    if (strcmp(had->sizes, want->sizes) != 0)
        return fail(err, ERR_INPUT, "run %s has sizes %s, not %s: choose another name", had->name,
                    had->sizes, want->sizes);
    if (strcmp(had->device, want->device) != 0)
        return fail(err, ERR_INPUT,
                    "run %s was made with device '%s', not '%s': choose another name", had->name,
                    had->device, want->device);
    if (had->check_only != want->check_only)
        return fail(err, ERR_INPUT, "run %s was made %s timing: choose another name", had->name,
                    had->check_only ? "without" : "with");
    if (had->steady != want->steady)
        return fail(err, ERR_INPUT, "run %s was made %s --steady: choose another name", had->name,
                    had->steady ? "with" : "without");
    if (strcmp(had->weights, want->weights) != 0)
        return fail(err, ERR_INPUT, "run %s was made with weights %s, not %s: choose another name",
                    had->name, had->weights, want->weights);
    return 0;
}

int store_run_begin(struct store *s, const struct run_row *run, struct err *err)
{
    if (insert_run(s, run, err) < 0)
        return -1;
    return store_run_get(s, run->name, same_settings, (void *)run, err);
}

int store_run_problem(struct store *s, const char *run, const struct run_problem_row *p,
                      struct err *err)
{
    AUTO(statement_finalizep) sqlite3_stmt *q = NULL;

    if (store_prepare(s,
                      "INSERT OR REPLACE INTO run_problems(run, problem, hash, title, level,"
                      " repaired, algebra) VALUES(?,?,?,?,?,?,?)",
                      "cannot add a problem", &q, err) < 0)
        return -1;
    BIND_TEXTS(q, 1, run, p->name, p->hash, p->title, p->level, p->repaired, p->algebra);
    return step(s, q, "cannot add a problem", err);
}

static int put_cell(struct store *s, const char *run, const struct cell_row *c, struct err *err)
{
    AUTO(statement_finalizep) sqlite3_stmt *q = NULL;

    if (store_prepare(s,
                      "INSERT OR REPLACE INTO cells(run, model, problem, sample, repeat, file,"
                      " candidate_hash, problem_hash, device, record, skipped)"
                      " VALUES(?,?,?,?,?,?,?,?,?,?,?)",
                      "cannot add a cell", &q, err) < 0)
        return -1;
    BIND_TEXTS(q, 1, run, c->model, c->problem);
    sqlite3_bind_int(q, 4, c->sample);
    sqlite3_bind_int(q, 5, c->repeat);
    BIND_TEXTS(q, 6, c->file, c->candidate_hash, c->problem_hash, c->device, c->record, c->skipped);
    return step(s, q, "cannot add a cell", err);
}

/* All repeats of a sample are of one file and one problem. Cells of another file or problem are
 * dropped. */
static int drop_stale(struct store *s, const char *run, const struct cell_row *c, struct err *err)
{
    AUTO(statement_finalizep) sqlite3_stmt *q = NULL;

    if (!c->record)
        return 0;
    if (store_prepare(s,
                      "DELETE FROM cells WHERE run = ? AND model = ? AND problem = ? AND"
                      " (candidate_hash IS NOT ? OR problem_hash IS NOT ?) AND sample = ?",
                      "cannot drop a cell", &q, err) < 0)
        return -1;
    BIND_TEXTS(q, 1, run, c->model, c->problem, c->candidate_hash, c->problem_hash);
    sqlite3_bind_int(q, 6, c->sample);
    return step(s, q, "cannot drop a cell", err);
}

int store_run_add(struct store *s, const char *run, const json_t *record, const char *source_hash,
                  const void *source, size_t source_len, const struct cell_row *cells, int n_cells,
                  struct err *err)
{
    int rc = store_exec(s, "BEGIN IMMEDIATE", err);

    if (rc < 0)
        return -1;
    if (record)
        rc = store_add(s, record, source_hash, source, source_len, err);
    for (int i = 0; i < n_cells && rc == 0; i++)
        rc = drop_stale(s, run, &cells[i], err) < 0 ? -1 : put_cell(s, run, &cells[i], err);
    if (rc == 0)
        rc = store_exec(s, "COMMIT", err);
    if (rc < 0)
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}

/* --- reading --- */

#define RUN_COLUMNS \
    "SELECT name, created, sizes, device, source, check_only, steady, weights FROM runs "

static struct run_row run_of(sqlite3_stmt *q)
{
    return (struct run_row){.name = column(q, 0),
                            .created = column(q, 1),
                            .sizes = column(q, 2),
                            .device = column(q, 3),
                            .source = column(q, 4),
                            .check_only = sqlite3_column_int(q, 5) != 0,
                            .steady = sqlite3_column_int(q, 6) != 0,
                            .weights = column(q, 7)};
}

/* A damaged file may give NULL for a column that the schema says is never NULL. */
static int check_columns(const struct store *s, sqlite3_stmt *q, int n, struct err *err)
{
    for (int i = 0; i < n; i++)
        if (sqlite3_column_type(q, i) == SQLITE_NULL)
            return fail(err, ERR_SYSTEM, "store %s/store.db is damaged", s->home);
    return 0;
}

/* Calls each() for every row, until it fails. */
static int each_run(struct store *s, sqlite3_stmt *q,
                    int (*each)(void *arg, const struct run_row *run, struct err *err), void *arg,
                    int *ret_n, struct err *err)
{
    int rc;

    *ret_n = 0;
    while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
        struct run_row row = run_of(q);

        ++*ret_n;
        if (check_columns(s, q, 8, err) < 0 || each(arg, &row, err) < 0)
            return -1;
    }
    return rc == SQLITE_DONE ? 0 : store_fail(s, "cannot read runs", err);
}

int store_run_get(struct store *s, const char *name,
                  int (*each)(void *arg, const struct run_row *run, struct err *err), void *arg,
                  struct err *err)
{
    AUTO(statement_finalizep) sqlite3_stmt *q = NULL;
    int n = 0;

    if (store_prepare(s, RUN_COLUMNS "WHERE name = ?", "cannot read runs", &q, err) < 0)
        return -1;
    statement_text(q, 1, name);
    if (each_run(s, q, each, arg, &n, err) < 0)
        return -1;
    return n ? 0 : fail(err, ERR_INPUT, "there is no run '%s' in %s", name, s->home);
}

int store_runs(struct store *s, int (*each)(void *arg, const struct run_row *run, struct err *err),
               void *arg, struct err *err)
{
    AUTO(statement_finalizep) sqlite3_stmt *q = NULL;
    int n = 0;

    if (store_prepare(s, RUN_COLUMNS "ORDER BY created, name", "cannot read runs", &q, err) < 0)
        return -1;
    return each_run(s, q, each, arg, &n, err);
}

int store_run_problems(struct store *s, const char *run,
                       int (*each)(void *arg, const struct run_problem_row *p, struct err *err),
                       void *arg, struct err *err)
{
    AUTO(statement_finalizep) sqlite3_stmt *q = NULL;
    int rc;

    if (store_prepare(s,
                      "SELECT problem, hash, title, level, repaired, algebra FROM run_problems"
                      " WHERE run = ? ORDER BY problem",
                      "cannot read problems", &q, err) < 0)
        return -1;
    statement_text(q, 1, run);
    while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
        struct run_problem_row row = {column(q, 0), column(q, 1), column(q, 2),
                                      column(q, 3), column(q, 4), column(q, 5)};

        if (check_columns(s, q, 4, err) < 0 || each(arg, &row, err) < 0)
            return -1;
    }
    return rc == SQLITE_DONE ? 0 : store_fail(s, "cannot read problems", err);
}

int store_run_cells(struct store *s, const char *run,
                    int (*each)(void *arg, const struct cell_row *c, const char *record_json,
                                struct err *err),
                    void *arg, struct err *err)
{
    AUTO(statement_finalizep) sqlite3_stmt *q = NULL;
    int rc;

    if (store_prepare(s,
                      "SELECT c.model, c.problem, c.sample, c.repeat, c.file, c.candidate_hash,"
                      " c.problem_hash, c.device, c.record, c.skipped, r.verdict, r.json"
                      " FROM cells c LEFT JOIN records r ON r.id = c.record WHERE c.run = ?"
                      " ORDER BY c.model, c.problem, c.sample, c.repeat",
                      "cannot read cells", &q, err) < 0)
        return -1;
    statement_text(q, 1, run);
    while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
        struct cell_row row = {
            .model = column(q, 0),
            .problem = column(q, 1),
            .sample = sqlite3_column_int(q, 2),
            .repeat = sqlite3_column_int(q, 3),
            .file = column(q, 4),
            .candidate_hash = column(q, 5),
            .problem_hash = column(q, 6),
            .device = column(q, 7),
            .record = column(q, 8),
            .skipped = column(q, 9),
            .verdict = column(q, 10),
        };

        if (check_columns(s, q, 5, err) < 0 || each(arg, &row, column(q, 11), err) < 0)
            return -1;
    }
    return rc == SQLITE_DONE ? 0 : store_fail(s, "cannot read cells", err);
}

int store_record(struct store *s, const char *id, struct buf *ret, struct err *err)
{
    AUTO(statement_finalizep) sqlite3_stmt *q = NULL;

    if (store_prepare(s, "SELECT json FROM records WHERE id = ?", "cannot read a record", &q, err) <
        0)
        return -1;
    statement_text(q, 1, id);
    if (sqlite3_step(q) != SQLITE_ROW)
        return fail(err, ERR_INPUT, "there is no record '%s' in %s", id, s->home);
    buf_adds(ret, column(q, 0));
    return 0;
}

int store_source(struct store *s, const char *hash, struct buf *ret, struct err *err)
{
    AUTO(freep) char *path = xasprintf("%s/sources/%.2s/%s", s->home, hash, hash + 2);

    return fs_read(path, SIZE_MAX, ret, err);
}
