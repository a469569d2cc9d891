/* SPDX-License-Identifier: MIT */
/* Calibrations in their files: what is kept of them, and which are refused. */
#include "testing.h"

#include "hardware/calibration.h"

#include <stdio.h>

static const struct calibration round_numbers = {
    .read_bytes_s = 1e9,
    .copy_bytes_s = 2e9,
    .flops_s = {[ARITH_FP32] = 1e9, [ARITH_FP64] = 5e8},
    .call_floor_ns = 100};

static void calibrations_are_kept_by_fingerprint(void **state)
{
    struct calibration c = round_numbers, back;
    struct err err = ERR_INIT;
    static const char *const broken[] = {
        "",
        "{}",
        "[1]",
        "{\"fingerprint\": 3}",
        "{\"fingerprint\": \"abc\", \"device\": \"d\", \"created\": \"t\", \"read_bytes_s\": -1}",
    };
    bool found = true;

    (void)state;
    snprintf(c.fingerprint, sizeof(c.fingerprint), "abc");
    snprintf(c.device, sizeof(c.device), "d");
    snprintf(c.created, sizeof(c.created), "t");
    fs_remove_tree("cal");
    assert_int_equal(calibration_load("cal", "abc", &found, &back, &err), 0);
    assert_false(found);
    assert_int_equal(calibration_save("cal", &c, &err), 0);
    assert_int_equal(calibration_load("cal", "abc", &found, &back, &err), 0);
    assert_true(found);
    assert_true(back.flops_s[ARITH_FP64] == 5e8 && back.call_floor_ns == c.call_floor_ns);
    assert_int_equal(calibration_load("cal", "other", &found, &back, &err), 0);
    assert_false(found);
    for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
        assert_int_equal(
            fs_write_atomic("cal/calibration/abc.json", broken[i], strlen(broken[i]), &err), 0);
        assert_int_equal(calibration_load("cal", "abc", &found, &back, &err), -1);
        assert_non_null(strstr(err.text, "not a calibration"));
    }
}

static void every_rate_of_a_calibration_is_kept(void **state)
{
    struct calibration c = round_numbers, back, other = {.call_floor_ns = 50, .partial = false};
    struct err err = ERR_INIT;
    static const char old[] = "{\"fingerprint\": \"new\", \"device\": \"d\", \"created\": \"t\", "
                              "\"read_bytes_s\": 5, \"f32_flops_s\": 7}";
    bool found = false;

    (void)state;
    snprintf(c.fingerprint, sizeof(c.fingerprint), "new");
    for (int a = 0; a < ARITH_COUNT; a++)
        c.flops_s[a] = 1000 + a;
    c.partial = true;
    fs_remove_tree("cal");
    assert_int_equal(calibration_save("cal", &c, &err), 0);
    assert_int_equal(calibration_load("cal", "new", &found, &back, &err), 0);
    assert_true(found);
    assert_memory_equal(back.flops_s, c.flops_s, sizeof(c.flops_s));
    assert_true(back.partial);

    other.read_bytes_s = 3e9;
    other.flops_s[ARITH_BF16] = 5000;
    calibration_merge(&back, &other);
    assert_true(back.read_bytes_s == 3e9 && back.copy_bytes_s == 2e9);
    assert_true(back.flops_s[ARITH_BF16] == 5000 && back.flops_s[ARITH_FP8] == 1000 + ARITH_FP8);
    assert_true(back.call_floor_ns == 50 && !back.partial);

    /* A file of before there were classes: measured anew, not read as if it knew none. */
    assert_int_equal(fs_write_atomic("cal/calibration/new.json", old, sizeof(old) - 1, &err), 0);
    assert_int_equal(calibration_load("cal", "new", &found, &back, &err), 0);
    assert_false(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calibrations_are_kept_by_fingerprint),
        cmocka_unit_test(every_rate_of_a_calibration_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
