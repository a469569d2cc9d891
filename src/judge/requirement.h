/* SPDX-License-Identifier: MIT */
/* Requirement of a problem on a candidate's machine code: `requires { tensor = "fp8" }`. */
#ifndef ASSAY_JUDGE_REQUIREMENT_H
#define ASSAY_JUDGE_REQUIREMENT_H

#include "base/buf.h"
#include "build/evidence.h"
#include "build/prebuild.h"
#include "terms/verdict.h"

/* Holds the evidence against the required tensor class (NULL: none). Returns 0 if it is met, if
 * there is nothing to meet, or if it does not apply to the device. Returns 1 with VERDICT_REJECTED
 * if the code shows something else, and with VERDICT_INFRA if the code could not be seen. */
int requirement_check(const struct evidence *e, const char *tensor, struct verdict *v);

/* Decides who is to blame if the code could not be seen. It stays VERDICT_INFRA if the code of a
 * kernel that does nothing cannot be seen either, and if instructions do not say what they are.
 * Otherwise the candidate hides its own code, by whatever means: VERDICT_REJECTED. */
void requirement_blame(const struct evidence *e, const struct prebuild_request *p,
                       const struct source_text *source, struct verdict *v);

/* Describes the code for people, in one line without an end. Writes nothing for code that uses no
 * tensor cores and keeps all in registers. */
void requirement_describe(const struct evidence *e, const char *tensor, struct buf *out);

#endif
