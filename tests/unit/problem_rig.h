/* SPDX-License-Identifier: MIT */
/* A problem from a few lines of Lua, written to the test's folder. */
#ifndef TESTS_PROBLEM_RIG_H
#define TESTS_PROBLEM_RIG_H

#include "testing.h"

#include "base/fs.h"
#include "problem/problem.h"

#include <string.h>

static inline struct problem *load(const char *text)
{
    struct problem *p = NULL;
    struct err err = ERR_INIT;

    assert_int_equal(fs_write_atomic("p.lua", text, strlen(text), &err), 0);
    must(problem_load("p.lua", "p", &p, &err), &err);
    return p;
}

/* A problem of ours: NAME is that of a file in problems/, without its suffix. */
static inline struct problem *load_shipped(const char *name)
{
    AUTO(freep) char *share = fs_share_dir();
    AUTO(freep) char *path = xasprintf("%s/problems/%s.lua", share, name);
    struct problem *p = NULL;
    struct err err = ERR_INIT;

    must(problem_load(path, name, &p, &err), &err);
    return p;
}

#define HEAD \
    "problem { 'P', level = 1, id = 1 }\nsizes { full = { N = 256 }, small = { N = 32 } }\n"

static inline const struct graph *small(const struct problem *p)
{
    return p->sizes[SIZES_SMALL][0].graph;
}

#endif
