/* SPDX-License-Identifier: MIT */
/* long: 10 s */
/* covers: src/build/elf_view.c src/build/fatbin.c */
/* What is read from machine code and from the libraries that hold it, on files that nvcc makes.
 * Skipped where there is none. */
#include "testing.h"

#include "base/fs.h"
#include "build/cubin.h"
#include "build/fatbin.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_FILE ((size_t)16 << 20)

static char base[64];

static const char source[] =
    "extern \"C\" __global__ void plain(float *x) { x[threadIdx.x] *= 2; }\n"
    "extern \"C\" __global__ void arrays(int *p)\n{\n"
    "    __shared__ int s[256];\n    int a[64];\n"
    "    for (int i = 0; i < 64; i++) a[i] = p[i];\n"
    "    for (int i = 0; i < 64; i++) a[p[i] & 63] += a[i];\n"
    "    s[threadIdx.x] = a[p[64] & 63];\n    __syncthreads();\n"
    "    p[threadIdx.x] = s[p[65] & 255];\n}\n"
    "extern \"C\" __global__ void dynamic(int *p)\n{\n"
    "    extern __shared__ int d[];\n    d[threadIdx.x] = p[0];\n    __syncthreads();\n"
    "    p[threadIdx.x] = d[p[65] & 255];\n}\n";

/* Runs nvcc on the source: BASE/out, and BASE/log with what it printed. */
static void compile(const char *options)
{
    AUTO(freep)
    char *nvcc = access("/usr/local/cuda/bin/nvcc", X_OK) == 0 ? xstrdup("/usr/local/cuda/bin/nvcc")
                                                               : xstrdup("nvcc");
    AUTO(freep) char *file = xasprintf("%s/k.cu", base);
    AUTO(freep)
    char *command = xasprintf("%s %s -o %s/out %s >%s/log 2>&1", nvcc, options, base, file, base);
    AUTO(freep) char *check = xasprintf("%s --version >/dev/null 2>&1", nvcc);
    struct err err = ERR_INIT;

    if (system(check) != 0)
        skip();
    assert_int_equal(fs_write_atomic(file, source, strlen(source), &err), 0);
    if (system(command) != 0)
        fail_msg("%s", command);
}

static void read_back(const char *name, struct buf *ret)
{
    AUTO(freep) char *path = xasprintf("%s/%s", base, name);
    struct err err = ERR_INIT;

    must(fs_read(path, MAX_FILE, ret, &err), &err);
}

static struct sass three_kernels(void)
{
    static const char text[] = ".section .text.plain,\n.section .text.arrays,\n"
                               ".section .text.dynamic,\n";
    struct sass s = {0};

    sass_read(&s, text, strlen(text));
    assert_int_equal(s.n_kernels, 3);
    return s;
}

/* The number before the words, in what ptxas says of a kernel; 0 when it does not say. */
static long said(const char *log, const char *kernel, const char *words)
{
    AUTO(freep) char *head = xasprintf("entry function '%s'", kernel);
    const char *from = strstr(log, head);

    if (!from)
        fail_msg("ptxas says nothing of %s: %s", kernel, log);

    const char *end = strstr(from, "Compile time");
    const char *at = strstr(from, words);

    if (!at || (end && at > end))
        return 0;
    while (at > from && strchr("0123456789 ", at[-1]))
        at--;
    return strtol(at, NULL, 10);
}

static void test_usage(void **state)
{
    static const char *const arches[] = {"80", "90a", "100a"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(arches); i++) {
        AUTO(freep) char *options = xasprintf("-cubin -Xptxas -v -arch=sm_%s", arches[i]);
        AUTO(buf_release) struct buf code = BUF_INIT, log = BUF_INIT;
        struct sass s = three_kernels();

        compile(options);
        read_back("out", &code);
        read_back("log", &log);
        assert_true(cubin_has_code(code.ptr, code.len));
        cubin_read_usage(code.ptr, code.len, &s);
        for (int k = 0; k < s.n_kernels; k++) {
            const struct sass_kernel *kernel = &s.kernels[k];

            assert_int_equal(kernel->registers, said(buf_str(&log), kernel->name, " registers"));
            assert_int_equal(kernel->stack_bytes,
                             said(buf_str(&log), kernel->name, " bytes stack frame"));
            assert_int_equal(kernel->shared_bytes,
                             said(buf_str(&log), kernel->name, " bytes smem"));
            assert_int_equal(kernel->local_bytes, 0);
        }
        assert_int_equal(s.kernels[1].shared_bytes, 1024);
        assert_true(s.kernels[1].stack_bytes >= 256);
        sass_release(&s);
    }
}

#define LIBRARY "-shared -cudart static -Xcompiler -fPIC "

static void test_libraries(void **state)
{
    static const struct {
        const char *options;
        int with_code;
        bool has_ptx;
        const char *why;
    } cases[] = {
        {LIBRARY "--no-compress -gencode arch=compute_90a,code=sm_90a", 1, false, NULL},
        {LIBRARY "--no-compress -gencode arch=compute_90a,code=sm_90a "
                 "-gencode arch=compute_80,code=sm_80",
         2, false, NULL},
        {LIBRARY "--no-compress -gencode arch=compute_90,code=[sm_90,compute_90]", 1, true, NULL},
        {LIBRARY "--compress-mode=size -gencode arch=compute_90a,code=sm_90a", 0, false,
         "cannot be read: machine code is compressed"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(buf_release) struct buf library = BUF_INIT;
        struct fatbin f = {.n_cubins = 0};
        struct err err = ERR_INIT;
        int with_code = 0;

        compile(cases[i].options);
        read_back("out", &library);

        int rc = fatbin_read(library.ptr, library.len, &f, &err);

        assert_int_equal(rc, cases[i].why != NULL);
        if (cases[i].why && !strstr(err.text, cases[i].why))
            fail_msg("case %zu: %s", i, err.text);
        for (int c = 0; c < f.n_cubins; c++) {
            AUTO(buf_release) struct buf code = BUF_INIT;
            struct sass s = three_kernels();

            buf_add(&code, f.cubins[c].at, f.cubins[c].len);
            if (cubin_has_code(code.ptr, code.len)) {
                with_code++;
                cubin_read_usage(code.ptr, code.len, &s);
                assert_true(s.kernels[1].registers > 0);
            }
            sass_release(&s);
        }
        assert_int_equal(with_code, cases[i].with_code);
        assert_int_equal(f.has_ptx, cases[i].has_ptx);
    }
}

/* Machine code with any one byte wrong, and cut anywhere, is read without harm. */
static void test_damaged(void **state)
{
    AUTO(buf_release) struct buf code = BUF_INIT;

    (void)state;
    compile("-cubin -arch=sm_90a");
    read_back("out", &code);
    for (size_t i = 0; i < code.len; i++) {
        struct sass s = three_kernels();
        size_t len = i % 2 ? i : code.len;
        AUTO(freep) char *part = xmalloc(len + 1);

        memcpy(part, code.ptr, len);
        part[i] ^= (char)0xff;
        cubin_read_usage(part, len, &s);
        cubin_has_code(part, len);
        sass_release(&s);
    }
}

static int set_up(void **state)
{
    (void)state;
    strcpy(base, "/tmp/assay-test-XXXXXX");
    return mkdtemp(base) ? 0 : -1;
}

static int tear_down(void **state)
{
    AUTO(freep) char *command = xasprintf("rm -rf %s", base);

    (void)state;
    return system(command);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_usage),
        TEST(test_libraries),
        TEST(test_damaged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
