/* SPDX-License-Identifier: MIT */
/*
 *   request --> toolchain by device and suffix
 *                 fake   the text is the artifact
 *                 cpu    gcc                                 toolchain_c.c
 *                        Python: the text is the artifact
 *                 cuda   nvcc, or our tool around NVRTC      toolchain_cuda.c
 *
 *   toolchain --> recipe: programs, flags, what they read    recipe.c
 *                 in the cache? else: private folder, compiler in its sandbox, cache
 *
 * To add a toolchain: see CONTRIBUTING.md, "A toolchain".
 */
#include "build/build.h"

#include "base/clock.h"
#include "base/fs.h"
#include "build/recipe.h"

#include <string.h>
#include <unistd.h>

/* The text itself is the artifact. */
static int take_text(const char *name, const struct build_request *req, struct build_result *ret,
                     struct err *err)
{
    if (fs_sealed_memfd("artifact", req->source, req->source_len, &ret->artifact_fd, err) < 0)
        return -1;
    hash_of(req->source, req->source_len, ret->artifact_hash);
    ret->log = xstrdup("");
    ret->toolchain = xstrdup(name);
    return 0;
}

static int toolchain_fake(const struct build_request *req, struct build_result *ret,
                          struct err *err)
{
    return take_text("fake", req, ret, err);
}

/* A runner imports the text; the judge adds the versions of Python and torch. */
static int toolchain_python(const struct build_request *req, struct build_result *ret,
                            struct err *err)
{
    return take_text("python", req, ret, err);
}

static const struct toolchain {
    const char *device, *suffix;
    int (*build)(const struct build_request *req, struct build_result *ret, struct err *err);
} toolchains[] = {
    {"cpu", ".c", toolchain_c},
    {"cpu", ".py", toolchain_python},
    {"cuda", ".cu", toolchain_cuda},
    {"fake", ".fake", toolchain_fake},
};

static const struct toolchain *find_toolchain(const struct build_request *req, struct err *err)
{
    AUTO(buf_release) struct buf takes = BUF_INIT;
    const char *dot = strrchr(req->file_name, '.');

    for (size_t i = 0; i < ARRAY_SIZE(toolchains); i++) {
        if (strcmp(toolchains[i].device, req->device) != 0)
            continue;
        buf_addf(&takes, "%s%s", takes.len ? " and " : "", toolchains[i].suffix);
        if (dot && strcmp(dot, toolchains[i].suffix) == 0)
            return &toolchains[i];
    }
    fail(err, ERR_INPUT, "%s: the %s device takes %s files", req->file_name, req->device,
         takes.len ? buf_str(&takes) : "no");
    return NULL;
}

int build_artifact(const struct build_request *req, struct build_result *ret, struct err *err)
{
    const struct toolchain *t = find_toolchain(req, err);
    struct build_result r = {.artifact_fd = -1, .walls = ""};
    uint64_t start = clock_ns();

    if (!t)
        return -1;
    if (t->build(req, &r, err) < 0) {
        build_result_release(&r);
        return -1;
    }
    r.ms = clock_ms_since(start);
    *ret = r;
    return 0;
}

/* A result of zeros was never filled, and 0 is not its descriptor. */
void build_result_release(struct build_result *r)
{
    if (r->artifact_fd > 0)
        close(r->artifact_fd);
    r->artifact_fd = -1;
    freep(&r->log);
    freep(&r->toolchain);
}
