/* SPDX-License-Identifier: MIT */
/* What a record says of how a candidate was timed. */
#include "timing_rig.h"

#include "judge/record.h"

static void check_record(json_t *record)
{
    json_t *size = json_array_get(json_object_get(record, "sizes"), 0);
    json_t *before = json_object_get(size, "state_before");
    json_t *audit = json_array_get(json_object_get(json_object_get(record, "audit"), "sizes"), 0);

    assert_true(json_is_true(json_object_get(size, "held")));
    assert_true(json_is_false(json_object_get(size, "host_bound")));
    assert_true(json_number_value(json_object_get(size, "queue_us")) > 0);
    assert_true(json_number_value(json_object_get(size, "call_us")) > 0);
    assert_true(json_number_value(json_object_get(before, "sm_mhz")) == 1980);
    assert_true(json_number_value(json_object_get(before, "watts")) == 512.5);
    assert_string_equal(json_string_value(json_array_get(json_object_get(before, "throttled"), 0)),
                        "power_cap");
    assert_int_equal(json_array_size(json_object_get(before, "throttled")), 1);
    assert_int_equal(json_integer_value(json_object_get(audit, "runs")), 1);
}

static void record_says_how_it_was_timed(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    judge(&g, "op relu\ntime 10s\nqueue 10us\n");

    json_t *record = record_json(g.session, &g.e);

    check_record(record);
    json_decref(record);
    end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(record_says_how_it_was_timed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
