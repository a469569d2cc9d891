/* SPDX-License-Identifier: MIT */
/* san: no, nvcc does the work */
/* Both routes of .cu files through the builder. No GPU is needed; without nvcc or NVRTC the tests
 * of that route are skipped. A build by nvcc takes a second or two, so there are few of them. */
#include "build_rig.h"

#include "build/build.h"
#include "build/driver_stub.h"
#include "device/cuda/cuda_launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *nvcc_before; /* $ASSAY_NVCC, or NULL */

static const char header[] =
    "typedef struct { int x; } DLTensor;\n"
    "extern \"C\" __attribute__((visibility(\"default\")))\n"
    "int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream);\n";

#define ENTRY \
    "int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)\n"

/* Host code that can be called without a GPU, C++'s library, and the driver behind a condition. */
static const char host_code[] =
    "#include \"assay.h\"\n#include \"problem.h\"\n#include <cuda.h>\n#include <vector>\n"
    "__global__ void twice(float *x) { x[threadIdx.x] *= 2; }\n" ENTRY "{\n"
    "    std::vector<int> v(n_in, ANSWER);\n"
    "    if (stream)\n"
    "        twice<<<1, 32, 0, (cudaStream_t)stream>>>((float *)out);\n"
    "    return v.back();\n"
    "}\n";

static const char with_library[] =
    "#include \"assay.h\"\n"
    "extern \"C\" int cuTensorMapEncodeTiled(int);\nextern \"C\" int cublasSgemm_v2(int);\n" ENTRY
    "{ return cuTensorMapEncodeTiled(n_in) + cublasSgemm_v2(n_out); }\n";

static const char with_driver[] =
    "#include \"assay.h\"\n#include <cuda.h>\n" ENTRY
    "{ return (int)cuTensorMapEncodeTiled(0, CU_TENSOR_MAP_DATA_TYPE_UINT8, 0, 0, 0, 0, 0, 0,\n"
    "    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,\n"
    "    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) + "
    "(int)cuCtxPushCurrent(0)"
    "; }\n";

#define LAUNCH "// assay: launch twice grid=ceil_div(in0.numel, 32) block=32 args=out0,ANSWER:i32\n"
#define LAUNCH_WORDS "launch twice grid=ceil_div(in0.numel, 32) block=32 args=out0,42:i32"
#define LAUNCH_RIGHT "// assay: " LAUNCH_WORDS
/* of the source in test_kernels_alone() */
#define LAUNCH_MARKED "@5:11 " LAUNCH_WORDS
#define LAUNCH_JOINED "@6:12 launch twice grid=1 @8:11 block=1 @9:13 args=out0, @10:11 1:i32"
#define KERNEL                                      \
    "#include \"problem.h\"\n#include <stdint.h>\n" \
    "int factor(int n) { return n + ANSWER; }\n"    \
    "extern \"C\" __global__ void twice(float *y, int32_t n) { y[threadIdx.x] = factor(n); }\n"

static struct build_request request(const char *source)
{
    return (struct build_request){.device = "cuda",
                                  .arch = "90a",
                                  .file_name = "mine.cu",
                                  .source = source,
                                  .source_len = strlen(source),
                                  .problem_h = "#define ANSWER 42\n",
                                  .include_dir = include,
                                  .cache_dir = cache};
}

static bool lacks_compiler(const struct err *err)
{
    return strstr(err->text, "no nvcc found") || strstr(err->text, "no NVRTC found") ||
           strstr(err->text, "install g++");
}

/* Skips where the machine has no such compiler. */
static void build(const struct build_request *req, struct build_result *ret)
{
    struct err err = ERR_INIT;

    if (build_artifact(req, ret, &err) == 0)
        return;
    if (lacks_compiler(&err))
        skip();
    fail_msg("%s", err.text);
}

/* ---- host code ---- */

static void test_host_code(void **state)
{
    struct build_request req = request(host_code);
    struct build_result first, second;

    (void)state;
    build(&req, &first);
    if (first.status != BUILD_OK)
        fail_msg("%s", first.log);
    assert_false(first.cached);
    assert_string_equal(first.log, "");
    assert_non_null(strstr(first.toolchain, "nvcc "));
    assert_non_null(strstr(first.toolchain, " arch=compute_90a,code=sm_90a "));
    assert_int_equal(answer_of(first.artifact_fd), 42);

    build(&req, &second);
    assert_true(second.cached);
    assert_string_equal(second.artifact_hash, first.artifact_hash);
    assert_string_equal(second.toolchain, first.toolchain);
    build_result_release(&first);
    build_result_release(&second);
}

/* The driver's functions are there to be linked, a library's are not: known before it is loaded. */
static void test_libraries_are_refused(void **state)
{
    struct build_request req = request(with_library);
    struct build_result r;

    (void)state;
    build(&req, &r);
    assert_int_equal(r.status, BUILD_FAILED);
    assert_non_null(strstr(r.log, "undefined reference to `cublasSgemm_v2'"));
    assert_null(strstr(r.log, "cuTensorMapEncodeTiled'"));
    build_result_release(&r);
}

/* ---- host code where the toolkit has no stub of libcuda, as many have none ---- */

/* BASE/toolkit: the machine's own, less lib64/stubs. nvcc is a copy because it looks for the rest
 * beside its real self; the rest are links, which a sandbox can follow only in /usr. BASE/bin/nvcc:
 * a script that calls it, as some machines have one in /usr/local/bin. */
static const char make_view[] =
    "set -e; root='%s' headers='%s' base='%s'; view=$base/toolkit\n"
    "case $root in /usr/*) take='ln -s' ;; *) take='cp -RL' ;; esac\n"
    "lib=$root/lib64; [ -d $lib ] || lib=$root/targets/x86_64-linux/lib\n"
    "mkdir -p $view/bin $view/lib $view/include $view/targets/x86_64-linux $base/bin\n"
    "$take $root/bin/* $view/bin; rm $view/bin/nvcc; cp $root/bin/nvcc $view/bin\n"
    "$take $root/nvvm $view; $take $headers/* $view/include\n"
    "$take $lib/libcudart_static.a $lib/libcudadevrt.a $view/lib\n"
    "ln -s lib $view/lib64; ln -s ../../lib ../../include $view/targets/x86_64-linux\n"
    "printf '#!/bin/sh\\nexec %%s \"$@\"\\n' $view/bin/nvcc >$base/bin/nvcc\n"
    "chmod 755 $base/bin/nvcc\n";

static void use_nvcc(const char *name)
{
    AUTO(freep) char *path = fs_join(base, name);

    setenv("ASSAY_NVCC", path, 1);
}

static void make_toolkit_without_stubs(void)
{
    AUTO(nvcc_release) struct nvcc n = NVCC_INIT;
    struct err err = ERR_INIT;

    if (nvcc_find(cache, &n, &err) < 0)
        skip();

    AUTO(freep) char *headers = xstrndup(n.cuda_h, strlen(n.cuda_h) - strlen("/cuda.h"));
    AUTO(freep) char *command = xasprintf(make_view, n.root, headers, base);

    assert_int_equal(system(command), 0);
}

static bool needs_libcuda(int fd)
{
    AUTO(freep)
    char *command = xasprintf(
        "readelf -d /proc/%d/fd/%d | grep -q 'NEEDED.*\\[libcuda\\.so\\.1\\]'", (int)getpid(), fd);

    return system(command) == 0;
}

/* CI's machine had an nvcc and no stub: every candidate that called the driver failed to link. */
static void test_toolkit_without_stubs(void **state)
{
    struct build_request driver = request(with_driver), plain = request(host_code);
    struct build_request library = request(with_library);
    struct build_result r;

    (void)state;
    make_toolkit_without_stubs();
    use_nvcc("toolkit/bin/nvcc");
    build(&driver, &r);
    if (r.status != BUILD_OK)
        fail_msg("%s", r.log);
    assert_non_null(strstr(r.toolchain, " -lcuda"));
    assert_true(needs_libcuda(r.artifact_fd));
    build_result_release(&r);

    build(&plain, &r);
    assert_int_equal(r.status, BUILD_OK);
    assert_false(needs_libcuda(r.artifact_fd));
    build_result_release(&r);

    build(&library, &r);
    assert_int_equal(r.status, BUILD_FAILED);
    assert_non_null(strstr(r.log, "undefined reference to `cublasSgemm_v2'"));
    assert_null(strstr(r.log, "cuTensorMapEncodeTiled'"));
    build_result_release(&r);
}

/* The script's own folder has no toolkit around it: no cuda.h, and no parts to know it by. */
static void test_nvcc_is_a_script(void **state)
{
    AUTO(nvcc_release) struct nvcc direct = NVCC_INIT, script = NVCC_INIT;
    struct build_request req = request(with_driver);
    struct build_result r;
    struct err err = ERR_INIT;

    (void)state;
    make_toolkit_without_stubs();
    use_nvcc("toolkit/bin/nvcc");
    assert_int_equal(nvcc_find(cache, &direct, &err), 0);
    use_nvcc("bin/nvcc");
    assert_int_equal(nvcc_find(cache, &script, &err), 0);
    assert_string_equal(script.root, direct.root);
    assert_string_equal(script.cuda_h, direct.cuda_h);
    build(&req, &r);
    if (r.status != BUILD_OK)
        fail_msg("%s", r.log);
    build_result_release(&r);
}

/* ---- the stub itself ---- */

static void test_stub_source(void **state)
{
    static const struct {
        const char *header, *want; /* the functions, in order */
    } cases[] = {
        {"", ""},
        {"CUresult CUDAAPI cuInit(unsigned int Flags);", "cuInit "},
        {"#define cuMemAlloc cuMemAlloc_v2\nCUresult cuMemAlloc(size_t);\n",
         "cuMemAlloc cuMemAlloc_v2 "},
        {"#define cuMemcpy __CUDA_API_PTDS(cuMemcpy)\n", "cuMemcpy cuMemcpy_ptds "},
        {"#define cuF __CUDA_API_PTSZ(cuF_v2)\n", "cuF cuF_v2 cuF_v2_ptsz "},
        {"/* ::cuOld */ cuB(); // cuOlder\ncuA(/* cuOldest", "cuA cuB "},
        {"cuuint32_t cuda cu cudaFree CUresult xcuInit _cuInit 1cuInit cublasSgemm", ""},
        {"a / cuA * cuB", "cuA cuB "},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(buf_release) struct buf source = BUF_INIT, names = BUF_INIT;

        driver_stub_source(cases[i].header, &source);
        for (const char *at = buf_str(&source); (at = strstr(at, "void ")); at++)
            buf_addf(&names, "%.*s ", (int)strcspn(at + 5, "("), at + 5);
        assert_string_equal(buf_str(&names), cases[i].want);
    }
}

/* A toolkit with nothing but a word for its version and a cuda.h; NULL: without that. */
static void use_fake_toolkit(const char *cuda_h)
{
    static const char script[] = "#!/bin/sh\necho 'fake, V1.2.3'\n";
    AUTO(freep) char *bin = fs_join(base, "fake/bin"), *headers = fs_join(base, "fake/include");
    AUTO(freep) char *nvcc = fs_join(bin, "nvcc"), *file = fs_join(headers, "cuda.h");
    struct err err = ERR_INIT;

    if (fs_mkdirs(bin, &err) < 0 || fs_mkdirs(headers, &err) < 0 ||
        fs_write_atomic(nvcc, script, strlen(script), &err) < 0 ||
        (cuda_h && fs_write_atomic(file, cuda_h, strlen(cuda_h), &err) < 0))
        fail_msg("%s", err.text);
    assert_int_equal(chmod(nvcc, 0755), 0);
    setenv("ASSAY_NVCC", nvcc, 1);
}

static void find_tools(struct nvcc *n, struct compiler *host)
{
    struct err err = ERR_INIT;

    if (compiler_find_cxx(cache, host, &err) < 0)
        skip();
    must(nvcc_find(cache, n, &err), &err);
}

/* Made once: with its key at hand nothing is read or compiled again, and so the header may go. */
static void test_stub_is_kept(void **state)
{
    AUTO(nvcc_release) struct nvcc n = NVCC_INIT;
    AUTO(compiler_release) struct compiler host = COMPILER_INIT;
    AUTO(buf_release) struct buf first = BUF_INIT, second = BUF_INIT;
    struct build_request req = request("");
    struct err err = ERR_INIT;

    (void)state;
    use_fake_toolkit("CUresult cuInit(unsigned);\n");
    find_tools(&n, &host);
    must(driver_stub(&n, &host, &req, &first, &err), &err);
    assert_non_null(memmem(first.ptr, first.len, "libcuda.so.1", 13));

    AUTO(freep) char *file = fs_join(base, "stub.so");

    assert_int_equal(fs_write_atomic(file, first.ptr, first.len, &err), 0);

    void *lib = dlopen(file, RTLD_NOW | RTLD_LOCAL);

    assert_non_null(lib);
    assert_non_null(dlsym(lib, "cuInit"));
    dlclose(lib);

    assert_int_equal(unlink(n.cuda_h), 0);
    must(driver_stub(&n, &host, &req, &second, &err), &err);
    assert_int_equal(second.len, first.len);
    assert_memory_equal(second.ptr, first.ptr, first.len);
}

static void test_odd_headers(void **state)
{
    static const struct {
        const char *cuda_h;
        bool folder; /* of that name instead */
        const char *want;
    } cases[] = {
        {NULL, false, "fake/include/cuda.h"},
        {"", false, "does not declare cuInit"},
        {"/* cuInit() */ int cuInitialize(void);\n", false, "does not declare cuInit"},
        {NULL, true, "fake/include/cuda.h"},
    };
    AUTO(freep) char *file = fs_join(base, "fake/include/cuda.h");

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct build_request req = request(host_code);
        struct build_result r;
        struct err err = ERR_INIT;

        use_fake_toolkit(cases[i].cuda_h);
        if (cases[i].folder && (unlink(file) < 0 || mkdir(file, 0700) < 0))
            fail_msg("%s", file);
        if (build_artifact(&req, &r, &err) == 0)
            fail_msg("case %zu builds", i);
        if (lacks_compiler(&err))
            skip();
        assert_int_equal(err.kind, ERR_SYSTEM);
        if (!strstr(err.text, cases[i].want) || !strstr(err.text, "set ASSAY_NVCC"))
            fail_msg("case %zu: %s", i, err.text);
    }
}

/* ---- kernels alone ---- */

static void read_all(int fd, struct buf *ret)
{
    char path[64];
    struct err err = ERR_INIT;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    must(fs_read(path, 1 << 20, ret, &err), &err);
}

static void check_program(int fd)
{
    AUTO(buf_release) struct buf bytes = BUF_INIT;
    struct cuda_program program;
    struct err err = ERR_INIT;

    read_all(fd, &bytes);
    must(cuda_program_split(bytes.ptr, bytes.len, &program, &err), &err);
    assert_int_equal(program.n_lines, 2);
    assert_int_equal(program.lines[0].len, strlen(LAUNCH_MARKED));
    assert_memory_equal(program.lines[0].at, LAUNCH_MARKED, program.lines[0].len);
    assert_int_equal(program.lines[1].len, strlen(LAUNCH_JOINED));
    assert_memory_equal(program.lines[1].at, LAUNCH_JOINED, program.lines[1].len);
    assert_memory_equal(program.cubin.at, "\177ELF", 4);
}

static void test_kernels_alone(void **state)
{
    struct build_request req =
        request(KERNEL LAUNCH_RIGHT "  \r\n  //assay: launch twice grid=1\nint x;\n"
                                    "// assay:\tblock=1\n// assay:   args=out0,\n// assay: 1:i32");
    struct build_result first, second, other;

    (void)state;
    build(&req, &first);
    if (first.status != BUILD_OK)
        fail_msg("%s", first.log);
    assert_null(strstr(first.log, "mine.cu")); /* a sanitizer says more, but nothing of that */
    assert_non_null(strstr(first.toolchain, "sm_90a"));
    check_program(first.artifact_fd);
    build(&req, &second);
    assert_true(second.cached);
    assert_string_equal(second.artifact_hash, first.artifact_hash);
    req.arch = "80";
    build(&req, &other);
    assert_false(other.cached);
    assert_string_not_equal(other.artifact_hash, first.artifact_hash);
    build_result_release(&first);
    build_result_release(&second);
    build_result_release(&other);
}

static const struct bad_source {
    const char *file_name, *source, *log;
} bad_sources[] = {
    {"mine.cu", LAUNCH KERNEL, "mine.cu(1): error: column 72: 'ANSWER' is no tensor"},
    {"mine.cu", "// assay: launch twice block=32\n" KERNEL,
     "mine.cu(1): error: column 32: the line has no grid=\n  // assay: launch twice block=32\n"},
    {"mine.cu", KERNEL LAUNCH_RIGHT "\n\n  // assay: lunch b\n",
     "mine.cu(7): error: column 13: grid=, block=, smem= or args= belongs here: did you mean "
     "'launch' by 'lunch'?\n    // assay: lunch b\n"},
    {"mine.cu", KERNEL "// assay: launch twice grid=1\n// assay: block=2048 args=out0,1:i32\n",
     "mine.cu(6): error: column 17: block x is 2048"},
    {"mine.cu", "// assay: lauch twice grid=1 block=1\n" KERNEL,
     "mine.cu(1): error: column 11: did you mean 'launch' by 'lauch'?\n"},
    {"two words;.cu", KERNEL "/* assay: launch twice grid=1 block=1 */\n",
     "candidate.cu(5): error: column 1: no launch line: write it as // assay: launch"},
    {"mine.cu", "\n// assay: launch thrice grid=1 block=1\n" KERNEL,
     "mine.cu(2): error: no extern \"C\" __global__ function of this name\n  thrice"},
    {"two words;.cu", LAUNCH_RIGHT "\n" KERNEL "#error no\n", "candidate.cu(6): "},
    {"mine.cu", LAUNCH_RIGHT "\n" KERNEL "int f() { twice<<<1, 1>>>(0, 0); }\n",
     "mine.cu(6): error"},
    {"mine.cu", LAUNCH_RIGHT "\n" KERNEL "#include \"/etc/passwd\"\n", "/etc/passwd"},
    {"mine.cu",
     LAUNCH_RIGHT "\n" KERNEL "extern \"C\" __global__ void f() { asm(\"no.such.word;\"); }\n",
     "ptxas"},
};

static void test_bad_sources(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(bad_sources); i++) {
        struct build_request req = request(bad_sources[i].source);
        struct build_result r;

        req.file_name = bad_sources[i].file_name;
        build(&req, &r);
        if (r.status != BUILD_FAILED || !strstr(r.log, bad_sources[i].log))
            fail_msg("case %zu: status %d, %s", i, (int)r.status, r.log);
        build_result_release(&r);
    }
}

/* ---- both ---- */

/* An architecture that the compiler does not know is our trouble, not the candidate's. */
static void test_architectures(void **state)
{
    static const struct {
        const char *source, *arch, *text;
    } cases[] = {
        {host_code, NULL, "no architecture"},
        {host_code, "90a -x", "no architecture"},
        {host_code, "17", "nvcc fatal"},
        {KERNEL LAUNCH_RIGHT, "17", "assay-nvrtc: "},
    };
    struct build_request working = request(KERNEL LAUNCH_RIGHT);
    struct build_result r;

    (void)state;
    build(&working, &r); /* or skips */
    build_result_release(&r);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct build_request req = request(cases[i].source);
        struct err err = ERR_INIT;

        req.arch = cases[i].arch;
        assert_int_equal(build_artifact(&req, &r, &err), -1);
        assert_int_equal(err.kind, ERR_SYSTEM);
        if (lacks_compiler(&err))
            continue;
        if (!strstr(err.text, cases[i].text))
            fail_msg("case %zu: %s", i, err.text);
    }
}

/* A source that prints what a compiler says of its own trouble is refused like any other: it may
 * not choose to be nobody's fault. */
static void test_forged_trouble(void **state)
{
    static const struct {
        const char *source, *line;
    } cases[] = {
        {"int f() { return 0; }\nstatic_assert(0, \"x\\nnvcc fatal   : no memory\");\n",
         "\nnvcc fatal   : no memory"},
        {LAUNCH_RIGHT "\n" KERNEL "static_assert(0, \"x\\nassay-nvrtc: no memory\");\n",
         "\nassay-nvrtc: no memory"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct build_request req = request(cases[i].source);
        struct build_result r;

        build(&req, &r);
        assert_int_equal(r.status, BUILD_FAILED);
        assert_non_null(strstr(r.log, cases[i].line));
        build_result_release(&r);
    }
}

static void test_architecture_names(void **state)
{
    static const struct {
        int major, minor;
        const char *want;
    } cases[] = {{8, 0, "80"}, {8, 9, "89"}, {9, 0, "90a"}, {10, 0, "100a"}, {12, 0, "120a"}};
    char arch[BUILD_ARCH_MAX];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        build_cuda_arch(cases[i].major, cases[i].minor, arch);
        assert_string_equal(arch, cases[i].want);
    }
}

/* Where there is no bubblewrap: GPU machines often have none. */
static void test_without_bubblewrap(void **state)
{
    const char *const sources[] = {host_code, KERNEL LAUNCH_RIGHT};
    AUTO(freep) char *path = xstrdup(getenv("PATH"));

    (void)state;
    setenv("PATH", "/nonexistent", 1);
    setenv("ASSAY_CXX", "/usr/bin/g++", 0);
    for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
        struct build_request req = request(sources[i]);
        struct build_result r = {.artifact_fd = -1};
        struct err err = ERR_INIT;
        int rc = build_artifact(&req, &r, &err);

        setenv("PATH", i + 1 == ARRAY_SIZE(sources) || rc < 0 ? path : "/nonexistent", 1);
        if (rc < 0 && (strstr(err.text, "found") || strstr(err.text, "no such compiler")))
            skip();
        if (rc < 0 || r.status != BUILD_OK)
            fail_msg("%s", rc < 0 ? err.text : r.log);
        assert_non_null(strstr(r.walls, "landlock"));
        build_result_release(&r);
    }
}

static int set_up(void **state)
{
    (void)state;
    nvcc_before = getenv("ASSAY_NVCC") ? xstrdup(getenv("ASSAY_NVCC")) : NULL;
    return rig_open(header);
}

static int tear_down(void **state)
{
    (void)state;
    if (nvcc_before)
        setenv("ASSAY_NVCC", nvcc_before, 1);
    else
        unsetenv("ASSAY_NVCC");
    freep(&nvcc_before);
    return rig_close();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_host_code),
        TEST(test_libraries_are_refused),
        TEST(test_toolkit_without_stubs),
        TEST(test_nvcc_is_a_script),
        TEST(test_stub_source),
        TEST(test_stub_is_kept),
        TEST(test_odd_headers),
        TEST(test_kernels_alone),
        TEST(test_bad_sources),
        TEST(test_architectures),
        TEST(test_forged_trouble),
        TEST(test_architecture_names),
        TEST(test_without_bubblewrap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
