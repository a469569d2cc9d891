/* SPDX-License-Identifier: MIT */
/* Evidence: how an artifact computes, as its machine code shows. It is only a finding: the judge
 * draws the conclusions (judge/requirement.h).
 *
 * A candidate in Python has no artifact of machine code. Its own code is what its rehearsal left:
 * Triton's files, and libraries that it compiled. It also runs code of torch, which is not seen. */
#ifndef ASSAY_BUILD_EVIDENCE_H
#define ASSAY_BUILD_EVIDENCE_H

#include "base/buf.h"
#include "base/err.h"
#include "build/sass.h"
#include "device/device.h"

#include <jansson.h>

struct evidence {
    bool applies; /* artifacts of this device hold machine code that we inspect */
    bool checked;
    bool cached;
    bool own_code;    /* a candidate in Python: code of libraries that it calls was not seen */
    char *why_not;    /* one line, when it applies and was not checked: no disassembler, ... */
    char *tool;       /* "nvdisasm 13.0.85", or NULL */
    char *loads_code; /* how it could bring in code that is not in `sass`, or NULL */
    struct sass sass;
    double ms;
};

struct evidence_request {
    const struct device *device; /* if it does not show code, the answer is that nothing applies */
    int artifact_fd;           /* as build_artifact() gave it; not read when the answer is cached */
    const struct buf *folder;  /* a candidate in Python: files of its rehearsal (process/bundle.h),
                                * in the artifact's place; NULL: there is an artifact */
    const char *artifact_hash; /* hash of the artifact, or of the folder */
    const char *cache_dir;
    bool no_cache;
};

/* Inspects an artifact. An obstacle, such as a missing disassembler, is part of the finding and not
 * an error. */
int evidence_collect(const struct evidence_request *req, struct evidence *ret, struct err *err);
void evidence_release(struct evidence *e);

/* Evidence as in a record (docs/record.md), and back; the cache keeps it in the same form.
 * from_json fills sass, tool and loads_code of an empty `ret`; false when something is missing. */
json_t *evidence_to_json(const struct evidence *e);
bool evidence_from_json(const json_t *j, struct evidence *ret);

#endif
