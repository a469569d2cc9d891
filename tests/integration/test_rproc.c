/* SPDX-License-Identifier: MIT */
/* alone: it starts runners and waits for them */
/* What of a runner's CPU time is counted as part of its call. */
#include "testing.h"

#include "process/rproc.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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
        cmocka_unit_test(cpu_time_outside_the_call_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
