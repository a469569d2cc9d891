/* SPDX-License-Identifier: MIT */
/*
 * The fake device with changed tables, to be timed: real runners, real holds, and claims so far
 * from the truth that no load on the machine makes them true, or false.
 */
#ifndef TESTS_TIMING_RIG_H
#define TESTS_TIMING_RIG_H

#include "judge_rig.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* What the next device's flush does. */
static int children_slow, always_slow, slow_once, held_slow, twice_slow, flushes;

static inline void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
}

static inline bool any_child(void)
{
    siginfo_t info;

    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

/* The n-th runner's process that was seen, from 1 on. */
static inline bool is_child(int n)
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
static inline int test_flush(void *ctx, struct mem *const *mems, int n, struct err *err)
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

#define ALL_BYTES ((int64_t)1 << 40)

static bool hungry; /* too little memory is left while a runner lives */
static int64_t left_bytes, back_bytes;

static inline int test_free_bytes(void *ctx, int64_t *ret, struct err *err)
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

static inline void test_state(void *ctx, struct device_state *ret)
{
    (void)ctx;
    *ret = (struct device_state){1980, 3201, 41, 512.5, DEVICE_THROTTLE_POWER_CAP | 1};
}

static int64_t memory_bytes;     /* 0: as the fake device says */
static struct calibration usual; /* what it says of calls; 0: nothing */

static inline int test_describe(void *ctx, struct device_info *ret, struct err *err)
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

static inline int test_alloc(void *ctx, enum mem_kind kind, size_t bytes, struct mem *ret,
                             struct err *err)
{
    bool child = any_child();

    seen_child = seen_child || child;
    if ((allocs == ALLOC_ALONE && child) || (allocs == ALLOC_NEVER && seen_child))
        return fail(err, ERR_DEVICE, "out of memory");
    return device_fake.judge->mem_alloc(ctx, kind, bytes, ret, err);
}

static struct device_judge_ops ops;
static struct device device;
static int n_runners, n_warm_ups; /* of a plan */

static inline void make_device(enum device_clock clock, int hold_ms)
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
    n_warm_ups = 3;
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
static inline struct session_options options_of(void)
{
    struct session_options o = {.device = &device, .sizes = SIZES_SMALL, .single = true};

    o.plan = (struct plan)PLAN_DEFAULT;
    o.plan.checks = 3;
    o.plan.warmups = n_warm_ups;
    o.plan.min_calls = o.plan.max_calls = 8;
    o.plan.runners = n_runners;
    return o;
}

static inline void judge_on(struct rig *g, const char *problem, const char *candidate)
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

static inline void judge(struct rig *g, const char *candidate)
{
    judge_on(g,
             "problem { 'P', level = 1, id = 1 }\n"
             "sizes { full = { N = 64 }, small = { N = 16 } }\n"
             "output('y', relu(input('x', f32, { N, N }, spread(), normal(), check_only(heavy()),\n"
             "                       check_only(needle()))))\n",
             candidate);
}

static inline void end(struct rig *g)
{
    evaluation_release(&g->e);
    session_close(g->session);
    station_free(g->station);
    problem_free(g->problem);
    free((char *)g->places.runner);
}

static inline const struct trial_result *timed(const struct rig *g)
{
    return &g->e.sizes[0].trial;
}

static inline void expect(const struct rig *g, enum verdict_kind kind, const char *reason,
                          const char *detail)
{
    const struct verdict *v = &g->e.verdict;

    if (v->kind != kind || strcmp(v->code, reason) != 0 || !strstr(v->detail, detail))
        fail_msg("%s: %s (%s), expected %s: %s (%s)", verdict_names[v->kind], v->code, v->detail,
                 verdict_names[kind], reason, detail);
}

/* Long enough for any load, where the point is that the hold was not lost. */
#define PATIENT_MS 60000

#endif
