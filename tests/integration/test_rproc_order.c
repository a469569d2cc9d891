/* SPDX-License-Identifier: MIT */
/* alone: it measures time */
/* Orders to a runner on a device that can be held back: launches queue up, the caches are swept,
 * and who waits inside the call loses the hold. */
#include "timing_rig.h"

static void launches_queue_up_behind_a_hold(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM, PATIENT_MS);
    judge(&g, "op relu\ntime 10us\nqueue 1ms\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_true(timed(&g)->held);
    assert_true(timed(&g)->queue_ns >= 1e6);
    assert_true(timed(&g)->call_ns > 0);
    assert_true(timed(&g)->host_bound);
    assert_int_equal(timed(&g)->runs, 1);
    end(&g);
}

static struct device_sweep sweep;

/* Other numbers each time, of which the judge knows the sum, or believes another one. */
static int sweeping_flush(void *ctx, struct mem *const *mems, int n, struct err *err)
{
    uint32_t *words = sweep.mem.host;

    sweep.sum = 0;
    for (size_t i = 0; i < sweep.mem.bytes / sizeof(*words); i++)
        sweep.sum += words[i] = words[i] * 1664525u + 1013904223u + (uint32_t)i;
    return test_flush(ctx, mems, n, err);
}

static int lying_flush(void *ctx, struct mem *const *mems, int n, struct err *err)
{
    int rc = sweeping_flush(ctx, mems, n, err);

    sweep.sum++;
    return rc;
}

static const struct device_sweep *test_sweep(void *ctx, struct err *err)
{
    (void)ctx, (void)err;
    return &sweep;
}

/* The device reads the judge's numbers before it waits, and shows that it did. */
static void who_does_not_sweep_is_rejected(void **state)
{
    struct err err = ERR_INIT;
    struct rig g;

    (void)state;
    must(device_fake.judge->mem_alloc(NULL, MEM_INPUT, 4096, &sweep.mem, &err), &err);
    for (int lies = 0; lies < 2; lies++) {
        make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
        ops.sweep = test_sweep;
        ops.flush = lies ? lying_flush : sweeping_flush;
        judge(&g, "op relu\ntime 10s\n");
        if (lies)
            expect(&g, VERDICT_REJECTED, "cache", "did not sweep its caches");
        else
            expect(&g, VERDICT_PASS, "", "");
        end(&g);
    }
    device_fake.judge->mem_free(NULL, &sweep.mem);
}

/* cudaDeviceSynchronize() in the call: found out in the checks, and timed without a hold. */
static void waiting_inside_the_call_ends_the_hold(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, DEVICE_HOLD_MS);
    judge(&g, "op relu\nsync\ntime 10s\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_false(timed(&g)->held);
    assert_true(timed(&g)->queue_ns == 0);
    assert_true(timed(&g)->hold_ns > 0); /* the calls themselves were */
    end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_queue_up_behind_a_hold),
        cmocka_unit_test(who_does_not_sweep_is_rejected),
        cmocka_unit_test(waiting_inside_the_call_ends_the_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
