/* SPDX-License-Identifier: MIT */
/* Inside src/judge: the rehearsal of a candidate in Python, a step of its build. */
#ifndef ASSAY_JUDGE_SESSION_REHEARSE_H
#define ASSAY_JUDGE_SESSION_REHEARSE_H

#include "judge/session.h"

/* Whether a candidate's text names a library that compiles when it is imported or first called. The
 * answer only decides whether compilers get their chance before judging. */
bool session_compiles(const struct evaluation *e);
/* Has the candidate compile, tune and keep what it needs, for every size, on contents that nobody
 * is judged on; or finds all that in the cache. e->frozen becomes what its folder holds. 0, 1 with
 * e->verdict, or -1. */
int session_rehearse(struct session *s, struct evaluation *e, struct err *err);

#endif
