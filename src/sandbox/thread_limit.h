/* SPDX-License-Identifier: MIT */
/* Inside src/sandbox: how many threads the kernel lets us have. */
#ifndef ASSAY_SANDBOX_THREAD_LIMIT_H
#define ASSAY_SANDBOX_THREAD_LIMIT_H

#include <stdint.h>

/* The least pids.max of the groups in this text (/proc/self/cgroup) and of those above them, where
 * they are mounted; UINT64_MAX: none. */
uint64_t thread_limit_of_groups(const char *groups, const char *mounted);

#endif
