/* SPDX-License-Identifier: MIT */
/* The reader of disassemblies, on text in the two tools' forms. That compilers really write these
 * instructions is tests/gpu/evidence's business. */
#include "testing.h"

#include "build/sass.h"

#include <stdio.h>
#include <string.h>

/* ---- classes ---- */

static const struct {
    const char *instruction;
    enum tensor_class class;
} classes[] = {
    {"HGMMA.64x128x16.F32.BF16 R24, gdesc[UR4], R24, gsb0", TENSOR_BF16},
    {"HGMMA.64x8x16.F32 R24, gdesc[UR4], R24", TENSOR_FP16},
    {"HGMMA.64x192x16.F16 R24, R4, gdesc[UR4], R24", TENSOR_FP16},
    {"HGMMA.64x8x8.F32.TF32 R24, gdesc[UR4], RZ, !UPT", TENSOR_TF32},
    {"QGMMA.64x128x32.F32.E4M3.E4M3 R24, gdesc[UR8], R24", TENSOR_FP8},
    {"QGMMA.64x64x32.F16.E5M2.E4M3 R24, gdesc[UR8], R24", TENSOR_FP8},
    {"IGMMA.64x8x32.S8.S8 R24, gdesc[UR8], R24", TENSOR_INT8},
    {"BGMMA.64x256x256.AND.POPC R24, gdesc[UR8], R24", TENSOR_BINARY},
    {"HMMA.16816.F32.BF16 R8, R4, R6, RZ", TENSOR_BF16},
    {"HMMA.16816.F32 R8, R4, R6, RZ", TENSOR_FP16},
    {"HMMA.16816.F16 R8, R4, R6, RZ", TENSOR_FP16},
    {"HMMA.1688.F32 R8, R4, R6, RZ", TENSOR_FP16},
    {"HMMA.SP.16832.F32.BF16 R8, R4, R6, RZ, R2, 0x0", TENSOR_BF16},
    {"HMMA.1688.F32.TF32 R8, R4, R6, RZ", TENSOR_TF32},
    {"HMMA.1684.F32.TF32 R8, R4, R6, RZ", TENSOR_TF32},
    {"QMMA.16832.F32.E4M3.E4M3 R8, R4, R6, RZ", TENSOR_FP8},
    {"QMMA.16832.F32.E4M3.E2M1 R8, R4, R6, RZ", TENSOR_FP8},
    {"QMMA.SF.16832.F32.E4M3.E4M3.E8 R12, R4, R8, RZ, R0, R0, URZ", TENSOR_FP8},
    {"QMMA.16832.F32.E3M2.E2M1 R8, R4, R6, RZ", TENSOR_FP6},
    {"QMMA.16832.F32.E2M1.E2M1 R8, R4, R6, RZ", TENSOR_FP4},
    {"OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X R8, R4, R6, RZ, R2, R3, URZ", TENSOR_FP4},
    {"IMMA.16832.S8.S8 R8, R4.ROW, R6.COL, RZ", TENSOR_INT8},
    {"IMMA.16816.U8.S8.SAT R8, R4.ROW, R6.COL, RZ", TENSOR_INT8},
    {"IMMA.8832.U4.U4 R8, R4.ROW, R6.COL, RZ", TENSOR_INT4},
    {"IMMA.16864.S4.S4 R8, R4.ROW, R6.COL, RZ", TENSOR_INT4},
    {"BMMA.168128.XOR.POPC R8, R4, R6, RZ", TENSOR_BINARY},
    {"DMMA.8x8x4 R8, R2, R4, R8", TENSOR_FP64},
    {"DMMA.16x8x16 R8, R2, R4, R8", TENSOR_FP64},
    {"UTCHMMA gdesc[UR8], gdesc[UR10], tmem[UR6], tmem[UR4], idesc[UR5], UPT", TENSOR_UNTYPED},
    {"UTCQMMA.2CTA gdesc[UR8], gdesc[UR10], tmem[UR6], tmem[UR4], idesc[UR5], UPT", TENSOR_FP8},
    {"UTCOMMA.4X gdesc[UR8], gdesc[UR10], tmem[UR6], tmem[UR4], idesc[UR5], UPT", TENSOR_FP4},
    {"UTCIMMA gdesc[UR8], gdesc[UR10], tmem[UR6], tmem[UR4], idesc[UR5], UPT", TENSOR_INT8},
    {"XYZMMA.123.F99 R8, R4, R6, RZ", TENSOR_UNTYPED}, /* one that does not exist yet */
    /* Thrown away: what ptxas writes for a group without a product. */
    {"HGMMA.64x8x16.F16 RZ, gdesc[UR4], RZ, !UPT, gsb0", TENSOR_NONE},
    {"QGMMA.64x8x32.F32.E4M3.E4M3 RZ, gdesc[UR4], RZ, !UPT", TENSOR_NONE},
    {"FFMA R3, R4, R5, R3", TENSOR_NONE},
    {"MMA_LIKE R3, R4", TENSOR_NONE},
};

static void test_classes(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
        AUTO(freep)
        char *line = xasprintf("        /*0a10*/   @!P0 %s ;  /* 0x0000df00ff017b82 */",
                               classes[i].instruction);
        struct sass s = {0};

        sass_read(&s, line, strlen(line));
        assert_int_equal(s.total.instructions, 1);
        for (int c = TENSOR_NONE + 1; c < TENSOR_CLASSES; c++)
            if (sass_count_class(&s.total, (enum tensor_class)c) != (c == (int)classes[i].class))
                fail_msg("%s: %s is %d", classes[i].instruction, tensor_class_names[c],
                         (int)sass_count_class(&s.total, (enum tensor_class)c));
        sass_release(&s);
    }
}

static void test_names(void **state)
{
    (void)state;
    for (int c = TENSOR_NONE + 1; c < TENSOR_CLASSES; c++)
        assert_int_equal(tensor_class_find(tensor_class_names[c]), c);
    assert_int_equal(tensor_class_find("none"), TENSOR_NONE);
    assert_int_equal(tensor_class_find("fp9"), TENSOR_NONE);
}

/* Labels are how records and the cache name a rule. */
static void test_labels_differ(void **state)
{
    (void)state;
    for (int i = 0; i < SASS_RULES; i++)
        for (int k = 0; k < i; k++) {
            AUTO(freep) char *a = sass_rule_label(i), *b = sass_rule_label(k);

            assert_string_not_equal(a, b);
        }
}

/* ---- whole files ---- */

static const char cuobjdump_text[] =
    "\nFatbin elf code:\n================\narch = sm_90a\ncode version = [1,8]\nhost = linux\n"
    "compile_size = 64bit\n\n\tcode for sm_90a\n\n"
    "Fatbin elf code:\n================\narch = sm_90a\n\n\tcode for sm_90a\n"
    "\t\tFunction : _Z4gemmPfS_\n"
    "\t.headerflags\t@\"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90\"\n"
    "        /*0000*/                   LDC R1, c[0x0][0x28] ;     /* 0x00000a00ff017b82 */\n"
    "                                                              /* 0x000fe20000000800 */\n"
    "        /*0010*/              @!P0 LDG.E.128 R4, desc[UR4][R2.64] ; /* 0x0000000402047981 */\n"
    "                                                              /* 0x000ea2000c1e1d00 */\n"
    "        /*0020*/                   HMMA.16816.F32.BF16 R8, R4, R6, RZ ; /* 0x00000006 */\n"
    "        /*0030*/                   HMMA.16816.F32.BF16 R8, R4, R6, R8 ; /* 0x00000006 */\n"
    "        /*0040*/                   STL.64 [R1+0x8], R8 ;       /* 0x0000080801007387 */\n"
    "        /*0050*/                   EXIT ;                      /* 0x000000000000794d */\n"
    "        /*0060*/                   BRA 0x60;                   /* 0xfffffffc00fc7947 */\n"
    "\t\t..........\n\n"
    "\t\tFunction : axpy\n"
    "        /*0000*/                   FFMA R3, R4, R5, R3 ;       /* 0x0000000504037223 */\n"
    "        /*0010*/                   EXIT ;                      /* 0x000000000000794d */\n";

static const char usage_text[] =
    "\nResource usage:\n Common:\n  GLOBAL:0 CONSTANT[3]:24\n"
    " Function axpy:\n"
    "  REG:8 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:560 TEXTURE:0 SURFACE:0 SAMPLER:0\n"
    " Function _Z4gemmPfS_:\n"
    "  REG:168 STACK:16 SHARED:49152 LOCAL:4 CONSTANT[0]:568 TEXTURE:0 SURFACE:0 SAMPLER:0\n"
    " Function not_seen_before:\n  REG:255 STACK:99 SHARED:99 LOCAL:99\n";

static void test_cuobjdump(void **state)
{
    struct sass s = {0};

    (void)state;
    sass_read(&s, cuobjdump_text, strlen(cuobjdump_text));
    sass_read_usage(&s, usage_text, strlen(usage_text));
    assert_int_equal(s.n_kernels, 2);
    assert_int_equal(s.total.instructions, 9);
    assert_false(s.has_ptx);

    const struct sass_kernel *gemm = &s.kernels[0], *axpy = &s.kernels[1];

    assert_string_equal(gemm->name, "_Z4gemmPfS_");
    assert_int_equal(gemm->counts.instructions, 7);
    assert_int_equal(sass_count_class(&gemm->counts, TENSOR_BF16), 2);
    assert_int_equal(sass_count_opcode(&gemm->counts, "STL"), 1);
    assert_int_equal(sass_count_opcode(&gemm->counts, "LDG"), 1);
    assert_int_equal(gemm->registers, 168);
    assert_int_equal(gemm->stack_bytes, 16);
    assert_int_equal(gemm->shared_bytes, 49152);
    assert_int_equal(gemm->local_bytes, 4);
    assert_string_equal(axpy->name, "axpy");
    assert_int_equal(sass_count_opcode(&axpy->counts, "FFMA"), 1);
    assert_int_equal(sass_count_class(&axpy->counts, TENSOR_BF16), 0);
    assert_int_equal(axpy->registers, 8);
    assert_int_equal(sass_count_opcode(&s.total, "HMMA"), 2);
    sass_release(&s);
}

static const char nvdisasm_text[] =
    "\t.headerflags\t@\"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_SM90\"\n\t.elftype\t@\"ET_EXEC\"\n\n\n"
    "//--------------------- .text.wgmma_kernel          --------------------------\n"
    "\t.section\t.text.wgmma_kernel,\"ax\",@progbits\n"
    "\t.sectionflags\t@\"SHF_BARRIERS=1\"\n"
    "\t.sectioninfo\t@\"SHI_REGISTERS=37\"\n"
    "\t.align\t128\n"
    "        .global         wgmma_kernel\n"
    "wgmma_kernel:\n.text.wgmma_kernel:\n"
    "        /*0000*/                   MOV R1, c[0x0][0x28] ;\n"
    ".L_x_3:\n"
    "        /*10010*/                  QGMMA.64x8x32.F32.E4M3.E4M3 R4, gdesc[UR4], R4, gsb0 ;\n";

static void test_nvdisasm(void **state)
{
    struct sass s = {0};

    (void)state;
    sass_read(&s, nvdisasm_text, strlen(nvdisasm_text));
    assert_int_equal(s.n_kernels, 1);
    assert_string_equal(s.kernels[0].name, "wgmma_kernel");
    assert_int_equal(s.kernels[0].registers, 37);
    assert_int_equal(s.kernels[0].shared_bytes, -1);
    assert_int_equal(s.kernels[0].counts.instructions, 2);
    assert_int_equal(sass_count_class(&s.total, TENSOR_FP8), 1);
    sass_release(&s);
}

static void test_ptx_is_noticed(void **state)
{
    static const char text[] = "Fatbin ptx code:\n================\narch = sm_90\ncompressed\n";
    struct sass s = {0};

    (void)state;
    sass_read(&s, text, strlen(text));
    assert_true(s.has_ptx);
    sass_release(&s);
}

/* ---- text that nobody meant ---- */

static void test_odd_text(void **state)
{
    static const char *const texts[] = {
        "",
        "\n\n\n",
        "/*",
        "/**/ HMMA R0",
        "/*00",
        "/*0000*/",
        "/*0000*/ @",
        "/*0000*/ ;",
        "/* 0x000fe20000000800 */",
        "/*0000*/ .HMMA R1",
        "\t.section\t.text",
        "Function",
        "mentions HMMA.16816.F32.BF16 R8, R4 ; in a sentence",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        struct sass s = {0};

        sass_read(&s, texts[i], strlen(texts[i]));
        sass_read_usage(&s, texts[i], strlen(texts[i]));
        if (s.total.instructions || s.n_kernels)
            fail_msg("%s: %d instructions", texts[i], (int)s.total.instructions);
        sass_release(&s);
    }
}

/* Names are a stranger's, and so is their number. */
static void test_names_and_numbers_are_bounded(void **state)
{
    AUTO(freep) char *text = xmalloc(1 << 20);
    struct sass s = {0};
    size_t len = 0;

    (void)state;
    for (int i = 0; i < SASS_MAX_KERNELS + 3; i++)
        len +=
            (size_t)sprintf(text + len, "\t\tFunction : k%d\033[2J\n/*0000*/ DMMA.884 R1 ;\n", i);
    sass_read(&s, text, len);
    assert_int_equal(s.n_kernels, SASS_MAX_KERNELS);
    assert_int_equal(s.left_out, 3);
    assert_int_equal(sass_count_class(&s.total, TENSOR_FP64), SASS_MAX_KERNELS + 3);
    assert_string_equal(s.kernels[7].name, "k7?[2J");
    sass_release(&s);

    memset(text, 'x', 1 << 19);
    memcpy(text, "Function : ", strlen("Function : "));
    sass_read(&s, text, 1 << 19);
    assert_int_equal(strlen(s.kernels[0].name), SASS_MAX_NAME);
    sass_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),       cmocka_unit_test(test_names),
        cmocka_unit_test(test_labels_differ), cmocka_unit_test(test_cuobjdump),
        cmocka_unit_test(test_nvdisasm),      cmocka_unit_test(test_ptx_is_noticed),
        cmocka_unit_test(test_odd_text),      cmocka_unit_test(test_names_and_numbers_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
