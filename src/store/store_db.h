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

/* ERR_SYSTEM with the file's name and what SQLite says; always -1. */
int store_fail(const struct store *s, const char *what, struct err *err);
/* Statements without results. Waits where SQLite by itself would not. */
int store_exec(struct store *s, const char *sql, struct err *err);
/* Prepares, or fails with `what`. Finalised by the caller: AUTO(statement_finalizep). */
int store_prepare(struct store *s, const char *sql, const char *what, sqlite3_stmt **ret,
                  struct err *err);
void statement_finalizep(sqlite3_stmt **q);
/* NULL binds NULL. */
void statement_text(sqlite3_stmt *q, int at, const char *text);

#endif
