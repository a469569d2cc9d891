/* SPDX-License-Identifier: MIT */
/* Inside src/sandbox: the steps of a new process on its way to be a runner or a tool, one after the
 * other. They are for a child that may share its parent's memory (spawn.c): system calls only,
 * nothing that allocates or locks. Each returns 0, or -1 with c->failed set. */
#ifndef ASSAY_SANDBOX_CHILD_H
#define ASSAY_SANDBOX_CHILD_H

#include "sandbox/spawn.h"

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

/* Sets of namespaces, tried in this order as far as they are asked for: containers and hardened
 * kernels refuse some. */
#define CHILD_NAMESPACE_SETS 5
extern const uint32_t child_namespace_sets[CHILD_NAMESPACE_SETS];

/* CLONE_NEW* flags of SANDBOX_*_NS layers. */
int child_namespace_flags(uint32_t layers);

void child_init(struct child *c, const struct spawn *s);
int child_failed(struct child *c, const char *step);
int child_die_with_judge(struct child *c);
void child_lead_group(struct child *c); /* process group and cgroup of its own */
int child_map_user(struct child *c);
int child_mounts(struct child *c);
int child_fds(struct child *c);
int child_place(struct child *c);
int child_landlock(struct child *c, int ruleset_fd);
void child_signals(void);
int child_write(const char *path, const char *text);
/* A new /proc without a mount namespace would be everybody's, and without a pid namespace it would
 * show everybody. */
uint32_t child_with_proc(const struct spawn *s, uint32_t set);

#endif
