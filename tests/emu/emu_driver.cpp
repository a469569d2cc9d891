/* SPDX-License-Identifier: MIT */
/* A libcuda.so.1 without a GPU: device memory is the host's, a launch runs its kernel here, thread by
 * thread, and is done when it returns. Threads of a block are fibers, because __syncthreads() has to
 * stop in the middle of each. With it come NVRTC and cuBLAS as far as the judge calls them; programs
 * are "compiled" by being part of this library: of those of single passes (emu_special.cpp) some are,
 * to the letter, and no other one compiles. */
#include "emu.h"

#include <atomic>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREADS 256
#define STACK_BYTES ((128 << 10) + 5 * 64) /* no power of 2: tops of stacks in different cache sets */
#define MEMORY_BYTES ((size_t)4 << 30)
#define GRANULARITY ((size_t)2 << 20)
#define SMS 2

extern const struct emu_kernel emu_judge_kernels[], emu_gpu_kernels[];
extern const struct emu_special emu_specials[];

struct emu_dim threadIdx, blockIdx, blockDim, gridDim;
double emu_exchange[THREADS];

/* ---- fibers ---- */

/* Saves what a call must keep, and goes on where the other stack stopped. */
extern "C" void emu_switch(void **save_stack, void *to_stack);
__asm__(".text\n"
        ".globl emu_switch\n"
        ".hidden emu_switch\n"
        "emu_switch:\n"
        "    push %rbp\n    push %rbx\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsi, %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    ret\n");

struct barrier {
    int waiting, round;
};

static struct {
    char *stacks;
    void *at[THREADS]; /* where each stopped */
    void *scheduler;
    bool done[THREADS];
    unsigned now;
    void (*call)(void **args);
    void **args;
    struct barrier all, group[THREADS];
} block;

static void yield()
{
    unsigned me = block.now;

    emu_switch(&block.at[me], block.scheduler);
    threadIdx.x = me;
}

static void barrier_wait(struct barrier *b, int threads)
{
    int round = b->round;

    if (++b->waiting == threads) {
        b->waiting = 0;
        b->round++;
        return;
    }
    while (b->round == round)
        yield();
}

void __syncthreads()
{
    barrier_wait(&block.all, THREADS);
}

void emu_sync_group(int width)
{
    barrier_wait(&block.group[threadIdx.x / (unsigned)width], width);
}

static void fiber_main()
{
    block.call(block.args);
    block.done[block.now] = true;
    for (;;)
        yield();
}

static void fiber_start(unsigned i)
{
    void **top = (void **)(block.stacks + (size_t)(i + 1) * STACK_BYTES);

    /* 16-byte alignment as after a call; six saved registers below the address to go to. */
    top -= 2;
    *top = (void *)fiber_main;
    block.at[i] = top - 6;
    block.done[i] = false;
}

static void run_block()
{
    unsigned left = THREADS;

    for (unsigned i = 0; i < THREADS; i++)
        fiber_start(i);
    block.all = {};
    memset(block.group, 0, sizeof(block.group));
    while (left > 0) {
        left = 0;
        for (unsigned i = 0; i < THREADS; i++) {
            if (block.done[i])
                continue;
            block.now = threadIdx.x = i;
            emu_switch(&block.scheduler, block.at[i]);
            left += !block.done[i];
        }
    }
}

/* ---- the driver ---- */

#define EMU(name, ...) extern "C" __attribute__((visibility("default"))) int name(__VA_ARGS__)
typedef uint64_t address;

#define INVALID_VALUE 1
#define OUT_OF_MEMORY 2
#define NOT_FOUND 500
#define NOT_SUPPORTED 801

EMU(cuInit, unsigned)
{
    return 0;
}
EMU(cuDriverGetVersion, int *version)
{
    *version = 13000;
    return 0;
}
EMU(cuGetErrorName, int rc, const char **name)
{
    *name = rc == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_EMULATED";
    return 0;
}
EMU(cuGetErrorString, int, const char **text)
{
    *text = "the emulated driver refuses";
    return 0;
}
EMU(cuDeviceGetCount, int *count)
{
    *count = 1;
    return 0;
}
EMU(cuDeviceGet, int *device, int)
{
    *device = 0;
    return 0;
}
EMU(cuDeviceGetName, char *name, int len, int)
{
    snprintf(name, (size_t)len, "emulated GPU");
    return 0;
}
EMU(cuDeviceGetUuid_v2, unsigned char *uuid, int)
{
    memset(uuid, 7, 16);
    return 0;
}
EMU(cuDeviceGetAttribute, int *value, int attribute, int)
{
    *value = attribute == 16 ? SMS : attribute == 38 ? 1 << 20 : attribute == 75 ? 9 : 0;
    return 0;
}
EMU(cuDeviceTotalMem_v2, size_t *bytes, int)
{
    *bytes = MEMORY_BYTES;
    return 0;
}
EMU(cuDevicePrimaryCtxRetain, void **ctx, int)
{
    *ctx = &block;
    return 0;
}
EMU(cuDevicePrimaryCtxRelease_v2, int)
{
    return 0;
}
EMU(cuDevicePrimaryCtxGetState, int, unsigned *flags, int *active)
{
    *flags = 0;
    *active = 1;
    return 0;
}
EMU(cuCtxSetCurrent, void *)
{
    return 0;
}
EMU(cuCtxSynchronize)
{
    return 0;
}
EMU(cuCtxSetLimit, int, size_t)
{
    return 0;
}
EMU(cuDevicePrimaryCtxSetFlags_v2, int, unsigned)
{
    return 0;
}
/* Host memory is the device's here. */
EMU(cuMemHostRegister_v2, void *, size_t, unsigned)
{
    return 0;
}
EMU(cuMemHostGetDevicePointer_v2, uint64_t *device_at, void *at, unsigned)
{
    *device_at = (uint64_t)at;
    return 0;
}
EMU(cuCtxResetPersistingL2Cache)
{
    return 0;
}

/* ---- memory: each piece a block of the heap, full of garbage ---- */

static std::atomic<size_t> used; /* memory may be freed beside other calls */

/* Large pieces are whole pages, as a driver has them. */
static size_t held(size_t bytes)
{
    return bytes < GRANULARITY / 2 ? bytes : (bytes + GRANULARITY - 1) / GRANULARITY * GRANULARITY;
}

EMU(cuMemGetInfo_v2, size_t *free_bytes, size_t *total)
{
    *total = MEMORY_BYTES;
    *free_bytes = MEMORY_BYTES - used;
    return 0;
}

EMU(cuMemAlloc_v2, address *at, size_t bytes)
{
    char *p;

    if (bytes == 0)
        return INVALID_VALUE;
    if (bytes > MEMORY_BYTES - used)
        return OUT_OF_MEMORY;
    p = (char *)aligned_alloc(512, (bytes + 511) / 512 * 512 + 512);
    if (!p)
        return OUT_OF_MEMORY;
    memset(p, 0xEE, bytes + 512);
    memcpy(p, &bytes, sizeof(bytes));
    used += held(bytes);
    *at = (address)(p + 512);
    return 0;
}

EMU(cuMemFree_v2, address at)
{
    size_t bytes;

    memcpy(&bytes, (char *)at - 512, sizeof(bytes));
    used -= held(bytes);
    free((char *)at - 512);
    return 0;
}

/* A handle names an allocation by its address: there is one process. */
EMU(cuMemGetAddressRange_v2, address *base, size_t *bytes, address at)
{
    memcpy(bytes, (char *)at - 512, sizeof(*bytes));
    *base = at;
    return 0;
}
EMU(cuPointerGetAttribute, void *value, int, address at)
{
    memcpy(value, &at, sizeof(at));
    return 0;
}
struct emu_handle {
    address at;
    char rest[56];
};
EMU(cuIpcOpenMemHandle_v2, address *at, struct emu_handle handle, unsigned)
{
    *at = handle.at;
    return handle.at ? 0 : INVALID_VALUE;
}
EMU(cuIpcCloseMemHandle, address)
{
    return 0;
}

static size_t pool_used;

EMU(cuMemAllocAsync, address *at, size_t bytes, void *)
{
    int rc = cuMemAlloc_v2(at, bytes);

    pool_used += rc ? 0 : held(bytes);
    return rc;
}
EMU(cuMemFreeAsync, address at, void *)
{
    size_t bytes;

    memcpy(&bytes, (char *)at - 512, sizeof(bytes));
    pool_used -= held(bytes);
    return cuMemFree_v2(at);
}
EMU(cuMemPoolGetAttribute, void *, int, uint64_t *value)
{
    *value = pool_used;
    return 0;
}
EMU(cuDeviceGetDefaultMemPool, void **pool, int)
{
    *pool = &block;
    return 0;
}
EMU(cuMemPoolSetAttribute, void *, int, void *)
{
    return 0;
}
EMU(cuMemPoolTrimTo, void *, size_t)
{
    return 0;
}
EMU(cuMemcpyHtoD_v2, address to, const void *from, size_t bytes)
{
    memcpy((void *)to, from, bytes);
    return 0;
}
EMU(cuMemcpyDtoH_v2, void *to, address from, size_t bytes)
{
    memcpy(to, (void *)from, bytes);
    return 0;
}
EMU(cuMemcpyDtoDAsync_v2, address to, address from, size_t bytes, void *)
{
    memmove((void *)to, (void *)from, bytes);
    return 0;
}
EMU(cuMemsetD32Async, address at, unsigned value, size_t count, void *)
{
    for (size_t i = 0; i < count; i++)
        ((unsigned *)at)[i] = value;
    return 0;
}

/* Shared memory: a handle is a memfd's number plus one. */
EMU(cuMemGetAllocationGranularity, size_t *bytes, const void *, int)
{
    *bytes = GRANULARITY;
    return 0;
}
EMU(cuMemCreate, address *handle, size_t bytes, const void *, unsigned long long)
{
    int fd = memfd_create("emulated", MFD_CLOEXEC);

    if (bytes % GRANULARITY || fd < 0 || ftruncate(fd, (off_t)bytes) < 0)
        return INVALID_VALUE;
    *handle = (address)fd + 1;
    return 0;
}
EMU(cuMemRelease, address handle)
{
    close((int)handle - 1);
    return 0;
}
EMU(cuMemAddressReserve, address *at, size_t bytes, size_t, address, unsigned long long)
{
    void *p = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    *at = (address)p;
    return p == MAP_FAILED ? OUT_OF_MEMORY : 0;
}
EMU(cuMemAddressFree, address at, size_t bytes)
{
    return munmap((void *)at, bytes) < 0 ? INVALID_VALUE : 0;
}
EMU(cuMemMap, address at, size_t bytes, size_t, address handle, unsigned long long)
{
    void *p = mmap((void *)at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                   (int)handle - 1, 0);

    used += p == MAP_FAILED ? 0 : bytes;
    return p == MAP_FAILED ? INVALID_VALUE : 0;
}
EMU(cuMemUnmap, address at, size_t bytes)
{
    void *p = mmap((void *)at, bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);

    used -= p == MAP_FAILED ? 0 : bytes;
    return p == MAP_FAILED ? INVALID_VALUE : 0;
}
EMU(cuMemSetAccess, address, size_t, const void *, size_t)
{
    return 0;
}
EMU(cuMemExportToShareableHandle, void *fd, address handle, int, unsigned long long)
{
    *(int *)fd = dup((int)handle - 1);
    return 0;
}
EMU(cuMemImportFromShareableHandle, address *handle, void *fd, int)
{
    *handle = (address)dup((int)(intptr_t)fd) + 1;
    return 0;
}

/* ---- modules and launches ---- */

/* What a cubin begins with; the name of a special one follows. */
#define CUBIN "\177ELF of the emulated GPU"

static const struct emu_special *find_special(const char *name)
{
    const struct emu_special *s = emu_specials;

    while (s->name && strcmp(s->name, name))
        s++;
    return s->name ? s : nullptr;
}

EMU(cuModuleLoadDataEx, const void **module, const char *image, unsigned, int *, void **)
{
    const struct emu_special *s = nullptr;

    if (memcmp(image, CUBIN, sizeof(CUBIN) - 1))
        return 200;
    image += sizeof(CUBIN) - 1;
    if (*image)
        s = find_special(image);
    *module = s ? (const void *)s : &block;
    return *image && !s ? 200 : 0;
}
EMU(cuModuleUnload, void *)
{
    return 0;
}

static const struct emu_kernel *find_kernel(const struct emu_kernel *k, const char *name)
{
    for (; k->name; k++) {
        if (!strcmp(k->name, name))
            return k;
    }
    return nullptr;
}

EMU(cuModuleGetFunction, const void **function, void *module, const char *name)
{
    const struct emu_kernel *k = find_kernel(emu_gpu_kernels, name);

    if (module != &block) {
        *function = &((const struct emu_special *)module)->kernel;
        return strcmp(((const struct emu_kernel *)*function)->name, name) ? NOT_FOUND : 0;
    }

    *function = k ? k : find_kernel(emu_judge_kernels, name);
    return *function ? 0 : NOT_FOUND;
}
EMU(cuFuncSetAttribute, void *, int, int)
{
    return 0;
}

EMU(cuLaunchKernel, const void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
    unsigned by, unsigned bz, unsigned, void *, void **args, void **)
{
    if (gx == 0 || gy * gz != 1 || bx != THREADS || by * bz != 1)
        return INVALID_VALUE;
    if (!block.stacks)
        block.stacks = (char *)aligned_alloc(64, (size_t)THREADS * STACK_BYTES);
    block.call = ((const struct emu_kernel *)function)->call;
    block.args = args;
    gridDim = {gx, 1, 1};
    blockDim = {bx, 1, 1};
    for (unsigned b = 0; b < gx; b++) {
        blockIdx = {b, 0, 0};
        run_block();
    }
    return 0;
}

/* Work is done at once: nothing can wait. */
EMU(cuStreamWaitValue32_v2, void *, uint64_t, uint32_t, unsigned)
{
    return NOT_SUPPORTED;
}
EMU(cuStreamCreate, void **stream, unsigned)
{
    *stream = &block;
    return 0;
}
EMU(cuStreamDestroy_v2, void *)
{
    return 0;
}
EMU(cuStreamSynchronize, void *)
{
    return 0;
}
EMU(cuEventCreate, void **event, unsigned)
{
    *event = &block;
    return 0;
}
EMU(cuEventDestroy_v2, void *)
{
    return 0;
}
EMU(cuEventRecord, void *, void *)
{
    return 0;
}
EMU(cuEventSynchronize, void *)
{
    return 0;
}
EMU(cuEventElapsedTime, float *ms, void *, void *)
{
    *ms = 0;
    return 0;
}

/* ---- NVRTC ---- */

EMU(nvrtcVersion, int *major, int *minor)
{
    *major = 13;
    *minor = 0;
    return 0;
}
/* A program is &block, or an entry of emu_specials, the last of which stands for all that are not
 * there. */
EMU(nvrtcCreateProgram, const void **program, const char *text, const char *name, int,
    const char *const *, const char *const *)
{
    const struct emu_special *s = emu_specials;

    while (s->name && strcmp(s->text, text))
        s++;
    *program = strcmp(name, "pass.cu") ? (const void *)&block : s;
    return 0;
}
EMU(nvrtcDestroyProgram, void **)
{
    return 0;
}
static const char *special_name(const void *program)
{
    return program == &block ? "" : ((const struct emu_special *)program)->name;
}

EMU(nvrtcCompileProgram, const void *program, int, const char *const *)
{
    return special_name(program) ? 0 : 6; /* NVRTC_ERROR_COMPILATION */
}
EMU(nvrtcGetProgramLogSize, void *, size_t *bytes)
{
    *bytes = 1;
    return 0;
}
EMU(nvrtcGetProgramLog, void *, char *text)
{
    *text = 0;
    return 0;
}
EMU(nvrtcGetCUBINSize, const void *program, size_t *bytes)
{
    *bytes = sizeof(CUBIN) + strlen(special_name(program));
    return 0;
}
EMU(nvrtcGetCUBIN, const void *program, char *to)
{
    strcpy(stpcpy(to, CUBIN), special_name(program));
    return 0;
}
extern "C" __attribute__((visibility("default"))) const char *nvrtcGetErrorString(int)
{
    return "emulated";
}

/* ---- cuBLAS: columns first, as its documentation defines it ---- */

EMU(cublasCreate_v2, void **handle)
{
    *handle = &block;
    return 0;
}
EMU(cublasDestroy_v2, void *)
{
    return 0;
}
EMU(cublasGetVersion_v2, void *, int *version)
{
    *version = 130000;
    return 0;
}
EMU(cublasSetStream_v2, void *, void *)
{
    return 0;
}

EMU(cublasDgemmStridedBatched_64, void *, int op_a, int op_b, int64_t m, int64_t n, int64_t k,
    const double *alpha, const double *a, int64_t lda, long long stride_a, const double *b,
    int64_t ldb, long long stride_b, const double *beta, double *c, int64_t ldc,
    long long stride_c, int64_t batch)
{
    if (lda < (op_a ? k : m) || ldb < (op_b ? n : k) || ldc < m || m < 0 || n < 0 || k < 0)
        return 7; /* CUBLAS_STATUS_INVALID_VALUE */
    for (int64_t i = 0; i < batch; i++, a += stride_a, b += stride_b, c += stride_c) {
        for (int64_t col = 0; col < n; col++) {
            for (int64_t row = 0; row < m; row++) {
                double sum = 0, *to = c + col * ldc + row;

                for (int64_t t = 0; t < k; t++)
                    sum += a[op_a ? row * lda + t : t * lda + row] *
                           b[op_b ? t * ldb + col : col * ldb + t];
                *to = *alpha * sum + (*beta == 0 ? 0 : *beta * *to);
            }
        }
    }
    return 0;
}
