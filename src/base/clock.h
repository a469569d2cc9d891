/* SPDX-License-Identifier: MIT */
#ifndef ASSAY_BASE_CLOCK_H
#define ASSAY_BASE_CLOCK_H

#include <stdint.h>

/* The judge's clock: monotonic, in nanoseconds. */
uint64_t clock_ns(void);
/* Milliseconds since start_ns. */
double clock_ms_since(uint64_t start_ns);
/* Writes the time of day as "2026-11-15T04:12:09Z". */
void clock_utc(char out[21]);

#endif
