/* SPDX-License-Identifier: MIT */
#include "store/store_db.h"

#include "base/clock.h"
#include "base/fault.h"
#include "base/fs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define BUSY_MS 10000

/* schema[v] makes version v + 1 of version v. A released step is never changed: add another one. */
static const char *const schema[] = {
    "CREATE TABLE IF NOT EXISTS records ("
    "  id TEXT PRIMARY KEY,"
    "  created TEXT NOT NULL,"
    "  problem TEXT NOT NULL,"
    "  problem_hash TEXT NOT NULL,"
    "  candidate_hash TEXT NOT NULL,"
    "  device TEXT NOT NULL,"
    "  verdict TEXT NOT NULL,"
    "  reason TEXT,"
    "  peak_fraction REAL,"
    "  json TEXT NOT NULL"
    ") STRICT;"
    "CREATE TABLE IF NOT EXISTS pools (pool TEXT PRIMARY KEY, seed TEXT NOT NULL) STRICT;"
    "CREATE INDEX IF NOT EXISTS records_by_problem ON records(problem, created);"
    "CREATE INDEX IF NOT EXISTS records_by_candidate ON records(candidate_hash);"
    "PRAGMA user_version = 1;",

    "CREATE TABLE runs ("
    "  name TEXT PRIMARY KEY,"
    "  created TEXT NOT NULL,"
    "  sizes TEXT NOT NULL,"
    "  device TEXT NOT NULL,"
    "  source TEXT NOT NULL,"
    "  check_only INTEGER NOT NULL"
    ") STRICT;"
    "CREATE TABLE run_problems ("
    "  run TEXT NOT NULL, problem TEXT NOT NULL, hash TEXT NOT NULL, title TEXT NOT NULL,"
    "  level TEXT NOT NULL, repaired TEXT, algebra TEXT,"
    "  PRIMARY KEY (run, problem)"
    ") STRICT;"
    "CREATE TABLE cells ("
    "  run TEXT NOT NULL, model TEXT NOT NULL, problem TEXT NOT NULL,"
    "  sample INTEGER NOT NULL, repeat INTEGER NOT NULL,"
    "  file TEXT NOT NULL, candidate_hash TEXT, problem_hash TEXT, device TEXT,"
    "  record TEXT, skipped TEXT,"
    "  PRIMARY KEY (run, model, problem, sample, repeat)"
    ") STRICT;"
    "CREATE INDEX cells_by_record ON cells(record);"
    "PRAGMA user_version = 2;",

    ("ALTER TABLE runs ADD COLUMN steady INTEGER NOT NULL DEFAULT 0;"
     "PRAGMA user_version = 3;"),

    ("ALTER TABLE runs ADD COLUMN weights TEXT NOT NULL DEFAULT 'per_call';"
     "PRAGMA user_version = 4;"),
};
#define STORE_SCHEMA ((int)ARRAY_SIZE(schema))

int store_fail(const struct store *s, const char *what, struct err *err)
{
    return fail(err, ERR_SYSTEM, "store %s/store.db: %s: %s", s->home, what, sqlite3_errmsg(s->db));
}

/* SQLite does not wait by itself if it sees a deadlock coming, as when two processes turn on
 * WAL. */
int store_exec(struct store *s, const char *sql, struct err *err)
{
    uint64_t start = clock_ns();
    int rc;

    while ((rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL)) == SQLITE_BUSY &&
           clock_ms_since(start) < BUSY_MS)
        usleep(5000);
    if (rc == SQLITE_FULL)
        return fail(err, ERR_SYSTEM, "store %s/store.db: the disk is full", s->home);
    return rc == SQLITE_OK ? 0 : store_fail(s, "cannot write", err);
}

int store_prepare(struct store *s, const char *sql, const char *what, sqlite3_stmt **ret,
                  struct err *err)
{
    return sqlite3_prepare_v2(s->db, sql, -1, ret, NULL) == SQLITE_OK ? 0
                                                                      : store_fail(s, what, err);
}

void statement_finalizep(sqlite3_stmt **q)
{
    sqlite3_finalize(*q);
}

void statement_text(sqlite3_stmt *q, int at, const char *text)
{
    if (text)
        sqlite3_bind_text(q, at, text, -1, SQLITE_TRANSIENT);
}

static int user_version(struct store *s, int *ret, struct err *err)
{
    sqlite3_stmt *q = NULL;

    if (sqlite3_prepare_v2(s->db, "PRAGMA user_version", -1, &q, NULL) != SQLITE_OK ||
        sqlite3_step(q) != SQLITE_ROW) {
        store_fail(s, "cannot read", err);
        sqlite3_finalize(q);
        return -1;
    }
    *ret = sqlite3_column_int(q, 0);
    sqlite3_finalize(q);
    return 0;
}

/* One process at a time makes a store: the folder itself is the lock. */
static int lock_folder(const char *home, int *ret_fd, struct err *err)
{
    AUTO(fd_closep) int fd = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || flock(fd, LOCK_EX) < 0)
        return fail_errno(err, "cannot lock %s", home);
    *ret_fd = fd_steal(&fd);
    return 0;
}

/* A step is done as a whole or not at all, so that a kill leaves one version or the next. */
static int migrate(struct store *s, const char *step, struct err *err)
{
    AUTO(freep) char *sql = xasprintf("BEGIN IMMEDIATE; %s COMMIT;", step);

    if (store_exec(s, sql, err) == 0)
        return 0;
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return -1;
}

/* WAL survives kill -9 of any process. NORMAL leaves out the fsync per commit, which only a power
 * cut could show. */
static int set_up(struct store *s, struct err *err)
{
    int version = 0;

    sqlite3_busy_timeout(s->db, BUSY_MS);
    if (store_exec(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", err) < 0 ||
        user_version(s, &version, err) < 0)
        return -1;
    if (version > STORE_SCHEMA)
        return fail(err, ERR_INPUT,
                    "store %s/store.db was made by a newer Assay (schema %d, this one knows %d)",
                    s->home, version, STORE_SCHEMA);
    for (; version < STORE_SCHEMA; version++)
        if (migrate(s, schema[version], err) < 0)
            return -1;
    return 0;
}

int store_open(const char *home, struct store **ret, struct err *err)
{
    AUTO(store_closep) struct store *s = xcalloc(1, sizeof(*s));
    AUTO(freep) char *path = fs_join(home, "store.db");
    AUTO(fd_closep) int lock = -1;

    s->home = xstrdup(home);
    if (fs_mkdirs(home, err) < 0 || lock_folder(home, &lock, err) < 0)
        return -1;
    if (sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
        SQLITE_OK)
        return store_fail(s, "cannot open", err);
    if (set_up(s, err) < 0)
        return -1;
    *ret = steal(&s);
    return 0;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    sqlite3_close(s->db);
    free(s->home);
    free(s);
}

void store_closep(struct store **s)
{
    store_close(*s);
    *s = NULL;
}

static int save_source(const struct store *s, const char *hash, const void *data, size_t len,
                       struct err *err)
{
    AUTO(freep) char *dir = xasprintf("%s/sources/%.2s", s->home, hash);
    AUTO(freep) char *path = fs_join(dir, hash + 2);

    if (fs_exists(path))
        return 0;
    if (fs_mkdirs(dir, err) < 0)
        return -1;
    return fs_write_atomic(path, data, len, err);
}

static void bind_key(sqlite3_stmt *q, int at, const json_t *record, const char *key)
{
    const char *value = json_string_value(json_object_get(record, key));

    if (value)
        sqlite3_bind_text(q, at, value, -1, SQLITE_TRANSIENT);
}

int store_add(struct store *s, const json_t *record, const char *source_hash, const void *source,
              size_t source_len, struct err *err)
{
    static const char *const keys[] = {"id", "created", "problem", "problem_hash",
                                       NULL, "device",  "verdict", "reason"};
    AUTO(freep) char *text = json_dumps(record, JSON_COMPACT);
    sqlite3_stmt *q = NULL;
    const json_t *peak = json_object_get(record, "peak_fraction");

    if (save_source(s, source_hash, source, source_len, err) < 0)
        return -1;
    if (sqlite3_prepare_v2(s->db,
                           "INSERT INTO records(id, created, problem, problem_hash, candidate_hash,"
                           " device, verdict, reason, peak_fraction, json)"
                           " VALUES(?,?,?,?,?,?,?,?,?,?)",
                           -1, &q, NULL) != SQLITE_OK)
        return store_fail(s, "cannot add a record", err);
    for (int i = 0; i < (int)ARRAY_SIZE(keys); i++)
        if (keys[i])
            bind_key(q, i + 1, record, keys[i]);
    sqlite3_bind_text(q, 5, source_hash, -1, SQLITE_TRANSIENT);
    if (json_is_number(peak))
        sqlite3_bind_double(q, 9, json_number_value(peak));
    sqlite3_bind_text(q, 10, text, -1, SQLITE_TRANSIENT);

    int rc = fault("write") ? SQLITE_FULL : sqlite3_step(q);

    sqlite3_finalize(q);
    if (rc == SQLITE_FULL)
        return fail(err, ERR_SYSTEM, "store %s/store.db: the disk is full", s->home);
    return rc == SQLITE_DONE ? 0 : store_fail(s, "cannot add a record", err);
}

int store_reveal(struct store *s, const char *pool, const char *seed, struct err *err)
{
    sqlite3_stmt *q = NULL;

    if (sqlite3_prepare_v2(s->db, "INSERT OR IGNORE INTO pools(pool, seed) VALUES(?, ?)", -1, &q,
                           NULL) != SQLITE_OK)
        return store_fail(s, "cannot add a seed", err);
    sqlite3_bind_text(q, 1, pool, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(q, 2, seed, -1, SQLITE_TRANSIENT);

    int rc = sqlite3_step(q);

    sqlite3_finalize(q);
    return rc == SQLITE_DONE ? 0 : store_fail(s, "cannot add a seed", err);
}

int store_count(struct store *s, int64_t *ret, struct err *err)
{
    sqlite3_stmt *q = NULL;
    int rc = -1;

    if (sqlite3_prepare_v2(s->db, "SELECT count(*) FROM records", -1, &q, NULL) == SQLITE_OK &&
        sqlite3_step(q) == SQLITE_ROW) {
        *ret = sqlite3_column_int64(q, 0);
        rc = 0;
    }
    sqlite3_finalize(q);
    return rc < 0 ? store_fail(s, "cannot count", err) : 0;
}
