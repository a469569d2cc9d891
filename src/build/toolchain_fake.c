/* SPDX-License-Identifier: MIT */
/* .fake files: the text is the artifact. */
#include "base/fs.h"
#include "build/recipe.h"

static int build(const struct build_request *req, struct build_result *ret, struct err *err)
{
    if (fs_sealed_memfd("artifact", req->source, req->source_len, &ret->artifact_fd, err) < 0)
        return -1;
    hash_of(req->source, req->source_len, ret->artifact_hash);
    ret->log = xstrdup("");
    ret->toolchain = xstrdup("fake");
    return 0;
}

const struct toolchain toolchain_fake = {".fake", build};
