/* SPDX-License-Identifier: MIT */
/* Where tensors lie in an arena, the guards between them, and the words that are peeked at. */
#include "problem_rig.h"

#include "content/layout.h"
#include "device/device.h"

static void guards_find_damage_and_whose_it_is(void **state)
{
    AUTO(problem_freep)
    struct problem *p =
        load(HEAD "local x = input('x', f32, { N, 3 })\noutput('a', x + 1)\noutput('b', x * 2)");
    const struct device_judge_ops *ops = device_cpu.judge;
    struct layout l;
    struct mem m = MEM_INIT;
    struct err err = ERR_INIT;
    void *ctx = NULL;
    int slot;
    int64_t distance;

    (void)state;
    layout_outputs(small(p), &l);
    assert_int_equal(l.n, 2);
    assert_int_equal(l.slots[0].offset % 256, 0);
    assert_true(l.slots[1].offset >= l.slots[0].offset + l.slot_bytes[0] + GUARD_BYTES);
    assert_int_equal(ops->open(0, &ctx, &err), 0);
    assert_int_equal(ops->mem_alloc(ctx, MEM_OUTPUT, l.bytes, &m, &err), 0);

    static const struct {
        int slot;
        int64_t distance; /* from the start when negative, from the end otherwise */
    } cases[] = {{0, -1}, {0, -16}, {0, 0}, {0, 100}, {1, -1}, {1, 0}, {1, 15}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        assert_int_equal(layout_poison(ops, ctx, &l, &m, false, 7 + i, &err), 0);
        assert_int_equal(layout_check_guards(ops, ctx, &l, &m, 7 + i, &slot, &distance, &err), 0);
        assert_int_equal(slot, -1);
        assert_true(layout_unwritten(ops, ctx, &l, &m, 1, 8, 4, 7 + i));
        memset((char *)m.host + l.slots[1].offset, 1,
               l.slot_bytes[1]); /* a tensor may be written */
        assert_false(layout_unwritten(ops, ctx, &l, &m, 1, 8, 4, 7 + i));

        size_t end = l.slots[cases[i].slot].offset +
                     (cases[i].distance < 0 ? 0 : l.slot_bytes[cases[i].slot]);

        ((char *)m.host)[(int64_t)end + cases[i].distance] ^= 1;
        assert_int_equal(layout_check_guards(ops, ctx, &l, &m, 7 + i, &slot, &distance, &err), 0);
        assert_int_equal(slot, cases[i].slot);
        assert_int_equal(distance, cases[i].distance);
    }
    ops->mem_free(ctx, &m);
    ops->close(ctx);
    layout_release(&l);
}

/* How often a peek looks at each of the tensors; fails when it looks elsewhere. */
static void count_looks(const struct layout *l, uint64_t key, int *looks)
{
    struct peeks where;

    layout_peeks(l, key, &where);
    for (uint32_t i = 0; i < DEVICE_PEEKS; i++) {
        uint64_t at = 4 * peeks_place(&where, i);
        int slot = 0;

        while (slot < l->n && at >= l->slots[slot].offset + l->slot_bytes[slot])
            slot++;
        assert_true(slot < l->n && at >= l->slots[slot].offset);
        looks[slot]++;
    }
}

static void peeks_see_small_outputs_too(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "local x = input('x', f32, { N, 4096 })\n"
                                  "output('a', x + 1)\n"
                                  "output('b', sum(x))\n"                   /* a word */
                                  "output('c', -input('h', bf16, { 3 }))"); /* a word and a half */
    struct layout l;

    (void)state;
    layout_outputs(small(p), &l);
    for (uint64_t key = 1; key < 10; key++) {
        int looks[3] = {0};

        count_looks(&l, key, looks);
        for (int i = 0; i < l.n; i++)
            assert_in_range(looks[i], DEVICE_PEEKS / 3, DEVICE_PEEKS / 3 + 1);
    }
    layout_release(&l);
}

/* Of too many every one is looked at, in one call or another. */
static void peeks_see_many_outputs(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "local x = input('x', f32, { N, 3 })\n"
                                  "for i = 1, 40 do output('y' .. i, x + i) end");
    int looks[40] = {0};
    struct layout l;

    (void)state;
    layout_outputs(small(p), &l);
    assert_true(l.n == ARRAY_SIZE(looks) && l.n > PEEK_SPANS);
    for (uint64_t key = 1; key < 100; key++)
        count_looks(&l, key, looks);
    for (int i = 0; i < l.n; i++)
        assert_in_range(looks[i], DEVICE_PEEKS, 4 * DEVICE_PEEKS); /* 99 / 40 of them each */
    layout_release(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guards_find_damage_and_whose_it_is),
        cmocka_unit_test(peeks_see_small_outputs_too),
        cmocka_unit_test(peeks_see_many_outputs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
