/* SPDX-License-Identifier: MIT */
/* What the files of a session share: session_size.c judges at one size, session.c a candidate at
 * all of them. Nobody else includes this. */
#ifndef ASSAY_JUDGE_SESSION_PARTS_H
#define ASSAY_JUDGE_SESSION_PARTS_H

#include "judge/session.h"

/* Where it is not open yet. */
int session_open_pool(struct session *s, int size, struct err *err);
/* Adds what making the pool's contents took so far, times sign, to the evaluation's. */
/* 0, 1 with e->verdict, -1 with err. */
int session_judge_size(struct session *s, int i, struct evaluation *e, struct err *err);

#endif
