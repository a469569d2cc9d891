/* SPDX-License-Identifier: MIT */
#include "sandbox/child.h"

#include "sandbox/cgroup.h"
#include "sandbox/landlock.h"

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
#include <unistd.h>

static const struct {
    uint32_t layer;
    int flag;
} namespace_flags[] = {
    {SANDBOX_USER_NS, CLONE_NEWUSER}, {SANDBOX_PID_NS, CLONE_NEWPID},
    {SANDBOX_NET_NS, CLONE_NEWNET},   {SANDBOX_IPC_NS, CLONE_NEWIPC},
    {SANDBOX_MOUNT_NS, CLONE_NEWNS},
};

const uint32_t child_namespace_sets[CHILD_NAMESPACE_SETS] = {
    SANDBOX_PID_NS | SANDBOX_NET_NS | SANDBOX_IPC_NS | SANDBOX_MOUNT_NS,
    SANDBOX_PID_NS | SANDBOX_IPC_NS | SANDBOX_MOUNT_NS,
    SANDBOX_PID_NS,
    SANDBOX_NET_NS | SANDBOX_IPC_NS | SANDBOX_MOUNT_NS,
    0,
};

int child_namespace_flags(uint32_t layers)
{
    int flags = 0;

    for (size_t i = 0; i < ARRAY_SIZE(namespace_flags); i++)
        if (layers & namespace_flags[i].layer)
            flags |= namespace_flags[i].flag;
    return flags;
}

uint32_t child_with_proc(const struct spawn *s, uint32_t set)
{
    bool own = (set & SANDBOX_PID_NS) && (set & SANDBOX_MOUNT_NS);

    return own ? set | (s->namespaces & SANDBOX_OWN_PROC) : set;
}

void child_init(struct child *c, const struct spawn *s)
{
    unsigned uid = geteuid(), gid = getegid();

    *c = (struct child){.s = s};
    snprintf(c->uid_map, sizeof(c->uid_map), "%u %u 1\n", uid, uid);
    snprintf(c->gid_map, sizeof(c->gid_map), "%u %u 1\n", gid, gid);
}

int child_failed(struct child *c, const char *step)
{
    c->failed = step;
    c->failed_errno = errno;
    return -1;
}

/* Seen from a new pid namespace the parent is always 0, so a judge that died before the death
 * signal was asked for is noticed through its pidfd. */
int child_die_with_judge(struct child *c)
{
    struct pollfd judge = {.fd = c->judge_pidfd, .events = POLLIN};

    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
        return child_failed(c, "prctl(PR_SET_PDEATHSIG)");
    return poll(&judge, 1, 0) > 0 ? -1 : 0; /* nobody is left to tell */
}

int child_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));

    if (fd >= 0)
        close(fd);
    return n < 0 ? -1 : 0;
}

/* The cgroup is entered while the child still has the judge's rights. */
void child_lead_group(struct child *c)
{
    setpgid(0, 0);
    c->in_group = c->s->group_fd >= 0 && write(c->s->group_fd, "0", 1) == 1;
}

/* The kernel lets an ordinary user map its gid only once setgroups is given up. */
int child_map_user(struct child *c)
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

int child_mounts(struct child *c)
{
    if ((c->layers & SANDBOX_MOUNT_NS) && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
        c->needs_fewer = true;
        return child_failed(c, "making mounts private");
    }
    return child_proc(c);
}

/* Moves descriptors out of the targets' way, then into place: any source may be any target. */
int child_fds(struct child *c)
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

int child_place(struct child *c)
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

int child_landlock(struct child *c, int ruleset_fd)
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

void child_signals(void)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int sig = 1; sig < NSIG; sig++)
        sigaction(sig, &plain, NULL); /* refused for KILL and STOP: fine */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}
