/* SPDX-License-Identifier: MIT */
/* Inside src/store only: the connection and how its errors read. */
#ifndef ASSAY_STORE_STORE_DB_H
#define ASSAY_STORE_STORE_DB_H

#include "store/store.h"

#include <sqlite3.h>

struct store {
    sqlite3 *db;
    char *home;
};

/* ERR_SYSTEM with the file's name and SQLite's message; always -1. */
int store_fail(const struct store *s, const char *what, struct err *err);
/* Executes statements without results. Waits also where SQLite by itself would not. */
int store_exec(struct store *s, const char *sql, struct err *err);
/* Prepares a statement, or fails with `what`. The caller finalises it:
 * AUTO(statement_finalizep). */
int store_prepare(struct store *s, const char *sql, const char *what, sqlite3_stmt **ret,
                  struct err *err);
void statement_finalizep(sqlite3_stmt **q);
/* NULL binds NULL. */
void statement_text(sqlite3_stmt *q, int at, const char *text);

#endif
