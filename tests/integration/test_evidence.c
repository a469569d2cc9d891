/* SPDX-License-Identifier: MIT */
/* long: 8 s */
/* covers: src/build/disassembler.c src/build/host_refs.c */
/* From an artifact to evidence and back out of the cache. The disassembler is a script that prints
 * the file it is given, so an "artifact" here is what the real tool would say of one; it runs in
 * the real sandbox. What host code refers to is tried on libraries that nvcc builds, if there is
 * one. */
#include "build_rig.h"

#include "build/build.h"
#include "build/evidence.h"
#include "build/host_refs.h"
#include "process/bundle.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *tool_dir; /* BASE/tool/bin */

#define CODE                                                                         \
    "\t\tFunction : gemm\n        /*0000*/    HMMA.1688.F32.TF32 R8, R4, R6, RZ ;\n" \
    "        /*0010*/    LDL R1, [R2] ;\n"
#define LAUNCH_HEAD "ASSAY-LAUNCH 1\nlaunch gemm grid=1 block=1\n\n"

static const char cuobjdump[] = "#!/bin/sh\n"
                                "case $1 in\n"
                                "--version) echo 'Cuda tools, release 13.0, V13.0.85' ;;\n"
                                "--dump-sass) cat \"$2\" ;;\n"
                                "--dump-resource-usage)\n"
                                "    echo ' Function gemm:'\n"
                                "    echo '  REG:40 STACK:8 SHARED:1024 LOCAL:0' ;;\n"
                                "*) exit 2 ;;\n"
                                "esac\n";
static const char nvdisasm[] = "#!/bin/sh\n"
                               "case \"$1 $2\" in\n"
                               "'--version ') echo 'no number' ;;\n"
                               "'--print-code --no-dataflow') cat \"$3\" ;;\n"
                               "*) exit 2 ;;\n"
                               "esac\n";
#define BROKEN(how) "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\n" how "\n"
/* Its listing begins with an empty line, and other words follow. */
static const char broken[] = BROKEN("echo; echo 'fatal: a strange file'; echo more; exit 255");

/* Makes it the disassembler. */
static void use_tool(const char *name, const char *script)
{
    AUTO(freep) char *path = fs_join(tool_dir, name);
    struct err err = ERR_INIT;

    assert_int_equal(fs_write_atomic(path, script, strlen(script), &err), 0);
    assert_int_equal(chmod(path, 0755), 0);
    setenv("ASSAY_DISASM", path, 1);
}

/* What evidence_collect() says of an artifact with these bytes. */
static struct evidence look_at(const struct device *device, const char *bytes, bool no_cache)
{
    struct evidence_request req = {.device = device, .cache_dir = cache, .no_cache = no_cache};
    AUTO(fd_closep) int fd = -1;
    char hash[HASH_HEX];
    struct evidence e = {0};
    struct err err = ERR_INIT;

    hash_of(bytes, strlen(bytes), hash);
    req.artifact_hash = hash;
    assert_int_equal(fs_sealed_memfd("artifact", bytes, strlen(bytes), &fd, &err), 0);
    req.artifact_fd = fd;
    must(evidence_collect(&req, &e, &err), &err);
    return e;
}

static void assert_gemm(const struct evidence *e, int registers, int shared)
{
    if (!e->checked)
        fail_msg("not checked: %s", e->why_not);
    assert_int_equal(e->sass.n_kernels, 1);
    assert_string_equal(e->sass.kernels[0].name, "gemm");
    assert_int_equal(e->sass.kernels[0].registers, registers);
    assert_int_equal(e->sass.kernels[0].shared_bytes, shared);
    assert_int_equal(e->sass.kernels[0].counts.instructions, 2);
    assert_int_equal(sass_count_class(&e->sass.total, TENSOR_TF32), 1);
    assert_int_equal(sass_count_opcode(&e->sass.total, "LDL"), 1);
}

static void test_shared_library(void **state)
{
    struct evidence e;

    (void)state;
    use_tool("cuobjdump", cuobjdump);
    e = look_at(&device_cuda, CODE, false);
    assert_gemm(&e, 40, 1024);
    assert_string_equal(e.tool, "cuobjdump 13.0.85");
    assert_string_equal(e.loads_code, "a file whose symbols cannot be read"); /* it is no library */
    evidence_release(&e);
}

/* The disassembler gets the machine code alone, and nothing there can load any. */
static void test_machine_code_alone(void **state)
{
    struct evidence e;

    (void)state;
    use_tool("cuobjdump", cuobjdump);
    e = look_at(&device_cuda, LAUNCH_HEAD CODE, false);
    assert_gemm(&e, 40, 1024);
    assert_null(e.loads_code);
    evidence_release(&e);

    use_tool("nvdisasm", nvdisasm);
    e = look_at(&device_cuda, LAUNCH_HEAD CODE, false);
    assert_gemm(&e, -1, -1);
    assert_string_equal(e.tool, "nvdisasm");
    evidence_release(&e);
}

static void test_cache(void **state)
{
    struct evidence first, second;
    struct evidence_request req = {.device = &device_cuda, .artifact_fd = -1, .cache_dir = cache};
    struct err err = ERR_INIT;
    char hash[HASH_HEX];

    (void)state;
    use_tool("cuobjdump", cuobjdump);
    first = look_at(&device_cuda, CODE, false);
    assert_false(first.cached);
    hash_of(CODE, strlen(CODE), hash);
    req.artifact_hash = hash;
    assert_int_equal(evidence_collect(&req, &second, &err), 0); /* without the artifact */
    assert_true(second.cached);
    assert_gemm(&second, 40, 1024);

    json_t *a = evidence_to_json(&first), *b = evidence_to_json(&second);

    assert_true(json_equal(a, b));
    json_decref(a);
    json_decref(b);
    evidence_release(&first);
    evidence_release(&second);

    first = look_at(&device_cuda, CODE, true);
    assert_false(first.cached);
    assert_gemm(&first, 40, 1024);
    evidence_release(&first);
    use_tool("other", cuobjdump); /* another tool may say something else */
    first = look_at(&device_cuda, CODE, false);
    assert_false(first.cached);
    evidence_release(&first);
}

#define NO_NAME "{\"kernels\":[{}],\"tool\":\"x\",\"instructions\":1,\"opcodes\":{}}"

/* A kept text that is cut or strange is no answer. */
static void test_damaged_cache(void **state)
{
    static const char *const texts[] = {"", "{\"kernels\": [", "{}", "[]", NO_NAME};
    AUTO(freep) char *find = xasprintf("find %s/evidence -type f", cache);
    char path[512];
    struct evidence e;

    (void)state;
    use_tool("cuobjdump", cuobjdump);
    e = look_at(&device_cuda, CODE, false);
    evidence_release(&e);

    FILE *files = popen(find, "r");

    assert_non_null(files);
    assert_non_null(fgets(path, sizeof(path), files));
    pclose(files);
    path[strcspn(path, "\n")] = '\0';
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        struct err err = ERR_INIT;

        assert_int_equal(fs_write_atomic(path, texts[i], strlen(texts[i]), &err), 0);
        e = look_at(&device_cuda, CODE, false);
        assert_false(e.cached);
        assert_gemm(&e, 40, 1024);
        evidence_release(&e);
    }
}

static void test_not_checked(void **state)
{
    static const struct {
        const char *tool, *script, *artifact, *why;
    } cases[] = {
        {"nvdisasm", nvdisasm, CODE, "the artifact is no library that can be read"},
        {"cuobjdump", broken, CODE, "cuobjdump failed (status 255 in "},
        {"cuobjdump", broken, CODE, "): fatal: a strange file"},
        {"cuobjdump", BROKEN("echo; echo; exit 3"), CODE, "): it printed nothing"},
        {"cuobjdump", BROKEN("echo; echo ' a last word '; exit 3"), CODE, "): a last word"},
        /* Without bubblewrap it is the first of its namespace, which a kill of its own misses. */
        {"nvdisasm", BROKEN("kill -9 $$; exit 9"), LAUNCH_HEAD CODE, "nvdisasm failed (s"},
        {"cuobjdump", cuobjdump, "nothing that is code\n", "shows no machine code"},
        {"cuobjdump", "#!/bin/sh\nexit 1\n", CODE, "--version does not work"},
    };
    struct evidence e;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        use_tool(cases[i].tool, cases[i].script);
        e = look_at(&device_cuda, cases[i].artifact, false);
        assert_true(e.applies);
        assert_false(e.checked);
        if (!strstr(e.why_not, cases[i].why))
            fail_msg("case %zu: %s", i, e.why_not);
        evidence_release(&e);
    }
    setenv("ASSAY_DISASM", "/nonexistent/cuobjdump", 1);
    e = look_at(&device_cuda, CODE, false);
    assert_false(e.checked);
    assert_string_equal(e.why_not, "ASSAY_DISASM=/nonexistent/cuobjdump: no such program");
    evidence_release(&e);
}

static void test_other_devices(void **state)
{
    struct evidence e = look_at(&device_cpu, CODE, false);

    (void)state;
    assert_false(e.applies);
    assert_false(e.checked);
    evidence_release(&e);
}

/* ---- what a rehearsal in Python left ---- */

/* nvdisasm for files whose code is text behind an ELF header. */
static const char behind_header[] = "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\n"
                                    "tail -c +65 \"$3\"\n";
#define BF16                                                                          \
    "\t\tFunction : other\n        /*0000*/    HGMMA.64x8x16.F32.BF16 R8, R4, R6 ;\n" \
    "        /*0010*/    EXIT ;\n"

struct folder {
    struct buf list, bytes;
};

static void add_file(struct folder *f, const char *name, const void *bytes, size_t len)
{
    buf_addf(&f->list, "%s[\"%s\", %zu]", f->list.len ? ", " : "", name, len);
    buf_add(&f->bytes, bytes, len);
}

static void add_elf(struct buf *out, int machine, const char *code)
{
    const Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64},
                             .e_machine = (Elf64_Half)machine};

    buf_add(out, &head, sizeof(head));
    buf_adds(out, code);
}

static void add_cubin(struct folder *f, const char *name, const char *code)
{
    AUTO(buf_release) struct buf file = BUF_INIT;

    add_elf(&file, EM_CUDA, code);
    add_file(f, name, file.ptr, file.len);
}

/* A library with one section, behind which the names of sections stand. */
static void add_library(struct folder *f, const char *name, const char *section,
                        const struct buf *body)
{
    AUTO(buf_release) struct buf file = BUF_INIT;
    const size_t at = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Shdr);
    const Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64},
                             .e_machine = EM_X86_64,
                             .e_shoff = sizeof(head),
                             .e_shentsize = sizeof(Elf64_Shdr),
                             .e_shnum = 2};
    const Elf64_Shdr sections[2] = {
        {.sh_type = SHT_STRTAB, .sh_offset = at + body->len, .sh_size = strlen(section) + 2},
        {.sh_type = SHT_PROGBITS, .sh_name = 1, .sh_offset = at, .sh_size = body->len},
    };

    buf_add(&file, &head, sizeof(head));
    buf_add(&file, sections, sizeof(sections));
    buf_add(&file, body->ptr, body->len);
    buf_add(&file, "", 1);
    buf_add(&file, section, strlen(section) + 1);
    add_file(f, name, file.ptr, file.len);
}

/* A container with one entry; kind 1: PTX, 2: machine code. */
static struct buf fatbin_of(int kind, const struct buf *code)
{
    const struct {
        uint32_t magic;
        uint16_t version, head_bytes;
        uint64_t bytes;
        uint16_t kind, entry_version;
        uint32_t entry_head_bytes;
        uint64_t entry_bytes;
    } heads = {0xBA55ED50u, 1, 16, 16 + code->len, (uint16_t)kind, 1, 16, code->len};
    struct buf out = BUF_INIT;

    buf_add(&out, &heads, sizeof(heads));
    buf_add(&out, code->ptr, code->len);
    return out;
}

/* Frees the folder. */
static struct evidence look_into(struct folder *f, bool no_cache)
{
    AUTO(buf_release) struct buf frozen = BUF_INIT;
    char hash[HASH_HEX];
    struct evidence_request req = {.device = &device_cuda,
                                   .artifact_fd = -1,
                                   .folder = &frozen,
                                   .artifact_hash = hash,
                                   .cache_dir = cache,
                                   .no_cache = no_cache};
    struct evidence e = {0};
    struct err err = ERR_INIT;

    buf_addf(&frozen, "{\"files\": [%s]}\n", buf_str(&f->list));
    buf_add(&frozen, f->bytes.ptr, f->bytes.len);
    must(bundle_check_frozen(&frozen, &err), &err);
    hash_of(frozen.ptr, frozen.len, hash);
    must(evidence_collect(&req, &e, &err), &err);
    buf_release(&f->list);
    buf_release(&f->bytes);
    return e;
}

/* Files are known by what is in them. The second time all comes from the cache. */
static void test_folder_with_code(void **state)
{
    (void)state;
    use_tool("nvdisasm", behind_header);
    for (int time = 0; time < 2; time++) {
        AUTO(buf_release) struct buf code = BUF_INIT;
        struct folder f = {.list = BUF_INIT};

        add_elf(&code, EM_CUDA, BF16);

        AUTO(buf_release) struct buf fatbin = fatbin_of(2, &code);

        add_file(&f, "cache/triton/X/k.ptx", "HMMA", 4);
        add_cubin(&f, "cache/triton/X/k.cubin", CODE);
        add_library(&f, "cache/extensions/m/m.so", ".nv_fatbin", &fatbin);
        add_library(&f, "cache/triton/Y/launcher.so", ".text", &fatbin);

        struct evidence e = look_into(&f, false);

        if (!e.checked)
            fail_msg("not checked: %s", e.why_not);
        assert_true(e.own_code);
        assert_int_equal(e.cached, time);
        assert_int_equal(e.sass.n_kernels, 2);
        assert_int_equal(sass_count_class(&e.sass.total, TENSOR_TF32), 1);
        assert_int_equal(sass_count_class(&e.sass.total, TENSOR_BF16), 1);
        assert_int_equal(e.sass.total.instructions, 4);
        assert_null(e.loads_code);
        evidence_release(&e);
    }
}

/* A candidate that compiles nothing for the device has no code of its own: no tool is needed. */
static void test_folder_without_code(void **state)
{
    const struct buf body = {.ptr = (char *)"text", .len = 4};
    struct folder f = {.list = BUF_INIT};
    struct evidence e;

    (void)state;
    setenv("ASSAY_DISASM", "/nonexistent/nvdisasm", 1);
    for (int files = 0; files < 2; files++) {
        if (files) {
            add_file(&f, "candidate/data",
                     "\x7f"
                     "ELF",
                     4);
            add_library(&f, "cache/extensions/m/m.so", ".text", &body);
        }
        e = look_into(&f, false);
        assert_true(e.applies && e.checked && e.own_code);
        assert_int_equal(e.sass.total.instructions, 0);
        assert_null(e.tool);
        evidence_release(&e);
    }
}

/* PTX is compiled later; what cannot be read may be anything. */
static void test_folder_that_hides(void **state)
{
    AUTO(buf_release) struct buf ptx = BUF_INIT, stripped = BUF_INIT;
    struct folder f = {.list = BUF_INIT};
    struct evidence e;

    (void)state;
    use_tool("nvdisasm", behind_header);
    buf_adds(&ptx, ".version 8.0");

    AUTO(buf_release) struct buf source = fatbin_of(1, &ptx), small = fatbin_of(2, &ptx);

    add_cubin(&f, "k.cubin", CODE);
    add_library(&f, "m.so", ".nv_fatbin", &source);
    e = look_into(&f, true);
    assert_true(e.checked);
    assert_string_equal(e.loads_code, "PTX");
    evidence_release(&e);

    add_library(&f, "cache/a b.so", ".nv_fatbin", &small);
    e = look_into(&f, true);
    assert_false(e.checked);
    assert_true(e.own_code);
    assert_string_equal(e.why_not, "cache/a?b.so: the library's .nv_fatbin cannot be read: machine "
                                   "code is compressed");
    evidence_release(&e);

    add_elf(&stripped, EM_X86_64, "code");
    add_file(&f, "m.so", stripped.ptr, stripped.len);
    e = look_into(&f, true);
    assert_false(e.checked);
    assert_string_equal(e.why_not, "m.so: the artifact is no library that can be read");
    evidence_release(&e);

    for (int i = 0; i < 257; i++)
        add_cubin(&f, "k.cubin", CODE);
    e = look_into(&f, true);
    assert_false(e.checked);
    assert_string_equal(e.why_not, "257 files with machine code, at most 256 are read");
    evidence_release(&e);
}

/* ---- what host code refers to ---- */

#define BEGIN                                                                                    \
    "#include <cuda.h>\n#include <cuda_runtime.h>\n#include <dlfcn.h>\n"                         \
    "__global__ void twice(float *x) { x[threadIdx.x] *= 2; }\n"                                 \
    "extern \"C\" __attribute__((visibility(\"default\"))) int assay_kernel(void *p, void *s)\n" \
    "{ twice<<<1, 32, 0, (cudaStream_t)s>>>((float *)p); "

static const struct {
    const char *source, *loader;
} libraries[] = {
    {BEGIN "return cuTensorMapEncodeTiled == nullptr || cudaGetLastError(); }\n", NULL},
    {BEGIN "cudaLibrary_t l; return cudaLibraryLoadData(&l, p, 0, 0, 0, 0, 0, 0); }\n",
     "cudaLibraryLoad"},
    {BEGIN "return dlsym(RTLD_DEFAULT, \"f\") != nullptr; }\n", "dlsym"},
    {BEGIN "CUmodule m; return cuModuleLoadData(&m, p); }\n", "cuModuleLoad"},
};

/* Builds a library with nvcc; skips the test where there is none. */
static void build_library(const char *source, struct build_result *ret)
{
    struct build_request req = {.device = &device_cuda,
                                .arch = "90a",
                                .file_name = "mine.cu",
                                .source = source,
                                .source_len = strlen(source),
                                .problem_h = "",
                                .include_dir = include,
                                .cache_dir = cache};
    struct err err = ERR_INIT;

    if (build_artifact(&req, ret, &err) < 0) {
        if (strstr(err.text, "no nvcc found") || strstr(err.text, "install g++"))
            skip();
        fail_msg("%s", err.text);
    }
    if (ret->status != BUILD_OK)
        fail_msg("%s", ret->log);
}

static void test_host_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(libraries); i++) {
        struct build_result r;
        struct err err = ERR_INIT;
        AUTO(buf_release) struct buf bytes = BUF_INIT;
        char path[64];

        build_library(libraries[i].source, &r);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", r.artifact_fd);
        assert_int_equal(fs_read(path, 64 << 20, &bytes, &err), 0);

        const char *found = host_refs_loader(bytes.ptr, bytes.len);

        if ((found == NULL) != (libraries[i].loader == NULL) ||
            (found && strcmp(found, libraries[i].loader) != 0))
            fail_msg("case %zu: %s", i, found ? found : "nothing");
        /* A stranger's file: cut anywhere, it is read without harm. */
        for (size_t cut = 0; cut < bytes.len; cut = cut * 3 / 2 + 61) {
            AUTO(freep) char *part = xmalloc(cut + 1);

            memcpy(part, bytes.ptr, cut);
            host_refs_loader(part, cut);
        }
        build_result_release(&r);
    }
}

/* cuobjdump failed in a sandbox without bubblewrap. nvdisasm gets the machine code alone, out
 * of the library, and not the empty one that is there as well; the rest we read ourselves. */
static void test_library_taken_apart(void **state)
{
    static const char script[] = "#!/bin/sh\n"
                                 "[ \"$1\" = --version ] && exit 0\n"
                                 "[ \"$(head -c 4 \"$3\" | tail -c 3)\" = ELF ] || exit 1\n"
                                 "grep -q '\\.text\\._Z5twicePf' \"$3\" || exit 2\n"
                                 "printf '\\t.section\\t.text._Z5twicePf,\"ax\",@progbits\\n"
                                 "        /*0000*/    LDG.E R1, [R2] ;\\n'\n";
    struct build_result r;
    struct evidence e;
    struct err err = ERR_INIT;

    (void)state;
    build_library(libraries[0].source, &r);
    use_tool("nvdisasm", script);

    struct evidence_request req = {.device = &device_cuda,
                                   .artifact_fd = r.artifact_fd,
                                   .artifact_hash = r.artifact_hash,
                                   .cache_dir = cache};

    assert_int_equal(evidence_collect(&req, &e, &err), 0);
    if (!e.checked)
        fail_msg("%s", e.why_not);
    assert_int_equal(e.sass.n_kernels, 1);
    assert_int_equal(e.sass.total.instructions, 1);
    assert_true(e.sass.kernels[0].registers > 0);
    assert_int_equal(e.sass.kernels[0].stack_bytes, 0);
    assert_int_equal(e.sass.kernels[0].shared_bytes, 0);
    assert_null(e.loads_code);
    evidence_release(&e);
    build_result_release(&r);
}

static int set_up(void **state)
{
    struct err err = ERR_INIT;

    (void)state;
    if (rig_open("") < 0)
        return -1;
    tool_dir = fs_join(base, "tool/bin");
    return fs_mkdirs(tool_dir, &err);
}

static int tear_down(void **state)
{
    (void)state;
    unsetenv("ASSAY_DISASM");
    freep(&tool_dir);
    return rig_close();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_shared_library),   TEST(test_machine_code_alone),  TEST(test_cache),
        TEST(test_damaged_cache),    TEST(test_not_checked),         TEST(test_other_devices),
        TEST(test_folder_with_code), TEST(test_folder_without_code), TEST(test_folder_that_hides),
        TEST(test_host_code),        TEST(test_library_taken_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
