/* SPDX-License-Identifier: MIT */
/* src/report/page as text inside the program. */
#ifndef ASSAY_REPORT_PAGE_ASSETS_H
#define ASSAY_REPORT_PAGE_ASSETS_H

extern const char page_html[], page_style[], page_script[];

#endif
