/* SPDX-License-Identifier: MIT */
/* Report: one HTML file that opens from disk and asks the network for nothing. */
#ifndef ASSAY_REPORT_REPORT_PAGE_H
#define ASSAY_REPORT_REPORT_PAGE_H

#include "base/buf.h"
#include "base/err.h"

#include <jansson.h>

/* index and details: from page_index() and page_details(), as src/report/page reads them. */
int report_page_write(const char *title, const json_t *index, const json_t *details,
                      struct buf *out, struct err *err);

#endif
