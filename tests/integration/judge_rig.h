/* SPDX-License-Identifier: MIT */
/* For tests that judge with real runners. */
#ifndef TESTS_JUDGE_RIG_H
#define TESTS_JUDGE_RIG_H

#include "testing.h"

#include "base/fs.h"
#include "judge/judge.h"

#include <stdlib.h>
#include <string.h>

static inline char *runner_path(void)
{
    const char *set = getenv("ASSAY_RUNNER");
    AUTO(freep) char *dir = fs_program_dir();

    return set ? xstrdup(set) : xasprintf("%s/../assay-runner", dir);
}

static inline void must(int rc, const struct err *err)
{
    if (rc < 0)
        fail_msg("%s", err->text);
}

static inline void write_file(const char *path, const char *text)
{
    struct err err = ERR_INIT;

    must(fs_write_atomic(path, text, strlen(text), &err), &err);
}

/* Judges the file as `assay eval` would. */
static inline void judge_file(struct session *s, const char *path, struct evaluation *ret)
{
    struct source_text source;
    struct err err = ERR_INIT;
    AUTO(freep) char *text = NULL;

    must(judge_read(path, &source, &text, &err), &err);
    session_eval(s, &source, NULL, ret);
}

#endif
