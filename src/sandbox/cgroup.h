/* SPDX-License-Identifier: MIT */
/* A cgroup (version 2) for each runner: the kernel counts the memory and threads of all its
 * processes, whatever their uid. Groups are made only in the folder that ASSAY_CGROUP names, with
 * the memory and pids controllers on. Root could write to every group, also to those by which a
 * container or a batch system counts and ends what it started. Only a folder that was given to us
 * is ours to divide. */
#ifndef ASSAY_SANDBOX_CGROUP_H
#define ASSAY_SANDBOX_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

/* True if ASSAY_CGROUP names a folder. Whether it can be used shows when a group is made. */
bool cgroup_given(void);
/* Makes an empty group with these limits (mem_bytes 0: no limit of memory); the caller owns its
 * path. Returns NULL with errno if it cannot be made. The first call also removes the groups that
 * killed judges left behind. */
char *cgroup_make(uint64_t mem_bytes, unsigned max_threads);
/* Opens the file that a process writes "0" to in order to enter the group; -1 with errno. */
int cgroup_door(const char *path);
/* True if the kernel ended one of the group's processes for want of memory. */
bool cgroup_ran_out(const char *path);
/* Removes a group that nobody is in any more, and frees the path. NULL is fine. */
void cgroup_remove(char **path);

#endif
