/* SPDX-License-Identifier: MIT */
#ifndef ASSAY_OPS_THREADS_H
#define ASSAY_OPS_THREADS_H

#include <stdint.h>

/* How many threads a loop of so many operations is worth: 1 below about 100,000. */
int threads_for(double operations);
/* The most a loop may have. */
int threads_limit(void);

#endif
