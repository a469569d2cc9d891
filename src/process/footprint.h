/* SPDX-License-Identifier: MIT */
/* Memory that a runner has taken for itself: neither an arena nor a file. */
#ifndef ASSAY_PROCESS_FOOTPRINT_H
#define ASSAY_PROCESS_FOOTPRINT_H

#include "base/err.h"

#include <stdint.h>
#include <sys/types.h>

/* Memory that a runner holds without a candidate (libraries' data, stacks, a thread per core), and
 * the possible error of the kernel's counters. */
extern const int64_t footprint_own_bytes;

/* Room for memory that a language's libraries take of their own accord when a candidate is imported
 * and first computes. torch 1.13 takes less than 1 MB for its first products and convolutions;
 * imports of a candidate's take more. */
#define FOOTPRINT_LIBRARY_BYTES ((int64_t)24 << 20)

/* The most private memory that the process has held at once, in bytes. Huge pages are counted as
 * they are now. */
int footprint_peak(pid_t pid, int64_t *ret_bytes, struct err *err);

/* Bytes of files in a folder of the process's own, which is a file system in memory. `folder` is a
 * path in its mount namespace. 0 if that cannot be found out. */
int64_t footprint_folder(pid_t pid, const char *folder);

/* Host memory that the process holds now, arenas and files too; 0 if it cannot be found out. */
uint64_t footprint_resident(pid_t pid);

#endif
