/* SPDX-License-Identifier: MIT */
/* Inside src/sandbox: the one way in which processes are started, runners and tools alike. */
#ifndef ASSAY_SANDBOX_SPAWN_H
#define ASSAY_SANDBOX_SPAWN_H

#include "base/err.h"
#include "sandbox/sandbox.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

#define SPAWN_MAX_FDS 4
#define SPAWN_ALL_NAMESPACES (SANDBOX_PID_NS | SANDBOX_NET_NS | SANDBOX_IPC_NS | SANDBOX_MOUNT_NS)

struct spawn_limit {
    __rlimit_resource_t resource;
    uint64_t value;
};

struct spawn {
    const char *path; /* absolute */
    char *const *argv, *const *envp;
    const char *cwd;        /* NULL: the caller's */
    int fds[SPAWN_MAX_FDS]; /* fds[i] becomes 3+i */
    int n_fds;
    int out_fd;            /* becomes 1 and 2 */
    const cpu_set_t *cpus; /* NULL: the caller's */
    const struct spawn_limit *limits;
    int n_limits;
    unsigned max_threads; /* 0: no limit. Set only if the uid is not a person's */
    /* SANDBOX_*_NS bits to ask for; the user namespace is added if needed. SANDBOX_OWN_PROC asks
     * for a new /proc as well, which needs a pid and a mount namespace. */
    uint32_t namespaces;
    /* If memory runs out, the kernel ends this process and not the judge, which may hold more. */
    bool goes_first;
    bool needs_proc; /* without SANDBOX_OWN_PROC there is no pid namespace either */
    int ruleset_fd;  /* Landlock, entered with no_new_privs and without capabilities; -1: none */
    int group_fd;    /* from cgroup_door(), entered first; a refusal is no error. -1: none */
};

/* Starts a process that leads its own process group and is killed when the calling *thread* ends.
 * *ret_layers: the namespaces that it got, its own /proc, and the cgroup. The caller closes the
 * pidfd and reaps the pid. */
int spawn_process(const struct spawn *s, pid_t *ret_pid, int *ret_pidfd, uint32_t *ret_layers,
                  struct err *err);

#endif
