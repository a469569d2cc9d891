/* SPDX-License-Identifier: MIT */
/* Zygote: a trusted Python process that has torch imported and forks the runners of candidates in
 * Python. It runs nothing of a candidate's. A runner that it forks puts up its walls before it gets
 * a candidate (src/python). */
#ifndef ASSAY_PROCESS_ZYGOTE_H
#define ASSAY_PROCESS_ZYGOTE_H

#include "base/places.h"
#include "base/err.h"

#include <sched.h>
#include <sys/types.h>

struct zygote;

/* Starts Python and waits until torch is imported. cpus: cores of the runners; NULL: the caller's.
 * ERR_SYSTEM when no Python has torch, with what to do. It dies with the calling thread. */
int zygote_open(const struct places *places, const cpu_set_t *cpus, struct zygote **ret,
                struct err *err);
void zygote_close(struct zygote *z); /* NULL is fine */
void zygote_closep(struct zygote **z);

/* "python 3.11.2, torch 2.11.0": a candidate's toolchain. */
const char *zygote_version(const struct zygote *z);

/* Makes a runner that speaks the protocol of wire.h on `sock` and prints to `out_fd` (both stay the
 * caller's), in the cgroup `group` (NULL: the caller's). It is a child of this process and leads a
 * process group. */
int zygote_start(struct zygote *z, int sock, int out_fd, const char *group, pid_t *ret_pid,
                 int *ret_pidfd, struct err *err);

#endif
