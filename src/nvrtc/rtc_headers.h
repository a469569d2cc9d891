/* SPDX-License-Identifier: MIT */
/* C headers that kernels like to include, as text: NVRTC has no C library. */
#ifndef ASSAY_NVRTC_RTC_HEADERS_H
#define ASSAY_NVRTC_RTC_HEADERS_H

extern const int rtc_n_headers;
extern const char *const rtc_header_names[], *const rtc_header_texts[]; /* in the same order */

#endif
