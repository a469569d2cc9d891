/* SPDX-License-Identifier: MIT */
/* Inside src/build: what was made once, in files by the hash of all that went into it. Their size
 * is bounded: what was not used for longest makes room. */
#ifndef ASSAY_BUILD_FILE_CACHE_H
#define ASSAY_BUILD_FILE_CACHE_H

#include "base/buf.h"
#include "base/err.h"

/* False when there is none; what is there may be damaged. */
bool file_cache_load(const char *cache_dir, const char *kind, const char *key, size_t max_bytes,
                     struct buf *ret);
/* ERR_USAGE where $ASSAY_CACHE_MB is no size. */
int file_cache_store(const char *cache_dir, const char *kind, const char *key, const void *data,
                     size_t len, struct err *err);

#endif
