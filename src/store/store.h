/* SPDX-License-Identifier: MIT */
/* Records in SQLite (WAL) under the home folder, candidate sources content-addressed beside it. A
 * record is written once and never changed; it is stored before it is printed. */
#ifndef ASSAY_STORE_STORE_H
#define ASSAY_STORE_STORE_H

#include "base/err.h"

#include <jansson.h>

struct store;

/* Opens the store, and makes what is missing. A store of a newer schema, a folder that cannot be
 * written, a file that is no database: one clear error. */
int store_open(const char *home, struct store **ret, struct err *err);
void store_close(struct store *s);
void store_closep(struct store **s);

/* Stores the source first (by its hash), then the record in one transaction. A crash in between
 * leaves a source nobody names, never a record without its source. */
int store_add(struct store *s, const json_t *record, const char *source_hash, const void *source,
              size_t source_len, struct err *err);
/* Stores the seed of a retired pool by its commitment; a second time is fine. */
int store_reveal(struct store *s, const char *pool, const char *seed, struct err *err);
/* Number of records, for doctor and tests. */
int store_count(struct store *s, int64_t *ret, struct err *err);

#endif
