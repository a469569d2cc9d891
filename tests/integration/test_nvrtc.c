/* SPDX-License-Identifier: MIT */
/* san: no, NVRTC does the work */
/* covers: src/device/cuda/cublaslt.c src/device/cuda/cuda_library.c */
/* covers: src/device/cuda/cuda_source.c src/gpu/gpu_source.c src/device/cuda/nvrtc_api.c */
/* The judge's kernels compile, and the cache gives what it was given. Skipped without NVRTC. And
 * the toolkit's other library has what we call. */
#include "testing.h"

#include "base/fs.h"
#include "base/hash.h"
#include "build/cubin.h"
#include "device/cuda/cublaslt.h"
#include "device/cuda/cuda_source.h"
#include "device/cuda/nvrtc.h"
#include "gpu/gpu_ctx.h"
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
    must(nvrtc_compile(&p, NULL, &cubin, &err), &err);
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
    must(nvrtc_compile(&p, NULL, &cubin, &err), &err);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if (!holds(&cubin, names[i]))
            fail_msg("no kernel %s", names[i]);
    }
}

/* exp(x - most[row]) / sum[row] */
static void make_softmax(struct gpu_pass *a, int64_t rows, int64_t length)
{
    a->n = rows * length;
    a->in[0].type = DT_F32;
    a->pass.ax[0] = (struct axes){1, {a->n}, {1}};
    a->pass.ax[1] = a->pass.ax[2] = (struct axes){2, {rows, length}, {1, 0}};
    a->pass.n_steps = 3;
    a->pass.steps[0] = (struct pass_step){OP_SUB, 1, 0};
    a->pass.steps[1] = (struct pass_step){OP_EXP, PASS_VALUE, 0};
    a->pass.steps[2] = (struct pass_step){OP_DIV, 2, 0};
}

static void softmax(struct gpu_pass *a, enum dtype t)
{
    (void)t;
    make_softmax(a, 4096, 393216);
}

/* Odd rows, and more than 32 bits count. */
static void softmax_odd(struct gpu_pass *a, enum dtype t)
{
    (void)t;
    make_softmax(a, 4099, 1048583);
}

static void relu(struct gpu_pass *a, enum dtype t)
{
    a->n = (int64_t)4096 * 393216;
    a->in[0].type = (int)t;
    a->in[1].at = NULL;
    a->pass.ax[0] = (struct axes){1, {a->n}, {1}};
    a->pass.n_steps = 1;
    a->pass.steps[0] = (struct pass_step){OP_MAXIMUM, 1, 0};
}

/* As many operands as there may be, each in full. */
static void several(struct gpu_pass *a, enum dtype t)
{
    a->n = 1000003;
    a->pass.n_steps = PASS_MAX_IN - 1;
    for (int k = 0; k < PASS_MAX_IN; k++) {
        a->in[k].type = (int)t;
        a->pass.ax[k] = (struct axes){1, {a->n}, {1}};
    }
    for (int s = 0; s < PASS_MAX_IN - 1; s++)
        a->pass.steps[s] = (struct pass_step){OP_ADD, s + 1, s & 1};
}

static void hold_registers(const struct buf *cubin, int most, int most_stack_bytes)
{
    struct sass_kernel kernel = {.name = xstrdup("special"), .registers = -1, .stack_bytes = -1};
    struct sass s = {.kernels = xmalloc(sizeof(kernel)), .n_kernels = 1};

    s.kernels[0] = kernel;
    cubin_read_usage(cubin->ptr, cubin->len, &s);
    assert_in_range(s.kernels[0].registers, 1, most);
    assert_in_range(s.kernels[0].stack_bytes, 0, most_stack_bytes);
    sass_release(&s);
}

/* Operands are somewhere, unless make() says otherwise. */
static struct gpu_pass pass_of(void (*make)(struct gpu_pass *a, enum dtype t), enum dtype t)
{
    static const char somewhere;
    struct gpu_pass a = {.n = 0};

    for (int k = 0; k < PASS_MAX_IN; k++)
        a.in[k] = (struct typed){&somewhere, DT_F64};
    make(&a, t);
    return a;
}

static void compile_pass(const struct buf *text, int registers, int stack_bytes)
{
    AUTO(buf_release) struct buf cubin = BUF_INIT;
    struct nvrtc_program p = gpu_special_source(buf_str(text), 90);
    struct err err = ERR_INIT;

    if (nvrtc_compile(&p, NULL, &cubin, &err) < 0)
        fail_msg("%s\n%s", err.text, buf_str(text));
    hold_registers(&cubin, registers, stack_bytes);
}

/* Of a pass with few operands three blocks fit onto a multiprocessor, of others two. Nothing is
 * kept in memory. */
static void special_passes_compile(void **state)
{
    static const struct {
        void (*make)(struct gpu_pass *a, enum dtype t);
        enum dtype type;
        enum store store;
        int registers, stack_bytes;
    } cases[] = {
        {softmax, DT_F32, STORE_F64, 80, 0},    {softmax, DT_F32, STORE_F32, 80, 0},
        {relu, DT_F32, STORE_F64, 80, 0},       {softmax_odd, DT_F32, STORE_F64, 80, 0},
        {several, DT_F64, STORE_F64, 128, 0},   {several, DT_F32, STORE_F64, 80, 0},
        {several, DT_F16, STORE_F64, 80, 0},    {several, DT_BF16, STORE_F32, 80, 0},
        {several, DT_F8E4M3, STORE_F32, 80, 0}, {several, DT_F8E5M2, STORE_F64, 80, 0},
        {several, DT_I64, STORE_I64, 128, 0},   {several, DT_I32, STORE_I64, 80, 0},
        {several, DT_I8, STORE_I64, 80, 0},     {several, DT_U8, STORE_I64, 80, 0},
        {several, DT_BOOL, STORE_I64, 80, 0},
    };

    (void)state;
    need_nvrtc();
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(buf_release) struct buf text = BUF_INIT;
        struct gpu_pass a = pass_of(cases[i].make, cases[i].type);

        gpu_special_text(&a, cases[i].store, &text);
        compile_pass(&text, cases[i].registers, cases[i].stack_bytes);
    }
}

/* The same passes, compared with as they are made. Next to nothing is kept in memory, or a few
 * places of two registers each. */
static void comparing_passes_compile(void **state)
{
    static const struct {
        void (*make)(struct gpu_pass *a, enum dtype t);
        enum dtype type, got;
        int registers, stack_bytes;
    } cases[] = {
        {softmax, DT_F32, DT_F32, 80, 16},     {softmax, DT_F32, DT_BF16, 80, 16},
        {softmax_odd, DT_F32, DT_F32, 80, 64}, {relu, DT_F32, DT_F32, 64, 16},
        {relu, DT_BF16, DT_BF16, 64, 16},      {relu, DT_F16, DT_F8E4M3, 64, 16},
        {several, DT_F32, DT_F64, 80, 16},
    };

    (void)state;
    need_nvrtc();
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(buf_release) struct buf text = BUF_INIT;
        struct gpu_pass a = pass_of(cases[i].make, cases[i].type);

        gpu_compare_text(&a, cases[i].got, &text);
        compile_pass(&text, cases[i].registers, cases[i].stack_bytes);
    }
}

static struct nvrtc_program program(const char *text)
{
    static const struct nvrtc_file header[] = {{"own/number.h", "#define NUMBER 7\n"}};

    return (struct nvrtc_program){{"small.cuh", text}, header, 1, 90, false};
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

/* Who waits is told, once, unless it is for a moment. */
static void compiling_is_announced_once(void **state)
{
    static const struct {
        bool cached;
        int want; /* announcements so far */
        bool small;
    } steps[] = {{false, 0, false},
                 {true, 0, false},
                 {false, 0, true},
                 {false, 1, false},
                 {false, 1, false}};
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
        p.is_small = steps[i].small;
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
        cmocka_unit_test(cublaslt_has_what_we_call),   cmocka_unit_test(judge_kernels_compile),
        cmocka_unit_test(evaluating_kernels_compile),  cmocka_unit_test(special_passes_compile),
        cmocka_unit_test(errors_are_one_line),         cmocka_unit_test(cache_is_used_and_checked),
        cmocka_unit_test(compiling_is_announced_once), cmocka_unit_test(comparing_passes_compile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
