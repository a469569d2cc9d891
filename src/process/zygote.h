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

struct zygote_config {
    const struct places *places;
    const cpu_set_t *cpus;  /* cores of the runners; NULL: the caller's */
    const char *const *env; /* the device's variables (worker_env); NULL: none */
    const char *arch;       /* architecture for which candidates are compiled; "" or NULL: none */
};

/* Starts Python and waits until torch is imported. ERR_SYSTEM when no Python has torch, with what
 * to do. It dies with the calling thread. */
int zygote_open(const struct zygote_config *c, struct zygote **ret, struct err *err);
void zygote_close(struct zygote *z); /* NULL is fine */
void zygote_closep(struct zygote **z);

/* "python 3.11.2, torch 2.11.0": a candidate's toolchain. */
const char *zygote_version(const struct zygote *z);

struct zygote_request {
    const char *device; /* "cpu", "cuda" */
    bool builds;        /* a rehearsal, which may start compilers */
    int sock, out_fd;   /* ends for frames (wire.h) and for what it prints */
    const char *group;  /* the runner's cgroup; NULL: the caller's */
    int save_fd;        /* for WIRE_ORDER_SAVE; -1: none */
};

/* Makes a runner. Descriptors stay the caller's. It is a child of this process and leads a process
 * group. */
int zygote_start(struct zygote *z, const struct zygote_request *r, pid_t *ret_pid, int *ret_pidfd,
                 struct err *err);

#endif
