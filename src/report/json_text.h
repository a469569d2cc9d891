/* SPDX-License-Identifier: MIT */
/* Values from outside as JSON: names, sources and figures that JSON itself could not hold. */
#ifndef ASSAY_REPORT_JSON_TEXT_H
#define ASSAY_REPORT_JSON_TEXT_H

#include <jansson.h>
#include <stddef.h>

/* Text as JSON. Bytes that are no UTF-8 become '?', and so do NULs. */
json_t *json_text(const char *s, size_t len);
/* Text as JSON; null for NULL and "". */
json_t *json_text_or_null(const char *s);
/* A number as JSON; null if it is not finite. */
json_t *json_figure(double v);
/* The key's value as a new reference; null when there is none. */
json_t *json_copy_of(const json_t *object, const char *key);

#endif
