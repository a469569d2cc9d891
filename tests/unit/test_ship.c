/* SPDX-License-Identifier: MIT */
/* A file of shipped baselines, as it is written and written again. */
#include "results_rig.h"

#include "results/ship.h"
#include "results/shipped.h"

#include <string.h>

struct made {
    const char *problem, *kind, *assay, *fingerprint, *verdict;
    double cold_us;
};

/* Clocks are 1000 * cold_us before and 1 less after, so that each can be told apart. */
static json_t *record(const struct made *m)
{
    AUTO(freep) char *toolchain = xasprintf("torch 2.11.0 %s, tf32 off", strchr(m->kind, ':') + 1);
    int mhz = (int)(1000 * m->cold_us);

    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:n, s:s, s:{s:s}, s:{s:s, s:s, s:s}, s:{s:s}, s:{s:s}, "
        "s:[{s:{s:i}, s:s, s:f, s:f, s:f, s:f, s:{s:i, s:i, s:[]}, s:{s:i, s:i, s:[s]}}]}",
        "assay", m->assay, "created", "2026-01-02T00:00:00Z", "problem", m->problem, "problem_hash",
        "h", "verdict", m->verdict, "reason", "device", "cuda", "candidate", "file", m->kind,
        "device_info", "name", "NVIDIA H200", "driver", "570, CUDA 12.8", "fingerprint",
        m->fingerprint, "build", "toolchain", toolchain, "plan", "sizes", "full", "sizes", "params",
        "N", 4, "hash", "s", "cold_us", m->cold_us, "cold_lo", 0.9 * m->cold_us, "cold_hi",
        1.1 * m->cold_us, "hot_us", 0.5 * m->cold_us, "state_before", "sm_mhz", mhz, "memory_mhz",
        3201, "throttled", "state_after", "sm_mhz", mhz - 1, "memory_mhz", 3201, "throttled",
        "power_cap");
}

static void put(json_t *file, const struct made *made, int n, struct ship_counts *counts)
{
    json_t *records[4] = {NULL};
    struct err err = ERR_INIT;

    for (int i = 0; i < n; i++)
        assert_non_null(records[i] = record(&made[i]));
    assert_int_equal(ship_add(file, records, n, "per_call", counts, &err), 0);
    for (int i = 0; i < n; i++)
        json_decref(records[i]);
}

/* The text of the file, which can be read again; *file becomes what was read. */
static char *text_of(json_t **file)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct err err = ERR_INIT;

    ship_text(*file, &text);
    json_decref(*file);
    assert_int_equal(shipped_parse(buf_str(&text), "f.json", file, &err), 0);
    return buf_steal(&text);
}

static const struct made relu = {"level1/019_relu", "torch:eager", "0.1", "card", "pass", 2};

static void the_whole_text(void **state)
{
    struct ship_counts n = {0};
    json_t *file = ship_new();

    (void)state;
    put(file, &relu, 1, &n);

    AUTO(freep) char *text = text_of(&file);

    assert_string_equal(
        text,
        "{\"schema\":\"assay-baselines/1\",\"device\":\"cuda\",\"name\":\"NVIDIA H200\",\n"
        "\"origins\": [\n"
        "{\"sizes\":\"full\",\"fingerprint\":\"card\",\"driver\":\"570, CUDA 12.8\","
        "\"toolchain\":\"torch 2.11.0\",\"assay\":\"0.1\",\"weights\":\"per_call\","
        "\"first\":\"2026-01-02T00:00:00Z\",\"last\":\"2026-01-02T00:00:00Z\","
        "\"sm_mhz\":[1999,2000],\"memory_mhz\":[3201,3201],\"throttled\":[\"power_cap\"],\n"
        "\"rows\": [\n"
        "{\"problem\":\"level1/019_relu\",\"hash\":\"h\",\"kind\":\"torch:eager\","
        "\"created\":\"2026-01-02T00:00:00Z\",\"verdict\":\"pass\",\"reason\":null,\"repeats\":1,"
        "\"sizes\":[{\"params\":{\"N\":4},\"hash\":\"s\",\"cold_us\":2.0,\"cold_lo\":1.8,"
        "\"cold_hi\":2.2,\"hot_us\":1.0,\"sm_mhz\":[1999,2000],\"memory_mhz\":[3201,3201],"
        "\"throttled\":[\"power_cap\"]}]}\n"
        "]}\n"
        "]}\n");
    json_decref(file);
}

static void the_order_and_the_text_are_stable(void **state)
{
    static const struct made rows[] = {
        {"level1/001_a", "torch:compile", "0.1", "card", "pass", 1},
        {"level1/001_a", "torch:eager", "0.1", "card", "pass", 2.123456789},
        {"level1/019_relu", "torch:eager", "0.1", "card", "pass", 3},
        {"hard/01_x", "torch:eager", "0.2", "card", "pass", 4},
    };
    struct ship_counts n = {0};
    json_t *file = ship_new(), *other = ship_new();

    (void)state;
    for (int i = 0; i < 4; i++)
        put(file, &rows[i], 1, &n);
    for (int i = 3; i >= 0; i--)
        put(other, &rows[i], 1, &n);

    AUTO(freep) char *one = text_of(&file);
    AUTO(freep) char *two = text_of(&other);
    AUTO(freep) char *again = text_of(&other);

    assert_string_equal(one, two);
    assert_string_equal(two, again);
    assert_true(strstr(one, "torch:compile") < strstr(one, "torch:eager"));
    json_decref(file);
    json_decref(other);
}

static json_t *origin_at(json_t *file, size_t i)
{
    return json_array_get(json_object_get(file, "origins"), i);
}

static json_t *rows_at(json_t *file, size_t i)
{
    return json_object_get(origin_at(file, i), "rows");
}

static double cold_of(const json_t *row)
{
    return json_number_value(
        json_object_get(json_array_get(json_object_get(row, "sizes"), 0), "cold_us"));
}

/* The same card and versions: replaced. Another card, version or kind: kept beside it. */
static void merging(void **state)
{
    struct made next = relu;
    struct ship_counts n = {0};
    json_t *file = ship_new();

    (void)state;
    put(file, &relu, 1, &n);
    next.cold_us = 3;
    put(file, &next, 1, &n);
    assert_int_equal(n.rows, 2);
    assert_int_equal(n.added, 1);
    assert_int_equal(json_array_size(rows_at(file, 0)), 1);
    NEAR(cold_of(json_array_get(rows_at(file, 0), 0)), 3);
    next.assay = "0.2";
    put(file, &next, 1, &n);
    next.fingerprint = "another card";
    put(file, &next, 1, &n);
    next.kind = "torch:compile";
    put(file, &next, 1, &n);
    assert_int_equal(n.added, 4);
    assert_int_equal(json_array_size(json_object_get(file, "origins")), 3);
    free(text_of(&file));
    assert_string_equal(json_string_value(json_object_get(origin_at(file, 0), "fingerprint")),
                        "another card");
    assert_int_equal(json_array_size(rows_at(file, 0)), 2);
    /* The replaced row's clocks are not in the summary any more. */
    NEAR(json_number_value(json_array_get(json_object_get(origin_at(file, 1), "sm_mhz"), 0)), 2999);
    json_decref(file);
}

static void repeats(void **state)
{
    struct made three[] = {relu, relu, relu, relu};
    struct ship_counts n = {0};
    json_t *file = ship_new();

    (void)state;
    three[0].cold_us = 4;
    three[2].cold_us = 3;
    three[3].fingerprint = "another card"; /* no repeat of these */
    put(file, three, 4, &n);

    const json_t *row = json_array_get(rows_at(file, 0), 0);
    const json_t *size = json_array_get(json_object_get(row, "sizes"), 0);

    assert_int_equal(json_integer_value(json_object_get(row, "repeats")), 3);
    NEAR(cold_of(row), 3);
    NEAR(json_number_value(json_object_get(size, "cold_lo")), 1.8);
    NEAR(json_number_value(json_object_get(size, "cold_hi")), 4.4);
    NEAR(json_number_value(json_object_get(size, "hot_us")), 1.5);
    assert_int_equal(json_array_size(json_object_get(size, "repeats_us")), 3);
    NEAR(json_number_value(json_array_get(json_object_get(size, "repeats_us"), 0)), 4);
    json_decref(file);
}

/* Right once and wrong another time is not right, as for any sample. */
static void the_worst_verdict_is_shown(void **state)
{
    struct made two[] = {relu, relu};
    struct ship_counts n = {0};
    json_t *file = ship_new();

    (void)state;
    two[1].verdict = "wrong";
    put(file, two, 2, &n);
    assert_string_equal(
        json_string_value(json_object_get(json_array_get(rows_at(file, 0), 0), "verdict")),
        "wrong");
    json_decref(file);
}

static void another_device_is_refused(void **state)
{
    struct ship_counts n = {0};
    struct err err = ERR_INIT;
    json_t *file = ship_new(), *other = record(&relu);

    (void)state;
    put(file, &relu, 1, &n);
    json_object_set_new(json_object_get(other, "device_info"), "name", json_string("NVIDIA H100"));
    assert_int_equal(ship_add(file, &other, 1, "per_call", &n, &err), -1);
    assert_int_equal(err.kind, ERR_INPUT);
    assert_string_equal(err.text, "a file holds baselines of one device: it has those of cuda "
                                  "(NVIDIA H200), and these are of cuda (NVIDIA H100)");
    assert_int_equal(n.rows, 1);
    json_decref(file);
    json_decref(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_text),
        cmocka_unit_test(the_order_and_the_text_are_stable),
        cmocka_unit_test(merging),
        cmocka_unit_test(repeats),
        cmocka_unit_test(the_worst_verdict_is_shown),
        cmocka_unit_test(another_device_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
