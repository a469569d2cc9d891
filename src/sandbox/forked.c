/* SPDX-License-Identifier: MIT */
/* The birth of a runner that is forked. Its parent is trusted code that has a language's runtime in
 * memory; nothing of a candidate's has run yet. */
#include "sandbox/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#define SCRATCH_FILES 4096
#define BUILD_FILES 10000

static const struct spawn everything = {
    .namespaces = SPAWN_ALL_NAMESPACES | SANDBOX_OWN_PROC, .ruleset_fd = -1, .group_fd = -1};

static int refuse(const struct child *c, int attempt, struct err *err)
{
    bool last = attempt + 1 >= CHILD_NAMESPACE_SETS;

    errno = c->failed ? c->failed_errno : errno;
    fail_errno(err, "no new namespaces%s%s", c->failed ? ": " : "", c->failed ? c->failed : "");
    return last ? -1 : 1;
}

int sandbox_unshare(int attempt, uint32_t *ret_layers, struct err *err)
{
    struct child c;

    if (attempt < 0 || attempt >= CHILD_NAMESPACE_SETS)
        return fail(err, ERR_SYSTEM, "no attempt %d at namespaces", attempt);
    child_init(&c, &everything);
    c.layers = child_namespace_sets[attempt];
    if (c.layers && geteuid() != 0)
        c.layers |= SANDBOX_USER_NS;
    child_write("/proc/self/oom_score_adj", "1000"); /* may fail: it is only a wish */
    if (unshare(child_namespace_flags(c.layers)) < 0 || child_map_user(&c) < 0 ||
        child_mounts(&c) < 0)
        return refuse(&c, attempt, err);
    *ret_layers = c.layers;
    return 0;
}

/* The death signal counts from the present parent: it must be the one that stays. */
static void await_end(int pidfd)
{
    struct pollfd p = {.fd = pidfd, .events = POLLIN};

    while (poll(&p, 1, -1) < 0 && errno == EINTR)
        continue;
}

/* A scratch folder is a layer: it is missing if no mount is allowed here. */
static int make_scratch(const struct sandbox_birth *b, struct child *c)
{
    char how[96];

    if (!b->scratch || !(c->layers & SANDBOX_MOUNT_NS))
        return chdir("/");
    snprintf(how, sizeof(how), "size=%llu,nr_inodes=%d,mode=1777",
             (unsigned long long)(b->builds ? SANDBOX_BUILD_BYTES : SANDBOX_SCRATCH_BYTES),
             b->builds ? BUILD_FILES : SCRATCH_FILES);
    if (mount("assay-scratch", b->scratch, "tmpfs", MS_NOSUID | MS_NODEV, how) < 0)
        return chdir("/");
    c->layers |= SANDBOX_SCRATCH;
    return chdir(b->scratch);
}

int sandbox_settle(const struct sandbox_birth *b, uint32_t *layers, struct err *err)
{
    struct spawn s = everything;
    struct child c;

    s.n_fds = b->n_fds;
    s.out_fd = b->out_fd;
    s.group_fd = b->group_fd;
    s.max_threads = sandbox_max_threads();
    memcpy(s.fds, b->fds, sizeof(b->fds));
    child_init(&c, &s);
    c.layers = child_with_proc(&s, *layers);
    c.judge_pidfd = -1; /* a judge that is gone has closed the socket */
    child_lead_group(&c);
    await_end(b->between);
    c.null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (child_die_with_judge(&c) < 0 || child_mounts(&c) < 0 || make_scratch(b, &c) < 0 ||
        child_place(&c) < 0 || child_fds(&c) < 0)
        return fail_errno(err, "a runner cannot begin%s%s", c.failed ? ": " : "",
                          c.failed ? c.failed : "");
    child_signals();
    *layers = c.layers | (c.in_group ? SANDBOX_CGROUP : 0);
    return 0;
}
