/* SPDX-License-Identifier: MIT */
/*
 * .cu files take one of two routes:
 *
 *   host code           nvcc, with g++ for the host part, to a shared library; one to two seconds.
 *                       All that it needs but libc and libcuda is linked in: a runner opens no
 *                       files.
 *   `// assay: launch`  kernels alone. NVRTC, in our own tool assay-nvrtc, to launch lines and
 *                       machine code in one file; 70 to 200 ms. Never in the judge's own process:
 *                       NVRTC is a compiler that reads a stranger's text.
 *
 * Code is made for one architecture, the device's own, so that Hopper's sm_90a is there to be used.
 */
#include "base/fs.h"
#include "build/compiler.h"
#include "build/driver_stub.h"
#include "build/nvcc.h"
#include "build/program.h"
#include "build/recipe.h"
#include "device/cuda/launch_lines.h"
#include "device/cuda/nvrtc_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NVCC_MEM_BYTES ((uint64_t)12 << 30) /* cicc on large templates */

/* assay-nvrtc is of the same build as we are, and a sanitizer's shadow alone is 16 TiB. */
#if HAS_ASAN
#define NVRTC_MEM_BYTES UINT64_MAX
#else
#define NVRTC_MEM_BYTES ((uint64_t)4 << 30)
#endif

/* ---- host code: nvcc ---- */

static int build_with_nvcc(const struct build_request *req, struct build_result *ret,
                           struct err *err)
{
    AUTO(nvcc_release) struct nvcc n = NVCC_INIT;
    AUTO(compiler_release) struct compiler host = COMPILER_INIT;
    AUTO(buf_release) struct buf libcuda = BUF_INIT;
    struct hash h;

    if (nvcc_find(req->cache_dir, &n, err) < 0 ||
        compiler_find_cxx(req->cache_dir, &host, err) < 0 ||
        driver_stub(&n, &host, req, &libcuda, err) < 0)
        return -1;

    AUTO(freep) char *code = xasprintf("arch=compute_%s,code=sm_%s", req->arch, req->arch);
    const char *const flags[] = {
        "-std=c++17", "-O3", "-gencode", code, "-shared", "-cudart", "static",
        "--no-compress", /* evidence is read from the machine code (fatbin.h) */
        "-Xcompiler", "-fPIC,-fvisibility=hidden,-static-libstdc++,-static-libgcc", "-Xlinker",
        /* An undefined symbol (cublasSgemm) is the compiler's to report, not the loader's. */
        "--as-needed,--exclude-libs,ALL,-z,defs", NULL};
    const char *const hidden[] = {"-ccbin", host.path, NULL};
    const char *const libs[] = {"-L.", "-lcuda", NULL}; /* our stub comes before other libcudas */
    const char *outside = n.outside ? n.outside : host.outside;
    const char *const ro_dirs[] = {outside, n.outside ? host.outside : NULL, NULL};
    struct recipe r = {.program = n.path,
                       .name = n.name,
                       .hidden = hidden,
                       .flags = flags,
                       .libs = libs,
                       .ro_dirs = ro_dirs,
                       .extra_name = DRIVER_STUB_FILE,
                       .extra = &libcuda,
                       .own_trouble = "nvcc fatal",
                       .mem_bytes = NVCC_MEM_BYTES};

    hash_init(&h);
    hash_adds(&h, n.identity);
    hash_adds(&h, host.identity);
    hash_final(&h, r.identity);
    return recipe_build(&r, req, ret, err);
}

/* ---- kernels alone: NVRTC ---- */

/* Looks where assay-runner is, and in the folder above this program's: tests and benchmarks have
 * their own folder. */
static char *find_nvrtc_tool(struct err *err)
{
    AUTO(freep) char *libexec = fs_libexec_dir();
    AUTO(freep) char *dir = fs_program_dir();
    AUTO(freep) char *usual = fs_join(libexec, NVRTC_TOOL);
    AUTO(freep) char *above = fs_join(dir, "../" NVRTC_TOOL);
    char *found = program_find(usual);

    if (!found)
        found = program_find(above);
    if (!found)
        fail(err, ERR_SYSTEM, "no %s: the installation is not complete", usual);
    return found;
}

static int build_with_nvrtc(const struct build_request *req, struct build_result *ret,
                            struct err *err)
{
    AUTO(freep) char *tool = find_nvrtc_tool(err);
    AUTO(freep) char *library = nvrtc_library();
    struct hash h;

    if (!tool)
        return -1;
    if (!library)
        return fail(err, ERR_SYSTEM, "no NVRTC found: install the CUDA toolkit or set CUDA_HOME");

    /* lib64/libnvrtc.so.13 is in the toolkit's folder, and so are cuda_fp16.h and its kin. */
    AUTO(freep) char *root = program_prefix(library);
    AUTO(freep) char *headers = fs_join(root, "include");
    AUTO(freep) char *cccl = fs_join(headers, "cccl"); /* <cuda/barrier>, <cuda/std/...> */
    AUTO(freep) char *library_word = xasprintf("--library=%s", library);
    AUTO(freep) char *arch = xasprintf("--gpu-architecture=sm_%s", req->arch);
    AUTO(freep) char *outside = program_outside(library);
    const char *const hidden[] = {library_word, "-I", headers, "-I", cccl, NULL};
    const char *const flags[] = {arch, "--std=c++17", "-default-device", NULL};
    const char *const nothing[] = {NULL}, *const ro_dirs[] = {tool, outside, NULL};
    struct recipe r = {.program = tool,
                       .name = "nvrtc",
                       .hidden = hidden,
                       .flags = flags,
                       .libs = nothing,
                       .ro_dirs = ro_dirs,
                       .own_trouble = NVRTC_TOOL ": ",
                       .own_trouble_status = NVRTC_TOOL_TROUBLE,
                       .mem_bytes = NVRTC_MEM_BYTES};

    hash_init(&h);
    program_hash_file(&h, tool);
    program_hash_file(&h, library);
    hash_final(&h, r.identity);
    return recipe_build(&r, req, ret, err);
}

/* Only digits and one letter at most: the name becomes part of a command line. */
static bool is_arch(const char *arch)
{
    size_t digits = arch ? strspn(arch, "0123456789") : 0;

    return digits >= 2 && strlen(arch) < DEVICE_ARCH_MAX && strspn(arch + digits, "af") <= 1 &&
           arch[digits + strspn(arch + digits, "af")] == '\0';
}

/* A misspelt launch line would else be a comment, and the candidate would have no entry point. */
static bool refuse_stray(const struct build_request *req, struct build_result *ret)
{
    AUTO(freep) char *name = recipe_source_name(req->file_name);
    struct launch_stray s;

    if (!launch_lines_stray(req->source, req->source_len, &s))
        return false;
    ret->status = BUILD_FAILED;
    ret->log = xasprintf("%s(%d): error: column %d: %s\n", name, s.line, s.column, s.why);
    return true;
}

static int build(const struct build_request *req, struct build_result *ret, struct err *err)
{
    if (!is_arch(req->arch))
        return fail(err, ERR_SYSTEM, "%s: no architecture to build for", req->file_name);
    if (refuse_stray(req, ret))
        return 0;
    if (launch_lines_any(req->source, req->source_len))
        return build_with_nvrtc(req, ret, err);
    return build_with_nvcc(req, ret, err);
}

const struct toolchain toolchain_cuda = {".cu", build};
