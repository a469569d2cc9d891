/* SPDX-License-Identifier: MIT */
/* Planned failures, for tests: ASSAY_FAULT=write:3 makes the third fault("write") return true.
 * Kinds in use: write, fork, alloc, gpu (memory). Without the variable every call returns false. */
#ifndef ASSAY_BASE_FAULT_H
#define ASSAY_BASE_FAULT_H

#include <stdbool.h>

bool fault(const char *kind);

#endif
