/* SPDX-License-Identifier: MIT */
/* A store in a folder of its own. */
#ifndef TESTS_STORE_RIG_H
#define TESTS_STORE_RIG_H

#include "testing.h"

#include "base/hash.h"
#include "store/run_store.h"

#include <stdlib.h>
#include <string.h>

static inline char *home_dir(void)
{
    char *dir = xstrdup("home-XXXXXX");

    assert_non_null(mkdtemp(dir));
    return dir;
}

static inline int add(struct store *s, const char *id, struct err *err)
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

#endif
