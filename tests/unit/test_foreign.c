/* SPDX-License-Identifier: MIT */
/* Times that others published, as a baseline. */
#include "results_rig.h"

#include "base/fs.h"
#include "results/foreign.h"

#include <math.h>
#include <string.h>

static void foreign_times(void **state)
{
    static const char text[] =
        "{\"level1\": {\"19_ReLU.py\": {\"mean\": 1.5, \"std\": 0.1},"
        " \"20_LeakyReLU.py\": null}, \"level2\": {\"19_X.py\": {\"mean\": 2}}}";
    AUTO(foreign_release) struct foreign f = {0};
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(fs_write_atomic("kb.json", text, strlen(text), &err), 0);
    assert_int_equal(foreign_load("kb.json", &f, &err), 0);
    assert_int_equal(f.n, 2);
    assert_string_equal(f.label, "foreign: kb.json");
    NEAR(foreign_cold_us(&f, "level1/019_relu", "any", "any"), 1500);
    NEAR(foreign_cold_us(&f, "level2/019_y", "any", "any"), 2000);
    assert_true(isnan(foreign_cold_us(&f, "level1/020_leaky_relu", "any", "any")));
    assert_true(isnan(foreign_cold_us(&f, "level/019_relu", "any", "any")));
    assert_true(isnan(foreign_cold_us(&f, "own", "any", "any")));

    struct foreign none = {0};

    assert_int_equal(fs_write_atomic("kb.json", "[]", 2, &err), 0);
    assert_int_equal(foreign_load("kb.json", &none, &err), -1);
    assert_int_equal(fs_write_atomic("kb.json", "{", 1, &err), 0);
    assert_int_equal(foreign_load("kb.json", &none, &err), -1);
    assert_int_equal(err.kind, ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_times),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
