/* SPDX-License-Identifier: MIT */
/* Text and figures from outside as JSON. */
#include "testing.h"

#include "report/json_text.h"

#include <math.h>

static void text_from_outside_is_always_json(void **state)
{
    json_t *j = json_text("a\xff\0b\xc3\xa9", 6);

    (void)state;
    assert_string_equal(json_string_value(j), "a??b??");
    json_decref(j);
    j = json_text("\xc3\xa9", 2);
    assert_string_equal(json_string_value(j), "\xc3\xa9");
    json_decref(j);
    assert_true(json_is_null(json_text_or_null("")));
    assert_true(json_is_null(json_figure(NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_from_outside_is_always_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
