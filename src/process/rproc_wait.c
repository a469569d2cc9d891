/* SPDX-License-Identifier: MIT */
/*
 * Waiting is spinning: the judge owns a core, and a futex or a poll() would add 50 to 80 us to a
 * call that may take five. A spin cannot see death, so every so often it polls the pidfd; and it
 * drains the runner's stdout and stderr, or a talkative candidate would block on a full pipe.
 */
#include "process/rproc_wait.h"

#include "base/clock.h"
#include "process/footprint.h"
#include "sandbox/cgroup.h"
#include "terms/fault_name.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* About 20 us of spinning between looks at the clock and the descriptors. */
#define SPINS_PER_LOOK 512
#define DEATH_MS 1000 /* from a closed socket to the process's end: a driver closes between */

static inline void relax(void)
{
    __builtin_ia32_pause();
}

static const enum reason overdue_reasons[] = {
    [WHEN_START] = REASON_TIMEOUT_START,
    [WHEN_LOADING] = REASON_TIMEOUT_LOADING,
    [WHEN_SETUP] = REASON_TIMEOUT_SETUP,
    [WHEN_CALL] = REASON_TIMEOUT_CALL,
    [WHEN_BETWEEN_CALLS] = REASON_TIMEOUT_BETWEEN_CALLS,
};

const char *rproc_when_name(enum rproc_when when)
{
    return reason_table[overdue_reasons[when]].code;
}

/* --- text and death --- */

/* Reads what lies in the pipe, and no more: a runner that writes as fast as it is read must not
 * keep the judge here. */
void rproc_drain(struct rproc *r)
{
    char chunk[65536];

    for (size_t seen = 0; seen <= RPROC_PIPE_BYTES; seen += sizeof(chunk)) {
        ssize_t n = read(r->out_fd, chunk, sizeof(chunk));

        if (n <= 0)
            return;
        r->text_seen += (uint64_t)n;
        if (r->text.len < RPROC_TEXT_MAX)
            buf_add(&r->text, chunk, MIN((size_t)n, RPROC_TEXT_MAX - r->text.len));
    }
}

bool rproc_reap(struct rproc *r, int options)
{
    siginfo_t info = {0};

    if (r->pid <= 0)
        return true;
    if (waitid(P_PID, (id_t)r->pid, &info, WEXITED | options) < 0 || info.si_pid == 0)
        return false;
    r->wait_status = info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
    r->pid = 0;
    return true;
}

static int out_of_memory(const struct rproc *r, enum rproc_when when, struct verdict *v)
{
    return verdict_set(v, REASON_CRASH_MEMORY, "%s: took more than %.1f GiB of host memory; ended",
                       rproc_when_name(when), (double)r->config->mem_bytes / 0x1p30);
}

/* Exit status 134 comes from our SIGABRT handler: as pid 1 of its namespace a runner ignores an
 * unhandled SIGABRT of its own. */
static int death_verdict(const struct rproc *r, enum rproc_when when, struct verdict *v)
{
    int status = r->wait_status;

    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
        return verdict_set(v, REASON_REJECTED_SANDBOX,
                           "%s: made a system call no kernel needs (fork, exec, network, ...)",
                           rproc_when_name(when));
    if (WIFSIGNALED(status) && r->group && cgroup_ran_out(r->group))
        return out_of_memory(r, when, v);
    if (WIFSIGNALED(status)) {
        int number = WTERMSIG(status);
        const char *name = signal_name(number);

        return verdict_set_named(v, REASON_CRASH_SIGNAL, name, "%s: ended by %s (%s)",
                                 rproc_when_name(when), name, strsignal(number));
    }
    if (WEXITSTATUS(status) == 134)
        return verdict_set_named(v, REASON_CRASH_SIGNAL, signal_name(SIGABRT),
                                 "%s: aborted (SIGABRT)", rproc_when_name(when));
    return verdict_set(v, REASON_CRASH_EXITED, "%s: the candidate ended its process (exit %d)",
                       rproc_when_name(when), WEXITSTATUS(status));
}

/* Whether the process ends by itself within DEATH_MS. */
static bool ends(const struct rproc *r)
{
    struct pollfd end = {r->pidfd, POLLIN, 0};
    uint64_t start = clock_ns();
    int left = DEATH_MS;

    while (r->pid > 0 && poll(&end, 1, left) <= 0) {
        left = DEATH_MS - (int)clock_ms_since(start);
        if (left <= 0)
            return false;
    }
    return true;
}

/* A closed socket is not yet the end of the process: a candidate can close it and live on. Killing
 * a process that is already on its way out does not change how it ended. */
int rproc_died(struct rproc *r, enum rproc_when when, struct verdict *v)
{
    rproc_drain(r);

    bool lives = !ends(r);

    if (lives)
        rproc_kill(r);
    rproc_reap(r, 0);
    rproc_drain(r);
    if (lives && WIFSIGNALED(r->wait_status) && WTERMSIG(r->wait_status) == SIGKILL)
        return verdict_set(v, REASON_REJECTED_PROTOCOL,
                           "%s: closed its socket to the judge and kept running; ended",
                           rproc_when_name(when));
    return death_verdict(r, when, v);
}

int rproc_overdue(struct rproc *r, enum rproc_when when, int limit_ms, struct verdict *v)
{
    rproc_end(r);
    return verdict_set(v, overdue_reasons[when], "%s: not done after %d ms; ended",
                       rproc_when_name(when), limit_ms);
}

/* A driver reserves terabytes of addresses, so RLIMIT_AS cannot bound its process. The judge
 * watches what is used, often enough that little more can be taken meanwhile. */
int rproc_watch_memory(struct rproc *r, enum rproc_when when, struct verdict *v)
{
    uint64_t now = clock_ns(), limit = r->config->mem_bytes;

    if (limit == 0 || now - r->watched_ns < MEMORY_WATCH_NS)
        return 0;
    r->watched_ns = now;
    if (footprint_resident(r->pid) <= limit)
        return 0;
    rproc_end(r);
    return out_of_memory(r, when, v);
}

/* --- waiting --- */

/* Looks for death, text and memory between spins: 0 go on, 1 ended (*v says why). */
static int poll_process(struct rproc *r, enum rproc_when when, struct verdict *v)
{
    struct pollfd fds[2] = {{r->pidfd, POLLIN, 0}, {r->out_fd, POLLIN, 0}};

    if (poll(fds, 2, 0) > 0) {
        if (fds[1].revents & POLLIN)
            rproc_drain(r);
        if (fds[0].revents & POLLIN)
            return rproc_died(r, when, v);
    }

    if (r->watch.check)
        r->watch.check(r->watch.arg);

    return rproc_watch_memory(r, when, v);
}

int rproc_spin_for_either(struct rproc *r, atomic_uint *word, atomic_uint *other, unsigned value,
                          int limit_ms, bool *ret_overdue, enum rproc_when when, struct verdict *v)
{
    uint64_t deadline = clock_ns() + (uint64_t)limit_ms * 1000000u;

    for (;;) {
        for (int i = 0; i < SPINS_PER_LOOK; i++) {
            if (atomic_load_explicit(word, memory_order_acquire) == value ||
                atomic_load_explicit(other, memory_order_acquire) == value)
                return 0;
            relax();
        }

        int rc = poll_process(r, when, v);

        if (rc)
            return rc;

        bool late = clock_ns() > deadline;

        if (late && !ret_overdue)
            return rproc_overdue(r, when, limit_ms, v);
        if (late) {
            *ret_overdue = true;
            return 0;
        }
        if (!r->config->pin)
            sched_yield(); /* one core for both: let the runner have it */
    }
}

int rproc_spin_for(struct rproc *r, atomic_uint *word, unsigned value, int limit_ms,
                   enum rproc_when when, struct verdict *v)
{
    return rproc_spin_for_either(r, word, word, value, limit_ms, NULL, when, v);
}
