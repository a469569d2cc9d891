/* SPDX-License-Identifier: MIT */
#include "testing.h"

#include "tensor/shape.h"

#include <string.h>

#define SHAPE(...)                                          \
    {                                                       \
        sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), \
        {                                                   \
            __VA_ARGS__                                     \
        }                                                   \
    }
#define SCALAR \
    {          \
        0,     \
        {      \
            0  \
        }      \
    }

static const struct {
    struct shape shape;
    int64_t count;
    const char *text;
    int64_t row;
    bool whole;
} cases[] = {
    {SCALAR, 1, "[]", 1, true},
    {SHAPE(7), 7, "[7]", 7, true},
    {SHAPE(16), 16, "[16]", 16, false},
    {SHAPE(4, 16), 64, "[4, 16]", 16, false},
    {SHAPE(4, 15), 60, "[4, 15]", 60, true},
    {SHAPE(100, 1), 100, "[100, 1]", 100, true},
    {SHAPE(2, 3, 4, 5, 1, 1, 2, 32), 7680, "[2, 3, 4, 5, 1, 1, 2, 32]", 32, false},
    {SHAPE(3, 0, 20), 0, "[3, 0, 20]", 20, false},
    {SHAPE(1 << 23, 1 << 23), SHAPE_MAX_COUNT, "[8388608, 8388608]", 1 << 23, false},
};

static void test_count_print_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(buf_release) struct buf text = BUF_INIT;
        bool whole = !cases[i].whole;

        assert_int_equal(shape_count(&cases[i].shape), cases[i].count);
        shape_print(&cases[i].shape, &text);
        assert_string_equal(buf_str(&text), cases[i].text);
        assert_int_equal(shape_row(&cases[i].shape, &whole), cases[i].row);
        assert_int_equal(whole, cases[i].whole);
    }
}

static void test_count_refuses(void **state)
{
    static const struct shape bad[] = {
        SHAPE(1 << 23, (1 << 23) + 1),
        SHAPE(4, -1),
        SHAPE(0, -1),
        SHAPE(INT64_MAX, INT64_MAX, INT64_MAX),
        SHAPE(3037000500, 3037000500), /* wraps to a negative product */
        SHAPE(0, INT64_MAX, 4),        /* empty, but its strides would wrap */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        assert_int_equal(shape_count(&bad[i]), -1);
}

static void test_equal(void **state)
{
    const struct shape a = SHAPE(2, 3), b = SHAPE(2, 3), c = SHAPE(3, 2), d = SHAPE(2, 3, 1);
    const struct shape scalar = SCALAR, one = SHAPE(1);

    (void)state;
    assert_true(shape_equal(&a, &b));
    assert_false(shape_equal(&a, &c));
    assert_false(shape_equal(&a, &d));
    assert_true(shape_equal(&scalar, &scalar));
    assert_false(shape_equal(&scalar, &one));
}

static void test_strides(void **state)
{
    const struct shape s = SHAPE(2, 3, 5, 7);
    int64_t strides[SHAPE_MAX_RANK];

    (void)state;
    shape_strides(&s, strides);
    assert_int_equal(strides[0], 105);
    assert_int_equal(strides[1], 35);
    assert_int_equal(strides[2], 7);
    assert_int_equal(strides[3], 1);
}

static void test_broadcast(void **state)
{
    static const struct {
        struct shape a, b, want;
        bool fits;
    } pairs[] = {
        {SHAPE(4, 1), SHAPE(3), SHAPE(4, 3), true},
        {SHAPE(4, 3), SCALAR, SHAPE(4, 3), true},
        {SCALAR, SCALAR, SCALAR, true},
        {SHAPE(1, 5), SHAPE(2, 1, 1), SHAPE(2, 1, 5), true},
        {SHAPE(0, 3), SHAPE(1, 3), SHAPE(0, 3), true},
        {SHAPE(0), SHAPE(1), SHAPE(0), true},
        {SHAPE(2, 3), SHAPE(2), SCALAR, false},
        {SHAPE(0), SHAPE(2), SCALAR, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
        struct shape ret = SHAPE(9, 9);

        assert_int_equal(shape_broadcast(&pairs[i].a, &pairs[i].b, &ret), pairs[i].fits);
        if (pairs[i].fits) {
            assert_true(shape_equal(&ret, &pairs[i].want));
            assert_true(shape_broadcast(&pairs[i].b, &pairs[i].a, &ret));
            assert_true(shape_equal(&ret, &pairs[i].want));
        } else {
            assert_int_equal(ret.dim[1], 9); /* untouched */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count_print_row), cmocka_unit_test(test_count_refuses),
        cmocka_unit_test(test_equal),           cmocka_unit_test(test_strides),
        cmocka_unit_test(test_broadcast),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
