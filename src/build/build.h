/* SPDX-License-Identifier: MIT */
/* From a candidate's source to an artifact: a sandboxed compiler with fixed flags, and a cache
 * keyed by everything that goes in. Needs no device. Many may run at once; killing one leaves no
 * trace that another could trip over. A program that does not build is a result with a log, not an
 * error. */
#ifndef ASSAY_BUILD_BUILD_H
#define ASSAY_BUILD_BUILD_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"

struct build_request {
    const char *device;    /* "cpu", "fake" */
    const char *file_name; /* of the candidate, for messages: its suffix chooses the toolchain */
    const char *source;    /* its text */
    size_t source_len;
    const char *problem_h;   /* the problem's header (emit_c_header) */
    const char *include_dir; /* holds assay.h */
    const char *cache_dir;
    int timeout_ms; /* 0: 60 s */
    bool no_cache;
};

enum build_status { BUILD_OK, BUILD_FAILED, BUILD_TIMEOUT, BUILD_TOO_LARGE };

struct build_result {
    enum build_status status;
    int artifact_fd; /* BUILD_OK: a sealed memfd; the caller's to close */
    char artifact_hash[HASH_HEX];
    bool cached;
    char *log;         /* the compiler's text, capped, never NULL */
    char *toolchain;   /* "gcc 12.2.0 -O3 -march=native ..." */
    const char *walls; /* of the compiler's sandbox; "" when cached */
    double ms;
};

/* ERR_SYSTEM when there is no compiler (and what to install), the disk is full, ... */
int build_artifact(const struct build_request *req, struct build_result *ret, struct err *err);
void build_result_release(struct build_result *r);

#endif
