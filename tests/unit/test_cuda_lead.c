/* SPDX-License-Identifier: MIT */
/* The time from the release to the start event, on a driver of the test's own whose events hold
 * the times that they are given. */
#include "testing.h"

#include "device/cuda/cuda_lead.h"

#define OFFSET_NS 7e9   /* the events' clock against the stamps' */
#define PERIOD_NS 400e3 /* from one held order to the next */
#define EVENTS 2        /* an order's, and the one that the lead keeps */
#define REFUSED 1

static double event_ns[EVENTS];
static int n_events;
static CUresult elapsed_result;

static CUresult create_event(CUevent *event, unsigned flags)
{
    (void)flags;
    *event = (CUevent)&event_ns[n_events++];
    return 0;
}

static CUresult elapsed(float *ms, CUevent start, CUevent end)
{
    *ms = (float)((*(double *)end - *(double *)start) / 1e6);
    return elapsed_result;
}

static CUresult register_host(void *at, size_t bytes, unsigned flags)
{
    (void)at, (void)bytes, (void)flags;
    return 0;
}

static CUresult device_pointer(CUdeviceptr *device_at, void *at, unsigned flags)
{
    (void)flags;
    *device_at = (CUdeviceptr)(uintptr_t)at;
    return 0;
}

static const struct cuda_driver driver = {.cuEventCreate = create_event,
                                          .cuEventElapsedTime = elapsed,
                                          .cuMemHostRegister_v2 = register_host,
                                          .cuMemHostGetDevicePointer_v2 = device_pointer};

struct rig {
    struct cuda_lead lead;
    CUevent start;
    double now_ns;
};

static void rig_open(struct rig *r)
{
    struct err err = ERR_INIT;

    *r = (struct rig){.now_ns = 1e9};
    n_events = 0;
    elapsed_result = 0;
    must(cuda_lead_open(&r->lead, &driver, &err), &err);
    create_event(&r->start, 0);
}

static void rig_close(struct rig *r)
{
    free((void *)r->lead.stamp);
}

/* One held order whose start event comes lead_ns after the stamp. */
static double excess_after(struct rig *r, double lead_ns, bool empty)
{
    double excess = -1;

    r->now_ns += PERIOD_NS;
    *r->lead.stamp = (uint64_t)r->now_ns;
    *(double *)r->start = r->now_ns + OFFSET_NS + lead_ns;
    assert_int_equal(cuda_lead_excess(&r->lead, &r->start, empty, &excess), 0);
    return excess;
}

static void usual_leads_cost_nothing(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r);
    for (int i = 0; i < 11; i++)
        assert_true(excess_after(&r, 1500 + 30 * (i % 3), true) == 0);
    for (int i = 0; i < 200; i++)
        assert_true(excess_after(&r, 1400 + 10 * (i % 30), false) == 0);
    rig_close(&r);
}

static void longer_lead_is_told_whole(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r);
    for (int i = 0; i < 5; i++)
        excess_after(&r, 1500, true);
    for (int i = 0; i < 100; i++)
        assert_float_equal(excess_after(&r, 1500 + 3300, false), 3300, 100);
    assert_true(excess_after(&r, 1500, false) == 0);
    rig_close(&r);
}

/* Orders before the first empty one have nothing to be compared with. */
static void nothing_is_told_before_an_empty_order(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r);
    for (int i = 0; i < 4; i++)
        assert_true(excess_after(&r, 1500 + 900 * i, false) == 0);
    excess_after(&r, 1500, true);
    assert_float_equal(excess_after(&r, 2500, false), 1000, 100);
    rig_close(&r);
}

/* One empty order in ten that met a disturbance is not taken for usual. */
static void median_of_empty_orders_counts(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r);
    for (int i = 0; i < 10; i++)
        excess_after(&r, i == 4 ? 9000 : 1500, true);
    assert_float_equal(excess_after(&r, 4500, false), 3000, 100);
    rig_close(&r);
}

/* The wait gave up by itself, and the stamp is still that of the order before. */
static void old_stamp_tells_nothing(void **state)
{
    struct rig r;
    double excess = -1;
    CUevent before;

    (void)state;
    rig_open(&r);
    excess_after(&r, 1500, true);
    excess_after(&r, 1500, true);
    before = r.start;
    *(double *)r.start = r.now_ns + OFFSET_NS + 20e6;
    assert_int_equal(cuda_lead_excess(&r.lead, &r.start, false, &excess), 0);
    assert_true(excess == 0);
    assert_ptr_equal(r.start, before);
    assert_true(excess_after(&r, 1500, false) == 0);
    rig_close(&r);
}

static void error_of_the_driver_is_returned(void **state)
{
    struct rig r;
    double excess = -1;

    (void)state;
    rig_open(&r);
    excess_after(&r, 1500, true);
    elapsed_result = REFUSED;
    *r.lead.stamp += 1000;
    assert_int_equal(cuda_lead_excess(&r.lead, &r.start, false, &excess), REFUSED);
    assert_true(excess == 0);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_leads_cost_nothing),
        cmocka_unit_test(longer_lead_is_told_whole),
        cmocka_unit_test(nothing_is_told_before_an_empty_order),
        cmocka_unit_test(median_of_empty_orders_counts),
        cmocka_unit_test(old_stamp_tells_nothing),
        cmocka_unit_test(error_of_the_driver_is_returned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
