/* SPDX-License-Identifier: MIT */
/* What a problem requires of a candidate's machine code: `requires { tensor = "fp8" }`. */
#ifndef ASSAY_JUDGE_REQUIREMENT_H
#define ASSAY_JUDGE_REQUIREMENT_H

#include "base/buf.h"
#include "build/evidence.h"
#include "build/prebuild.h"
#include "terms/verdict.h"

/* Holds the evidence against the tensor class that is required (NULL: none is). Returns 0 when it
 * is met, when there is nothing to meet, or when it does not apply to the device; 1 with
 * VERDICT_REJECTED when the code shows something else, with VERDICT_INFRA when nobody could see. */
int requirement_check(const struct evidence *e, const char *tensor, struct verdict *v);

/* That nobody could see stays VERDICT_INFRA where the code of a kernel that does nothing cannot be
 * seen either, and where instructions do not say what they are. Otherwise the candidate hides its
 * own, by whatever means: VERDICT_REJECTED. */
void requirement_blame(const struct evidence *e, const struct prebuild_request *p,
                       const struct source_text *source, struct verdict *v);

/* For people, in one line without an end: what is worth knowing about the code. Nothing for code
 * that uses no tensor cores and keeps all in registers. */
void requirement_describe(const struct evidence *e, const char *tensor, struct buf *out);

#endif
