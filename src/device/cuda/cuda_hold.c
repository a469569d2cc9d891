/* SPDX-License-Identifier: MIT */
/*
 * The stream waits for the judge's word that there is a content. That costs the device nothing:
 * the judge's context has it meanwhile. Then the kernel starts, with as many threads as the device
 * has room for, so that nothing can run beside it, not even on another stream. One thread of the
 * first block watches the judge's word in host memory and passes it on to a word in device memory.
 * One thread of each other block watches that word: hundreds of readers over the bus would only
 * slow the one that matters. Blocks are counted as they start, and the last one sets `holding`.
 * The judge releases only then: else the device's way from its context to this one would count as
 * the candidate's time. Each block gives up by itself, and so ends even if others never ran.
 *
 * Before it waits, the kernel reads the judge's sweep, twice the last cache, and adds its words up.
 * A candidate that had its inputs read into the cache on another stream loses them again, and the
 * sum tells the judge that this was done. The sum lies beside `holding` on the page.
 *
 * When the first block sees the release, it names the moment at which all blocks end, 2 us later,
 * and stamps it. So no other work finds room before that moment, and work of another stream between
 * it and the start event becomes part of the claim (cuda_lead.h).
 *
 * The kernel is loaded before the artifact. Candidate code could still keep it from running, or
 * make room for work of its own before it. Then the time from "ready" to "holding" is longer than
 * it should be, and the judge counts that (audit_shift).
 */
#include "device/cuda/cuda_hold.h"

#include "device/cuda/cuda_source.h"

#define PAGE_BYTES 4096
#define HOST_REGISTER_DEVICEMAP 2
#define MAX_BLOCK_THREADS 1024
#define OWN_WORDS 6
#define WAIT_VALUE_GEQ 0 /* CU_STREAM_WAIT_VALUE_GEQ */

CUDA_EMBED(cuda_hold_ptx, "../workers/assay_worker/hold.ptx");

static int load_kernel(struct cuda_hold *h, struct err *err)
{
    CUmodule module;
    CUresult rc = h->cu->cuModuleLoadDataEx(&module, cuda_hold_ptx, 0, NULL, NULL);

    if (rc == 0)
        rc = h->cu->cuModuleGetFunction(&h->kernel, module, "hold");
    return rc ? cuda_fail(h->cu, rc, err, "the waiting kernel") : 0;
}

/* Shows the page to the device, and makes the kernel's own words: no order's number yet, no block,
 * no sum. */
static int map_words(struct cuda_hold *h, size_t bytes, struct err *err)
{
    size_t whole = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    CUresult rc = h->cu->cuMemHostRegister_v2(h->page, whole, HOST_REGISTER_DEVICEMAP);

    if (rc == 0)
        rc = h->cu->cuMemHostGetDevicePointer_v2(&h->page_at, h->page, 0);
    if (rc == 0)
        rc = h->cu->cuMemAlloc_v2(&h->own, OWN_WORDS * sizeof(uint32_t));
    if (rc == 0)
        rc = h->cu->cuMemsetD32Async(h->own, 0, OWN_WORDS, NULL);
    if (rc == 0)
        rc = h->cu->cuCtxSynchronize();
    return rc ? cuda_fail(h->cu, rc, err, "the shared page") : 0;
}

/* Splits an SM's threads into blocks of at most 1024: 2048 and 1536 into two, 1024 into one. */
static int find_shape(struct cuda_hold *h, CUdevice device, struct err *err)
{
    int sms = 0, per_sm = 0;
    CUresult rc =
        h->cu->cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);

    if (rc == 0)
        rc = h->cu->cuDeviceGetAttribute(
            &per_sm, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, device);
    if (rc || sms <= 0 || per_sm <= 0)
        return cuda_fail(h->cu, rc, err, "the device does not say how many threads it holds");

    unsigned blocks_per_sm = ((unsigned)per_sm + MAX_BLOCK_THREADS - 1) / MAX_BLOCK_THREADS;

    h->threads = (unsigned)per_sm / blocks_per_sm;
    h->blocks = (unsigned)sms * blocks_per_sm;
    return 0;
}

int cuda_hold_open(struct cuda_hold *h, const struct cuda_driver *cu, CUdevice device, void *page,
                   size_t bytes, struct err *err)
{
    *h = (struct cuda_hold){.cu = cu, .page = page};
    if (find_shape(h, device, err) < 0 || map_words(h, bytes, err) < 0 || load_kernel(h, err) < 0) {
        h->kernel = NULL;
        return -1;
    }
    return 0;
}

static CUdeviceptr on_device(const struct cuda_hold *h, const atomic_uint *word)
{
    return h->page_at + (CUdeviceptr)((const char *)word - h->page);
}

void cuda_hold_sweep(struct cuda_hold *h, const void *base, size_t bytes)
{
    h->sweep = (CUdeviceptr)(uintptr_t)base;
    h->sweep_bytes = bytes;
}

CUresult cuda_hold_begin(const struct cuda_hold *h, const struct device_hold *hold, CUstream stream)
{
    CUdeviceptr release = on_device(h, hold->release), holding = on_device(h, hold->holding);
    CUdeviceptr own = h->own;
    unsigned seq = hold->seq;
    uint64_t limit_ns = DEVICE_HOLD_MS * (uint64_t)1000000;
    CUdeviceptr sweep = h->sweep;
    uint64_t sweep_bytes = h->sweep_bytes;
    CUdeviceptr stamp = h->stamp;
    void *args[] = {&release, &own, &holding, &seq, &limit_ns, &sweep, &sweep_bytes, &stamp};

    CUresult rc =
        h->cu->cuStreamWaitValue32_v2(stream, on_device(h, hold->ready), hold->seq, WAIT_VALUE_GEQ);

    return rc ? rc
              : h->cu->cuLaunchKernel(h->kernel, h->blocks, 1, 1, h->threads, 1, 1, 0, stream, args,
                                      NULL);
}
