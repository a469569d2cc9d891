/* SPDX-License-Identifier: MIT */
/* Which law a content is drawn under, and which laws are scored. */
#include "problem_rig.h"

static void laws_for_checks_only_are_not_scored(void **state)
{
    AUTO(problem_freep)
    struct problem *p =
        load(HEAD "local x = input('x', f32, { N, N }, normal(), heavy(), spread())\n"
                  "local n = input('n', i32, { N }, constant(N), check_only(lengths(N)))\n"
                  "output('y', x * cast(n, f32))\n");
    static const int want[] = {0, 1, 2, 0, 2, 0, 2}, twice[] = {0, 1, 2, 0, 1, 2, 0, 2};
    const struct graph *g = small(p);

    (void)state;
    assert_int_equal(graph_n_scored(g), 2);
    for (int k = 0; k < 7; k++)
        assert_int_equal(graph_law(g, k, 1), want[k]);
    for (int k = 0; k < 8; k++)
        assert_int_equal(graph_law(g, k, 2), twice[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_for_checks_only_are_not_scored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
