/* SPDX-License-Identifier: MIT */
/* san: no, nvcc does the work */
/* long: 8 s */
/* covers: src/nvrtc/assay_nvrtc.c src/device/cuda/launch_lines.c */
/* Both routes of .cu files through the builder. No GPU is needed; without nvcc or NVRTC the tests
 * of that route are skipped. A build by nvcc takes a second or two, so there are few of them. */
#include "cuda_build_rig.h"

#include "build/build.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/cuda_launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
     "mine.cu(7): error: column 13: expected grid=, block=, smem= or args=: did you mean "
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
    char arch[DEVICE_ARCH_MAX];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        cuda_arch(cases[i].major, cases[i].minor, arch);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_host_code),          TEST(test_libraries_are_refused), TEST(test_kernels_alone),
        TEST(test_bad_sources),        TEST(test_architectures),         TEST(test_forged_trouble),
        TEST(test_architecture_names), TEST(test_without_bubblewrap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
