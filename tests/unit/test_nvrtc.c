/* SPDX-License-Identifier: MIT */
/* The judge's kernels compile, and the cache gives what it was given. Skipped without NVRTC. And
 * the toolkit's other library has what we call. */
#include "testing.h"

#include "base/fs.h"
#include "base/hash.h"
#include "device/cublaslt.h"
#include "device/cuda_source.h"
#include "device/nvrtc.h"
#include "gpu/gpu_kernels.h"
#include "gpu/gpu_source.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static void need_nvrtc(void)
{
    const char *why = NULL;

    if (!nvrtc_available(&why)) {
        assert_non_null(why);
        skip();
    }
}

static bool holds(const struct buf *b, const char *word)
{
    return memmem(b->ptr, b->len, word, strlen(word)) != NULL;
}

static void judge_kernels_compile(void **state)
{
    static const char *const names[] = {"fill_reals",   "fill_integers", "poison_check",
                                        "peek",         "differ",        "compare_f32",
                                        "compare_bool", "flush_read",    "fma_f64"};
    AUTO(buf_release) struct buf cubin = BUF_INIT;
    struct nvrtc_program p = cuda_source(90);
    struct err err = ERR_INIT;

    (void)state;
    need_nvrtc();
    if (nvrtc_compile(&p, NULL, &cubin, &err) < 0)
        fail_msg("%s", err.text);
    assert_memory_equal(cubin.ptr, "\177ELF", 4);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        assert_true(holds(&cubin, names[i]));
}

static void evaluating_kernels_compile(void **state)
{
#define NAME(name) #name,
#define NAME_REAL(name) #name "_f64", #name "_f32",
#define NAME_ALL(name) NAME_REAL(name) #name "_i64",
    static const char *const names[] = {GPU_KERNELS(NAME, NAME_REAL, NAME_ALL)};
    AUTO(buf_release) struct buf cubin = BUF_INIT;
    struct nvrtc_program p = gpu_source(90);
    struct err err = ERR_INIT;

    (void)state;
    need_nvrtc();
    if (nvrtc_compile(&p, NULL, &cubin, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if (!holds(&cubin, names[i]))
            fail_msg("no kernel %s", names[i]);
    }
}

static struct nvrtc_program program(const char *text)
{
    static const struct nvrtc_file header[] = {{"own/number.h", "#define NUMBER 7\n"}};

    return (struct nvrtc_program){{"small.cuh", text}, header, 1, 90};
}

static void errors_are_one_line(void **state)
{
    static const struct {
        const char *text, *error; /* NULL: fine */
    } cases[] = {
        {"#include \"own/number.h\"\nextern \"C\" __global__ void k(int *p) { *p = NUMBER; }",
         NULL},
        {"#include \"other/number.h\"\n", "other/number.h"},
        {"extern \"C\" __global__ void k(int *p)\n{\n*p = NUMBER;\n}\n", "NUMBER"},
        {"}", "small.cuh(1)"},
    };

    (void)state;
    need_nvrtc();
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(buf_release) struct buf cubin = BUF_INIT;
        struct nvrtc_program p = program(cases[i].text);
        struct err err = ERR_INIT;
        int rc = nvrtc_compile(&p, NULL, &cubin, &err);

        if ((rc == 0) != !cases[i].error || (rc < 0 && !strstr(err.text, cases[i].error)))
            fail_msg("case %zu: %d %s", i, rc, err.text);
        assert_int_equal(err.kind, rc < 0 ? ERR_SYSTEM : ERR_NONE);
        assert_null(strchr(err.text, '\n'));
        assert_int_equal(cubin.len > 0, rc == 0);
    }

    struct nvrtc_program old = program("");
    AUTO(buf_release) struct buf cubin = BUF_INIT;
    struct err err = ERR_INIT;

    old.sm = 10;
    assert_int_equal(nvrtc_compile(&old, NULL, &cubin, &err), -1);
}

/* The only file in dir; the caller's. NULL when there are none or several. */
static char *only_entry(const char *dir)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    char *path = NULL;
    int n = 0;

    while (d && (e = readdir(d))) {
        if (e->d_name[0] == '.')
            continue;
        free(path);
        path = fs_join(dir, e->d_name);
        n++;
    }
    if (d)
        closedir(d);
    if (n != 1)
        freep(&path);
    return path;
}

static void write_entry(const char *path, const char *hash, const char *cubin)
{
    AUTO(buf_release) struct buf file = BUF_INIT;
    struct err err = ERR_INIT;

    buf_addf(&file, "%s\n%s", hash, cubin);
    assert_int_equal(fs_write_atomic(path, file.ptr, file.len, &err), 0);
}

static int n_announced;

static void count_announcement(void)
{
    n_announced++;
}

static void cache_is_used_and_checked(void **state)
{
    const char *tmp = getenv("TMPDIR");
    AUTO(freep) char *top = xasprintf("%s/test_nvrtc.%d", tmp ? tmp : "/tmp", (int)getpid());
    AUTO(freep) char *dir = fs_join(top, "kernels"); /* made where it is missing */
    AUTO(buf_release) struct buf first = BUF_INIT, again = BUF_INIT;
    struct nvrtc_program p = program("extern \"C\" __global__ void k(int *p) { *p = 1; }");
    struct nvrtc_program other = program("extern \"C\" __global__ void k(int *p) { *p = 2; }");
    struct err err = ERR_INIT;
    char hash[HASH_HEX];

    (void)state;
    need_nvrtc();
    assert_int_equal(nvrtc_compile(&p, dir, &first, &err), 0);

    AUTO(freep) char *entry = only_entry(dir);

    assert_non_null(entry);
    assert_int_equal(nvrtc_compile(&p, dir, &again, &err), 0);
    assert_int_equal(again.len, first.len);
    assert_memory_equal(again.ptr, first.ptr, first.len);

    hash_of("planted", 7, hash); /* what lies there whole is what is given */
    write_entry(entry, hash, "planted");
    buf_reset(&again);
    assert_int_equal(nvrtc_compile(&p, dir, &again, &err), 0);
    assert_string_equal(buf_str(&again), "planted");

    write_entry(entry, hash, "planteD"); /* damaged: made again, and repaired */
    for (int i = 0; i < 2; i++) {
        buf_reset(&again);
        assert_int_equal(nvrtc_compile(&p, dir, &again, &err), 0);
        assert_int_equal(again.len, first.len);
    }
    write_entry(entry, "", "");
    buf_reset(&again);
    assert_int_equal(nvrtc_compile(&p, dir, &again, &err), 0);
    assert_int_equal(again.len, first.len);

    buf_reset(&again); /* another text is another entry */
    assert_int_equal(nvrtc_compile(&other, dir, &again, &err), 0);
    assert_null(only_entry(dir));
    fs_remove_tree(top);
}

/* Who waits is told, once. */
static void compiling_is_announced_once(void **state)
{
    static const struct {
        bool cached;
        int want; /* announcements so far */
    } steps[] = {{false, 0}, {true, 0}, {false, 1}, {false, 1}};
    const char *tmp = getenv("TMPDIR");
    AUTO(freep) char *dir = xasprintf("%s/test_nvrtc.%d", tmp ? tmp : "/tmp", (int)getpid());
    struct nvrtc_program p = program("extern \"C\" __global__ void k(int *p) { *p = 1; }");
    struct err err = ERR_INIT;

    (void)state;
    need_nvrtc();
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        AUTO(buf_release) struct buf cubin = BUF_INIT;

        if (!steps[i].cached)
            fs_remove_tree(dir);
        assert_int_equal(nvrtc_compile(&p, dir, &cubin, &err), 0);
        assert_int_equal(n_announced, steps[i].want);
        nvrtc_announce(count_announcement); /* nobody listens at first */
    }
    fs_remove_tree(dir);
}

/* Every function we name is in the library; where there is none, that is said. */
static void cublaslt_has_what_we_call(void **state)
{
    const char *why = "";
    const struct cublaslt *lt = cublaslt(&why);

    (void)state;
    if (!lt) {
        assert_non_null(strstr(why, "no cuBLASLt"));
        skip();
    }
    assert_non_null(lt->cublasLtMatmul);
    assert_int_equal(sizeof(struct cublaslt_choice), 96);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cublaslt_has_what_we_call),  cmocka_unit_test(judge_kernels_compile),
        cmocka_unit_test(evaluating_kernels_compile), cmocka_unit_test(errors_are_one_line),
        cmocka_unit_test(cache_is_used_and_checked),  cmocka_unit_test(compiling_is_announced_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
