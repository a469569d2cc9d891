/* SPDX-License-Identifier: MIT */
#include "device/cuda/cuda_ctx.h"

#include "base/fault.h"

#include <fcntl.h>

#define CUDA_ERROR_OUT_OF_MEMORY 2

static const char *const kind_names[] = {"private", "input", "output"};

static int no_memory(struct cuda_ctx *c, CUresult rc, enum mem_kind kind, size_t bytes,
                     struct err *err)
{
    if (rc != CUDA_ERROR_OUT_OF_MEMORY)
        return cuda_fail(c->cu, rc, err, "cannot make the %s buffer of %.2f GiB", kind_names[kind],
                         (double)bytes / (1 << 30));
    return fail(err, ERR_SYSTEM,
                "no device memory for a %s buffer of %.2f GiB: the device has %.2f GiB; use a "
                "smaller size",
                kind_names[kind], (double)bytes / (1 << 30), (double)c->memory_bytes / (1 << 30));
}

/* ---- memory of our own ---- */

static size_t padded_bytes(const struct cuda_ctx *c, size_t bytes)
{
    return (bytes + c->granularity - 1) / c->granularity * c->granularity;
}

/* Bytes that an allocation holds. Large ones are whole pages of 2 MiB; small ones share a page. */
static int64_t held_bytes(const struct cuda_ctx *c, enum mem_kind kind, size_t bytes)
{
    bool shares = kind == MEM_PRIVATE && bytes < c->granularity / 2;

    return (int64_t)(shares ? bytes : padded_bytes(c, bytes));
}

/* Bytes of the device's default pool. The engine takes its memory there, and the pool keeps memory
 * that is given back. */
static CUresult pool_bytes(const struct cuda_ctx *c, int64_t *ret)
{
    CUmemoryPool pool;
    uint64_t reserved = 0;
    CUresult rc = c->cu->cuDeviceGetDefaultMemPool(&pool, c->device);

    if (rc == 0)
        rc = c->cu->cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved);
    *ret = (int64_t)reserved;
    return rc;
}

/* Our own contexts, code and libraries count as other processes' memory: they do not change. */
int cuda_others_bytes(void *ctx, int64_t *ret, struct err *err)
{
    struct cuda_ctx *c = ctx;
    size_t free_bytes = 0, total_bytes = 0;
    int64_t pool = 0;
    CUresult rc;

    if (cuda_enter(c, err) < 0)
        return -1;
    rc = c->cu->cuMemGetInfo_v2(&free_bytes, &total_bytes);
    if (rc == 0)
        rc = pool_bytes(c, &pool);
    if (rc)
        return cuda_fail(c->cu, rc, err, "memory in use");
    *ret = (int64_t)(total_bytes - free_bytes) - c->own_bytes - pool;
    return 0;
}

/* ---- shared memory ---- */

const struct cu_mem_prop *cuda_shared_prop(const struct cuda_ctx *c, struct cu_mem_prop *prop)
{
    *prop = (struct cu_mem_prop){
        .type = 1, .handle_types = CU_MEM_HANDLE_POSIX_FD, .location = {1, c->device}};
    return prop;
}

static CUresult map_at(struct cuda_ctx *c, CUmemGenericAllocationHandle handle, CUdeviceptr at,
                       size_t bytes)
{
    struct cu_mem_access access = {{1, c->device}, 3};
    CUresult rc = c->cu->cuMemMap(at, bytes, 0, handle, 0);

    if (rc)
        return rc;
    rc = c->cu->cuMemSetAccess(at, bytes, &access, 1);
    /* Pages that held expected values before must not show them to a candidate. */
    if (rc == 0)
        rc = c->cu->cuMemsetD32Async(at, 0, bytes / 4, c->stream);
    if (rc == 0)
        rc = c->cu->cuStreamSynchronize(c->stream);
    if (rc)
        c->cu->cuMemUnmap(at, bytes);
    return rc;
}

static CUresult map_shared(struct cuda_ctx *c, CUmemGenericAllocationHandle handle, size_t bytes,
                           CUdeviceptr *ret_at)
{
    CUdeviceptr at = 0;
    CUresult rc = c->cu->cuMemAddressReserve(&at, bytes, 0, 0, 0);

    if (rc)
        return rc;
    rc = map_at(c, handle, at, bytes);
    if (rc)
        c->cu->cuMemAddressFree(at, bytes);
    else
        *ret_at = at;
    return rc;
}

static void unmap_shared(struct cuda_ctx *c, CUdeviceptr at, size_t bytes)
{
    c->cu->cuMemUnmap(at, bytes);
    c->cu->cuMemAddressFree(at, bytes);
}

/* The handle is given back at once: the mapping and the descriptor keep the memory. */
static int alloc_shared(struct cuda_ctx *c, struct mem *m, struct err *err)
{
    size_t padded = padded_bytes(c, m->bytes);
    CUmemGenericAllocationHandle handle = 0;
    struct cu_mem_prop prop;
    CUdeviceptr at = 0;
    int fd = -1;
    CUresult rc = c->cu->cuMemCreate(&handle, padded, cuda_shared_prop(c, &prop), 0);

    if (rc)
        return no_memory(c, rc, m->kind, padded, err);
    rc = map_shared(c, handle, padded, &at);
    if (rc == 0)
        rc = c->cu->cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_POSIX_FD, 0);
    c->cu->cuMemRelease(handle);
    if (rc) {
        if (at)
            unmap_shared(c, at, padded);
        return no_memory(c, rc, m->kind, padded, err);
    }
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) {
        fail_errno(err, "cannot mark a shared buffer close-on-exec");
        fd_closep(&fd);
        unmap_shared(c, at, padded);
        return -1;
    }
    m->handle = at;
    m->fd = fd;
    return 0;
}

int cuda_mem_alloc(void *ctx, enum mem_kind kind, size_t bytes, struct mem *ret, struct err *err)
{
    struct cuda_ctx *c = ctx;
    struct mem m = MEM_INIT;
    CUresult rc;

    m.kind = kind;
    m.bytes = bytes;
    if (fault("alloc") || bytes > c->memory_bytes)
        return no_memory(c, CUDA_ERROR_OUT_OF_MEMORY, kind, bytes, err);
    if (cuda_enter(c, err) < 0)
        return -1;
    if (kind == MEM_PRIVATE) {
        rc = c->cu->cuMemAlloc_v2(&m.handle, bytes);
        if (rc)
            return no_memory(c, rc, kind, bytes, err);
    } else if (alloc_shared(c, &m, err) < 0) {
        return -1;
    }
    c->own_bytes += held_bytes(c, kind, bytes);
    *ret = m;
    return 0;
}

void cuda_mem_free(void *ctx, struct mem *m)
{
    struct cuda_ctx *c = ctx;

    if (m->handle && c->cu->cuCtxSetCurrent(c->context) == 0) {
        if (m->kind == MEM_PRIVATE)
            c->cu->cuMemFree_v2(m->handle);
        else
            unmap_shared(c, m->handle, padded_bytes(c, m->bytes));
        c->own_bytes -= held_bytes(c, m->kind, m->bytes);
    }
    fd_closep(&m->fd);
    *m = (struct mem)MEM_INIT;
}

/* ---- spans and copies ---- */

CUdeviceptr cuda_span(const struct mem *m, size_t at, size_t bytes, struct err *err)
{
    if (at > m->bytes || bytes > m->bytes - at) {
        fail(err, ERR_SYSTEM, "%zu bytes at offset %zu do not fit into a buffer of %zu bytes",
             bytes, at, m->bytes);
        return 0;
    }
    return m->handle + at;
}

CUdeviceptr cuda_span_of(const struct mem *m, size_t at, int64_t n, size_t element, struct err *err)
{
    size_t bytes = n < 0 || n > SHAPE_MAX_COUNT ? SIZE_MAX : (size_t)n * element;
    CUdeviceptr p = cuda_span(m, at, bytes, err);

    if (p && p % element) {
        fail(err, ERR_SYSTEM, "elements of %zu bytes cannot lie at %zu", element, at);
        return 0;
    }
    return p;
}

int cuda_copy(void *ctx, struct mem *dst, size_t dst_at, const struct mem *src, size_t src_at,
              size_t bytes, struct err *err)
{
    struct cuda_ctx *c = ctx;
    CUdeviceptr to = cuda_span(dst, dst_at, bytes, err);
    CUdeviceptr from = to ? cuda_span(src, src_at, bytes, err) : 0;
    CUresult rc;

    if (!from || cuda_enter(c, err) < 0)
        return -1;
    if (bytes == 0)
        return 0;
    rc = c->cu->cuMemcpyDtoDAsync_v2(to, from, bytes, c->stream);
    return rc ? cuda_fail(c->cu, rc, err, "copy") : cuda_finish(c, "copy", err);
}

/* Waits for the copy: from pageable memory the driver returns when the bytes are staged, not when
 * they have arrived. */
int cuda_upload(void *ctx, struct mem *dst, size_t at, const void *host, size_t bytes,
                struct err *err)
{
    struct cuda_ctx *c = ctx;
    CUdeviceptr to = cuda_span(dst, at, bytes, err);
    CUresult rc;

    if (!to || cuda_enter(c, err) < 0)
        return -1;
    if (bytes == 0)
        return 0;
    rc = c->cu->cuMemcpyHtoD_v2(to, host, bytes);
    if (rc == 0)
        rc = c->cu->cuCtxSynchronize();
    return rc ? cuda_fail(c->cu, rc, err, "upload") : 0;
}

int cuda_download(void *ctx, const struct mem *src, size_t at, void *host, size_t bytes,
                  struct err *err)
{
    struct cuda_ctx *c = ctx;
    CUdeviceptr from = cuda_span(src, at, bytes, err);
    CUresult rc;

    if (!from || cuda_enter(c, err) < 0)
        return -1;
    if (bytes == 0)
        return 0;
    rc = c->cu->cuMemcpyDtoH_v2(host, from, bytes);
    return rc ? cuda_fail(c->cu, rc, err, "download") : 0;
}

/* ---- room ---- */

void cuda_unreserve(struct cuda_ctx *c, struct cuda_room *r)
{
    if (r->at) {
        c->cu->cuMemFree_v2(r->at);
        c->own_bytes -= held_bytes(c, MEM_PRIVATE, r->bytes);
    }
    *r = (struct cuda_room){0, 0};
}

int cuda_reserve(struct cuda_ctx *c, struct cuda_room *r, size_t bytes, struct err *err)
{
    CUresult rc;

    if (r->bytes >= bytes)
        return 0;
    cuda_unreserve(c, r);
    rc = c->cu->cuMemAlloc_v2(&r->at, bytes);
    if (rc) {
        r->at = 0;
        return no_memory(c, rc, MEM_PRIVATE, bytes, err);
    }
    r->bytes = bytes;
    c->own_bytes += held_bytes(c, MEM_PRIVATE, bytes);
    return 0;
}

size_t cuda_aligned(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}
