/* SPDX-License-Identifier: MIT */
/* Names of runs. */
#include "testing.h"

#include "run/run.h"

static void names_of_runs(void **state)
{
    static const char *const good[] = {"a", "2026-11-15_night.2"};
    static const char *const bad[] = {"", ".a", "-a", "a/b", "a b", "\xc3\xa4"};
    struct err err = ERR_INIT;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(good); i++)
        assert_int_equal(run_check_name(good[i], &err), 0);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        assert_int_equal(run_check_name(bad[i], &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
