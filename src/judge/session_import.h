/* SPDX-License-Identifier: MIT */
/* Inside src/judge: the build of a candidate in Python. */
#ifndef ASSAY_JUDGE_SESSION_IMPORT_H
#define ASSAY_JUDGE_SESSION_IMPORT_H

#include "judge/session.h"

/* Imports and constructs the candidate for the first size, in a process that gets no content and is
 * thrown away, while nobody is timed. What it prints is build.log. Does nothing for candidates of
 * other kinds. 0, 1 with e->verdict, or -1. */
int session_import(struct session *s, struct evaluation *e, struct err *err);

#endif
