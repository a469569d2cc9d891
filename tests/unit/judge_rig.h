/* SPDX-License-Identifier: MIT */
/* For tests that judge with real runners. */
#ifndef TESTS_JUDGE_RIG_H
#define TESTS_JUDGE_RIG_H

#include "testing.h"

#include "base/fs.h"
#include "judge/session.h"

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
    const struct source_file file = {path, 0};
    struct source_text source = {.name = path};
    struct err err = ERR_INIT;
    AUTO(freep) char *text = NULL;
    char ignored[HASH_HEX];

    must(prebuild_read(&file, &text, &source.len, ignored, &err), &err);
    source.text = text;
    session_eval(s, &source, NULL, ret);
}

#endif
