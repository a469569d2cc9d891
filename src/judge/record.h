/* SPDX-License-Identifier: MIT */
/* One evaluation as JSON: docs/record.md describes every key. */
#ifndef ASSAY_JUDGE_RECORD_H
#define ASSAY_JUDGE_RECORD_H

#include "judge/session.h"

#include <jansson.h>

#define RECORD_SCHEMA 1

/* Returns a new reference. */
json_t *record_json(const struct session *s, const struct evaluation *e);
/* The parts "calibration" and "datasheet" (NULL: null) of a record; `calibrate` and `list` show
 * them too. */
json_t *record_calibration(const struct calibration *c);
json_t *record_hardware(const struct hardware *hw);

#endif
