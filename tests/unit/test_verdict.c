/* SPDX-License-Identifier: MIT */
/* The table of reasons, and what a verdict takes from it. */
#include "testing.h"

#include "terms/verdict.h"

#include <string.h>

static void every_reason_has_a_code_and_a_meaning(void **state)
{
    (void)state;
    for (int r = REASON_NONE + 1; r < REASON_COUNT; r++) {
        const struct reason_row *row = &reason_table[r];

        assert_true(row->kind > VERDICT_PASS && row->kind < VERDICT_COUNT);
        assert_true(row->code && row->code[0]);
        assert_true(strlen(row->code) < sizeof(((struct verdict *)0)->code));
        assert_true(row->meaning && row->meaning[0] && !strpbrk(row->meaning, "\n|"));
        for (int other = REASON_NONE + 1; other < r; other++)
            if (reason_table[other].kind == row->kind &&
                !strcmp(reason_table[other].code, row->code))
                fail_msg("%s: %s stands there twice", verdict_names[row->kind], row->code);
    }
}

/* A verdict takes all from its reason's row, whatever the reason. */
static void every_reason_can_be_set(void **state)
{
    (void)state;
    for (int r = REASON_NONE + 1; r < REASON_COUNT; r++) {
        struct verdict v = VERDICT_INIT;

        assert_int_equal(verdict_set(&v, r, "%d\n", 7), 1);
        assert_int_equal(v.reason, r);
        assert_int_equal(v.kind, reason_table[r].kind);
        assert_string_equal(v.code, reason_table[r].code);
        assert_string_equal(v.detail, "7 ");
    }
}

/* What stands in the oldest records: a code may come, none may change. tests/e2e/reason_codes.sh
 * holds that for reasons that came later, so this list need not grow. */
static void codes_are_as_in_old_records(void **state)
{
    static const struct {
        enum reason reason;
        enum verdict_kind kind;
        const char *code;
    } cases[] = {
        {REASON_WRONG_MAX, VERDICT_WRONG, "max"},
        {REASON_WRONG_RMS, VERDICT_WRONG, "rms"},
        {REASON_WRONG_NONFINITE, VERDICT_WRONG, "nonfinite"},
        {REASON_WRONG_UNEQUAL, VERDICT_WRONG, "unequal"},
        {REASON_WRONG_UNWRITTEN, VERDICT_WRONG, "unwritten"},
        {REASON_WRONG_OUT_OF_BOUNDS, VERDICT_WRONG, "out_of_bounds"},
        {REASON_WRONG_INPUT_CHANGED, VERDICT_WRONG, "input_changed"},
        {REASON_WRONG_TYPE, VERDICT_WRONG, "type"},
        {REASON_WRONG_SHAPE, VERDICT_WRONG, "shape"},
        {REASON_WRONG_DTYPE, VERDICT_WRONG, "dtype"},
        {REASON_CRASH_FAULT, VERDICT_CRASH, "fault"},
        {REASON_CRASH_SIGNAL, VERDICT_CRASH, "SIG?"},
        {REASON_CRASH_EXITED, VERDICT_CRASH, "exited"},
        {REASON_CRASH_RETURNED, VERDICT_CRASH, "returned"},
        {REASON_CRASH_SETUP, VERDICT_CRASH, "setup"},
        {REASON_CRASH_MEMORY, VERDICT_CRASH, "memory"},
        {REASON_TIMEOUT_START, VERDICT_TIMEOUT, "start"},
        {REASON_TIMEOUT_LOADING, VERDICT_TIMEOUT, "loading"},
        {REASON_TIMEOUT_SETUP, VERDICT_TIMEOUT, "setup"},
        {REASON_TIMEOUT_CALL, VERDICT_TIMEOUT, "call"},
        {REASON_TIMEOUT_BETWEEN_CALLS, VERDICT_TIMEOUT, "between calls"},
        {REASON_TIMEOUT_CHECKS, VERDICT_TIMEOUT, "checks"},
        {REASON_BUILD_ERROR_COMPILER, VERDICT_BUILD_ERROR, "compiler"},
        {REASON_BUILD_ERROR_TIMEOUT, VERDICT_BUILD_ERROR, "timeout"},
        {REASON_BUILD_ERROR_TOO_LARGE, VERDICT_BUILD_ERROR, "too_large"},
        {REASON_BUILD_ERROR_LOAD, VERDICT_BUILD_ERROR, "load"},
        {REASON_BUILD_ERROR_IMPORT, VERDICT_BUILD_ERROR, "import"},
        {REASON_BUILD_ERROR_MODULE, VERDICT_BUILD_ERROR, "module"},
        {REASON_BUILD_ERROR_CONSTRUCT, VERDICT_BUILD_ERROR, "construct"},
        {REASON_BUILD_ERROR_SIGNATURE, VERDICT_BUILD_ERROR, "signature"},
        {REASON_BUILD_ERROR_PARAMETERS, VERDICT_BUILD_ERROR, "parameters"},
        {REASON_REJECTED_SANDBOX, VERDICT_REJECTED, "sandbox"},
        {REASON_REJECTED_PHYSICS, VERDICT_REJECTED, "physics"},
        {REASON_REJECTED_CLOCK, VERDICT_REJECTED, "clock"},
        {REASON_REJECTED_CACHE, VERDICT_REJECTED, "cache"},
        {REASON_REJECTED_BUSY, VERDICT_REJECTED, "busy"},
        {REASON_REJECTED_LATE, VERDICT_REJECTED, "late"},
        {REASON_REJECTED_MEMORY, VERDICT_REJECTED, "memory"},
        {REASON_REJECTED_PROTOCOL, VERDICT_REJECTED, "protocol"},
        {REASON_REJECTED_EVIDENCE, VERDICT_REJECTED, "evidence"},
        {REASON_INFRA_SYSTEM, VERDICT_INFRA, "system"},
        {REASON_INFRA_DEVICE, VERDICT_INFRA, "device"},
        {REASON_INFRA_EVIDENCE, VERDICT_INFRA, "evidence"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct verdict v = VERDICT_INIT;

        assert_int_equal(verdict_set(&v, cases[i].reason, "%d\n", 7), 1);
        assert_int_equal(v.reason, cases[i].reason);
        assert_int_equal(v.kind, cases[i].kind);
        assert_string_equal(v.code, cases[i].code);
        assert_string_equal(v.detail, "7 ");
    }
}

static void another_reason_keeps_the_detail(void **state)
{
    struct verdict v = VERDICT_INIT;

    (void)state;
    verdict_set(&v, REASON_INFRA_EVIDENCE, "not seen");
    v.quotes = true;
    verdict_change(&v, REASON_REJECTED_EVIDENCE);
    assert_int_equal(v.kind, VERDICT_REJECTED);
    assert_string_equal(v.detail, "not seen");
    assert_true(v.quotes);
}

static void codes_are_found(void **state)
{
    static const struct {
        enum verdict_kind kind;
        const char *text, *want;
    } cases[] = {
        {VERDICT_WRONG, "max", "max"},
        {VERDICT_WRONG, "ma", NULL},
        {VERDICT_WRONG, "maxi", NULL},
        {VERDICT_WRONG, "busy", NULL},
        {VERDICT_TIMEOUT, "between calls", "between calls"},
        {VERDICT_CRASH, "SIGSEGV", "SIGSEGV"},
        {VERDICT_CRASH, "CUDA_ERROR_ASSERT", "CUDA_ERROR_ASSERT"},
        {VERDICT_REJECTED, "SIGSEGV", NULL},
        {VERDICT_CRASH, "SIGSEVG", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const char *got = verdict_find_code(cases[i].kind, cases[i].text, strlen(cases[i].text));

        assert_int_equal(!got, !cases[i].want);
        if (got)
            assert_string_equal(got, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reason_has_a_code_and_a_meaning),
        cmocka_unit_test(every_reason_can_be_set),
        cmocka_unit_test(codes_are_as_in_old_records),
        cmocka_unit_test(another_reason_keeps_the_detail),
        cmocka_unit_test(codes_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
