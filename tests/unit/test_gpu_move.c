/* SPDX-License-Identifier: MIT */
/* Ops that move values, on the emulated GPU. */
#include "gpu_kernels_rig.h"

static void test_movement(void **state)
{
    static const int perms[][3] = {{2, 1, 0}, {0, 2, 1}, {1, 0, 2}, {2, 0, 1}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(perms); i++) {
        struct op_attrs perm = {.perm = {perms[i][0], perms[i][1], perms[i][2]}};
        struct op_attrs back = {.axis = 2, .from = -1, .step = -3}, cat = {.axis = 1};
        struct op_attrs pad = {.lo = {1, 0, 2}, .hi = {0, 3, 1}, .value = -2.5};
        struct shape s = SHAPE(33, 40, 70), to;
        struct rig r;

        rig_start(&r);
        int x = add_op(&r, OP_PERMUTE, &perm, NULL, 1, add_f32(&r, s));
        int both = add_op(&r, OP_CONCAT, &cat, NULL, 2, x, x);

        to = r.g->nodes[both].shape;
        back.from = to.dim[2] - 1;
        to.dim[2] = (to.dim[2] - 1) / 3 + 1;
        int y = add_op(&r, OP_SLICE, &back, &(struct node){.shape = to}, 1, both);
        run_all_ways(&r, add_op(&r, OP_PAD, &pad, NULL, 1, y));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_movement),
    };

    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
