/* SPDX-License-Identifier: MIT */
/*
 * As many threads as the device has room for, so that nothing can run beside it, not even on
 * another stream. One thread of the first block watches the judge's word in host memory; one of
 * each other block watches a word in device memory that the first one passes it on to: hundreds of
 * readers over the bus would only slow the one that matters. The first one also tells the judge
 * that the device is there: released before that, the launch's way to the device would count as the
 * candidate's time. Each gives up by itself, and so ends even where the first never got to run.
 *
 * It is loaded before the artifact. Candidate code could still keep it from running; then the work
 * starts early, and the time the judge saw between go and "queued" contains it.
 */
#include "device/cuda_hold.h"

#define PAGE_BYTES 4096
#define HOST_REGISTER_DEVICEMAP 2
#define MAX_BLOCK_THREADS 1024

/* clang-format off */
const char cuda_hold_ptx[] =
    ".version 6.4\n"
    ".target sm_75\n"
    ".address_size 64\n"
    ".visible .entry hold(.param .u64 p_release, .param .u64 p_relay, .param .u64 p_holding,\n"
    "                     .param .u32 p_seq, .param .u64 p_limit_ns)\n"
    /* At most 32 registers: two blocks of 1024 threads fill an SM. */
    ".maxntid 1024, 1, 1\n"
    ".maxnreg 32\n"
    "{\n"
    "    .reg .pred  %idle, %first, %out;\n"
    "    .reg .b32   %seq, %word, %id;\n"
    "    .reg .b64   %release, %relay, %holding, %at, %limit, %start, %now;\n"
    "    mov.u32     %id, %tid.x;\n"
    "    setp.ne.u32 %idle, %id, 0;\n"
    "    @%idle bra  JOIN;\n"
    "    ld.param.u64 %release, [p_release];\n"
    "    ld.param.u64 %relay, [p_relay];\n"
    "    ld.param.u32 %seq, [p_seq];\n"
    "    ld.param.u64 %limit, [p_limit_ns];\n"
    "    mov.u64     %start, %globaltimer;\n"
    "    mov.u32     %id, %ctaid.x;\n"
    "    setp.eq.u32 %first, %id, 0;\n"
    "    selp.b64    %at, %release, %relay, %first;\n"
    "    ld.param.u64 %holding, [p_holding];\n"
    "    @%first st.relaxed.sys.global.u32 [%holding], %seq;\n"
    "WATCH:\n"
    "    ld.relaxed.sys.global.u32 %word, [%at];\n"
    "    setp.eq.u32 %out, %word, %seq;\n"
    "    @%out bra   PASS;\n"
    "    mov.u64     %now, %globaltimer;\n"
    "    sub.u64     %now, %now, %start;\n"
    "    setp.lt.u64 %out, %now, %limit;\n"
    "    @%out bra   WATCH;\n"
    "PASS:\n"
    "    @!%first bra JOIN;\n"
    "    st.relaxed.sys.global.u32 [%relay], %seq;\n"
    "JOIN:\n"
    "    bar.sync    0;\n"
    "    ret;\n"
    "}\n";
/* clang-format on */

static int load_kernel(struct cuda_hold *h, struct err *err)
{
    CUmodule module;
    CUresult rc = h->cu->cuModuleLoadDataEx(&module, cuda_hold_ptx, 0, NULL, NULL);

    if (rc == 0)
        rc = h->cu->cuModuleGetFunction(&h->kernel, module, "hold");
    return rc ? cuda_fail(h->cu, rc, err, "the waiting kernel") : 0;
}

/* Seen by the device; and a word of its own, which is no order's number yet. */
static int map_words(struct cuda_hold *h, size_t bytes, struct err *err)
{
    size_t whole = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    CUresult rc = h->cu->cuMemHostRegister_v2(h->page, whole, HOST_REGISTER_DEVICEMAP);

    if (rc == 0)
        rc = h->cu->cuMemHostGetDevicePointer_v2(&h->page_at, h->page, 0);
    if (rc == 0)
        rc = h->cu->cuMemAlloc_v2(&h->relay, sizeof(uint32_t));
    if (rc == 0)
        rc = h->cu->cuMemsetD32Async(h->relay, 0, 1, NULL);
    if (rc == 0)
        rc = h->cu->cuCtxSynchronize();
    return rc ? cuda_fail(h->cu, rc, err, "the shared page") : 0;
}

/* An SM's threads in blocks of at most 1024: 2048 and 1536 in two, 1024 in one. */
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

CUresult cuda_hold_queue(const struct cuda_hold *h, const struct device_hold *hold, CUstream stream)
{
    CUdeviceptr release = on_device(h, hold->release), holding = on_device(h, hold->holding);
    CUdeviceptr relay = h->relay;
    unsigned seq = hold->seq;
    uint64_t limit_ns = DEVICE_HOLD_MS * (uint64_t)1000000;
    void *args[] = {&release, &relay, &holding, &seq, &limit_ns};

    return h->cu->cuLaunchKernel(h->kernel, h->blocks, 1, 1, h->threads, 1, 1, 0, stream, args,
                                 NULL);
}
