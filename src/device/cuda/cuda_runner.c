/* SPDX-License-Identifier: MIT */
/*
 * CUDA in the sandboxed process. The stream is an ordinary blocking one of the primary context: the
 * context that a candidate's own runtime uses, and a stream that work on the legacy default stream
 * waits for, so that such work lies between our two events as well.
 *
 * After each call the whole context is waited for, since a candidate may have used streams of its
 * own. An error that shows then is a fault of the call. A CUDA context does not recover from most
 * faults, and the judge ends this process.
 *
 * A held batch queues the waiting kernel first (cuda_hold.h), which starts when the content is
 * there. So the start event is recorded when the judge releases it, and everything behind it is
 * queued by then. If the call itself is held, the device is this context's when the call begins.
 *
 * An interpreter's libraries queue their work on the legacy default stream, and so does most code
 * that is compiled for them. There hold and events are queued on that stream.
 */
#include "device/cuda/cuda_runner.h"

#include "base/fs.h"
#include "device/cuda/cuda_driver.h"
#include "device/cuda/cuda_export.h"
#include "device/cuda/cuda_hold.h"
#include "device/cuda/cuda_launch.h"
#include "device/cuda/cuda_lead.h"
#include "device/cuda/cuda_module.h"
#include "device/dl_entry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DL_CUDA 2 /* kDLCUDA */
#define MODULE_MAX_BYTES ((size_t)256 << 20)
#define CUDA_ERROR_UNSUPPORTED_LIMIT 215
#define CUDA_ERROR_CONTEXT_IS_DESTROYED 709
#define LOOKED_AFTER 2 /* calls after which the context is looked at: checks, never timed */
/* Calls that are queued before the judge is told so. The driver's queue takes about a thousand
 * launches and then blocks, and the judge would wait in vain. The rest is queued while the judge
 * prepares and the device works. */
#define HELD_CALLS 16
#define ACCESS_READ 1
#define ACCESS_READ_WRITE 3

struct cuda_runner {
    const struct cuda_driver *cu; /* not owned */
    int index;
    CUdevice device;
    CUcontext context;
    CUstream stream; /* NULL, the legacy default stream, for an interpreter */
    CUevent start, end;
    const struct device_caller *caller; /* an interpreter makes the calls; NULL: none. Not owned */
    struct cuda_export export;          /* used with a caller */
    struct cuda_hold hold;
    struct cuda_lead lead;
    size_t granularity; /* granularity of mapped memory */
    int calls;          /* calls so far, up to LOOKED_AFTER */
    char fault[128];
};

struct artifact {
    struct cuda_module *module; /* NULL: a shared object */
    struct dl_entry entry;
};

/* Arguments that prepare() makes: one of the two. */
struct call_args {
    struct cuda_launches *launches;
    struct dl_args *tensors;
};

/* ---- opening ---- */

static int open_device(struct cuda_runner *r, struct err *err)
{
    const struct cuda_driver *cu = r->cu;
    CUresult rc;

    if ((rc = cu->cuInit(0)))
        return cuda_fail(cu, rc, err, "cuInit");
    if ((rc = cu->cuDeviceGet(&r->device, r->index)))
        return cuda_fail(cu, rc, err, "there is no device cuda:%d", r->index);
    /* Waiting must cost microseconds. If the flag is refused, the driver chooses to spin as
     * well. */
    cu->cuDevicePrimaryCtxSetFlags_v2(r->device, CU_CTX_SCHED_SPIN);
    if ((rc = cu->cuDevicePrimaryCtxRetain(&r->context, r->device)) ||
        (rc = cu->cuCtxSetCurrent(r->context)))
        return cuda_fail(cu, rc, err, "cannot open a context on cuda:%d", r->index);
    /* Without this, lines that a candidate marks as persisting would survive the judge's flush. */
    rc = cu->cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0);
    if (rc && rc != CUDA_ERROR_UNSUPPORTED_LIMIT)
        return cuda_fail(cu, rc, err, "cuCtxSetLimit");
    return 0;
}

static int open_events(struct cuda_runner *r, struct err *err)
{
    const struct cu_mem_prop prop = {
        .type = 1, .handle_types = CU_MEM_HANDLE_POSIX_FD, .location = {1, r->device}};
    const struct cuda_driver *cu = r->cu;
    CUresult rc;

    if (!r->caller && (rc = cu->cuStreamCreate(&r->stream, 0)))
        return cuda_fail(cu, rc, err, "cuStreamCreate");
    if ((rc = cu->cuEventCreate(&r->start, 0)) || (rc = cu->cuEventCreate(&r->end, 0)))
        return cuda_fail(cu, rc, err, "cuEventCreate");
    if ((rc = cu->cuMemGetAllocationGranularity(&r->granularity, &prop, 0)))
        return cuda_fail(cu, rc, err, "cuMemGetAllocationGranularity");
    return 0;
}

static int runner_open_for(int index, const struct device_caller *caller, void **ret_ctx,
                           struct err *err)
{
    const char *why;
    struct cuda_runner *r = xcalloc(1, sizeof(*r));

    r->cu = cuda_driver(&why);
    r->index = index;
    r->caller = caller;
    if (!r->cu)
        fail(err, ERR_DEVICE, "%s", why);
    if (!r->cu || open_device(r, err) < 0 || open_events(r, err) < 0) {
        free(r); /* the driver's objects end with the process */
        return -1;
    }
    cuda_export_open(&r->export, r->cu);
    *ret_ctx = r;
    return 0;
}

static int runner_open(int index, void **ret_ctx, struct err *err)
{
    return runner_open_for(index, NULL, ret_ctx, err);
}

static int runner_share(void *ctx, void *page, size_t bytes, struct err *err)
{
    struct cuda_runner *r = ctx;

    if (cuda_hold_open(&r->hold, r->cu, r->device, page, bytes, err) < 0 ||
        cuda_lead_open(&r->lead, r->cu, err) < 0)
        return -1;
    r->hold.stamp = r->lead.stamp_at;
    return 0;
}

static void runner_sweep(void *ctx, const void *base, size_t bytes)
{
    cuda_hold_sweep(&((struct cuda_runner *)ctx)->hold, base, bytes);
}

/* ---- memory ---- */

static size_t mapped_bytes(const struct cuda_runner *r, size_t bytes)
{
    return (bytes + r->granularity - 1) / r->granularity * r->granularity;
}

static int map_handle(struct cuda_runner *r, CUmemGenericAllocationHandle handle, size_t bytes,
                      bool read_only, CUdeviceptr *ret, struct err *err)
{
    const struct cu_mem_access access = {.location = {1, r->device},
                                         .flags = read_only ? ACCESS_READ : ACCESS_READ_WRITE};
    const struct cuda_driver *cu = r->cu;
    CUdeviceptr at;
    CUresult rc = cu->cuMemAddressReserve(&at, bytes, 0, 0, 0);

    if (rc)
        return cuda_fail(cu, rc, err, "no addresses for an arena of %zu bytes", bytes);
    rc = cu->cuMemMap(at, bytes, 0, handle, 0);
    if (rc == 0) {
        rc = cu->cuMemSetAccess(at, bytes, &access, 1);
        if (rc)
            cu->cuMemUnmap(at, bytes);
    }
    if (rc) {
        cu->cuMemAddressFree(at, bytes);
        return cuda_fail(cu, rc, err, "cannot map an arena of %zu bytes", bytes);
    }
    *ret = at;
    return 0;
}

static int runner_import(void *ctx, int fd, size_t bytes, bool read_only, void **ret_base,
                         struct err *err)
{
    struct cuda_runner *r = ctx;
    CUmemGenericAllocationHandle handle;
    CUdeviceptr at = 0;
    CUresult rc = r->cu->cuMemImportFromShareableHandle(&handle, (void *)(intptr_t)fd,
                                                        CU_MEM_HANDLE_POSIX_FD);

    if (rc)
        return cuda_fail(r->cu, rc, err, "cannot import an arena of %zu bytes", bytes);

    int mapped = map_handle(r, handle, mapped_bytes(r, bytes), read_only, &at, err);

    rc = r->cu->cuMemRelease(handle); /* the mapping keeps the memory */
    if (mapped < 0)
        return -1;
    if (rc)
        return cuda_fail(r->cu, rc, err, "cuMemRelease");
    *ret_base = (void *)(uintptr_t)at;
    return 0;
}

static void runner_unimport(void *ctx, void *base, size_t bytes)
{
    struct cuda_runner *r = ctx;
    CUdeviceptr at = (CUdeviceptr)(uintptr_t)base;

    if (!base)
        return;
    r->cu->cuMemUnmap(at, mapped_bytes(r, bytes));
    r->cu->cuMemAddressFree(at, mapped_bytes(r, bytes));
}

/* ---- the artifact ---- */

static bool is_program(int fd)
{
    char magic[sizeof(CUDA_LAUNCH_MAGIC)];
    ssize_t n = pread(fd, magic, sizeof(magic), 0);

    return n > 0 && cuda_program_is(magic, (size_t)n);
}

static int load_program(struct cuda_runner *r, int fd, struct artifact *a, struct err *err)
{
    AUTO(buf_release) struct buf bytes = BUF_INIT;
    char path[32];

    /* Opened anew: several runners may share the descriptor's offset. */
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (fs_read(path, MODULE_MAX_BYTES, &bytes, err) < 0)
        return -1;
    return cuda_module_load(r->cu, bytes.ptr, bytes.len, &a->module, err);
}

static int runner_load(void *ctx, int artifact_fd, struct artifact **ret, struct err *err)
{
    AUTO(freep) struct artifact *a = xcalloc(1, sizeof(*a));
    int rc = is_program(artifact_fd) ? load_program(ctx, artifact_fd, a, err)
                                     : dl_entry_load(artifact_fd, &a->entry, err);

    if (rc < 0)
        return -1;
    *ret = steal(&a);
    return 0;
}

/* ---- calling ---- */

static int runner_prepare(void *ctx, struct artifact *a, const struct device_call *c,
                          void **ret_args, struct err *err)
{
    AUTO(freep) struct call_args *args = xcalloc(1, sizeof(*args));
    struct cuda_runner *r = ctx;

    if (a->module) {
        if (cuda_launches_new(a->module, c, &args->launches, err) < 0)
            return -1;
    } else {
        args->tensors = dl_args_new(c, (DLDevice){DL_CUDA, r->index});
    }
    *ret_args = steal(&args);
    return 0;
}

static void runner_release(void *ctx, void *args)
{
    struct call_args *a = args;

    (void)ctx;
    if (a) {
        cuda_launches_free(a->launches);
        dl_args_free(a->tensors);
    }
    free(a);
}

/* A candidate that resets its device destroys our objects in the context, and the driver faults
 * when they are used. This is asked after the first calls alone: it takes time, and later calls are
 * timed. */
static CUresult context_is_there(struct cuda_runner *r)
{
    unsigned flags;
    int active = 1;
    CUresult rc = r->cu->cuDevicePrimaryCtxGetState(r->device, &flags, &active);

    return rc ? rc : active ? 0 : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/* Goes the way back once while the device still works. A candidate's host code may have driven the
 * driver's out of the caches, and an empty order finds it there. */
static void warm_way_back(struct cuda_runner *r)
{
    float not_yet = 0;

    r->cu->cuCtxSetCurrent(r->context);
    r->cu->cuEventElapsedTime(&not_yet, r->start, r->end);
}

/* Waits until all that was queued has ended, on whichever stream. A candidate may have made another
 * context current. */
static CUresult finish(struct cuda_runner *r)
{
    CUresult rc = r->cu->cuStreamSynchronize(r->stream);

    if (rc == 0)
        rc = r->cu->cuCtxSetCurrent(r->context);
    return rc ? rc : r->cu->cuCtxSynchronize();
}

static int runner_setup(void *ctx, struct artifact *a, void *args, int *ret_status, struct err *err)
{
    struct call_args *c = args;
    struct cuda_runner *r = ctx;
    CUresult rc;

    *ret_status = 0;
    if (!a->entry.setup)
        return 0;
    *ret_status = dl_entry_call(a->entry.setup, c->tensors, r->stream);
    rc = *ret_status ? 0 : context_is_there(r);
    if (rc == 0 && *ret_status == 0)
        rc = finish(r);
    return rc ? cuda_fail(r->cu, rc, err, "assay_setup") : 0;
}

static CUresult queue_call(struct cuda_runner *r, struct artifact *a, void *prepared,
                           int *ret_status)
{
    struct call_args *args = prepared;

    if (r->caller) {
        *ret_status = r->caller->call(prepared);
        return 0;
    }
    if (a->module)
        return cuda_launches_run(args->launches, r->stream);
    *ret_status = dl_entry_call(a->entry.kernel, args->tensors, r->stream);
    return 0;
}

static void tell_queued(const struct device_hold *hold)
{
    if (hold)
        atomic_store_explicit(hold->queued, hold->seq, memory_order_release);
}

/* Waits until the device has been brought here and the judge has started its clock: then the call
 * begins. The judge always does so, or ends this process. */
static void await_release(const struct device_hold *hold)
{
    tell_queued(hold);
    while (atomic_load_explicit(hold->release, memory_order_acquire) != hold->seq)
        continue;
}

/* Queues all calls and says so, also after a failure: else the judge would wait in vain. */
static CUresult queue_all(struct cuda_runner *r, struct artifact *a, void *args, uint32_t count,
                          const struct device_hold *hold, int *ret_status)
{
    CUresult rc = hold ? cuda_hold_begin(&r->hold, hold, r->stream) : 0;

    if (rc == 0 && hold && hold->call)
        await_release(hold);
    if (rc == 0)
        rc = r->cu->cuEventRecord(r->start, r->stream);
    for (uint32_t i = 0; i < count && rc == 0 && *ret_status == 0; i++) {
        if (i == HELD_CALLS)
            tell_queued(hold);
        rc = queue_call(r, a, args, ret_status);
    }
    if (rc == 0 && r->calls < LOOKED_AFTER) {
        r->calls++;
        rc = context_is_there(r);
    }
    if (rc == 0)
        rc = r->cu->cuEventRecord(r->end, r->stream);
    tell_queued(hold);
    return rc;
}

static int faulted(struct cuda_runner *r, CUresult fault, int *ret_status)
{
    const char *name = NULL, *text = NULL;

    r->cu->cuGetErrorName(fault, &name);
    r->cu->cuGetErrorString(fault, &text);
    snprintf(r->fault, sizeof(r->fault), "%s: %s", name ? name : "CUDA_ERROR_UNKNOWN",
             text ? text : "no text");
    *ret_status = DEVICE_STATUS_FAULT;
    return 0;
}

static int runner_held_batch(void *ctx, struct artifact *a, void *args, uint32_t count,
                             const struct device_hold *hold, int *ret_status,
                             uint64_t *ret_claim_ns)
{
    struct cuda_runner *r = ctx;
    double excess_ns = 0;
    float ms = 0;
    CUresult rc;

    *ret_status = 0;
    *ret_claim_ns = 0;
    rc = queue_all(r, a, args, count, hold, ret_status);
    if (rc == 0 && r->caller)
        warm_way_back(r);
    if (rc == 0)
        rc = finish(r);
    if (rc == 0)
        rc = r->cu->cuEventElapsedTime(&ms, r->start, r->end);
    if (rc == 0 && hold && !hold->call)
        rc = cuda_lead_excess(&r->lead, &r->start, count == 0, &excess_ns);
    if (rc)
        return faulted(r, rc, ret_status);
    *ret_claim_ns = (uint64_t)((double)ms * 1e6 + excess_ns + 0.5);
    return 0;
}

static int runner_batch(void *ctx, struct artifact *a, void *args, uint32_t count, int *ret_status,
                        uint64_t *ret_claim_ns)
{
    return runner_held_batch(ctx, a, args, count, NULL, ret_status, ret_claim_ns);
}

static int runner_call(void *ctx, struct artifact *a, void *args, int *ret_status,
                       uint64_t *ret_claim_ns)
{
    return runner_batch(ctx, a, args, 1, ret_status, ret_claim_ns);
}

/* The device's own fault says more than what an interpreter makes of it. */
static const char *runner_fault(void *ctx)
{
    struct cuda_runner *r = ctx;

    return r->fault[0] || !r->caller ? r->fault : r->caller->fault();
}

static int runner_export(void *ctx, const void *at, struct device_result *ret)
{
    return cuda_export_name(&((struct cuda_runner *)ctx)->export, at, ret);
}

const struct device_runner_ops cuda_runner_ops = {
    .open = runner_open,
    .open_for = runner_open_for,
    .export = runner_export,
    .import = runner_import,
    .unimport = runner_unimport,
    .load = runner_load,
    .prepare = runner_prepare,
    .release = runner_release,
    .setup = runner_setup,
    .call = runner_call,
    .batch = runner_batch,
    .share = runner_share,
    .held_batch = runner_held_batch,
    .sweep = runner_sweep,
    .fault = runner_fault,
};
