/* SPDX-License-Identifier: MIT */
/* alone: it measures time */
/*
 * How the judge times a device that can be held back and whose clock is only a claim, on the fake
 * device with changed tables: real runners, real holds, and claims so far from the truth that no
 * load on the machine makes them true, or false.
 */
#include "judge_rig.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/hash.h"
#include "device/cuda/cuda_hold.h"
#include "device/cuda/nvml.h"
#include "judge/record.h"
#include "measure/audit.h"

#include <sys/stat.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* --- figures --- */

static void claims_against_the_clock(void **state)
{
    (void)state;
    assert_true(audit_cold(100000, 100000, true));
    assert_true(audit_cold(96100, 100000, true)); /* 1 % and 3 us */
    assert_false(audit_cold(95900, 100000, true));
    assert_true(audit_cold(1000, 4000, true)); /* a tiny kernel: the slack is all */
    assert_false(audit_cold(1000, 4100, true));
    assert_true(audit_cold(1000, 11000, false)); /* nothing was held: more of the way counts */
    assert_false(audit_cold(1000, 11200, false));
    assert_true(audit_hot(970000, 1000000));
    assert_false(audit_hot(950000, 1000000));
}

/* The bars, with clocks that differ by as much as they were ever seen to. */
static void lies_are_small(void **state)
{
    static const struct {
        double true_ns, factor;
    } lies[] = {{50e3, 1.2}, {200e3, 1.05}, {500e3, 1.05}, {2e6, 1.05}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(lies); i++)
        assert_false(audit_cold(lies[i].true_ns / lies[i].factor, lies[i].true_ns - 1600, true));
    for (double ns = 5e3; ns <= 5e6; ns *= 2)
        assert_true(audit_cold(ns, ns + 2900, true));
    for (double ns = 5e3; ns <= 2e6; ns *= 2) {
        double batch_ns = ns * audit_hot_count(ns);

        assert_false(audit_hot(batch_ns / 1.05, batch_ns));
        assert_true(audit_hot(batch_ns, 1.02 * batch_ns));
    }
}

static void batches_are_long_enough(void **state)
{
    (void)state;
    assert_int_equal(audit_hot_count(1000), 200);
    assert_int_equal(audit_hot_count(1e6), 20);
    assert_int_equal(audit_hot_count(1e9), 1);
    assert_int_equal(audit_hot_count(0), 200);
}

static void host_bound_is_far_above(void **state)
{
    (void)state;
    assert_true(audit_host_bound(10000, 40000, 0));
    assert_true(audit_host_bound(10000, 0, 40000)); /* hiding it from unheld calls does not help */
    assert_false(audit_host_bound(5000, 20000, 0)); /* 4 times as much, but only 15 us */
    assert_false(audit_host_bound(100000, 190000, 0));
}

static void what_is_hidden_before_the_release_counts(void **state)
{
    (void)state;
    assert_true(audit_beyond(150000, 151000) == 0);
    assert_true(audit_beyond(450000, 150000) == 300000);
    assert_true(audit_beyond(450000, 0) == 0); /* nobody knows what is usual */
    assert_true(audit_shift(148000, 147500, 1000) == 0);
    assert_true(audit_shift(158000, 147000, 1000) == 10000);
    assert_true(audit_shift(158000, 0, 1000) == 0);
}

static void empty_orders_hide_nothing(void **state)
{
    (void)state;
    assert_true(audit_empty_max(12000) == 12000);
    assert_true(audit_empty_max(0) == 50000);
}

static void busy_is_far_above(void **state)
{
    (void)state;
    assert_false(audit_busy(100000, 250000));
    assert_true(audit_busy(100000, 310000));
}

/* --- the fake device, changed --- */

/* What the next device's flush does. */
static int children_slow, always_slow, slow_once, held_slow, twice_slow, flushes;

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
}

static bool any_child(void)
{
    siginfo_t info;

    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

/* The n-th runner's process that was seen, from 1 on. */
static bool is_child(int n)
{
    static int seen;
    static pid_t last;
    FILE *f = fopen("/proc/thread-self/children", "re");
    int pid = 0;

    if (!f || fscanf(f, "%d", &pid) != 1)
        pid = 0;
    if (f)
        fclose(f);
    if (flushes <= 11)
        seen = last = 0;
    if (pid && pid != last)
        seen++;
    last = pid ? pid : last;
    return pid && seen <= n;
}

/* Slow while a runner lives: as if its work ran on. Or after the first few: as if somebody else
 * had come. */
static int test_flush(void *ctx, struct mem *const *mems, int n, struct err *err)
{
    (void)ctx, (void)mems, (void)n, (void)err;
    flushes++;
    if (children_slow && any_child())
        nap();
    else if (children_slow && slow_once && flushes > 20)
        children_slow = 0;
    if (held_slow && flushes > 10 && is_child(held_slow)) /* 8 alone, 2 unheld calls */
        nap();
    if (twice_slow && flushes > 10 && flushes <= 12) /* the first held ones */
        nap();
    if (always_slow && flushes > 8)
        nap();
    return 0;
}

/* Fingerprints that a small tensor's own bits make good enough for a test. */
static int compares, prints;

static int test_print(void *ctx, const struct mem *got, size_t at, enum dtype t, int64_t n,
                      struct fingerprint *print, struct err *err)
{
    struct hash h;
    char hex[HASH_HEX];

    (void)ctx, (void)err;
    prints++;
    hash_init(&h);
    hash_add_u64(&h, print->key);
    hash_add(&h, (const char *)got->host + at, (size_t)n * dtype_size(t));
    hash_final(&h, hex);
    memcpy(print->v, hex, sizeof(print->v));
    return 0;
}

static int test_compare(void *ctx, const struct device_compare *what, struct compare_stats *ret,
                        struct err *err)
{
    struct device_compare plain = *what;

    plain.print = NULL;
    compares += what->print != NULL;
    if (what->print &&
        test_print(ctx, what->got, what->got_at, what->type, what->n, what->print, err) < 0)
        return -1;
    prints -= what->print != NULL;
    return device_fake.judge->compare(ctx, &plain, ret, err);
}

/* Every look at memory waits while a runner lives: as if it had said too early that it was done. */
static int late_peek(void *ctx, const struct mem *m, const struct peeks *where, uint32_t *ret_words,
                     struct err *err)
{
    if (any_child())
        nap();
    return device_fake.judge->peek(ctx, m, where, ret_words, err);
}

static size_t late_at, late_bytes; /* of the output arena */

/* As if the work went on behind the probe: its next look finds something else there. */
static int changing_peek(void *ctx, const struct mem *m, const struct peeks *where,
                         uint32_t *ret_words, struct err *err)
{
    static uint64_t last_key;

    if (where->key == last_key && any_child())
        memset((char *)m->host + late_at, 0xA5, late_bytes);
    last_key = where->key;
    return device_fake.judge->peek(ctx, m, where, ret_words, err);
}

#define ALL_BYTES ((int64_t)1 << 40)
static bool hungry; /* too little memory is left while a runner lives */
static int64_t left_bytes, back_bytes;

static int test_free_bytes(void *ctx, int64_t *ret, struct err *err)
{
    (void)ctx, (void)err;
    if (!hungry)
        *ret = ALL_BYTES;
    else if (any_child())
        *ret = left_bytes;
    else
        *ret = flushes ? back_bytes : ALL_BYTES;
    return 0;
}

static int hungry_copy(void *ctx, struct mem *dst, size_t dst_at, const struct mem *src,
                       size_t src_at, size_t bytes, struct err *err)
{
    if (hungry && any_child() && flushes > 12)
        return fail(err, ERR_SYSTEM, "no device memory");
    return device_fake.judge->copy(ctx, dst, dst_at, src, src_at, bytes, err);
}

static void test_state(void *ctx, struct device_state *ret)
{
    (void)ctx;
    *ret = (struct device_state){1980, 3201, 41, 512.5, DEVICE_THROTTLE_POWER_CAP | 1};
}

static int64_t memory_bytes;     /* 0: as the fake device says */
static struct calibration usual; /* what it says of calls; 0: nothing */

static int test_describe(void *ctx, struct device_info *ret, struct err *err)
{
    int rc = device_fake.judge->describe(ctx, ret, err);

    if (memory_bytes)
        ret->memory_bytes = memory_bytes;
    return rc;
}

static enum {
    ALLOC_AS_EVER,
    ALLOC_ALONE, /* none while a runner lives: as if it held all memory */
    ALLOC_NEVER, /* none since there was one */
} allocs;
static bool seen_child;

static int test_alloc(void *ctx, enum mem_kind kind, size_t bytes, struct mem *ret, struct err *err)
{
    bool child = any_child();

    seen_child = seen_child || child;
    if ((allocs == ALLOC_ALONE && child) || (allocs == ALLOC_NEVER && seen_child))
        return fail(err, ERR_DEVICE, "out of memory");
    return device_fake.judge->mem_alloc(ctx, kind, bytes, ret, err);
}

static struct device_judge_ops ops;
static struct device device;
static int n_runners; /* of a plan */

static void make_device(enum device_clock clock, int hold_ms)
{
    ops = *device_fake.judge;
    ops.describe = test_describe;
    ops.flush = test_flush;
    ops.mem_alloc = test_alloc;
    ops.state = test_state;
    ops.free_bytes = test_free_bytes;
    device = device_fake;
    device.judge = &ops;
    device.clock = clock;
    device.hold_ms = hold_ms;
    children_slow = always_slow = slow_once = held_slow = twice_slow = flushes = 0;
    allocs = ALLOC_AS_EVER;
    seen_child = false;
    n_runners = 1;
    usual = (struct calibration){0};
}

struct rig {
    struct places places;
    struct problem *problem;
    struct station *station;
    struct session *session;
    struct evaluation e;
};

/* Calls in a runner's life: 4 checks and one of them again, 3 warm-ups, 12 scored (the least for
 * two laws), 2 or 3 batches; without checks when it is timed again. */
static struct session_options options_of(void)
{
    struct session_options o = {.device = &device, .sizes = SIZES_SMALL, .single = true};

    o.plan = (struct plan)PLAN_DEFAULT;
    o.plan.checks = 3;
    o.plan.warmups = 3;
    o.plan.min_calls = o.plan.max_calls = 8;
    o.plan.runners = n_runners;
    return o;
}

static void judge_on(struct rig *g, const char *problem, const char *candidate)
{
    /* An audited device would be calibrated, which the fake one cannot be. */
    struct calibration c = usual;
    struct session_options o = options_of();
    struct err err = ERR_INIT;
    bool made;

    strcpy(c.fingerprint, "fake");
    strcpy(c.device, "fake");
    strcpy(c.created, "now");
    c.read_bytes_s = 1e11;
    mkdir("hardware", 0777); /* no datasheets */
    *g = (struct rig){.places = {.share = ".", .home = "home", .cache = "cache"}};
    g->places.runner = runner_path();
    must(calibration_save("home", &c, &err), &err);
    write_file("k.fake", candidate);
    write_file("p.lua", problem);
    must(problem_load("p.lua", "p", &g->problem, &err), &err);
    g->station = station_new(&g->places, o.device, o.device_index);
    must(session_open(g->station, g->problem, &o, &g->session, &made, &err), &err);
    judge_file(g->session, "k.fake", &g->e);
}

static void judge(struct rig *g, const char *candidate)
{
    judge_on(g,
             "problem { 'P', level = 1, id = 1 }\n"
             "sizes { full = { N = 64 }, small = { N = 16 } }\n"
             "output('y', relu(input('x', f32, { N, N }, spread(), normal(), check_only(heavy()),\n"
             "                       check_only(needle()))))\n",
             candidate);
}

static void end(struct rig *g)
{
    evaluation_release(&g->e);
    session_close(g->session);
    station_free(g->station);
    problem_free(g->problem);
    free((char *)g->places.runner);
}

static const struct trial_result *timed(const struct rig *g)
{
    return &g->e.sizes[0].trial;
}

static void expect(const struct rig *g, enum verdict_kind kind, const char *reason,
                   const char *detail)
{
    const struct verdict *v = &g->e.verdict;

    if (v->kind != kind || strcmp(v->code, reason) != 0 || !strstr(v->detail, detail))
        fail_msg("%s: %s (%s), expected %s: %s (%s)", verdict_names[v->kind], v->code, v->detail,
                 verdict_names[kind], reason, detail);
}

/* Long enough for any load, where the point is that the hold was not lost. */
#define PATIENT_MS 60000

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

static void an_honest_claim_passes_at_once(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_true(timed(&g)->held);
    assert_false(timed(&g)->host_bound);
    assert_true(timed(&g)->hidden_ns == 0);
    assert_true(timed(&g)->cold.median == 10e9);
    assert_int_equal(timed(&g)->runs, 1);
    end(&g);
}

/* 5 ms on the way to a device that is held, where calibration saw a tenth of a millisecond. */
static void work_before_the_release_counts(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    usual.hold_max_ns = 1e5;
    judge(&g, "op relu\ntime 10s\nearly 5ms\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_true(timed(&g)->hold_ns >= 5e6);
    assert_true(timed(&g)->hidden_ns == 0);
    assert_true(timed(&g)->cold.median >= 10e9 + 4.8e6);
    end(&g);
}

/* A little in every call is below what single ones may take, and shows in their median; and no call
 * is charged twice. */
static void a_little_in_every_call_counts(void **state)
{
    struct rig g;

    (void)state;
    for (int both = 0; both < 2; both++) {
        make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
        usual.hold_low_ns = 1e5;
        usual.hold_max_ns = both ? 1e5 : 1e9;
        judge(&g, "op relu\ntime 10s\nearly 5ms\n");
        expect(&g, VERDICT_PASS, "", "");
        assert_true(timed(&g)->hidden_ns >= 4.8e6);
        assert_true(timed(&g)->cold.median >= 10e9 + 4.8e6);
        assert_true(timed(&g)->cold.median <= 10e9 + timed(&g)->hold_ns);
        end(&g);
    }
}

/* What the judge's probe waits for behind "done" is part of the call. */
static void work_after_done_counts(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    ops.peek = late_peek; /* 3 ms */
    usual.probe_max_ns = 2.5e6;
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_true(timed(&g)->cold.median >= 10e9 + 0.5e6);
    end(&g);
}

/* What the judge's clock sees of held calls beyond their claims is added: 2 ms of 500, which the
 * audit allows, less 0.1 % of the claim. Seven of the twelve scored calls really take as long, in
 * either run, so the median is one of the quickest two of them, however busy the machine is. */
static void what_the_claim_leaves_out_counts(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    judge(&g, "op relu\ntime 500ms\n"
              "sleep 502ms at call 9\nsleep 502ms at call 10\nsleep 502ms at call 11\n"
              "sleep 502ms at call 12\nsleep 502ms at call 13\nsleep 502ms at call 14\n"
              "sleep 502ms at call 15\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_true(timed(&g)->held);
    assert_true(timed(&g)->hidden_ns >= 1.4e6 && timed(&g)->hidden_ns <= 4.6e6);
    assert_true(fabs(timed(&g)->cold.median - 500e6 - timed(&g)->hidden_ns) < 1);
    end(&g);
}

/* Nobody is faster than an empty kernel, cold or back to back. */
static void below_an_empty_kernel_is_physics(void **state)
{
    static const struct {
        double cold_floor_ns, hot_floor_ns;
        enum verdict_kind kind;
        const char *reason, *detail;
    } cases[] = {
        {20e9, 0, VERDICT_REJECTED, "physics",
         "10000000.000 us cold is faster than this device can move or compute it, or run an empty "
         "kernel (19999999.800 us)"},
        {0, 20e9, VERDICT_REJECTED, "physics", "10000000.000 us back to back is faster"},
        {10e9 + 100, 10.5e9, VERDICT_PASS, "", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct rig g;

        make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
        usual.cold_floor_ns = cases[i].cold_floor_ns;
        usual.hot_floor_ns = cases[i].hot_floor_ns;
        judge(&g, "op relu\ntime 10s\n");
        expect(&g, cases[i].kind, cases[i].reason, cases[i].detail);
        end(&g);
    }
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
            expect(&g, VERDICT_REJECTED, "cache", "without having swept its caches");
        else
            expect(&g, VERDICT_PASS, "", "");
        end(&g);
    }
    device_fake.judge->mem_free(NULL, &sweep.mem);
}

/* The time that is added does not make a claim true: 300 ms of work behind the release, 10 us
 * claimed, as long again before it. */
static void what_is_hidden_excuses_no_claim(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    usual.hold_max_ns = 1e5;
    judge(&g, "op relu\ntime 10us\nearly 300ms\nsleep 300ms\n");
    expect(&g, VERDICT_REJECTED, "clock", "the runner claims 10.0 us a call");
    end(&g);
}

/* What is queued comes before the content: nobody can work on it, and it is not part of the time.
 */
static void queueing_hides_nothing(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    usual.hold_max_ns = 1e6;
    judge(&g, "op relu\ntime 10s\nqueue 50ms\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_true(timed(&g)->queue_ns >= 50e6);
    assert_true(timed(&g)->cold.median < 10e9 + 40e6);
    end(&g);
}

/* What a caller waits contains the launches, whoever's turn the device was. */
static void callers_wait_for_their_launches(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    judge(&g, "op relu\ntime 10s\nqueue 5ms\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_true(timed(&g)->call_ns >= 4.5e6);
    assert_true(timed(&g)->hold_ns > 0);
    end(&g);
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

/* Call 9 is a scored one: what was held and what was not do not mix. */
static void a_late_wait_starts_over_without_a_hold(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, DEVICE_HOLD_MS);
    judge(&g, "op relu\nsync at call 9\ntime 10s\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_false(timed(&g)->held);
    assert_int_equal(timed(&g)->n_samples, 12);
    end(&g);
}

/* Call 6 is a warm-up, call 9 is scored. In so little memory two contents lie side by side;
 * warm-ups used not to be judged there. */
static void warm_ups_are_judged_whatever_fits(void **state)
{
    static const struct {
        int64_t memory_bytes;
        const char *candidate;
        enum verdict_kind kind;
        const char *reason;
    } cases[] = {
        {0, "op relu\ntime 10s\nwrong at call 6\n", VERDICT_WRONG, "max"},
        {100000, "op relu\ntime 10s\nwrong at call 6\n", VERDICT_WRONG, "max"},
        {100000, "op relu\ntime 10s\nwrong at call 9\n", VERDICT_WRONG, "max"},
        {100000, "op relu\ntime 10s\npast-end at call 6\n", VERDICT_WRONG, "out_of_bounds"},
        {100000, "op relu\ntime 10s\npast-end at call 9\n", VERDICT_WRONG, "out_of_bounds"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct rig g;

        make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
        memory_bytes = cases[i].memory_bytes;
        judge(&g, cases[i].candidate);
        memory_bytes = 0;
        expect(&g, cases[i].kind, cases[i].reason, "");
        assert_int_equal(timed(&g)->residency, cases[i].memory_bytes ? STREAMED : RESIDENT);
        end(&g);
    }
}

/* On a device that knows outputs again, whose contents do not all fit: calls 1 to 4 are checks, 5
 * is one of them again, 6 to 8 are warm-ups, 9 to 20 are scored, each on a content of its own; 21
 * and 22 are batches on the last one. */
static void known_outputs_are_not_compared(void **state)
{
    static const struct {
        const char *candidate;
        enum verdict_kind kind;
        const char *reason;
        int compares, prints;
    } cases[] = {
        {"op relu\ntime 10s\n", VERDICT_PASS, "", 4 + 12, 1 + 3 + 2},
        {"op relu\ntime 10s\nwrong at call 5\n", VERDICT_WRONG, "max", 5, 1},
        {"op relu\ntime 10s\nwrong at call 11\n", VERDICT_WRONG, "max", 7, 4},
        {"op relu\ntime 10s\nwrong at call 12\n", VERDICT_WRONG, "max", 8, 4},
        {"op relu\ntime 10s\nwrong at call 21\n", VERDICT_WRONG, "max", 17, 5},
        {"op relu\ntime 10s\npast-end at call 12\n", VERDICT_WRONG, "out_of_bounds", 7, 4},
        {"op relu\ntime 10s\nfirst-call-only\n", VERDICT_WRONG, "unwritten", 2, 0},
        {"op relu\ntime 10s\nreplay\n", VERDICT_WRONG, "max", 2, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct rig g;

        make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
        ops.compare = test_compare;
        ops.fingerprint = test_print;
        compares = prints = 0;
        memory_bytes = 100000;
        judge(&g, cases[i].candidate);
        memory_bytes = 0;
        expect(&g, cases[i].kind, cases[i].reason, "");
        assert_true(timed(&g)->deterministic || cases[i].kind == VERDICT_WRONG);
        end(&g);
        assert_int_equal(compares, cases[i].compares);
        assert_int_equal(prints, cases[i].prints);
    }
}

/* Of the same session, so on the same contents. Nothing of who answers as the one before is
 * compared, but what it changes is. */
static void the_next_candidate_is_known_by_its_outputs(void **state)
{
    static const struct {
        const char *candidate;
        enum verdict_kind kind;
        const char *reason;
        int compares, prints;
    } next[] = {
        {"op relu\ntime 9s\n", VERDICT_PASS, "", 0, 22},
        {"op relu\ntime 9s\nwrong at call 12\n", VERDICT_WRONG, "max", 1, 12},
        {"op copy\ntime 9s\n", VERDICT_WRONG, "max", 1, 1},
        {"op relu\ntime 8s\nhalf\n", VERDICT_WRONG, "unwritten", 1, 1},
    };
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    ops.compare = test_compare;
    ops.fingerprint = test_print;
    memory_bytes = 100000;
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_PASS, "", "");
    for (size_t i = 0; i < ARRAY_SIZE(next); i++) {
        evaluation_release(&g.e);
        write_file("k.fake", next[i].candidate);
        compares = prints = 0;
        judge_file(g.session, "k.fake", &g.e);
        expect(&g, next[i].kind, next[i].reason, "");
        assert_int_equal(compares, next[i].compares);
        assert_int_equal(prints, next[i].prints);
    }
    memory_bytes = 0;
    end(&g);
}

static void a_lie_is_confirmed_and_rejected(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    judge(&g, "op relu\ntime 1us\nsleep 5ms\n");
    expect(&g, VERDICT_REJECTED, "clock", "the runner claims 1.0 us a call");
    assert_int_equal(timed(&g)->runs, 2);
    end(&g);
}

/* The same without a hold. */
static void a_lie_of_one_who_waits_is_rejected(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, DEVICE_HOLD_MS);
    judge(&g, "op relu\nsync\ntime 1us\nsleep 5ms\n");
    expect(&g, VERDICT_REJECTED, "clock", "the runner claims 1.0 us a call");
    assert_false(timed(&g)->held);
    end(&g);
}

/* Slow only where the hot calls are: 21 and 22, and 16 and 17 in the second run (in the first they
 * are two of twelve scored ones). The others are far faster than claimed, whatever the load. */
static void a_lie_about_hot_calls_is_rejected(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    judge(&g, "op relu\ntime 100ms\n"
              "sleep 500ms at call 16\nsleep 500ms at call 17\n"
              "sleep 500ms at call 21\nsleep 500ms at call 22\n");
    expect(&g, VERDICT_REJECTED, "clock", "calls back to back");
    assert_int_equal(timed(&g)->runs, 2);
    end(&g);
}

static void work_that_runs_on_is_rejected(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    children_slow = 1;
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_REJECTED, "busy", "runs on between calls");
    assert_int_equal(timed(&g)->runs, 3); /* with a hold, without, and once more */
    end(&g);
}

/* Slow flushes while work is queued, and none otherwise: streams that wait for each other. The
 * checks show it, and so does a second try. */
static void work_on_several_streams_is_not_held(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    held_slow = 1;
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_false(timed(&g)->held);
    assert_int_equal(timed(&g)->runs, 2);
    end(&g);
}

/* Two slow flushes in a row are another program's as well, if they do not come again. */
static void a_crowd_that_goes_leaves_the_hold(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    twice_slow = 1;
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_true(timed(&g)->held);
    assert_int_equal(timed(&g)->runs, 1);
    end(&g);
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

static void work_after_done_is_rejected(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    ops.peek = late_peek;
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_REJECTED, "busy", "a probe after its calls");
    assert_true(timed(&g)->busy.probe_ns > timed(&g)->idle.probe_ns);
    end(&g);
}

static void output_that_changes_behind_the_probe_is_late(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    ops.peek = changing_peek;
    late_at = GUARD_BYTES;
    late_bytes = 16 * 16 * sizeof(float);
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_REJECTED, "late", "after it had said that it was done");
    end(&g);
}

/* Places used to be spread over the whole arena: of a word beside a megabyte nobody saw anything.
 */
static void a_small_output_that_changes_is_late_too(void **state)
{
    size_t large = 512 * 512 * sizeof(float);
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    ops.peek = changing_peek;
    late_at = GUARD_BYTES + large + GUARD_BYTES;
    late_bytes = sizeof(float);
    judge_on(&g,
             "problem { 'P', level = 1, id = 1 }\n"
             "sizes { full = { N = 512 }, small = { N = 512 } }\n"
             "output('y', relu(input('x', f32, { N, N })))\n"
             "output('z', relu(input('s', f32, { 1 })))\n",
             "op relu\ntime 10s\n");
    expect(&g, VERDICT_REJECTED, "late", "after it had said that it was done");
    assert_int_equal(timed(&g)->n_calls, 1);
    end(&g);
}

/* Somebody else's work that came and went is no verdict. */
static void a_passing_disturbance_is_forgiven(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    children_slow = slow_once = 1;
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_PASS, "", "");
    assert_int_equal(timed(&g)->runs, 3);
    end(&g);
}

static void somebody_elses_work_is_infra(void **state)
{
    struct rig g;

    (void)state;
    make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
    always_slow = 1;
    judge(&g, "op relu\ntime 10s\n");
    expect(&g, VERDICT_INFRA, "device", "the device is busy");
    end(&g);
}

/* --- contents of scored calls --- */

#define MAX_CONTENTS 64

/* One content, one score: 14 of 30 scored calls repeated a content, and who remembered answers
 * owned the median. */
static void assert_contents(const struct trial_result *t, int runs, int laws, int first)
{
    int shown[MAX_CONTENTS] = {0}, met[PLAN_MAX_RUNNERS][8] = {0};

    assert_true(t->n_samples >= PLAN_LEAST_CALLS && t->n_samples % runs == 0);
    for (int i = 0; i < t->n_samples; i++) {
        const struct sample *s = &t->samples[i];

        assert_true(s->content >= first && s->content < MAX_CONTENTS);
        assert_int_equal(shown[s->content]++, 0);
        assert_true(s->run >= 0 && s->run < runs && s->law >= 0 && s->law < laws);
        met[s->run][s->law]++;
    }
    for (int law = 0; law < laws; law++) {
        int all = 0;

        for (int run = 0; run < runs; run++) {
            assert_true(met[run][law] > 0);
            all += met[run][law];
        }
        assert_true(all >= PLAN_FRESH_LAW);
    }
}

/* The problem's first laws are scored, and the one behind them is not. Checks come first: one
 * content of every law. */
static void no_content_is_scored_twice(void **state)
{
    static const struct {
        int runners, laws;
        const char *text;
        int64_t memory_bytes; /* 0: all contents fit */
    } cases[] = {
        {1, 2, "spread(), normal()", 0},          {3, 2, "spread(), normal()", 0},
        {3, 3, "spread(), normal(), heavy()", 0}, {2, 2, "spread(), normal()", 0},
        {3, 2, "spread(), normal()", 250000},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(freep)
        char *problem = xasprintf("problem { 'P', level = 1, id = 1 }\n"
                                  "sizes { full = { N = 64 }, small = { N = 16 } }\n"
                                  "output('y', relu(input('x', f32, { N, N }, %s,\n"
                                  "                       check_only(needle()))))\n",
                                  cases[i].text);
        struct rig g;

        make_device(CLOCK_CLAIM, 0);
        n_runners = cases[i].runners;
        memory_bytes = cases[i].memory_bytes;
        judge_on(&g, problem, "op relu\ntime 10us\n");
        memory_bytes = 0;
        expect(&g, VERDICT_PASS, "", "");
        assert_int_equal(pool_keeps(&g.session->pools[0], PLAN_LEAST_CALLS),
                         !cases[i].memory_bytes);
        assert_contents(timed(&g), cases[i].runners, cases[i].laws, cases[i].laws + 1);
        end(&g);
    }
}

/* --- the record --- */

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

/* A wrong candidate that held all of the device's memory was `infra`: before anybody is called
 * wrong the honest run is made on that content, and there was no room for it. Call 9 is a scored
 * one. */
static void who_holds_all_memory_is_judged(void **state)
{
    static const struct {
        int allocs;
        const char *candidate;
        enum verdict_kind kind;
        const char *reason, *detail;
    } cases[] = {
        {ALLOC_ALONE, "op relu\ntime 10s\nwrong\nstderr 5B\n", VERDICT_WRONG, "max", "y["},
        {ALLOC_ALONE, "op relu\ntime 10s\nwrong at call 9\nstderr 5B\n", VERDICT_WRONG, "max",
         "y["},
        {ALLOC_ALONE, "time 10s\nstderr 5B\n", VERDICT_WRONG, "unwritten", "never written"},
        {ALLOC_ALONE, "op relu\ntime 10s\nstderr 5B\n", VERDICT_PASS, "", ""},
        {ALLOC_NEVER, "op relu\ntime 10s\nwrong\nstderr 5B\n", VERDICT_INFRA, "device",
         "out of memory"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct rig g;

        make_device(CLOCK_CLAIM_AUDITED, PATIENT_MS);
        allocs = cases[i].allocs;
        judge(&g, cases[i].candidate);
        expect(&g, cases[i].kind, cases[i].reason, cases[i].detail);
        assert_non_null(timed(&g)->text); /* what it printed is not lost with its processes */
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

/* --- NVML --- */

static const char stub[] =
    "int nvmlInit_v2(void) { return 0; }\n"
    "int nvmlShutdown(void) { return 0; }\n"
    "int nvmlDeviceGetHandleByUUID(const char *u, void **d)\n"
    "{ *d = (void *)7; return u[0] == 'G' ? 0 : 6; }\n"
    "int nvmlDeviceGetClockInfo(void *d, int which, unsigned *v)\n"
    "{ *v = d == (void *)7 && which == 1 ? 1980 : 3201; return 0; }\n"
    "int nvmlDeviceGetTemperature(void *d, int s, unsigned *v) { *v = 41; return 0; }\n"
    "int nvmlDeviceGetPowerUsage(void *d, unsigned *v) { return 3; /* not supported */ }\n"
    "int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *v)\n"
    "{ *v = 0x44; return 0; }\n";

static void nvml_tells_what_it_knows(void **state)
{
    struct device_state s;

    (void)state;
    write_file("stub.c", stub);
    if (system("cc -shared -fPIC -w -o libstub.so stub.c") != 0)
        skip();

    struct nvml *n = nvml_open("./libstub.so", "GPU-1");

    assert_non_null(n);
    nvml_state(n, &s);
    nvml_close(n);
    assert_int_equal(s.sm_mhz, 1980);
    assert_int_equal(s.memory_mhz, 3201);
    assert_int_equal(s.celsius, 41);
    assert_true(s.watts == -1);
    assert_true(s.throttle == 0x44 && device_throttled(&s));
    assert_null(nvml_open("./libstub.so", "MIG-1"));
}

static void without_nvml_nothing_is_known(void **state)
{
    struct device_state s;

    (void)state;
    assert_null(nvml_open("./libnone.so", "GPU-1"));
    nvml_state(NULL, &s);
    assert_true(s.sm_mhz == -1 && s.memory_mhz == -1 && s.celsius == -1 && s.watts == -1);
    assert_false(device_throttled(&s));
    nvml_close(NULL);
}

/* --- the waiting kernel --- */

static void waiting_kernel_assembles(void **state)
{
    static const char *const archs[] = {"sm_75", "sm_80", "sm_90a", "sm_100a"};

    (void)state;
    if (system("PATH=$PATH:/usr/local/cuda/bin ptxas --version >/dev/null 2>&1") != 0)
        skip();
    write_file("hold.ptx", cuda_hold_ptx);
    for (size_t i = 0; i < ARRAY_SIZE(archs); i++) {
        AUTO(freep)
        char *line = xasprintf(
            "PATH=$PATH:/usr/local/cuda/bin ptxas -arch=%s -o hold.cubin hold.ptx", archs[i]);

        assert_int_equal(system(line), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_against_the_clock),
        cmocka_unit_test(lies_are_small),
        cmocka_unit_test(batches_are_long_enough),
        cmocka_unit_test(host_bound_is_far_above),
        cmocka_unit_test(what_is_hidden_before_the_release_counts),
        cmocka_unit_test(empty_orders_hide_nothing),
        cmocka_unit_test(busy_is_far_above),
        cmocka_unit_test(launches_queue_up_behind_a_hold),
        cmocka_unit_test(an_honest_claim_passes_at_once),
        cmocka_unit_test(work_before_the_release_counts),
        cmocka_unit_test(a_little_in_every_call_counts),
        cmocka_unit_test(work_after_done_counts),
        cmocka_unit_test(what_the_claim_leaves_out_counts),
        cmocka_unit_test(below_an_empty_kernel_is_physics),
        cmocka_unit_test(who_does_not_sweep_is_rejected),
        cmocka_unit_test(what_is_hidden_excuses_no_claim),
        cmocka_unit_test(queueing_hides_nothing),
        cmocka_unit_test(callers_wait_for_their_launches),
        cmocka_unit_test(waiting_inside_the_call_ends_the_hold),
        cmocka_unit_test(a_late_wait_starts_over_without_a_hold),
        cmocka_unit_test(warm_ups_are_judged_whatever_fits),
        cmocka_unit_test(known_outputs_are_not_compared),
        cmocka_unit_test(the_next_candidate_is_known_by_its_outputs),
        cmocka_unit_test(a_lie_is_confirmed_and_rejected),
        cmocka_unit_test(a_lie_of_one_who_waits_is_rejected),
        cmocka_unit_test(a_lie_about_hot_calls_is_rejected),
        cmocka_unit_test(work_that_runs_on_is_rejected),
        cmocka_unit_test(work_on_several_streams_is_not_held),
        cmocka_unit_test(a_crowd_that_goes_leaves_the_hold),
        cmocka_unit_test(who_takes_the_judges_memory_is_rejected),
        cmocka_unit_test(work_after_done_is_rejected),
        cmocka_unit_test(output_that_changes_behind_the_probe_is_late),
        cmocka_unit_test(a_small_output_that_changes_is_late_too),
        cmocka_unit_test(a_passing_disturbance_is_forgiven),
        cmocka_unit_test(somebody_elses_work_is_infra),
        cmocka_unit_test(no_content_is_scored_twice),
        cmocka_unit_test(who_holds_all_memory_is_judged),
        cmocka_unit_test(who_held_all_memory_is_awaited),
        cmocka_unit_test(record_says_how_it_was_timed),
        cmocka_unit_test(nvml_tells_what_it_knows),
        cmocka_unit_test(without_nvml_nothing_is_known),
        cmocka_unit_test(waiting_kernel_assembles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
