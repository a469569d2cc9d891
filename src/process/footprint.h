/* SPDX-License-Identifier: MIT */
/* What a runner has taken for itself: memory that is neither an arena nor a file. */
#ifndef ASSAY_PROCESS_FOOTPRINT_H
#define ASSAY_PROCESS_FOOTPRINT_H

#include "base/err.h"

#include <stdint.h>
#include <sys/types.h>

/* What a runner holds without a candidate (libraries' data, stacks, a thread per core) and what the
 * kernel's counters may be off by. */
extern const int64_t footprint_own_bytes;

/* The most private memory the process has held at once, in bytes; of huge pages what it holds now.
 */
int footprint_peak(pid_t pid, int64_t *ret_bytes, struct err *err);

/* What it holds of the host's memory now, arenas and files too; 0 when it cannot be found out. */
uint64_t footprint_resident(pid_t pid);

#endif
