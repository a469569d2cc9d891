/* SPDX-License-Identifier: MIT */
/* Rules for scored contents, a part of admission. A score is worth something only if the values of
 * float inputs leave no work to save. They have to be dense, with hardly any equal neighbours, and
 * in rows that differ, so that no threshold can be written into a kernel. A law's promise does not
 * count: the contents themselves are looked at, in a sample. */
#ifndef ASSAY_JUDGE_ADMIT_SCORED_H
#define ASSAY_JUDGE_ADMIT_SCORED_H

#include "judge/admit.h"

enum scored_rule {
    SCORED_LAWS,       /* at least two different laws are scored */
    SCORED_ZEROS,      /* at most 1 % of a float input's values are 0 */
    SCORED_NEIGHBOURS, /* at most 1 % of neighbours in a row are equal; 10 % for 8-bit floats */
    SCORED_ROWS,       /* some scored law gives each row of a float input its own location, scale */
    SCORED_COUNT,
};
extern const char *const scored_rule_names[SCORED_COUNT];

/* Judges the contents 0 .. contents - 1 of the pool by every rule. Each case is ADMIT_KEPT,
 * ADMIT_BROKEN with input and law in the detail, or ADMIT_NONE. */
int admit_scored(const struct admit_place *at, struct pool *pool, int contents,
                 struct admit_case ret[SCORED_COUNT], struct err *err);

#endif
