/* SPDX-License-Identifier: MIT */
/* The nearest of several words. */
#include "testing.h"

static void nearest_word_or_none(void **state)
{
    static const char *const names[] = {"list", "show", "eval", "admit"};

    (void)state;
    assert_string_equal(nearest("evl", names, 4), "eval");
    assert_string_equal(nearest("amdit", names, 4), "admit");
    assert_null(nearest("frobnicate", names, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_word_or_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
