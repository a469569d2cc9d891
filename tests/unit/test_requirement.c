/* SPDX-License-Identifier: MIT */
/* What follows from evidence, on evidence made by hand. Whose fault it is that there is none:
 * integration/test_requirement.c. */
#include "testing.h"

#include "judge/requirement.h"
#include "problem/problem.h"

#include <string.h>

#define FP8 "/*0000*/ QGMMA.64x8x32.F32.E4M3.E4M3 R4, gdesc[UR4], R4 ;\n"
#define BF16 "/*0000*/ HGMMA.64x8x16.F32.BF16 R4, gdesc[UR4], R4 ;\n"
#define FP16 "/*0000*/ HMMA.16816.F32 R8, R4, R6, RZ ;\n"
#define UNPACK "/*0000*/ F2FP.F16.E4M3.UNPACK_B R4, R5 ;\n"
#define FFMA "/*0000*/ FFMA R3, R4, R5, R3 ;\n"
#define UNTYPED "/*0000*/ UTCHMMA gdesc[UR8], gdesc[UR10], tmem[UR6], tmem[UR4], idesc[UR5] ;\n"

static struct evidence evidence_of(const char *code)
{
    struct evidence e = {.applies = true, .checked = true};

    sass_read(&e.sass, code, strlen(code));
    return e;
}

static const struct {
    const char *code, *tensor;
    enum verdict_kind kind;
    const char *detail;
} cases[] = {
    {FP8 FFMA, "fp8", VERDICT_PASS, ""},
    {BF16, "bf16", VERDICT_PASS, ""},
    {BF16, NULL, VERDICT_PASS, ""},
    {BF16, "fp8", VERDICT_REJECTED,
     "requires fp8 tensor cores; the code has bf16 HGMMA, none of fp8"},
    {FP8 BF16 FP16, "fp8", VERDICT_REJECTED,
     "requires fp8 tensor cores; the code has bf16 HGMMA, fp16 HMMA, beside fp8"},
    {FFMA, "fp8", VERDICT_REJECTED, "requires fp8 tensor cores; the code uses no tensor cores"},
    {FP16 UNPACK, "fp8", VERDICT_REJECTED,
     "requires fp8 tensor cores; the code has fp16 HMMA, none of fp8 (fp8 is unpacked: only wgmma "
     "multiplies it here)"},
    {UNTYPED, "fp8", VERDICT_REJECTED,
     "requires fp8 tensor cores; the code has untyped UTCHMMA, none of fp8"},
    {UNTYPED, "bf16", VERDICT_INFRA,
     "requires bf16 tensor cores; not checked: its tensor instructions do not say their type"},
    {UNTYPED FP8, "bf16", VERDICT_REJECTED,
     "requires bf16 tensor cores; the code has fp8 QGMMA, untyped UTCHMMA, none of bf16"},
};

static void test_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct evidence e = evidence_of(cases[i].code);
        struct verdict v = VERDICT_INIT;
        int rc = requirement_check(&e, cases[i].tensor, &v);

        if (rc != (cases[i].kind != VERDICT_PASS) || v.kind != cases[i].kind ||
            strcmp(v.detail, cases[i].detail) != 0)
            fail_msg("case %zu: %s: %s", i, verdict_names[v.kind], v.detail);
        assert_string_equal(v.code, rc ? "evidence" : "");
        evidence_release(&e);
    }
}

/* Never a pass; and where nothing is required, never anything else. */
static void test_not_checked(void **state)
{
    char why[] = "no disassembler found: install cuobjdump", loader[] = "cuModuleLoad";
    struct evidence unseen = {.applies = true, .why_not = why};
    struct evidence loads = evidence_of(FP8), loads_bf16 = evidence_of(BF16);
    struct verdict v = VERDICT_INIT;

    (void)state;
    assert_int_equal(requirement_check(&unseen, NULL, &v), 0);
    assert_int_equal(requirement_check(&unseen, "fp8", &v), 1);
    assert_int_equal(v.kind, VERDICT_INFRA);
    assert_non_null(strstr(v.detail, "not checked: no disassembler found: install cuobjdump"));

    loads.loads_code = loads_bf16.loads_code = loader;
    assert_int_equal(requirement_check(&loads, NULL, &v), 0);
    assert_int_equal(requirement_check(&loads, "fp8", &v), 1);
    assert_int_equal(v.kind, VERDICT_INFRA);
    assert_non_null(strstr(v.detail, "could load code at run time (cuModuleLoad)"));
    /* What is seen to be wrong is wrong, whatever else it may do. */
    assert_int_equal(requirement_check(&loads_bf16, "fp8", &v), 1);
    assert_int_equal(v.kind, VERDICT_REJECTED);
    loads.loads_code = loads_bf16.loads_code = NULL;
    evidence_release(&loads);
    evidence_release(&loads_bf16);
}

/* Of a candidate in Python only its own code is seen: the same rules, and other words. */
static void test_own_code(void **state)
{
    struct evidence fp8 = evidence_of(FP8), bf16 = evidence_of(BF16);
    struct evidence nothing = {.applies = true, .checked = true, .own_code = true};
    AUTO(buf_release) struct buf line = BUF_INIT;
    struct verdict v = VERDICT_INIT;

    (void)state;
    fp8.own_code = bf16.own_code = true;
    assert_int_equal(requirement_check(&fp8, "fp8", &v), 0);
    assert_int_equal(requirement_check(&nothing, NULL, &v), 0);
    assert_int_equal(requirement_check(&bf16, "fp8", &v), 1);
    assert_int_equal(v.kind, VERDICT_REJECTED);
    assert_int_equal(requirement_check(&nothing, "fp8", &v), 1);
    assert_int_equal(v.kind, VERDICT_REJECTED);
    assert_string_equal(v.detail,
                        "requires fp8 tensor cores; the code uses no tensor cores (its own "
                        "code, without that of libraries)");
    requirement_describe(&fp8, "fp8", &line);
    assert_non_null(strstr(buf_str(&line), "only its own code was seen, so it is ranked apart; "
                                           "tensor cores: fp8"));
    evidence_release(&fp8);
    evidence_release(&bf16);
}

static void test_other_devices(void **state)
{
    const struct evidence e = {.applies = false};
    struct verdict v = VERDICT_INIT;

    (void)state;
    assert_int_equal(requirement_check(&e, "fp8", &v), 0);
    assert_int_equal(v.kind, VERDICT_PASS);
}

/* What a problem file may say and what the builder can see are two lists in two folders. */
static void test_every_requirement_is_known(void **state)
{
    (void)state;
    for (int i = 0; requires_tensor_names[i]; i++)
        assert_int_not_equal(tensor_class_find(requires_tensor_names[i]), TENSOR_NONE);
}

static void test_line_for_people(void **state)
{
    static const struct {
        const char *code, *text;
    } lines[] = {
        {"Function : k\n" FFMA, ""},
        {"Function : k\n" BF16 BF16 FFMA, "tensor cores: bf16 HGMMA"},
        {"Function : k\n/*0000*/ LDL R1, [R2] ;\nFunction : worse\n/*0000*/ LDL R1, [R2] ;\n"
         "/*0010*/ STL.128 [R2], R4 ;\n",
         "local memory in worse: 1 loads, 1 stores"},
        {FP16 "Function : k\n/*0000*/ LDL R1, [R2] ;\n\t.sectioninfo @\"SHI_REGISTERS=255\"\n",
         "tensor cores: fp16 HMMA; local memory in k: 1 loads, 0 stores, 255 registers"},
    };
    const struct evidence other = {.applies = false};
    AUTO(buf_release) struct buf note = BUF_INIT;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        struct evidence e = evidence_of(lines[i].code);
        AUTO(buf_release) struct buf text = BUF_INIT;

        requirement_describe(&e, NULL, &text);
        assert_string_equal(buf_str(&text), lines[i].text);
        evidence_release(&e);
    }
    requirement_describe(&other, NULL, &note);
    assert_string_equal(buf_str(&note), "");
    requirement_describe(&other, "fp8", &note);
    assert_string_equal(buf_str(&note), "requires fp8 tensor cores: does not apply to this device");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_code),
        cmocka_unit_test(test_not_checked),
        cmocka_unit_test(test_own_code),
        cmocka_unit_test(test_other_devices),
        cmocka_unit_test(test_every_requirement_is_known),
        cmocka_unit_test(test_line_for_people),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
