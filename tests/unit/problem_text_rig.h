/* SPDX-License-Identifier: MIT */
/* Problems that are written out in a test, good ones and bad ones. */
#ifndef TESTS_PROBLEM_TEXT_RIG_H
#define TESTS_PROBLEM_TEXT_RIG_H

#include "testing.h"

#include "base/fs.h"
#include "problem/problem.h"

#include <string.h>

#define HEAD              \
    "problem { \"t\" }\n" \
    "sizes { full = { B = 4, N = 8 }, small = { B = 2, N = 6 } }\n"

#define X "local x = input('x', f32, { B, N })\n"
#define Y "output('y', x)\n"

/* Loads text as the file p.lua of the current folder. */
static inline int load(const char *text, struct problem **ret, struct err *err)
{
    assert_int_equal(fs_write_atomic("p.lua", text, strlen(text), err), 0);
    return problem_load("p.lua", "p", ret, err);
}

static inline void must_load(const char *text, struct problem **ret)
{
    struct err err = ERR_INIT;

    if (load(text, ret, &err) < 0)
        fail_msg("%s\n%s", err.text, text);
}

#endif
