/* SPDX-License-Identifier: MIT */
/* covers: src/build/disassembler.c src/build/evidence.c src/build/sass.c */
/*
 * That compilers write the instructions that src/build/sass.c knows: one small kernel for every
 * kind of tensor core, built and disassembled for real. Needs no GPU, but NVRTC, nvcc and
 * nvdisasm, which are where GPUs are.
 *
 *   test_cuda_evidence [INCLUDE FOLDER]
 *   test_cuda_evidence artifacts FOLDER INCLUDE   FOLDER/code.cubin and FOLDER/library.so
 *   test_cuda_evidence sandbox FOLDER PROGRAM...  runs it in FOLDER as we run a disassembler
 *
 * The last two are for tests/gpu/evidence_probe, which shows what a disassembler lacks in there.
 * Without a disassembler the kernels are built, and the rest is skipped. Needs no cmocka: it also
 * runs from a dist tree.
 */
#include "base/fs.h"
#include "build/build.h"
#include "build/evidence.h"
#include "device/cuda/cuda_launch.h"
#include "sandbox/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD                                           \
    "// assay: launch k grid=1 block=128 args=out0\n"  \
    "extern \"C\" __global__ void k(unsigned *p)\n{\n" \
    "    unsigned a = p[0], b = p[1], c = p[2], d = p[3], e = p[4], f = p[5];\n"

/* A product of warps: four 32-bit accumulators of a type and its letter, four and two operands. */
#define WARP(type, letter, ptx)                                                             \
    HEAD "    " type " w = p[6], x = p[7], y = p[8], z = p[9];\n"                           \
         "    asm volatile(\"mma.sync.aligned." ptx "\"\n"                                  \
         "        \" {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\"\n"   \
         "        : \"+" letter "\"(w), \"+" letter "\"(x), \"+" letter "\"(y), \"+" letter \
         "\"(z)\n"                                                                          \
         "        : \"r\"(a), \"r\"(b), \"r\"(c), \"r\"(d), \"r\"(e), \"r\"(f));\n"         \
         "    p[10] = w + x + y + z;\n}\n"

/* A product of warpgroups from two descriptors. */
#define GROUP(type, letter, ptx, rest)                                                            \
    HEAD "    " type " w = p[6], x = p[7], y = p[8], z = p[9];\n"                                 \
         "    unsigned long long s = a | (unsigned long long)b << 32, t = s + c + d + e;\n"       \
         "    asm volatile(\"{ .reg .pred q; setp.ne.b32 q, %6, 0; wgmma.fence.sync.aligned;\"\n" \
         "        \"wgmma.mma_async.sync.aligned." ptx "\"\n"                                     \
         "        \" {%0, %1, %2, %3}, %4, %5, q" rest ";\"\n"                                    \
         "        \"wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; }\"\n"      \
         "        : \"+" letter "\"(w), \"+" letter "\"(x), \"+" letter "\"(y), \"+" letter       \
         "\"(z)\n"                                                                                \
         "        : \"l\"(s), \"l\"(t), \"r\"(f));\n"                                             \
         "    p[10] = w + x + y + z;\n}\n"

/* tcgen05: descriptors and tensor memory. */
#define TENSOR_MEMORY(ptx, scales)                                                         \
    HEAD "    unsigned long long s = a | (unsigned long long)b << 32, t = s + c;\n"        \
         "    asm volatile(\"{ .reg .pred q; setp.ne.b32 q, %4, 0;\"\n"                    \
         "        \"tcgen05.mma.cta_group::1." ptx " [%0], %1, %2, %3" scales ", q; }\"\n" \
         "        :: \"r\"(d), \"l\"(s), \"l\"(t), \"r\"(e), \"r\"(f));\n}\n"

#define FOR_F64                                                                             \
    HEAD "    double x = a, y = b, u = c, v = d + e + f;\n"                                 \
         "    asm volatile(\"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64\"\n"           \
         "        \" {%0, %1}, {%2}, {%3}, {%0, %1};\" : \"+d\"(u), \"+d\"(v) : \"d\"(x), " \
         "\"d\"(y));\n"                                                                     \
         "    p[10] = u + v;\n}\n"

#define FP4                                                                                        \
    HEAD                                                                                           \
        "    float w = p[6], x = p[7], y = p[8], z = p[9];\n"                                      \
        "    asm volatile(\"mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X\"\n"         \
        "        \".m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3 {%0, %1, %2, %3},\"\n"                \
        "        \" {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, {%4}, {0, 0}, {%5}, {0, 0};\"\n" \
        "        : \"+f\"(w), \"+f\"(x), \"+f\"(y), \"+f\"(z)\n"                                   \
        "        : \"r\"(a), \"r\"(b), \"r\"(c), \"r\"(d), \"r\"(e), \"r\"(f));\n"                 \
        "    p[10] = w + x + y + z;\n}\n"

#define M16N8K16 "m16n8k16.row.col.f32."
#define M16N8K32 "m16n8k32.row.col."
#define E4M3 WARP("float", "f", M16N8K32 "f32.e4m3.e4m3.f32")

static const struct {
    const char *arch, *source;
    enum tensor_class class;
    const char *opcode;
} kernels[] = {
    {"90a", WARP("float", "f", M16N8K16 "bf16.bf16.f32"), TENSOR_BF16, "HMMA"},
    {"90a", WARP("float", "f", M16N8K16 "f16.f16.f32"), TENSOR_FP16, "HMMA"},
    {"90a", WARP("float", "f", "m16n8k8.row.col.f32.tf32.tf32.f32"), TENSOR_TF32, "HMMA"},
    {"90a", WARP("int", "r", M16N8K32 "s32.s8.s8.s32"), TENSOR_INT8, "IMMA"},
    {"90a", FOR_F64, TENSOR_FP64, "DMMA"},
    /* Not fp8: Hopper unpacks to fp16. */
    {"90a", E4M3, TENSOR_FP16, "HMMA"},
    {"90a", GROUP("float", "f", "m64n8k16.f32.bf16.bf16", ", 1, 1, 0, 0"), TENSOR_BF16, "HGMMA"},
    {"90a", GROUP("float", "f", "m64n8k16.f32.f16.f16", ", 1, 1, 0, 0"), TENSOR_FP16, "HGMMA"},
    {"90a", GROUP("float", "f", "m64n8k8.f32.tf32.tf32", ", 1, 1"), TENSOR_TF32, "HGMMA"},
    {"90a", GROUP("float", "f", "m64n8k32.f32.e4m3.e4m3", ", 1, 1"), TENSOR_FP8, "QGMMA"},
    {"90a", GROUP("float", "f", "m64n8k32.f32.e5m2.e4m3", ", 1, 1"), TENSOR_FP8, "QGMMA"},
    {"90a", GROUP("int", "r", "m64n8k32.s32.s8.s8", ""), TENSOR_INT8, "IGMMA"},
    {"90a", HEAD "    p[6] = __float_as_uint(a * (float)b + (float)c) + d + e + f;\n}\n",
     TENSOR_NONE, "FFMA"},
    {"90a", HEAD "    ((double *)p)[6] = (double)a * b + c + d + e + f;\n}\n", TENSOR_NONE, "DFMA"},
    {"80", WARP("float", "f", M16N8K16 "bf16.bf16.f32"), TENSOR_BF16, "HMMA"},
    {"89", E4M3, TENSOR_FP8, "QMMA"},
    {"100a", TENSOR_MEMORY("kind::f16", ""), TENSOR_UNTYPED, "UTCHMMA"},
    {"100a", TENSOR_MEMORY("kind::tf32", ""), TENSOR_UNTYPED, "UTCHMMA"},
    {"100a", TENSOR_MEMORY("kind::f8f6f4", ""), TENSOR_FP8, "UTCQMMA"},
    {"100a", TENSOR_MEMORY("kind::i8", ""), TENSOR_INT8, "UTCIMMA"},
    {"100a", TENSOR_MEMORY("kind::mxf4.block_scale.scale_vec::2X", ", [%0], [%0]"), TENSOR_FP4,
     "UTCOMMA"},
    {"120a", E4M3, TENSOR_FP8, "QMMA"},
    {"120a", FP4, TENSOR_FP4, "OMMA"},
};

static char *cache;
static const char *include_dir = "include";
static int passed, failed, skipped;

static void note(bool ok, const char *what, const char *found)
{
    passed += ok;
    failed += !ok;
    printf("%-7s %s: %s\n", ok ? "ok" : "FAILED", what, found);
}

/* False when it could not be built; the reason is counted and printed. */
static bool build(const char *what, const char *arch, const char *source, struct build_result *ret)
{
    struct build_request build = {.device = &device_cuda,
                                  .arch = arch,
                                  .file_name = "k.cu",
                                  .source = source,
                                  .source_len = strlen(source),
                                  .problem_h = "",
                                  .include_dir = include_dir,
                                  .cache_dir = cache};
    struct build_result r = {.artifact_fd = -1};
    struct err err = ERR_INIT;

    if (build_artifact(&build, &r, &err) < 0 || r.status != BUILD_OK) {
        note(false, what, err.kind ? err.text : r.log);
        build_result_release(&r);
        return false;
    }
    *ret = r;
    return true;
}

/* False when it could not be looked at; the reason is counted and printed. */
static bool look_at(const char *what, const char *arch, const char *source, struct evidence *ret)
{
    struct build_result r;
    struct err err = ERR_INIT;

    if (!build(what, arch, source, &r))
        return false;

    struct evidence_request req = {.device = &device_cuda,
                                   .artifact_fd = r.artifact_fd,
                                   .artifact_hash = r.artifact_hash,
                                   .cache_dir = cache};
    int rc = evidence_collect(&req, ret, &err);

    build_result_release(&r);
    if (rc < 0) {
        note(false, what, err.text);
    } else if (!ret->checked) {
        bool missing = strstr(ret->why_not, "no disassembler found") != NULL;

        skipped += missing;
        if (!missing)
            note(false, what, ret->why_not);
        evidence_release(ret);
    }
    return rc == 0 && ret->checked;
}

static char *summary(const struct evidence *e)
{
    json_t *j = evidence_to_json(e);
    char *text = json_dumps(j, JSON_COMPACT);

    json_decref(j);
    return text;
}

static void check_class(const char *arch, const char *source, enum tensor_class want,
                        const char *opcode)
{
    AUTO(freep)
    char *what = xasprintf("sm_%s %s %s", arch, opcode, want ? tensor_class_names[want] : "");
    struct evidence e;

    if (!look_at(what, arch, source, &e))
        return;

    AUTO(freep) char *text = summary(&e);
    bool ok = sass_count_opcode(&e.sass.total, opcode) > 0 && e.sass.n_kernels == 1 &&
              strcmp(e.sass.kernels[0].name, "k") == 0;

    for (int c = TENSOR_NONE + 1; c < TENSOR_CLASSES; c++)
        ok = ok && (sass_count_class(&e.sass.total, (enum tensor_class)c) > 0) == (c == (int)want);
    note(ok, what, text);
    evidence_release(&e);
}

/* Registers and memory, from a library with host code. */
static const char with_host_code[] =
    "#include <cuda_runtime.h>\n"
    "__global__ void local(int *p)\n{\n"
    "    __shared__ int s[256];\n    int a[64];\n"
    "    for (int i = 0; i < 64; i++) a[i] = p[i];\n"
    "    for (int i = 0; i < 64; i++) a[p[i] & 63] += a[i];\n"
    "    s[threadIdx.x] = a[p[64] & 63];\n    __syncthreads();\n    p[threadIdx.x] = s[p[65] & "
    "255];\n"
    "}\n"
    "extern \"C\" __attribute__((visibility(\"default\"))) int assay_kernel(int *p, void *s)\n"
    "{ local<<<1, 256, 0, (cudaStream_t)s>>>(p); return cudaGetLastError(); }\n";

static void check_library(void)
{
    static const char what[] = "shared library";
    struct evidence e;

    if (!look_at(what, "90a", with_host_code, &e))
        return;

    AUTO(freep) char *text = summary(&e);
    const struct sass_kernel *k = e.sass.n_kernels == 1 ? &e.sass.kernels[0] : NULL;

    note(k && k->registers > 0 && k->stack_bytes >= 256 && k->shared_bytes >= 1024 &&
             sass_count_opcode(&k->counts, "STL") > 0 && sass_count_opcode(&k->counts, "LDL") > 0 &&
             !e.loads_code,
         what, text);
    evidence_release(&e);
}

/* ---- for the probe ---- */

static int write_artifact(const char *name, const char *source)
{
    AUTO(freep) char *path = fs_join(cache, name);
    AUTO(buf_release) struct buf bytes = BUF_INIT;
    struct build_result r;
    struct cuda_program p;
    struct err err = ERR_INIT;
    char fd_path[64];

    if (!build(name, "90a", source, &r))
        return -1;
    snprintf(fd_path, sizeof(fd_path), "/proc/self/fd/%d", r.artifact_fd);

    int rc = fs_read(fd_path, (size_t)64 << 20, &bytes, &err);
    const char *at = bytes.ptr;
    size_t len = bytes.len;

    if (rc == 0 && cuda_program_is(at, len)) {
        rc = cuda_program_split(at, len, &p, &err);
        at = p.cubin.at;
        len = p.cubin.len;
    }
    if (rc == 0)
        rc = fs_write_atomic(path, at, len, &err);
    if (rc < 0)
        note(false, name, err.text);
    build_result_release(&r);
    return rc;
}

/* Its limits are the disassembler's (src/build/disassembler.c). */
static int run_in_sandbox(char **argv)
{
    const char *const ro_dirs[] = {NULL};
    AUTO(buf_release) struct buf output = BUF_INIT;
    struct sandbox_tool_result r;
    struct err err = ERR_INIT;
    const struct sandbox_tool tool = {.argv = argv,
                                      .ro_dirs = ro_dirs,
                                      .rw_dir = cache,
                                      .timeout_ms = 5000,
                                      .mem_bytes = (uint64_t)8 << 30,
                                      .file_bytes = (uint64_t)256 << 20,
                                      .max_output = (size_t)16 << 20};

    if (sandbox_run_tool(&tool, &output, &r, &err) < 0) {
        printf("%s\n", err.text);
        return 1;
    }
    printf("%s[%s: status %d, signal %d%s]\n", buf_str(&output), r.walls, r.exit_status, r.signal,
           r.timed_out ? ", timed out" : "");
    return r.exit_status != 0;
}

int main(int argc, char **argv)
{
    const char *tmp = getenv("TMPDIR");
    AUTO(freep) char *dir = xasprintf("%s/assay-evidence-XXXXXX", tmp ? tmp : "/tmp");

    if (argc > 3)
        cache = argv[2];
    if (argc == 4 && !strcmp(argv[1], "artifacts")) {
        include_dir = argv[3];
        return write_artifact("code.cubin", kernels[0].source) < 0 ||
               write_artifact("library.so", with_host_code) < 0;
    }
    if (argc > 3 && !strcmp(argv[1], "sandbox"))
        return run_in_sandbox(argv + 3);
    if (argc > 1)
        include_dir = argv[1];
    if (!mkdtemp(dir))
        return 1;
    cache = dir;
    for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
        check_class(kernels[i].arch, kernels[i].source, kernels[i].class, kernels[i].opcode);
    check_library();

    AUTO(freep) char *command = xasprintf("rm -rf '%s'", dir);

    if (system(command) != 0)
        printf("%s is left\n", dir);
    if (skipped)
        printf("skipped: no disassembler here; the kernels were only built\n");
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed > 0;
}
