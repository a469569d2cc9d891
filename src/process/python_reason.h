/* SPDX-License-Identifier: MIT */
/* Reasons that a runner inside Python names by the first word of a failure ("module: there is no
 * ..."). The word is the candidate's: one that is not on these lists names nothing. */
#ifndef ASSAY_PROCESS_PYTHON_REASON_H
#define ASSAY_PROCESS_PYTHON_REASON_H

#include "terms/verdict.h"

/* A candidate that could not be loaded: a reason of `build_error`. Returns 1. */
int python_load_verdict(const char *text, struct verdict *v);
/* A call that failed: `wrong` for a result that is no answer, else `crash`. Returns 1. */
int python_call_verdict(const char *text, struct verdict *v);

#endif
