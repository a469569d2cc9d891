/* SPDX-License-Identifier: MIT */
/* A cache of files, each named by the hash of all that went into it. Its size is
 * bounded: the files that were not used for longest make room. */
#ifndef ASSAY_BUILD_FILE_CACHE_H
#define ASSAY_BUILD_FILE_CACHE_H

#include "base/buf.h"
#include "base/err.h"

/* Loads an entry; false when there is none. Its bytes may be damaged. */
bool file_cache_load(const char *cache_dir, const char *kind, const char *key, size_t max_bytes,
                     struct buf *ret);
/* Stores an entry. ERR_USAGE if $ASSAY_CACHE_MB is not a size. */
int file_cache_store(const char *cache_dir, const char *kind, const char *key, const void *data,
                     size_t len, struct err *err);

#endif
