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
#include "device/device.h"

struct build_request {
    const struct device *device;
    const char *arch;      /* from struct device_info; ignored where there is no choice */
    const char *file_name; /* candidate's name for messages; its suffix chooses the toolchain */
    const char *source;    /* the candidate's text */
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
    int artifact_fd; /* BUILD_OK: a sealed memfd; the caller closes it */
    char artifact_hash[HASH_HEX];
    bool cached;
    char *log;         /* the compiler's text, capped, never NULL */
    char *toolchain;   /* "gcc 12.2.0 -O3 -march=native ..." */
    const char *walls; /* walls of the compiler's sandbox; "" when cached */
    double ms;
};

/* Builds the artifact, or takes it from the cache. ERR_SYSTEM when there is no compiler (and what
 * to install), the disk is full, ... */
int build_artifact(const struct build_request *req, struct build_result *ret, struct err *err);
void build_result_release(struct build_result *r);

/* A tool that builds or evidence need, as it is found here. */
struct build_tool {
    const char *what; /* "cc", "c++", "nvcc", "disasm" */
    bool there;
    char text[480]; /* "gcc 12.2.0, /usr/bin/gcc", or why there is none */
};

#define BUILD_TOOLS 4
void build_tools(const char *cache_dir, struct build_tool ret[BUILD_TOOLS]);

#endif
