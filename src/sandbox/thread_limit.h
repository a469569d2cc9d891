/* SPDX-License-Identifier: MIT */
/* Inside src/sandbox: how many threads the kernel lets us have. */
#ifndef ASSAY_SANDBOX_THREAD_LIMIT_H
#define ASSAY_SANDBOX_THREAD_LIMIT_H

#include <stdint.h>

/* The least pids.max of the groups that `groups` (text of /proc/self/cgroup) names, and of those
 * above them. `mounted` is the folder where cgroups are mounted. UINT64_MAX: no limit. */
uint64_t thread_limit_of_groups(const char *groups, const char *mounted);

#endif
