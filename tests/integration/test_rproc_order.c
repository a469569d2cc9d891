/* SPDX-License-Identifier: MIT */
/* alone: it measures time */
/* Orders to a runner on a device that can be held back: launches queue up, the caches are swept,
 * and who waits inside the call loses the hold. And what of a runner's CPU time is counted as part
 * of its call. */
#include "timing_rig.h"

#include "process/rproc.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

#define US 1000u
#define MS 1000000u

static uint64_t used_ns(pid_t pid)
{
    struct timespec t;
    clockid_t clock;

    assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
    assert_int_equal(clock_gettime(clock, &t), 0);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* It has worked for 20 ms at least and stands still. */
static pid_t start(void)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        while (used_ns(getpid()) < 20 * MS)
            continue;
        raise(SIGSTOP);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(WIFSTOPPED(status));
    return pid;
}

static uint64_t unexplained(pid_t pid, uint64_t call_ns, uint64_t wake_ns, uint64_t stop_ns)
{
    const struct rproc r = {.pid = pid, .call_ns = call_ns, .wake_ns = wake_ns, .stop_ns = stop_ns};

    return rproc_unexplained_ns(&r);
}

static void cpu_time_outside_the_call_counts(void **state)
{
    pid_t pid = start();
    uint64_t used = used_ns(pid);

    (void)state;
    assert_int_equal(unexplained(pid, used + MS, 10 * MS, 10 * MS), 0);
    /* Threads that spin all the while: no longer than the wake-up takes. */
    assert_int_equal(unexplained(pid, MS, 30 * US, 15 * US), 30 * US);
    assert_int_equal(unexplained(pid, MS, 40 * US, 100 * US), 40 * US);
    /* Before go. */
    assert_int_equal(unexplained(pid, MS, 10 * MS, 15 * US), 10 * MS);
    /* After done. */
    assert_int_equal(unexplained(pid, MS, 30 * US, 10 * MS), 10 * MS - 70 * US);
    /* A long stop explains no more than a short one. (Who is said to stand still may be on its way
     * there on another core, and use a little more.) */
    for (uint64_t stop_ns = 10 * US; stop_ns <= 10 * MS; stop_ns *= 1000) {
        uint64_t found = unexplained(pid, used - 200 * US, 10 * MS, stop_ns);

        assert_in_range(found, 190 * US, 190 * US + used_ns(pid) - used);
    }
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_queue_up_behind_a_hold),
        cmocka_unit_test(who_does_not_sweep_is_rejected),
        cmocka_unit_test(waiting_inside_the_call_ends_the_hold),
        cmocka_unit_test(cpu_time_outside_the_call_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
