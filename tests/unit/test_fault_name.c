/* SPDX-License-Identifier: MIT */
/* What a crash is called, by a fault and by a signal. */
#include "testing.h"

#include "terms/fault_name.h"
#include "terms/verdict.h"

#include <signal.h>
#include <stdio.h>

/* A candidate wrote "PASS: ..." where a fault's text belongs, and its verdict was `crash: PASS`. */
static void faults_are_called_by_the_list(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access", "CUDA_ERROR_ILLEGAL_ADDRESS"},
        {"CUDA_ERROR_LAUNCH_FAILED", "CUDA_ERROR_LAUNCH_FAILED"},
        {"TORCH: RuntimeError: no", "TORCH"},
        {"PYTHON: ValueError: no", "PYTHON"},
        {"OUT_OF_MEMORY: OutOfMemoryError: no", "OUT_OF_MEMORY"},
        {"FAKE_ERROR_FAULT: as its text says", "FAKE_ERROR_FAULT"},
        {"PASS: every answer is right", "fault"},
        {"CUDA_ERROR_ILLEGAL", "fault"},
        {"CUDA_ERROR_ASSERT is not what it is called: no", "fault"},
        {": ", "fault"},
        {"", "fault"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_string_equal(fault_name(cases[i].text), cases[i].want);
}

/* The list is ours, and must have every name that the C library has. */
static void signals_are_called_by_their_names(void **state)
{
    (void)state;
    for (int number = -1; number < 130; number++) {
        const char *known = number > 0 ? sigabbrev_np(number) : NULL;
        struct verdict v = VERDICT_INIT;
        char want[32];

        snprintf(want, sizeof(want), "SIG%s", known ? known : "?");
        verdict_set_named(&v, REASON_CRASH_SIGNAL, signal_name(number), "it ended");
        assert_int_equal(v.kind, VERDICT_CRASH);
        assert_string_equal(v.code, want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_called_by_the_list),
        cmocka_unit_test(signals_are_called_by_their_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
