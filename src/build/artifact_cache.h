/* SPDX-License-Identifier: MIT */
/* Inside src/build: finished artifacts by the hash of all that went into them. */
#ifndef ASSAY_BUILD_ARTIFACT_CACHE_H
#define ASSAY_BUILD_ARTIFACT_CACHE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"

#define ARTIFACT_MAX_BYTES ((size_t)64 << 20)
#define ARTIFACT_MAX_LOG ((size_t)64 << 10)

struct artifact_entry {
    struct buf log; /* the compiler's output: warnings matter on success too */
    struct buf artifact;
    char hash[HASH_HEX]; /* hash of the artifact */
};

#define ARTIFACT_ENTRY_INIT    \
    {                          \
        BUF_INIT, BUF_INIT, "" \
    }

void artifact_entry_release(struct artifact_entry *e);

/* Loads an entry; false when there is none or it is damaged. */
bool artifact_cache_load(const char *cache_dir, const char *key, struct artifact_entry *ret);
int artifact_cache_store(const char *cache_dir, const char *key, const struct artifact_entry *e,
                         struct err *err);

#endif
