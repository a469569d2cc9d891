/* SPDX-License-Identifier: MIT */
/* What a runner inside Python says about a failure, and what the judge makes of it. */
#include "testing.h"

#include "process/python_reason.h"

struct said {
    const char *text;
    enum reason want;
    const char *code, *detail;
};

static void check(int (*fn)(const char *, struct verdict *), const struct said *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct verdict v = VERDICT_INIT;

        assert_int_equal(fn(cases[i].text, &v), 1);
        assert_int_equal(v.reason, cases[i].want);
        assert_string_equal(v.code, cases[i].code);
        assert_string_equal(v.detail, cases[i].detail);
        assert_true(v.quotes); /* the next candidate gets other contents */
    }
}

static void loading(void **state)
{
    static const struct said cases[] = {
        {"module: there is no module x", REASON_BUILD_ERROR_MODULE, "module",
         "there is no module x"},
        {"import: SyntaxError: no", REASON_BUILD_ERROR_IMPORT, "import", "SyntaxError: no"},
        {"construct: a", REASON_BUILD_ERROR_CONSTRUCT, "construct", "a"},
        {"signature: a", REASON_BUILD_ERROR_SIGNATURE, "signature", "a"},
        {"parameters: a: b", REASON_BUILD_ERROR_PARAMETERS, "parameters", "a: b"},
        {"load: no entry", REASON_BUILD_ERROR_LOAD, "load", "no entry"},
        /* Words that a candidate has no right to. */
        {"compiler: it refused", REASON_BUILD_ERROR_LOAD, "load", "compiler: it refused"},
        {"pass: all is well", REASON_BUILD_ERROR_LOAD, "load", "pass: all is well"},
        {"mod: x", REASON_BUILD_ERROR_LOAD, "load", "mod: x"},
        {"module", REASON_BUILD_ERROR_MODULE, "module", ""},
        {"", REASON_BUILD_ERROR_LOAD, "load", ""},
    };

    (void)state;
    check(python_load_verdict, cases, ARRAY_SIZE(cases));
}

static void calling(void **state)
{
    static const struct said cases[] = {
        {"type: expected a torch.Tensor", REASON_WRONG_TYPE, "type",
         "call: expected a torch.Tensor"},
        {"shape: a", REASON_WRONG_SHAPE, "shape", "call: a"},
        {"dtype: a", REASON_WRONG_DTYPE, "dtype", "call: a"},
        {"PYTHON: ValueError: no (line 3)", REASON_CRASH_FAULT, "PYTHON",
         "call: ValueError: no (line 3)"},
        {"max: an error", REASON_CRASH_FAULT, "fault", "call: max: an error"},
        {"pass: all is well", REASON_CRASH_FAULT, "fault", "call: pass: all is well"},
        {"", REASON_CRASH_FAULT, "fault", "call: "},
    };

    (void)state;
    check(python_call_verdict, cases, ARRAY_SIZE(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loading),
        cmocka_unit_test(calling),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
