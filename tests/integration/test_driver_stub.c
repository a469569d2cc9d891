/* SPDX-License-Identifier: MIT */
/* san: no, nvcc does the work */
/* long: 8 s */
/* covers: src/build/nvcc.c src/build/toolchain_cuda.c */
/* Host code where the toolkit has no stub of libcuda, as many have none, and the stub that is made
 * then. Skipped without nvcc. */
#include "cuda_build_rig.h"

#include "build/build.h"
#include "build/driver_stub.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char with_driver[] =
    "#include \"assay.h\"\n#include <cuda.h>\n" ENTRY
    "{ return (int)cuTensorMapEncodeTiled(0, CU_TENSOR_MAP_DATA_TYPE_UINT8, 0, 0, 0, 0, 0, 0,\n"
    "    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,\n"
    "    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) + "
    "(int)cuCtxPushCurrent(0)"
    "; }\n";

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_toolkit_without_stubs), TEST(test_nvcc_is_a_script), TEST(test_stub_source),
        TEST(test_stub_is_kept),          TEST(test_odd_headers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
