/* SPDX-License-Identifier: MIT */
/* covers: src/device/cpu/cpu_gauges.c src/device/cuda/cuda_gauges.c */
/* Devices by their names and by the suffixes of files, and what each must state of itself. */
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
            AUTO(buf_release) struct buf names = BUF_INIT;

            device_names(&names);
            assert_int_equal(err.kind, ERR_USAGE);
            assert_non_null(strstr(err.text, buf_str(&names)));
        }
    }
}

static void every_device_is_named(void **state)
{
    AUTO(buf_release) struct buf names = BUF_INIT;

    (void)state;
    device_names(&names);
    assert_true(names.len > 0);

    AUTO(freep) char *list = xasprintf(", %s, ", buf_str(&names));

    for (const struct device *const *d = device_registry; *d; d++) {
        AUTO(freep) char *word = xasprintf("%s:3", (*d)->name);
        AUTO(freep) char *in_list = xasprintf(", %s, ", (*d)->name);
        const struct device *found = NULL;
        struct err err = ERR_INIT;
        int index = -1;

        assert_int_equal(device_find(word, &found, &index, &err), 0);
        assert_ptr_equal(found, *d); /* so no two have one name */
        assert_int_equal(index, 3);
        assert_non_null(strstr(list, in_list));
    }
}

/* Without --device the suffix decides, so no two devices take the same one, but for Python: there
 * judge_device_for() chooses among those that torch runs on. */
static void every_suffix_is_found(void **state)
{
    (void)state;
    for (const struct device *const *d = device_registry; *d; d++) {
        assert_non_null((*d)->toolchains[0]);
        for (const struct toolchain *const *t = (*d)->toolchains; *t; t++) {
            AUTO(freep) char *file = xasprintf("a/mine%s", (*t)->suffix);

            assert_int_equal((*t)->suffix[0], '.');
            if (strcmp((*t)->suffix, ".py") != 0)
                assert_ptr_equal(device_for_file(file), *d);
            assert_true(device_takes(device_for_file(file), file));
            assert_true(device_takes(*d, file));
            assert_false(device_takes(*d, (*t)->suffix));
        }
    }
}

static void suffixes_are_found(void **state)
{
    (void)state;
    assert_ptr_equal(device_for_file("a/mine.c"), &device_cpu);
    assert_ptr_equal(device_for_file("x.fake"), &device_fake);
    assert_ptr_equal(device_for_file("x.cu"), &device_cuda);
    assert_null(device_for_file("x.nothing"));
    assert_null(device_for_file(".c"));
    assert_null(device_for_file(""));
}

/* Calibration needs candidates that the device takes, one of them empty. */
static void every_device_has_gauges(void **state)
{
    (void)state;
    for (const struct device *const *d = device_registry; *d; d++) {
        const struct device_gauges *g = (*d)->gauges;

        if ((*d)->clock == CLOCK_CLAIM)
            continue;
        assert_non_null(g);
        assert_true(device_takes(*d, g->file));
        assert_true(g->empty && *g->empty);
        if (g->like)
            assert_ptr_equal(g->like(g->empty, strlen(g->empty)), g->empty);
        if (g->like && g->launched)
            assert_ptr_equal(g->like(g->launched, strlen(g->launched)), g->launched);
        if ((*d)->shows_code)
            assert_non_null(g->like);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),         cmocka_unit_test(every_device_is_named),
        cmocka_unit_test(every_suffix_is_found),   cmocka_unit_test(suffixes_are_found),
        cmocka_unit_test(every_device_has_gauges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
