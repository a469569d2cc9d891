/* SPDX-License-Identifier: MIT */
/* A cache entry is the hash of a cubin in hex, a newline and the cubin. Whoever may write to the
 * cache folder is the judge's own user; the hash guards against damaged files, not against
 * enemies. */
#include "device/cuda/nvrtc.h"

#include "base/fs.h"
#include "base/hash.h"
#include "device/cuda/nvrtc_api.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUBIN_MAX_BYTES ((size_t)64 << 20)
#define LOG_SHOWN 1500 /* characters: an error holds 2048 */

/* Options for every program of ours. -default-device makes the headers' plain functions the
 * device's. --split-compile compiles on eight threads, which more than halves the wait if there are
 * cores. It stands last because an NVRTC that does not know it is asked again without. */
static const char *const options[] = {"--fmad=false", "--std=c++17", "-default-device",
                                      "--split-compile=8"};

/* Finds the library, and loads it once; NULL with *ret_why if there is none. */
static const struct nvrtc_api *rtc_load(const char **ret_why)
{
    AUTO(freep) char *library = nvrtc_library();

    return nvrtc_api(library, ret_why);
}

bool nvrtc_available(const char **ret_why)
{
    return rtc_load(ret_why) != NULL;
}

static int nvrtc_fail(const struct nvrtc_api *rtc, nvrtcResult rc, struct err *err,
                      const char *what)
{
    return fail(err, ERR_SYSTEM, "NVRTC: %s: %s", what, rtc->nvrtcGetErrorString(rc));
}

/* ---- the cache ---- */

static int entry_key(const struct nvrtc_api *rtc, const struct nvrtc_program *p, const char *arch,
                     char out[HASH_HEX], struct err *err)
{
    int major = 0, minor = 0;
    nvrtcResult rc = rtc->nvrtcVersion(&major, &minor);
    struct hash h;

    if (rc)
        return nvrtc_fail(rtc, rc, err, "version");
    hash_init(&h);
    hash_add_u64(&h, (uint64_t)major);
    hash_add_u64(&h, (uint64_t)minor);
    hash_adds(&h, arch);
    for (size_t i = 0; i < ARRAY_SIZE(options); i++)
        hash_adds(&h, options[i]);
    hash_adds(&h, p->source.name);
    hash_adds(&h, p->source.text);
    for (int i = 0; i < p->n_headers; i++) {
        hash_adds(&h, p->headers[i].name);
        hash_adds(&h, p->headers[i].text);
    }
    hash_final(&h, out);
    return 0;
}

/* Loads an entry; false when there is none, or none that is whole. */
static bool entry_load(const char *path, struct buf *ret_cubin)
{
    AUTO(buf_release) struct buf file = BUF_INIT;
    struct err ignored = ERR_INIT;
    char hex[HASH_HEX];

    if (!fs_exists(path) || fs_read(path, CUBIN_MAX_BYTES, &file, &ignored) < 0 ||
        file.len <= HASH_HEX)
        return false;
    hash_of(file.ptr + HASH_HEX, file.len - HASH_HEX, hex);
    if (memcmp(file.ptr, hex, HASH_HEX - 1) != 0)
        return false;
    buf_add(ret_cubin, file.ptr + HASH_HEX, file.len - HASH_HEX);
    return true;
}

/* A cache that cannot be written costs time and nothing else. */
static void entry_store(const char *dir, const char *path, const char *cubin, size_t bytes)
{
    AUTO(buf_release) struct buf file = BUF_INIT;
    struct err ignored = ERR_INIT;
    char hex[HASH_HEX];

    hash_of(cubin, bytes, hex);
    buf_adds(&file, hex);
    buf_addch(&file, '\n');
    buf_add(&file, cubin, bytes);
    if (fs_mkdirs(dir, &ignored) == 0)
        fs_write_atomic(path, file.ptr, file.len, &ignored);
}

/* ---- compiling ---- */

static int program_create(const struct nvrtc_api *rtc, const struct nvrtc_program *p,
                          nvrtcProgram *ret, struct err *err)
{
    AUTO(freep) const char **texts = xcalloc((size_t)p->n_headers + 1, sizeof(*texts));
    AUTO(freep) const char **names = xcalloc((size_t)p->n_headers + 1, sizeof(*names));
    nvrtcResult rc;

    for (int i = 0; i < p->n_headers; i++) {
        texts[i] = p->headers[i].text;
        names[i] = p->headers[i].name;
    }
    rc = rtc->nvrtcCreateProgram(ret, p->source.text, p->source.name, p->n_headers, texts, names);
    return rc ? nvrtc_fail(rtc, rc, err, p->source.name) : 0;
}

static int fail_with_log(const struct nvrtc_api *rtc, nvrtcProgram program, const char *name,
                         nvrtcResult rc, struct err *err)
{
    AUTO(freep) char *log = NULL;
    size_t bytes = 0;

    if (rtc->nvrtcGetProgramLogSize(program, &bytes) || bytes < 2 || bytes > CUBIN_MAX_BYTES)
        return nvrtc_fail(rtc, rc, err, name);
    log = xcalloc(1, bytes + 1);
    if (rtc->nvrtcGetProgramLog(program, log))
        return nvrtc_fail(rtc, rc, err, name);
    for (char *c = log; *c; c++) {
        if (*c == '\n')
            *c = c[1] ? '|' : 0;
    }
    return fail(err, ERR_SYSTEM, "NVRTC does not compile %s: %.*s", name, LOG_SHOWN, log);
}

static int run_compiler(const struct nvrtc_api *rtc, nvrtcProgram program, const char *name,
                        const char *arch, struct buf *ret_cubin, struct err *err)
{
    const char *all[ARRAY_SIZE(options) + 1] = {arch};
    size_t bytes = 0;
    nvrtcResult rc;

    memcpy(all + 1, options, sizeof(options));
    rc = rtc->nvrtcCompileProgram(program, ARRAY_SIZE(all), all);
    if (rc == NVRTC_ERROR_INVALID_OPTION)
        rc = rtc->nvrtcCompileProgram(program, ARRAY_SIZE(all) - 1, all);
    if (rc)
        return fail_with_log(rtc, program, name, rc, err);
    rc = rtc->nvrtcGetCUBINSize(program, &bytes);
    if (rc || bytes == 0 || bytes > CUBIN_MAX_BYTES)
        return nvrtc_fail(rtc, rc, err, "no cubin");
    buf_reserve(ret_cubin, bytes);
    rc = rtc->nvrtcGetCUBIN(program, ret_cubin->ptr + ret_cubin->len);
    if (rc)
        return nvrtc_fail(rtc, rc, err, "no cubin");
    ret_cubin->len += bytes;
    ret_cubin->ptr[ret_cubin->len] = 0;
    return 0;
}

static int compile(const struct nvrtc_api *rtc, const struct nvrtc_program *p, const char *arch,
                   struct buf *ret_cubin, struct err *err)
{
    nvrtcProgram program = NULL;
    int rc;

    if (program_create(rtc, p, &program, err) < 0)
        return -1;
    rc = run_compiler(rtc, program, p->source.name, arch, ret_cubin, err);
    rtc->nvrtcDestroyProgram(&program);
    return rc;
}

static void (*announce)(void);

void nvrtc_announce(void (*say)(void))
{
    announce = say;
}

static void announce_once(void)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;

    if (announce && !atomic_flag_test_and_set(&said))
        announce();
}

int nvrtc_compile(const struct nvrtc_program *p, const char *cache_dir, struct buf *ret_cubin,
                  struct err *err)
{
    AUTO(freep) char *path = NULL;
    char arch[40], key[HASH_HEX];
    const char *why = NULL;
    const struct nvrtc_api *rtc = rtc_load(&why);
    size_t start = ret_cubin->len;

    if (!rtc)
        return fail(err, ERR_SYSTEM, "%s", why);
    snprintf(arch, sizeof(arch), "--gpu-architecture=sm_%d", p->sm);
    if (entry_key(rtc, p, arch, key, err) < 0)
        return -1;
    if (cache_dir) {
        AUTO(freep) char *name = xasprintf("%s.cubin", key);

        path = fs_join(cache_dir, name);
        if (entry_load(path, ret_cubin))
            return 0;
    }
    if (!p->is_small)
        announce_once();
    if (compile(rtc, p, arch, ret_cubin, err) < 0)
        return -1;
    if (path)
        entry_store(cache_dir, path, ret_cubin->ptr + start, ret_cubin->len - start);
    return 0;
}
