/* SPDX-License-Identifier: MIT */
/* A cgroup (version 2) of its own for each runner: memory and threads are counted by the kernel for
 * all of it, whatever its uid. Only in the folder that ASSAY_CGROUP names, with the memory and pids
 * controllers on: to root every group is writable, also those by which a container or a batch
 * system counts and ends what it started, and nobody's but a given one is ours to divide. */
#ifndef ASSAY_SANDBOX_CGROUP_H
#define ASSAY_SANDBOX_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

/* Somebody gave us a folder; whether it is of use is seen when a group is made. */
bool cgroup_given(void);
/* A new, empty group with these limits (mem_bytes 0: none of memory); its path is the caller's.
 * NULL with errno where it cannot be had. The first one also removes what a judge that was killed
 * left behind. */
char *cgroup_make(uint64_t mem_bytes, unsigned max_threads);
/* To write "0" to, by the process that goes in; -1 with errno. */
int cgroup_door(const char *path);
/* The kernel ended one of its processes for want of memory. */
bool cgroup_ran_out(const char *path);
/* Once nobody is in it; frees the path too. NULL is fine. */
void cgroup_remove(char **path);

#endif
