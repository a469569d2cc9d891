/* SPDX-License-Identifier: MIT */
/*
 * One file per artifact (file_cache.h), with a head, the log and the artifact:
 *
 *     assay-artifact 1 LOG_BYTES LOG_HASH ARTIFACT_BYTES ARTIFACT_HASH\n
 *
 * Nothing is flushed to the disk: a file that a crash damaged does not match its hashes, and is
 * built again.
 */
#include "build/artifact_cache.h"

#include "build/file_cache.h"

#include <stdio.h>
#include <string.h>

#define KIND "artifacts"
#define HEAD "assay-artifact 1 %zu %s %zu %s\n"
#define HEAD_SCAN "assay-artifact 1 %zu %64[0-9a-f] %zu %64[0-9a-f]%n"
#define HEAD_MAX 256

void artifact_entry_release(struct artifact_entry *e)
{
    buf_release(&e->log);
    buf_release(&e->artifact);
}

/* Splits the file and checks both parts against the head. */
static bool parse(const struct buf *file, struct artifact_entry *ret)
{
    char log_hash[HASH_HEX], found[HASH_HEX];
    size_t log_len, artifact_len, head = 0;
    int n = 0;

    if (sscanf(buf_str(file), HEAD_SCAN, &log_len, log_hash, &artifact_len, ret->hash, &n) != 4 ||
        n <= 0 || file->ptr[n] != '\n')
        return false;
    head = (size_t)n + 1;
    if (log_len > ARTIFACT_MAX_LOG || artifact_len > ARTIFACT_MAX_BYTES ||
        file->len != head + log_len + artifact_len)
        return false;
    buf_add(&ret->log, file->ptr + head, log_len);
    buf_add(&ret->artifact, file->ptr + head + log_len, artifact_len);
    hash_of(ret->log.ptr, log_len, found);
    if (strcmp(found, log_hash) != 0)
        return false;
    hash_of(ret->artifact.ptr, artifact_len, found);
    return strcmp(found, ret->hash) == 0;
}

bool artifact_cache_load(const char *cache_dir, const char *key, struct artifact_entry *ret)
{
    AUTO(artifact_entry_release) struct artifact_entry e = ARTIFACT_ENTRY_INIT;
    AUTO(buf_release) struct buf file = BUF_INIT;
    size_t most = HEAD_MAX + ARTIFACT_MAX_LOG + ARTIFACT_MAX_BYTES;

    if (!file_cache_load(cache_dir, KIND, key, most, &file) || !parse(&file, &e))
        return false;
    *ret = e;
    e = (struct artifact_entry)ARTIFACT_ENTRY_INIT;
    return true;
}

int artifact_cache_store(const char *cache_dir, const char *key, const struct artifact_entry *e,
                         struct err *err)
{
    AUTO(buf_release) struct buf file = BUF_INIT;
    char log_hash[HASH_HEX];

    hash_of(buf_str(&e->log), e->log.len, log_hash);
    buf_addf(&file, HEAD, e->log.len, log_hash, e->artifact.len, e->hash);
    buf_add(&file, buf_str(&e->log), e->log.len);
    buf_add(&file, e->artifact.ptr, e->artifact.len);
    return file_cache_store(cache_dir, KIND, key, file.ptr, file.len, err);
}
