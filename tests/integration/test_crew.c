/* SPDX-License-Identifier: MIT */
/* Candidates that hold the device's memory. */
#include "timing_rig.h"

static int hungry_copy(void *ctx, struct mem *dst, size_t dst_at, const struct mem *src,
                       size_t src_at, size_t bytes, struct err *err)
{
    if (hungry && any_child() && flushes > 12)
        return fail(err, ERR_SYSTEM, "no device memory");
    return device_fake.judge->copy(ctx, dst, dst_at, src, src_at, bytes, err);
}

static void who_takes_the_judges_memory_is_rejected(void **state)
{
    /* To leave nothing at all was infra, and so was to leave enough for a small problem. Who leaves
     * half of it took no more than a candidate may; what does not come back was not its own. */
    static const struct {
        int64_t left, back;
        enum verdict_kind kind;
        const char *reason, *detail;
    } cases[] = {
        {1 << 20, ALL_BYTES, VERDICT_REJECTED, "memory", "little: 1 MB were left of 1099512 MB"},
        {0, ALL_BYTES, VERDICT_REJECTED, "memory", "little: 0 MB were left"},
        {ALL_BYTES / 4, ALL_BYTES, VERDICT_REJECTED, "memory", "little: 274878 MB were left"},
        {ALL_BYTES / 2, ALL_BYTES, VERDICT_INFRA, "system", "no device memory"},
        {ALL_BYTES / 4, ALL_BYTES / 2, VERDICT_INFRA, "system", "no device memory"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct rig g;

        make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
        ops.copy = hungry_copy;
        hungry = true;
        left_bytes = cases[i].left;
        back_bytes = cases[i].back;
        judge(&g, "op relu\ntime 10s\n");
        expect(&g, cases[i].kind, cases[i].reason, cases[i].detail);
        hungry = false;
        end(&g);
    }
}

/* Who held all memory at one size still had it when the next size's contents were to be made:
 * infra, as often as it was tried. */
static void who_held_all_memory_is_awaited(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    allocs = ALLOC_ALONE;
    judge_on(&g,
             "problem { 'P', level = 1, id = 1 }\n"
             "sizes { full = { N = 64 }, small = { { N = 16 }, { N = 32 } } }\n"
             "output('y', relu(input('x', f32, { N, N })))\n",
             "op relu\ntime 10s\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_int_equal(g.e.n_sizes, 2);
    end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_takes_the_judges_memory_is_rejected),
        cmocka_unit_test(who_held_all_memory_is_awaited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
