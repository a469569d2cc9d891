/* SPDX-License-Identifier: MIT */
/* Devices by their names and by the suffixes of files. */
#include "testing.h"

#include "device/device.h"

#include <string.h>

static void names_are_found(void **state)
{
    static const struct {
        const char *word, *name;
        int index;
    } cases[] = {
        {"cpu", "cpu", 0},
        {"cpu:0", "cpu", 0},
        {"fake", "fake", 0},
        {"cpu:17", "cpu", 17},
        {"", NULL, 0},
        {"cp", NULL, 0},
        {"cpus", NULL, 0},
        {"cpu:", NULL, 0},
        {"cpu:x", NULL, 0},
        {"cpu:-1", NULL, 0},
        {"cpu:1x", NULL, 0},
        {":0", NULL, 0},
        {"cpu:99999999999", NULL, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct device *d = NULL;
        struct err err = ERR_INIT;
        int index = -1, rc = device_find(cases[i].word, &d, &index, &err);

        if ((rc == 0) != (cases[i].name != NULL))
            fail_msg("'%s': %d", cases[i].word, rc);
        if (rc == 0) {
            assert_string_equal(d->name, cases[i].name);
            assert_int_equal(index, cases[i].index);
        } else {
            assert_int_equal(err.kind, ERR_USAGE);
            assert_non_null(strstr(err.text, "cpu, cuda, fake"));
        }
    }
}

static void suffixes_are_found(void **state)
{
    (void)state;
    assert_ptr_equal(device_for_file("a/mine.c"), &device_cpu);
    assert_ptr_equal(device_for_file("x.fake"), &device_fake);
    assert_ptr_equal(device_for_file("x.cu"), &device_cuda);
    assert_null(device_for_file("x.cc"));
    assert_null(device_for_file(".c"));
    assert_null(device_for_file(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(suffixes_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
