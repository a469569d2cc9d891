/* SPDX-License-Identifier: MIT */
/* What an artifact's machine code shows about how it computes. Only a finding: what follows from it
 * is the judge's business (judge/requirement.h). */
#ifndef ASSAY_BUILD_EVIDENCE_H
#define ASSAY_BUILD_EVIDENCE_H

#include "base/err.h"
#include "build/sass.h"

#include <jansson.h>

struct evidence {
    bool applies; /* the device's artifacts hold machine code that is looked at: cuda */
    bool checked;
    bool cached;
    char *why_not;    /* one line, when it applies and was not checked: no disassembler, ... */
    char *tool;       /* "nvdisasm 13.0.85", or NULL */
    char *loads_code; /* by what it could bring in code that is not in `sass`, or NULL */
    struct sass sass;
    double ms;
};

struct evidence_request {
    const char *device; /* "cuda"; for others the answer is that it does not apply */
    int artifact_fd;    /* as build_artifact() gave it; not read when the answer is cached */
    const char *artifact_hash;
    const char *cache_dir;
    bool no_cache;
};

/* What keeps us from looking is part of the finding, not an error. */
int evidence_collect(const struct evidence_request *req, struct evidence *ret, struct err *err);
void evidence_release(struct evidence *e);

/* As in a record (docs/record.md), and back; the cache keeps it in the same form. from_json fills
 * sass, tool and loads_code of an empty `ret`; false when something is missing. */
json_t *evidence_to_json(const struct evidence *e);
bool evidence_from_json(const json_t *j, struct evidence *ret);

#endif
