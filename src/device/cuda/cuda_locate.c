/* SPDX-License-Identifier: MIT */
/* Results that lie in a runner's own memory: the judge opens what the runner named, and reads it
 * there. Opening takes a driver 50 to 350 us, so an allocation stays open until the runner is gone.
 * The name is the candidate's word; what is in the memory is a fact. */
#include "device/cuda/cuda_ctx.h"

#include <string.h>

static struct cuda_opened *find(struct cuda_ctx *c, const unsigned char *handle)
{
    for (int i = 0; i < c->n_opened; i++)
        if (!memcmp(c->opened[i].handle.bytes, handle, sizeof(c->opened[i].handle)))
            return &c->opened[i];
    return NULL;
}

static void close_all(struct cuda_ctx *c)
{
    for (int i = 0; i < c->n_opened; i++)
        c->cu->cuIpcCloseMemHandle(c->opened[i].base);
    c->n_opened = 0;
}

/* A candidate that names ever new memory makes the judge open it each time, and pays for it by the
 * judge's clock alone. */
static struct cuda_opened *open_named(struct cuda_ctx *c, const unsigned char *handle,
                                      struct err *err)
{
    struct cuda_opened new = {.base = 0};
    CUdeviceptr start = 0;
    CUresult rc;

    if (c->n_opened == CUDA_OPENED_MAX)
        close_all(c);
    memcpy(new.handle.bytes, handle, sizeof(new.handle));
    rc = c->cu->cuIpcOpenMemHandle_v2(&new.base, new.handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
    if (rc) {
        cuda_fail(c->cu, rc, err, "cannot open it");
        return NULL;
    }
    rc = c->cu->cuMemGetAddressRange_v2(&start, &new.bytes, new.base);
    if (rc || start != new.base) {
        c->cu->cuIpcCloseMemHandle(new.base);
        cuda_fail(c->cu, rc, err, "its size is not known");
        return NULL;
    }
    c->opened[c->n_opened] = new;
    return &c->opened[c->n_opened++];
}

int cuda_locate(void *ctx, const struct device_result *named, size_t bytes, struct mem *ret,
                struct err *err)
{
    struct cuda_ctx *c = ctx;

    if (cuda_enter(c, err) < 0)
        return -1;

    struct cuda_opened *o = find(c, named->handle);

    if (!o)
        o = open_named(c, named->handle, err);
    if (!o)
        return -1;
    if (named->at > o->bytes || bytes > o->bytes - named->at)
        return fail(err, ERR_INPUT, "%zu bytes at offset %llu leave an allocation of %zu bytes",
                    bytes, (unsigned long long)named->at, o->bytes);
    *ret = (struct mem){MEM_PRIVATE, bytes, NULL, -1, o->base + named->at};
    return 0;
}

void cuda_forget(void *ctx)
{
    struct cuda_ctx *c = ctx;

    if (c->n_opened && c->cu->cuCtxSetCurrent(c->context) == 0)
        close_all(c);
}
