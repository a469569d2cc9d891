/* SPDX-License-Identifier: MIT */
/* covers: src/nvrtc/assay_nvrtc.c */
/* What docs/devices/cuda.md promises of the C library to kernels without host code: every name is
 * compiled, and its value is the one that this machine's headers give it. Skipped without NVRTC. */
#include "build_rig.h"

#include "build/build.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>

#define LAUNCH "// assay: launch k grid=1 block=1 args=out0\n"

struct integer {
    const char *name;
    long long value; /* its bits, where it is unsigned */
};
struct real {
    const char *name;
    double value;
};

#define I(name)                  \
    {                            \
#name, (long long)(name) \
    }
#define R(name)       \
    {                 \
#name, (name) \
    }
#define WIDTH(n)                                                               \
    I(INT##n##_MIN), I(INT##n##_MAX), I(UINT##n##_MAX), I(INT_LEAST##n##_MIN), \
        I(INT_LEAST##n##_MAX), I(UINT_LEAST##n##_MAX), I(INT##n##_C(-7)), I(UINT##n##_C(7))

/* FLT_ROUNDS is to the nearest on a device; here it may be no constant. */
static const struct integer integers[] = {
    I(CHAR_BIT),        I(SCHAR_MIN),       I(SCHAR_MAX),       I(UCHAR_MAX),
    I(CHAR_MIN),        I(CHAR_MAX),        I(SHRT_MIN),        I(SHRT_MAX),
    I(USHRT_MAX),       I(INT_MIN),         I(INT_MAX),         I(UINT_MAX),
    I(LONG_MIN),        I(LONG_MAX),        I(ULONG_MAX),       I(LLONG_MIN),
    I(LLONG_MAX),       I(ULLONG_MAX),      WIDTH(8),           WIDTH(16),
    WIDTH(32),          WIDTH(64),          I(INTPTR_MIN),      I(INTPTR_MAX),
    I(UINTPTR_MAX),     I(INTMAX_MIN),      I(INTMAX_MAX),      I(UINTMAX_MAX),
    I(PTRDIFF_MIN),     I(PTRDIFF_MAX),     I(SIZE_MAX),        I(INTMAX_C(-7)),
    I(UINTMAX_C(7)),    I(INT_FAST8_MIN),   I(INT_FAST8_MAX),   I(UINT_FAST8_MAX),
    I(INT_FAST64_MIN),  I(INT_FAST64_MAX),  I(FLT_RADIX),       I(UINT_FAST64_MAX),
    {"FLT_ROUNDS", 1},  I(FLT_EVAL_METHOD), I(FLT_MANT_DIG),    I(DBL_MANT_DIG),
    I(FLT_DIG),         I(DBL_DIG),         I(FLT_MIN_EXP),     I(DBL_MIN_EXP),
    I(FLT_MIN_10_EXP),  I(DBL_MIN_10_EXP),  I(FLT_MAX_EXP),     I(DBL_MAX_EXP),
    I(FLT_MAX_10_EXP),  I(DBL_MAX_10_EXP),  I(FP_ILOGB0),       I(FP_ILOGBNAN),
    I(FLT_DECIMAL_DIG), I(DBL_DECIMAL_DIG), I(FLT_HAS_SUBNORM), I(DBL_HAS_SUBNORM),
};

static const struct real reals[] = {
    R(FLT_MIN),     R(FLT_MAX),      R(FLT_EPSILON), R(FLT_TRUE_MIN), R(DBL_MIN),  R(DBL_MAX),
    R(DBL_EPSILON), R(DBL_TRUE_MIN), R(M_E),         R(M_LOG2E),      R(M_LOG10E), R(M_LN2),
    R(M_LN10),      R(M_PI),         R(M_PI_2),      R(M_PI_4),       R(M_1_PI),   R(M_2_PI),
    R(M_2_SQRTPI),  R(M_SQRT2),      R(M_SQRT1_2),
};

/* glibc's fast types are wider than they have to be; the rest has no value to be held against. */
static const char others[] =
    "static_assert(INT_FAST16_MIN <= INT16_MIN && INT_FAST16_MAX >= INT16_MAX, \"\");\n"
    "static_assert(INT_FAST32_MIN <= INT32_MIN && INT_FAST32_MAX >= INT32_MAX, \"\");\n"
    "static_assert(UINT_FAST16_MAX >= UINT16_MAX && UINT_FAST32_MAX >= UINT32_MAX, \"\");\n"
    "static_assert(sizeof(int8_t) == 1 && sizeof(uint16_t) == 2 && sizeof(int32_t) == 4, \"\");\n"
    "static_assert(sizeof(uint64_t) == 8 && sizeof(intptr_t) == 8 && sizeof(uintptr_t) == 8, "
    "\"\");\n"
    "static_assert(sizeof(int_least16_t) == 2 && sizeof(uint_fast64_t) == 8, \"\");\n"
    "static_assert(sizeof(intmax_t) == 8 && sizeof(uintmax_t) == 8, \"\");\n"
    "static_assert(sizeof(size_t) == 8 && sizeof(ptrdiff_t) == 8, \"\");\n"
    "static_assert(sizeof(float_t) == 4 && sizeof(double_t) == 8, \"\");\n"
    "static_assert(INFINITY > FLT_MAX && HUGE_VALF > FLT_MAX && HUGE_VAL > DBL_MAX, \"\");\n"
    "static_assert(NAN != NAN, \"\");\n"
    "__constant__ float lowest[] = {-INFINITY};\n"
    "struct pair { int a, b; };\n"
    "extern \"C\" __global__ void k(float *y)\n"
    "{\n"
    "    bool whole = y != NULL;\n"
    "    nullptr_t nothing = nullptr;\n"
    "    assert(whole && y != nothing);\n"
    "    memset(y, 0, offsetof(pair, b));\n"
    "    memcpy(y + 1, lowest, sizeof(lowest));\n"
    "    y[2] = sinf(M_PI) + isnan(y[0]) + abs(-1);\n"
    "    free(malloc(4));\n"
    "    printf(\"%d\", whole);\n"
    "}\n";

static const char c_names[] =
    "#include <stdint.h>\n#include <limits.h>\n#include <float.h>\n#include <math.h>\n"
    "#include <stddef.h>\n#include <stdbool.h>\n#include <stdlib.h>\n#include <stdio.h>\n"
    "#include <string.h>\n#include <assert.h>\n";
static const char cpp_names[] =
    "#include <cstdint>\n#include <climits>\n#include <cfloat>\n#include <cmath>\n"
    "#include <cstddef>\n#include <cstdbool>\n#include <cstdlib>\n#include <cstdio>\n"
    "#include <cstring>\n#include <cassert>\n";
/* They bring some of the same names. */
static const char toolkit_names[] = "#include <cuda/std/cstdint>\n#include <cuda/std/cmath>\n"
                                    "#include <cuda/barrier>\n#include <cooperative_groups.h>\n";

static void add_values(struct buf *source)
{
    for (size_t i = 0; i < ARRAY_SIZE(integers); i++)
        buf_addf(source, "static_assert((unsigned long long)(%s) == %lluull, \"%s\");\n",
                 integers[i].name, (unsigned long long)integers[i].value, integers[i].name);
    for (size_t i = 0; i < ARRAY_SIZE(reals); i++)
        buf_addf(source, "static_assert(%s == %a, \"%s\");\n", reals[i].name, reals[i].value,
                 reals[i].name);
    buf_adds(source, others);
}

static void compiles(const char *first, const char *second)
{
    AUTO(buf_release) struct buf source = BUF_INIT;
    struct build_result r;
    struct err err = ERR_INIT;

    buf_addf(&source, "%s%s%s", LAUNCH, first, second);
    add_values(&source);

    struct build_request req = {.device = &device_cuda,
                                .arch = "90a",
                                .file_name = "mine.cu",
                                .source = source.ptr,
                                .source_len = source.len,
                                .problem_h = "",
                                .include_dir = include,
                                .cache_dir = cache};

    if (build_artifact(&req, &r, &err) < 0) {
        if (!strstr(err.text, "no NVRTC found"))
            fail_msg("%s", err.text);
        print_message("%s\n", err.text);
        skip();
    }
    if (r.status != BUILD_OK)
        fail_msg("%s", r.log);
    build_result_release(&r);
}

static void names_of_c(void **state)
{
    (void)state;
    compiles(c_names, "");
}

static void names_of_cpp(void **state)
{
    (void)state;
    compiles(cpp_names, "");
}

static void beside_the_toolkits(void **state)
{
    (void)state;
    compiles(c_names, toolkit_names);
    compiles(toolkit_names, c_names);
}

static int set_up(void **state)
{
    (void)state;
    return rig_open("");
}

static int tear_down(void **state)
{
    (void)state;
    return rig_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_of_c, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_of_cpp, set_up, tear_down),
        cmocka_unit_test_setup_teardown(beside_the_toolkits, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
