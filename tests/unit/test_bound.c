/* SPDX-License-Identifier: MIT */
/* The text by which a runner says how parameters were bound: one form is taken, and no other. */
#include "testing.h"

#include "base/buf.h"
#include "process/bound.h"

static void takes_the_form(void **state)
{
    struct bound b;

    (void)state;
    assert_true(bound_read("name\nshape lin.w\norder a b~\nnormalised LN_w\nargument\n", 5, &b));
    assert_int_equal(b.n, 5);
    assert_int_equal(b.parameters[0].rule, BOUND_NAME);
    assert_null(b.parameters[0].name);
    assert_int_equal(b.parameters[1].rule, BOUND_SHAPE);
    assert_string_equal(b.parameters[1].name, "lin.w");
    assert_int_equal(b.parameters[2].rule, BOUND_ORDER);
    assert_string_equal(b.parameters[2].name, "a b~");
    assert_int_equal(b.parameters[3].rule, BOUND_NORMALISED);
    assert_int_equal(b.parameters[4].rule, BOUND_ARGUMENT);
    assert_false(bound_is_plain(&b));
    bound_release(&b);
    assert_int_equal(b.n, 0);
    bound_release(&b);
}

static void one_rule_without_names_is_plain(void **state)
{
    static const struct {
        const char *text;
        bool plain;
    } cases[] = {{"name\nname\n", true},
                 {"argument\nargument\n", true},
                 {"name\nargument\n", false},
                 {"name\nshape x\n", false},
                 {"shape x\nshape y\n", false}};
    struct bound none = {0};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct bound b;

        assert_true(bound_read(cases[i].text, 2, &b));
        assert_int_equal(bound_is_plain(&b), cases[i].plain);
        bound_release(&b);
    }
    assert_false(bound_is_plain(&none));
}

static void refuses_all_else(void **state)
{
    static const char *const texts[] = {
        NULL,
        "",
        "name\n",             /* too few */
        "name\nname\nname\n", /* too many */
        "name\nname",         /* no end */
        "name\n\n",           /* nothing */
        "name\nsize x\n",     /* no such rule */
        "name\nnam\n",
        "name\nnames\n",
        "name\n name\n",
        "name\nname x\n", /* a name where none belongs */
        "name\nargument x\n",
        "name\nshape\n", /* none where one belongs */
        "name\nshape \n",
        "name\nshape a\tb\n", /* no printable ASCII */
        "name\nshape \x1b[31m\n",
        "name\nshape \x7f\n",
        "name\nshape \xce\xb2\n",
    };
    AUTO(buf_release) struct buf longest = BUF_INIT;
    struct bound b;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        assert_false(bound_read(texts[i], 2, &b));
        assert_int_equal(b.n, 0);
        assert_null(b.parameters);
    }
    assert_false(bound_read("", 0, &b));
    for (int extra = 0; extra < 2; extra++) {
        buf_reset(&longest);
        buf_adds(&longest, "order ");
        buf_fill(&longest, 'x', BOUND_NAME_MAX + extra);
        buf_adds(&longest, "\n");
        assert_int_equal(bound_read(buf_str(&longest), 1, &b), extra == 0);
        bound_release(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_form),
        cmocka_unit_test(one_rule_without_names_is_plain),
        cmocka_unit_test(refuses_all_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
