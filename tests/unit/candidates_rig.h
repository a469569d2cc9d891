/* SPDX-License-Identifier: MIT */
/* Files of candidates, and what a run found among them. */
#ifndef TESTS_CANDIDATES_RIG_H
#define TESTS_CANDIDATES_RIG_H

#include "testing.h"

#include "base/fs.h"
#include "problem/problem.h"
#include "run/run.h"

#include <string.h>

static inline const char *share(void)
{
    const char *dir = getenv("ASSAY_SHARE");

    return dir ? dir : ".";
}

static inline void put(const char *dir, const char *name, const char *text)
{
    AUTO(freep) char *path = fs_join(dir, name);
    AUTO(freep) char *folder = xstrdup(path);
    struct err err = ERR_INIT;

    *strrchr(folder, '/') = '\0';
    assert_int_equal(fs_mkdirs(folder, &err), 0);
    assert_int_equal(fs_write_atomic(path, text, strlen(text), &err), 0);
}

static inline const struct candidate *find(const struct candidates *c, const char *model,
                                           const char *problem, int sample)
{
    for (int i = 0; i < c->n; i++)
        if (!strcmp(c->items[i].model, model) && !strcmp(c->items[i].problem, problem) &&
            c->items[i].sample == sample)
            return &c->items[i];
    return NULL;
}

#endif
