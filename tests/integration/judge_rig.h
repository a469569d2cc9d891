/* SPDX-License-Identifier: MIT */
/* For tests that judge with real runners. */
#ifndef TESTS_JUDGE_RIG_H
#define TESTS_JUDGE_RIG_H

#include "testing.h"

#include "judge/judge.h"

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
