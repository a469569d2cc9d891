/* SPDX-License-Identifier: MIT */
/*
 *   request --> toolchain by device and suffix               device.h, toolchain_NAME.c
 *
 *   toolchain --> recipe: programs, flags, what they read    recipe.c
 *                 in the cache? else: private folder, compiler in its sandbox, cache
 *
 * To add a toolchain: see CONTRIBUTING.md, "A toolchain".
 */
#include "build/build.h"

#include "base/clock.h"

#include <string.h>
#include <unistd.h>

static const struct toolchain *find_toolchain(const struct build_request *req, struct err *err)
{
    AUTO(buf_release) struct buf takes = BUF_INIT;
    const char *dot = strrchr(req->file_name, '.');

    for (const struct toolchain *const *t = req->device->toolchains; dot && *t; t++)
        if (strcmp(dot, (*t)->suffix) == 0)
            return *t;
    device_suffixes(req->device, &takes);
    fail(err, ERR_INPUT, "%s: the %s device takes %s files", req->file_name, req->device->name,
         buf_str(&takes));
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
