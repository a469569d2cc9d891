/* SPDX-License-Identifier: MIT */
/* A session at one size of its problem: the pool of contents, and one candidate judged on it. */
#ifndef ASSAY_JUDGE_SESSION_SIZE_H
#define ASSAY_JUDGE_SESSION_SIZE_H

#include "judge/session.h"

/* Makes the first contents of this size, unless they are there. */
int session_open_pool(struct session *s, int size, struct err *err);
/* Judges one size: 0, 1 with e->verdict, -1 with err. */
int session_judge_size(struct session *s, int i, struct evaluation *e, struct err *err);
/* Limit of a process's start. One that is built by it has the time of a build. */
int session_start_timeout_ms(const struct session *s, const struct subject_kind *kind);

/* Draws contents in place of the graph's laws; NULL: the laws draw. */
const struct drawer *session_drawer(const struct session *s);

#endif
