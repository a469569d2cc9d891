/* SPDX-License-Identifier: MIT */
#ifndef ASSAY_OPS_THREADS_H
#define ASSAY_OPS_THREADS_H

#include <stdint.h>

/* The number of threads for a loop of this many operations: 1 below about 100,000. */
int threads_for(double operations);
/* The most threads that a loop may have. */
int threads_limit(void);

#endif
