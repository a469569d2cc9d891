/* SPDX-License-Identifier: MIT */
#include "device/cpu/cpu_device.h"

#include "base/fs.h"
#include "base/hash.h"
#include "device/hostmem.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

struct cpu_ctx {
    int cores; /* cores for candidates; counted at open, since the judge pins itself later */
    bool clflushopt;
};

#ifdef __x86_64__

#define LINE_BYTES 64

/* CPUID is asked once: in a virtual machine the instruction traps, for microseconds. */
static bool has_clflushopt(void)
{
    unsigned a, b, c, d;

    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_CLFLUSHOPT;
}

__attribute__((target("clflushopt"))) static void flush_opt(char *at, const char *end)
{
    for (; at < end; at += LINE_BYTES)
        _mm_clflushopt(at);
}

static void flush_old(char *at, const char *end)
{
    for (; at < end; at += LINE_BYTES)
        _mm_clflush(at);
}

/* Flushes line by line instead of sweeping twice the cache: 5 us instead of 56 ms for 64 KiB beside
 * a 260 MiB L3, and as cold. Lines leave every core's caches: the runner maps the same pages. */
static int cpu_flush(void *ctx, struct mem *const *mems, int n, struct err *err)
{
    void (*flush)(char *, const char *) =
        ((struct cpu_ctx *)ctx)->clflushopt ? flush_opt : flush_old;

    (void)err;
    for (int i = 0; i < n; i++)
        flush(mems[i]->host, (char *)mems[i]->host + mems[i]->bytes);
    _mm_mfence();
    return 0;
}

#else

static bool has_clflushopt(void)
{
    return false;
}

#define cpu_flush NULL

#endif

static int candidate_cores(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set)
                                                         : (int)sysconf(_SC_NPROCESSORS_ONLN);

    return n > 1 ? n - 1 : 1; /* one belongs to the judge, which spins there */
}

static int cpu_open(int index, void **ret_ctx, struct err *err)
{
    if (index != 0)
        return fail(err, ERR_DEVICE, "there is no device cpu:%d, only cpu:0", index);

    struct cpu_ctx *ctx = xcalloc(1, sizeof(*ctx));

    ctx->cores = candidate_cores();
    ctx->clflushopt = has_clflushopt();
    *ret_ctx = ctx;
    return 0;
}

static void cpu_close(void *ctx)
{
    free(ctx);
}

/* The text behind "KEY : " of the first processor in /proc/cpuinfo; a heap string, "" when missing.
 */
static char *cpuinfo_field(const char *key)
{
    FILE *f = fopen("/proc/cpuinfo", "re");
    AUTO(freep) char *line = NULL;
    size_t cap = 0, key_len = strlen(key);
    char *found = NULL;

    while (f && !found && getline(&line, &cap, f) > 1) {
        const char *colon = strchr(line, ':');

        if (colon && !strncmp(line, key, key_len) && strspn(line + key_len, " \t") > 0)
            found = xstrndup(colon + 2, strcspn(colon + 2, "\n"));
    }
    if (f)
        fclose(f);
    return found ? found : xstrdup("");
}

/* The number a small file of the kernel's starts with, times its unit; -1 without file or number.
 */
static int64_t file_number(const char *path)
{
    struct buf text = BUF_INIT;
    struct err ignored = ERR_INIT;
    int64_t v = -1;
    char unit = 0;

    if (fs_read(path, 4096, &text, &ignored) < 0 ||
        sscanf(buf_str(&text), "%" SCNd64 "%c", &v, &unit) < 1)
        v = -1;
    buf_release(&text);
    return unit == 'K' ? v << 10 : unit == 'M' ? v << 20 : v;
}

static int64_t last_level_cache(void)
{
    int64_t bytes = 0;

    for (int i = 0; i < 8; i++) {
        AUTO(freep) char *path = xasprintf("/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        int64_t v = file_number(path);

        bytes = MAX(bytes, v);
    }
    return bytes;
}

static int64_t usable_memory(void)
{
    /* cgroup v2, then v1; "max" and a missing file say no limit, v1's says a huge number. */
    static const char *const limits[] = {"/sys/fs/cgroup/memory.max",
                                         "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
    int64_t bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

    for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
        int64_t v = file_number(limits[i]);

        if (v > 0)
            bytes = MIN(bytes, v);
    }
    return bytes;
}

static void fingerprint(const struct device_info *info, char out[HASH_HEX])
{
    AUTO(freep) char *flags = cpuinfo_field("flags");
    struct hash h;

    hash_init(&h);
    hash_adds(&h, info->name);
    hash_adds(&h, flags);
    hash_add_u64(&h, (uint64_t)info->cores);
    hash_add_u64(&h, (uint64_t)info->cache_bytes);
    hash_final(&h, out);
}

static int cpu_describe(void *ctx, struct device_info *ret, struct err *err)
{
    AUTO(freep) char *model = cpuinfo_field("model name");
    struct device_info info = {.cores = ((struct cpu_ctx *)ctx)->cores};
    struct utsname kernel;

    if (uname(&kernel) < 0)
        return fail_errno(err, "uname");
    snprintf(info.name, sizeof(info.name), "%s", *model ? model : kernel.machine);
    snprintf(info.driver, sizeof(info.driver), "%.63s", kernel.release);
    info.memory_bytes = usable_memory();
    info.cache_bytes = last_level_cache();
    fingerprint(&info, info.fingerprint);
    *ret = info;
    return 0;
}

const struct device_judge_ops cpu_judge_ops = {
    .open = cpu_open,
    .close = cpu_close,
    .describe = cpu_describe,
    .mem_alloc = hostmem_alloc,
    .mem_free = hostmem_free,
    .copy = hostmem_copy,
    .upload = hostmem_upload,
    .download = hostmem_download,
    .fill = hostmem_fill,
    .poison = hostmem_poison,
    .poison_check = hostmem_poison_check,
    .peek = hostmem_peek,
    .store = hostmem_store,
    .compare = hostmem_compare,
    .rms = hostmem_rms,
    .flush = cpu_flush,
};
