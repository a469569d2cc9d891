/* SPDX-License-Identifier: MIT */
/*
 * A judge may own gigabytes, so a child is made as vfork makes it: it shares the judge's memory
 * until it execs, and the calling thread waits that long. Hence the rules for its steps
 * (child.h): system calls only, nothing that allocates or locks, and what it has to say (which step
 * failed, with which errno) it leaves in struct child, where the parent reads it.
 *
 * All signals are blocked meanwhile: a handler of the judge's must not run in the child.
 */
#include "base/fault.h"
#include "sandbox/cgroup.h"
#include "sandbox/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_STACK_BYTES 32768

static int child_main(void *arg)
{
    struct child *c = arg;
    const struct spawn *s = c->s;

    child_lead_group(c);
    if (s->goes_first)
        child_write("/proc/self/oom_score_adj", "1000"); /* may fail: it is only a wish */
    /* Landlock before child_fds, which closes the ruleset. */
    if (child_die_with_judge(c) == 0 && child_map_user(c) == 0 && child_mounts(c) == 0 &&
        child_place(c) == 0 && child_landlock(c, s->ruleset_fd) == 0 && child_fds(c) == 0) {
        child_signals();
        execve(s->path, s->argv, s->envp);
        child_failed(c, "exec");
    }
    return 127; /* clone() makes it the exit status; exit() would run the judge's handlers */
}

/* Returns the pid, or -1 with c->failed set, or -1 with errno alone (the clone was refused). */
static pid_t clone_child(struct child *c, int *ret_pidfd)
{
    /* The stack is from the heap: AddressSanitizer's marks of the last child would stay on ours. */
    AUTO(freep) char *stack = xmalloc(CHILD_STACK_BYTES);
    sigset_t all, before;
    int pidfd = -1, saved;

    c->failed = NULL;
    c->needs_fewer = false;
    if (fault("fork")) {
        errno = EAGAIN;
        return -1;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);

    pid_t pid =
        clone(child_main, stack + CHILD_STACK_BYTES,
              CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD | child_namespace_flags(c->layers), c,
              &pidfd);

    saved = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (pid > 0 && c->failed) {
        waitpid(pid, NULL, 0);
        close(pidfd);
        saved = c->failed_errno;
        pid = -1;
    }
    errno = saved;
    *ret_pidfd = pidfd;
    return pid;
}

static bool fits(const struct spawn *s, uint32_t set)
{
    return !s->needs_proc || !(set & SANDBOX_PID_NS) || (set & SANDBOX_OWN_PROC);
}

/* True if a start with fewer namespaces may succeed where this one did not. */
static bool refused_namespaces(const struct child *c, int error)
{
    if (!c->layers || c->failed)
        return c->needs_fewer;
    return error == EPERM || error == EACCES || error == EINVAL || error == ENOSPC ||
           error == EUSERS;
}

int spawn_process(const struct spawn *s, pid_t *ret_pid, int *ret_pidfd, uint32_t *ret_layers,
                  struct err *err)
{
    AUTO(fd_closep) int judge_pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    AUTO(fd_closep) int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    uint32_t user = geteuid() == 0 ? 0 : SANDBOX_USER_NS;
    struct child c;
    pid_t pid = -1;
    int pidfd = -1;

    if (judge_pidfd < 0 || null_fd < 0)
        return fail_errno(err, "cannot start %s: %s", s->path,
                          judge_pidfd < 0 ? "pidfd_open" : "/dev/null");
    child_init(&c, s);
    c.judge_pidfd = judge_pidfd;
    c.null_fd = null_fd;
    for (size_t i = 0; pid < 0 && i < CHILD_NAMESPACE_SETS; i++) {
        uint32_t set = child_with_proc(s, child_namespace_sets[i] & s->namespaces);

        if (!fits(s, set))
            continue;
        c.layers = set ? set | user : 0;
        pid = clone_child(&c, &pidfd);
        if (pid < 0 && !refused_namespaces(&c, errno))
            return fail_errno(err, "cannot start %s%s%s", s->path, c.failed ? ": " : "",
                              c.failed ? c.failed : "");
    }
    *ret_pid = pid;
    *ret_pidfd = pidfd;
    *ret_layers = c.layers | (c.in_group ? SANDBOX_CGROUP : 0);
    return 0;
}

int sandbox_start(const struct sandbox_spawn *s, pid_t *ret_pid, int *ret_pidfd,
                  uint32_t *ret_layers, struct err *err)
{
    AUTO(fd_closep) int door = s->group ? cgroup_door(s->group) : -1;
    struct spawn plan = {.path = s->path,
                         .argv = s->argv,
                         .envp = s->envp,
                         .n_fds = s->n_fds,
                         .out_fd = s->out_fd,
                         .cpus = s->pin ? &s->cpus : NULL,
                         .namespaces = s->trusted ? 0 : SPAWN_ALL_NAMESPACES | SANDBOX_OWN_PROC,
                         .max_threads = s->trusted ? 0 : sandbox_max_threads(),
                         .goes_first = !s->trusted,
                         .needs_proc = s->needs_proc,
                         .ruleset_fd = -1,
                         .group_fd = door};

    memcpy(plan.fds, s->fds, sizeof(plan.fds));
    return spawn_process(&plan, ret_pid, ret_pidfd, ret_layers, err);
}
