/* SPDX-License-Identifier: MIT */
/*
 * A judge may own gigabytes, so a child is made as vfork makes it: it shares the judge's memory
 * until it execs, and the calling thread waits that long. Hence the rules for everything marked
 * "child" below: system calls only, nothing that allocates or locks, and what it has to say (which
 * step failed, with which errno) it leaves in struct child, where the parent reads it.
 *
 * All signals are blocked meanwhile: a handler of the judge's must not run in the child.
 */
#include "sandbox/spawn.h"

#include "base/fault.h"
#include "sandbox/cgroup.h"
#include "sandbox/landlock.h"
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_STACK_BYTES 32768

struct child {
    const struct spawn *s;
    uint32_t layers;
    int judge_pidfd, null_fd;
    char uid_map[48], gid_map[48];
    const char *failed; /* the step that failed, NULL when exec went well */
    int failed_errno;
    bool in_group;
    bool needs_fewer; /* the failed step belongs to a namespace; fewer of them may help */
};

static const struct {
    uint32_t layer;
    int flag;
} namespace_flags[] = {
    {SANDBOX_USER_NS, CLONE_NEWUSER}, {SANDBOX_PID_NS, CLONE_NEWPID},
    {SANDBOX_NET_NS, CLONE_NEWNET},   {SANDBOX_IPC_NS, CLONE_NEWIPC},
    {SANDBOX_MOUNT_NS, CLONE_NEWNS},
};

/* Sets of namespaces, tried in this order as far as they are asked for: containers and hardened
 * kernels refuse some. */
static const uint32_t namespace_sets[] = {
    SANDBOX_PID_NS | SANDBOX_NET_NS | SANDBOX_IPC_NS | SANDBOX_MOUNT_NS,
    SANDBOX_PID_NS | SANDBOX_IPC_NS | SANDBOX_MOUNT_NS,
    SANDBOX_PID_NS,
    SANDBOX_NET_NS | SANDBOX_IPC_NS | SANDBOX_MOUNT_NS,
    0,
};

/* ---- child ---- */

static int child_failed(struct child *c, const char *step)
{
    c->failed = step;
    c->failed_errno = errno;
    return -1;
}

/* Seen from a new pid namespace the parent is always 0, so a judge that died before the death
 * signal was asked for is noticed through its pidfd. */
static int child_die_with_judge(struct child *c)
{
    struct pollfd judge = {.fd = c->judge_pidfd, .events = POLLIN};

    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
        return child_failed(c, "prctl(PR_SET_PDEATHSIG)");
    return poll(&judge, 1, 0) > 0 ? -1 : 0; /* nobody is left to tell */
}

static int child_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));

    if (fd >= 0)
        close(fd);
    return n < 0 ? -1 : 0;
}

/* Enters the cgroup while the child still has the judge's rights. */
static void child_group(struct child *c)
{
    c->in_group = c->s->group_fd >= 0 && write(c->s->group_fd, "0", 1) == 1;
}

/* The kernel lets an ordinary user map its gid only once setgroups is given up. */
static int child_map_user(struct child *c)
{
    if (!(c->layers & SANDBOX_USER_NS))
        return 0;
    if (child_write("/proc/self/setgroups", "deny") < 0 ||
        child_write("/proc/self/uid_map", c->uid_map) < 0 ||
        child_write("/proc/self/gid_map", c->gid_map) < 0) {
        c->needs_fewer = true;
        return child_failed(c, "mapping the user");
    }
    return 0;
}

/* A container may hide parts of its /proc, and then lets no ordinary user mount another one. */
static int child_proc(struct child *c)
{
    if (!(c->layers & SANDBOX_OWN_PROC) ||
        mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0)
        return 0;
    c->layers &= ~(uint32_t)SANDBOX_OWN_PROC;
    if (!c->s->needs_proc)
        return 0;
    c->needs_fewer = true;
    return child_failed(c, "mounting /proc");
}

static int child_mounts(struct child *c)
{
    if ((c->layers & SANDBOX_MOUNT_NS) && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
        c->needs_fewer = true;
        return child_failed(c, "making mounts private");
    }
    return child_proc(c);
}

/* Moves descriptors out of the targets' way, then into place: any source may be any target. */
static int child_fds(struct child *c)
{
    const struct spawn *s = c->s;
    int n = s->n_fds + 3, from[SPAWN_MAX_FDS + 3];

    for (int i = 0; i < n; i++) {
        int fd = i == 0 ? c->null_fd : i < 3 ? s->out_fd : s->fds[i - 3];

        from[i] = fcntl(fd, F_DUPFD_CLOEXEC, n);
        if (from[i] < 0)
            return child_failed(c, "passing descriptors");
    }
    for (int i = 0; i < n; i++)
        if (dup2(from[i], i) < 0)
            return child_failed(c, "passing descriptors");
    if (syscall(SYS_close_range, n, ~0u, 0) < 0)
        return child_failed(c, "close_range");
    return 0;
}

/* RLIMIT_NPROC counts all threads of a uid. It is set where they are the runner's alone: in a user
 * namespace, which counts its own, and for root, who takes another uid before a candidate runs. */
static int child_threads(struct child *c)
{
    struct rlimit limit = {c->s->max_threads, c->s->max_threads};

    if (!c->s->max_threads || !(c->layers & SANDBOX_USER_NS || geteuid() == 0))
        return 0;
    if (setrlimit(RLIMIT_NPROC, &limit) < 0 && errno != EPERM)
        return child_failed(c, "setting limits");
    return 0;
}

static int child_place(struct child *c)
{
    const struct spawn *s = c->s;

    if (s->cpus && sched_setaffinity(0, sizeof(*s->cpus), s->cpus) < 0)
        return child_failed(c, "pinning to a CPU");
    if (s->cwd && chdir(s->cwd) < 0)
        return child_failed(c, s->cwd);
    for (int i = 0; i < s->n_limits; i++) {
        struct rlimit limit = {s->limits[i].value, s->limits[i].value};

        /* A lower limit that exists already is as good. */
        if (setrlimit(s->limits[i].resource, &limit) < 0 && errno != EPERM)
            return child_failed(c, "setting limits");
    }
    return child_threads(c);
}

static int child_landlock(struct child *c, int ruleset_fd)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};

    if (ruleset_fd < 0)
        return 0;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || landlock_enter(ruleset_fd) < 0 ||
        syscall(SYS_capset, &head, none) < 0)
        return child_failed(c, "entering Landlock");
    return 0;
}

static void child_signals(void)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int sig = 1; sig < NSIG; sig++)
        sigaction(sig, &plain, NULL); /* refused for KILL and STOP: fine */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static int child_main(void *arg)
{
    struct child *c = arg;
    const struct spawn *s = c->s;

    setpgid(0, 0);
    child_group(c);
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

/* ---- parent ---- */

static int clone_flags(uint32_t layers)
{
    int flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD;

    for (size_t i = 0; i < ARRAY_SIZE(namespace_flags); i++)
        if (layers & namespace_flags[i].layer)
            flags |= namespace_flags[i].flag;
    return flags;
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

    pid_t pid = clone(child_main, stack + CHILD_STACK_BYTES, clone_flags(c->layers), c, &pidfd);

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

/* A new /proc without a mount namespace would be everybody's, and without a pid namespace it would
 * show everybody. */
static uint32_t with_proc(const struct spawn *s, uint32_t set)
{
    bool own = (set & SANDBOX_PID_NS) && (set & SANDBOX_MOUNT_NS);

    return own ? set | (s->namespaces & SANDBOX_OWN_PROC) : set;
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

static void child_init(struct child *c, const struct spawn *s)
{
    unsigned uid = geteuid(), gid = getegid();

    *c = (struct child){.s = s};
    snprintf(c->uid_map, sizeof(c->uid_map), "%u %u 1\n", uid, uid);
    snprintf(c->gid_map, sizeof(c->gid_map), "%u %u 1\n", gid, gid);
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
    for (size_t i = 0; pid < 0 && i < ARRAY_SIZE(namespace_sets); i++) {
        uint32_t set = with_proc(s, namespace_sets[i] & s->namespaces);

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
