/* SPDX-License-Identifier: MIT */
/* One line of what went wrong, with its context. */
#include "testing.h"

#include "base/err.h"

#include <errno.h>
#include <string.h>

static void err_is_one_line_with_its_context(void **state)
{
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(fail(&err, ERR_INPUT, "line %d: bad", 7), -1);
    assert_int_equal(wrap(&err, "%s", "a.yaml"), -1);
    assert_string_equal(err.text, "a.yaml: line 7: bad");
    assert_int_equal(err.kind, ERR_INPUT);
    errno = ENOSPC;
    fail_errno(&err, "cannot write %s", "x");
    assert_string_equal(err.text, "cannot write x: No space left on device");
    assert_int_equal(err.kind, ERR_SYSTEM);
}

static void wrap_survives_texts_of_any_length(void **state)
{
    struct err err = ERR_INIT;
    char big[4096];

    (void)state;
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    fail(&err, ERR_INPUT, "%s", big);
    for (int i = 0; i < 10; i++)
        wrap(&err, "%s", big);
    assert_true(strlen(err.text) < sizeof(err.text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(err_is_one_line_with_its_context),
        cmocka_unit_test(wrap_survives_texts_of_any_length),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
