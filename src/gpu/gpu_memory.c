/* SPDX-License-Identifier: MIT */
#include "gpu/gpu_ctx.h"

#include "base/fault.h"

#include <stdlib.h>

static void note(struct gpu *g, void *at, size_t bytes)
{
    if (g->n_live == g->cap_live) {
        g->cap_live = MAX(64, 2 * g->cap_live);
        g->live = xrealloc(g->live, (size_t)g->cap_live * sizeof(*g->live));
    }
    g->live[g->n_live++] = (struct gpu_block){at, bytes};
    g->now_bytes += (double)bytes;
    g->peak_bytes = MAX(g->peak_bytes, g->now_bytes);
}

static void forget(struct gpu *g, const void *at)
{
    for (int i = g->n_live - 1; i >= 0; i--) {
        if (g->live[i].at == at) {
            g->now_bytes -= (double)g->live[i].bytes;
            g->live[i] = g->live[--g->n_live];
            return;
        }
    }
}

void *gpu_alloc(void *ctx, size_t bytes)
{
    struct gpu *g = ctx;
    CUdeviceptr at = 0;
    CUresult rc;

    bytes = MAX(bytes, 256);
    if (fault("gpu") || bytes > g->c->memory_bytes)
        return NULL;
    rc = g->c->cu->cuMemAllocAsync(&at, bytes, g->c->stream);
    if (rc) { /* the pool may hold enough memory, but in pieces that are too small */
        g->c->cu->cuStreamSynchronize(g->c->stream);
        g->c->cu->cuMemPoolTrimTo(g->pool, 0);
        rc = g->c->cu->cuMemAllocAsync(&at, bytes, g->c->stream);
    }
    if (rc)
        return NULL;
    note(g, (void *)at, bytes);
    return (void *)at;
}

void gpu_free(void *ctx, void *at)
{
    struct gpu *g = ctx;

    if (!at)
        return;
    forget(g, at);
    g->c->cu->cuMemFreeAsync((CUdeviceptr)at, g->c->stream);
}

void gpu_room_release(struct gpu_room *r)
{
    if (r->at)
        gpu_free(r->g, r->at);
    r->at = NULL;
}

int gpu_room_take(struct gpu_room *r, double bytes, struct err *err)
{
    r->at = gpu_alloc(r->g, (size_t)bytes);
    if (r->at)
        return 0;
    return fail(err, ERR_SYSTEM,
                "not enough memory on the device for scratch space (%.2f GiB): use a smaller "
                "size",
                bytes / (1 << 30));
}
