/* SPDX-License-Identifier: MIT */
/* Everything runs in one stream of the primary context and has ended when a call returns, but for
 * small pieces of poison, which flush() waits for: the runner's context shares the device by time
 * slices, and nothing of the judge's may still be running when a candidate is told to go.
 *
 * Any thread may call, one at a time: each call makes the context current first. mem_free() may run
 * beside another call. The driver allows that, and of our own data it touches only own_bytes.
 *
 * A struct mem has no host address; its handle is the device address. Shared memory is padded to
 * the driver's granularity (2 MiB), here and on import. */
#include "device/cuda/cuda_judge.h"

#include "base/fs.h"
#include "base/hash.h"
#include "device/cuda/cuda_ctx.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/cuda_source.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS_PER_SM 16

static const char *const kernel_names[KERNEL_COUNT] = {
    [FILL_ROWS] = "fill_rows",
    [FILL_SPREAD] = "fill_spread",
    [FILL_NORMAL] = "fill_normal",
    [FILL_UNIFORM] = "fill_uniform",
    [FILL_HEAVY] = "fill_heavy",
    [FILL_NEEDLE] = "fill_needle",
    [FILL_REALS] = "fill_reals",
    [FILL_INTEGERS] = "fill_integers",
    [POISON] = "poison",
    [POISON_CHECK] = "poison_check",
    [PEEK] = "peek",
    [DIFFER] = "differ",
    [STORE_REALS] = "store_reals",
    [STORE_INTEGERS] = "store_integers",
    [SHORT_ROW_RMS] = "short_row_rms",
    [SEGMENT_SUMS] = "segment_sums",
    [LONG_ROW_RMS] = "long_row_rms",
    [COMPARE_FINISH] = "compare_finish",
    [FLUSH_WRITE] = "flush_write",
    [FLUSH_READ] = "flush_read",
    [FMA_F32] = "fma_f32",
    [FMA_F64] = "fma_f64",
};

int cuda_enter(struct cuda_ctx *c, struct err *err)
{
    CUresult rc = c->cu->cuCtxSetCurrent(c->context);

    return rc ? cuda_fail(c->cu, rc, err, "the judge's context") : 0;
}

int cuda_finish(struct cuda_ctx *c, const char *what, struct err *err)
{
    CUresult rc = c->cu->cuStreamSynchronize(c->stream);

    return rc ? cuda_fail(c->cu, rc, err, "%s", what) : 0;
}

unsigned cuda_blocks(const struct cuda_ctx *c, int64_t threads)
{
    int64_t blocks = (threads + CUDA_THREADS - 1) / CUDA_THREADS;

    return (unsigned)MAX(1, MIN(blocks, (int64_t)c->sms * BLOCKS_PER_SM));
}

int cuda_launch(struct cuda_ctx *c, CUfunction kernel, unsigned blocks, void **args,
                const char *what, struct err *err)
{
    CUresult rc =
        c->cu->cuLaunchKernel(kernel, blocks, 1, 1, CUDA_THREADS, 1, 1, 0, c->stream, args, NULL);

    return rc ? cuda_fail(c->cu, rc, err, "%s", what) : 0;
}

/* ---- open and close ---- */

static int attribute(struct cuda_ctx *c, int which, int *ret, struct err *err)
{
    CUresult rc = c->cu->cuDeviceGetAttribute(ret, which, c->device);

    return rc ? cuda_fail(c->cu, rc, err, "device attribute %d", which) : 0;
}

static int find_architecture(struct cuda_ctx *c, struct err *err)
{
    int major = 0, minor = 0;

    if (attribute(c, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major, err) < 0 ||
        attribute(c, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor, err) < 0)
        return -1;
    c->sm = 10 * major + minor;
    return 0;
}

static int find_device(struct cuda_ctx *c, int index, struct err *err)
{
    int count = 0;
    CUresult rc = c->cu->cuInit(0);

    if (rc)
        return cuda_fail(c->cu, rc, err, "cuInit");
    rc = c->cu->cuDeviceGetCount(&count);
    if (rc)
        return cuda_fail(c->cu, rc, err, "counting the devices");
    if (index < 0 || index >= count)
        return fail(err, ERR_DEVICE, "there is no device cuda:%d: this machine has %d", index,
                    count);
    rc = c->cu->cuDeviceGet(&c->device, index);
    return rc ? cuda_fail(c->cu, rc, err, "cuda:%d", index) : find_architecture(c, err);
}

static int make_context(struct cuda_ctx *c, struct err *err)
{
    struct cu_mem_prop prop;
    CUcontext context = NULL;
    CUresult rc = c->cu->cuDevicePrimaryCtxRetain(&context, c->device);

    if (rc)
        return cuda_fail(c->cu, rc, err, "no context");
    c->context = context;
    rc = c->cu->cuCtxSetCurrent(context);
    if (rc == 0)
        rc = c->cu->cuStreamCreate(&c->stream, 0);
    if (rc == 0)
        rc = c->cu->cuDeviceTotalMem_v2(&c->memory_bytes, c->device);
    if (rc == 0)
        rc = c->cu->cuMemGetAllocationGranularity(&c->granularity, cuda_shared_prop(c, &prop), 0);
    return rc ? cuda_fail(c->cu, rc, err, "no context") : 0;
}

int cuda_get_kernel(struct cuda_ctx *c, CUmodule module, const char *name, CUfunction *ret,
                    struct err *err)
{
    CUresult rc = *ret ? 0 : c->cu->cuModuleGetFunction(ret, module, name);

    return rc ? cuda_fail(c->cu, rc, err, "the judge's kernel %s", name) : 0;
}

static int get_kernels(struct cuda_ctx *c, struct err *err)
{
    for (int i = 0; i < KERNEL_COUNT; i++) {
        if (cuda_get_kernel(c, c->module, kernel_names[i], &c->kernels[i], err) < 0)
            return -1;
    }
    return 0;
}

/* Writes a UUID as nvidia-smi prints it. */
static void print_uuid(const struct cu_uuid *id, char *out, size_t cap)
{
    const unsigned char *b = id->bytes;

    snprintf(out, cap, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
             b[14], b[15]);
}

/* Takes a program from the cache, or compiles it; needs no context. */
static int find_program(const struct nvrtc_program *p, const char *what, struct buf *ret_cubin,
                        struct err *err)
{
    AUTO(freep) char *cache = fs_cache_dir();
    AUTO(freep) char *dir = fs_join(cache, "kernels");

    return nvrtc_compile(p, dir, ret_cubin, err) < 0 ? wrap(err, "%s", what) : 0;
}

static int load_program(struct cuda_ctx *c, const struct buf *cubin, const char *what,
                        CUmodule *ret, struct err *err)
{
    CUresult rc = c->cu->cuModuleLoadDataEx(ret, cubin->ptr, 0, NULL, NULL);

    return rc ? cuda_fail(c->cu, rc, err, "loading %s", what) : 0;
}

int cuda_load_program(struct cuda_ctx *c, const struct nvrtc_program *p, const char *what,
                      CUmodule *ret, struct err *err)
{
    AUTO(buf_release) struct buf cubin = BUF_INIT;

    if (find_program(p, what, &cubin, err) < 0)
        return -1;
    return load_program(c, &cubin, what, ret, err);
}

#define OWN "the judge's kernels"

static int load_kernels(struct cuda_ctx *c, const struct buf *cubin, struct err *err)
{
    if (load_program(c, cubin, OWN, &c->module, err) < 0)
        return -1;
    return get_kernels(c, err);
}

/* Work that needs no context, done in a thread while the driver makes one. */
struct beside {
    struct cuda_ctx *c;
    struct buf cubin;
    struct err err;
    int rc;
};

static void *do_beside(void *arg)
{
    struct beside *b = arg;
    struct nvrtc_program p = cuda_source(b->c->sm);

    b->rc = find_program(&p, OWN, &b->cubin, &b->err);
    return NULL;
}

static void *open_nvml(void *arg)
{
    struct cuda_ctx *c = arg;
    struct cu_uuid id;
    char uuid[64];

    if (c->cu->cuDeviceGetUuid_v2(&id, c->device) == 0) {
        print_uuid(&id, uuid, sizeof(uuid));
        c->nvml = nvml_open(NVML_LIBRARY, uuid);
    }
    return NULL;
}

/* Opening NVML takes as long as a context, and nobody asks for it before the first timed call. */
static void open_nvml_aside(struct cuda_ctx *c)
{
    c->opens_nvml = pthread_create(&c->nvml_opener, NULL, open_nvml, c) == 0;
    if (!c->opens_nvml)
        open_nvml(c);
}

static struct nvml *await_nvml(struct cuda_ctx *c)
{
    if (c->opens_nvml)
        pthread_join(c->nvml_opener, NULL);
    c->opens_nvml = false;
    return c->nvml;
}

static int open_context(struct cuda_ctx *c, struct err *err)
{
    struct beside b = {.c = c, .cubin = BUF_INIT, .err = ERR_INIT};
    pthread_t thread;
    bool started = pthread_create(&thread, NULL, do_beside, &b) == 0;
    int rc = make_context(c, err);

    if (started)
        pthread_join(thread, NULL);
    else
        do_beside(&b);
    if (rc == 0 && b.rc < 0) {
        *err = b.err;
        rc = -1;
    }
    if (rc == 0)
        rc = load_kernels(c, &b.cubin, err);
    buf_release(&b.cubin);
    return rc;
}

static void cuda_close(void *ctx)
{
    struct cuda_ctx *c = ctx;

    if (!c)
        return;
    if (c->context && c->cu->cuCtxSetCurrent(c->context) == 0) {
        cuda_forget(c);
        cuda_unreserve(c, &c->scratch);
        cuda_unreserve(c, &c->unread);
        cuda_unreserve(c, &c->sum);
        cuda_mem_free(c, &c->sweep.mem);
        if (c->module)
            c->cu->cuModuleUnload(c->module);
        if (c->stream)
            c->cu->cuStreamDestroy_v2(c->stream);
    }
    if (c->context)
        c->cu->cuDevicePrimaryCtxRelease_v2(c->device);
    nvml_close(await_nvml(c));
    free(c);
}

/* The judge has one stream. A context with one queue to the device is made in 60 ms; with the usual
 * eight it takes 134 (H200), and twice as long to close. Processes that the judge starts keep their
 * own setting. */
#define CONNECTIONS "CUDA_DEVICE_MAX_CONNECTIONS"

static int open_device(struct cuda_ctx *c, int index, struct err *err)
{
    const char *set = getenv(CONNECTIONS);
    AUTO(freep) char *before = set ? xstrdup(set) : NULL;
    int rc;

    setenv(CONNECTIONS, "1", 1);
    rc = find_device(c, index, err);
    if (rc == 0)
        rc = open_context(c, err);
    if (before)
        setenv(CONNECTIONS, before, 1);
    else
        unsetenv(CONNECTIONS);
    return rc;
}

static int cuda_open(int index, void **ret_ctx, struct err *err)
{
    const char *why = "";
    const struct cuda_driver *cu = cuda_driver(&why);
    struct cuda_ctx *c;
    char word[32];
    int l2 = 0;

    snprintf(word, sizeof(word), "cuda:%d", index);
    if (!cu)
        return device_fail_missing(&device_cuda, word, why, err);
    c = xcalloc(1, sizeof(*c));
    c->sweep.mem = (struct mem)MEM_INIT;
    c->cu = cu;
    if (open_device(c, index, err) < 0 ||
        attribute(c, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &c->sms, err) < 0 ||
        attribute(c, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &l2, err) < 0) {
        cuda_close(c);
        return -1;
    }
    c->l2_bytes = (size_t)l2;
    open_nvml_aside(c);
    *ret_ctx = c;
    return 0;
}

/* ---- describe ---- */

/* "580.95.05" from the kernel module; "" if the kernel does not say. */
static void module_version(char out[32])
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct err ignored = ERR_INIT;

    out[0] = 0;
    if (fs_exists("/sys/module/nvidia/version") &&
        fs_read("/sys/module/nvidia/version", 4096, &text, &ignored) == 0)
        snprintf(out, 32, "%.*s", (int)strcspn(buf_str(&text), "\n"), buf_str(&text));
}

/* Another driver of the same major version compiles and runs the same. */
static void fingerprint(const struct device_info *info, char out[HASH_HEX])
{
    struct hash h;

    hash_init(&h);
    hash_adds(&h, info->name);
    hash_adds(&h, info->uuid);
    hash_add(&h, info->driver, strcspn(info->driver, "."));
    hash_final(&h, out);
}

void cuda_arch(int major, int minor, char ret[DEVICE_ARCH_MAX])
{
    snprintf(ret, DEVICE_ARCH_MAX, "%d%d%s", major, minor, major >= 9 ? "a" : "");
}

static int cuda_describe(void *ctx, struct device_info *ret, struct err *err)
{
    struct cuda_ctx *c = ctx;
    struct device_info info = {.memory_bytes = (int64_t)c->memory_bytes,
                               .cache_bytes = (int64_t)c->l2_bytes,
                               .cores = c->sms};
    struct cu_uuid uuid = {{0}};
    char module[32];
    int version = 0, major = 0, minor = 0;
    CUresult rc = c->cu->cuDeviceGetName(info.name, sizeof(info.name), c->device);

    if (rc == 0)
        rc = c->cu->cuDeviceGetUuid_v2(&uuid, c->device);
    if (rc == 0)
        rc = c->cu->cuDriverGetVersion(&version);
    if (rc)
        return cuda_fail(c->cu, rc, err, "cannot read the device's name, uuid and driver");
    print_uuid(&uuid, info.uuid, sizeof(info.uuid));
    module_version(module);
    snprintf(info.driver, sizeof(info.driver), "%s%sCUDA %d.%d", module, *module ? ", " : "",
             version / 1000, version % 1000 / 10);
    c->cu->cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, c->device);
    c->cu->cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, c->device);
    cuda_arch(major, minor, info.arch);
    fingerprint(&info, info.fingerprint);
    *ret = info;
    return 0;
}

static int cuda_free_bytes(void *ctx, int64_t *ret, struct err *err)
{
    struct cuda_ctx *c = ctx;
    size_t free_bytes = 0, total_bytes = 0;
    CUresult rc;

    if (cuda_enter(c, err) < 0)
        return -1;
    if ((rc = c->cu->cuMemGetInfo_v2(&free_bytes, &total_bytes)))
        return cuda_fail(c->cu, rc, err, "cuMemGetInfo");
    *ret = (int64_t)free_bytes;
    return 0;
}

static void cuda_state(void *ctx, struct device_state *ret)
{
    struct cuda_ctx *c = ctx;

    nvml_state(await_nvml(c), ret);
}

const struct device_judge_ops cuda_judge_ops = {
    .open = cuda_open,
    .close = cuda_close,
    .describe = cuda_describe,
    .mem_alloc = cuda_mem_alloc,
    .mem_free = cuda_mem_free,
    .copy = cuda_copy,
    .upload = cuda_upload,
    .download = cuda_download,
    .fill = cuda_fill,
    .poison = cuda_poison,
    .poison_check = cuda_poison_check,
    .peek = cuda_peek,
    .differ = cuda_differ,
    .locate = cuda_locate,
    .forget = cuda_forget,
    .store = cuda_store,
    .compare = cuda_compare,
    .fingerprint = cuda_fingerprint,
    .row_rms = cuda_row_rms,
    .rms = cuda_rms,
    .flush = cuda_flush,
    .sweep = cuda_sweep,
    .rates = cuda_rates,
    .free_bytes = cuda_free_bytes,
    .others_bytes = cuda_others_bytes,
    .state = cuda_state,
};
