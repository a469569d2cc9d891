/* SPDX-License-Identifier: MIT */
/* A time below that of an empty kernel. */
#include "timing_rig.h"

/* Nobody is faster than an empty kernel, cold or back to back. */
static void below_an_empty_kernel_is_physics(void **state)
{
    static const struct {
        double cold_floor_ns, hot_floor_ns;
        enum verdict_kind kind;
        const char *reason, *detail;
    } cases[] = {
        {20e9, 0, VERDICT_REJECTED, "physics",
         "10000000.000 us cold is less than memory, arithmetic or an empty kernel takes on this "
         "device (19999999.800 us)"},
        {0, 20e9, VERDICT_REJECTED, "physics", "10000000.000 us back to back is less than"},
        {10e9 + 100, 10.5e9, VERDICT_PASS, "", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct rig g;

        make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
        usual.cold_floor_ns = cases[i].cold_floor_ns;
        usual.hot_floor_ns = cases[i].hot_floor_ns;
        judge(&g, "op relu\ntime 10s\n");
        expect(&g, cases[i].kind, cases[i].reason, cases[i].detail);
        end(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(below_an_empty_kernel_is_physics),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
