/* SPDX-License-Identifier: MIT */
/* PyTorch in the place of assay-runner, for baselines: a Python process of ours (workers/) imports
 * torch once and forks a runner for every trial. Trusted code: it runs what emit_torch() wrote,
 * without a sandbox. */
#ifndef ASSAY_PROCESS_WORKER_H
#define ASSAY_PROCESS_WORKER_H

#include "terms/baseline.h"

#include <sched.h>
#include <sys/types.h>

struct worker;

struct worker_config {
    const char *share;      /* holds workers/ */
    const char *cache;      /* of what torch.compile makes */
    const cpu_set_t *cpus;  /* of its runners; NULL: the caller's */
    const char *const *env; /* struct device, worker_env */
};

/* Starts Python and waits until torch is there: seconds. $ASSAY_PYTHON names the interpreter;
 * otherwise python3 of $PATH, then /usr/bin/python3, whichever has torch. ERR_SYSTEM when none has.
 * It dies with the calling thread, and so do its runners. */
int worker_open(const struct worker_config *config, struct worker **ret, struct err *err);
void worker_close(struct worker *w); /* NULL is fine */
void worker_closep(struct worker **w);

/* "torch 2.11.0 eager, tf32 off": a baseline's toolchain. */
void worker_describe(const struct worker *w, const struct baseline *spec, struct buf *out);

/* A new runner that speaks the protocol of wire.h on `sock` and prints to `out_fd` (both stay the
 * caller's). It is a child of this process and leads a process group. */
int worker_start(struct worker *w, const struct baseline *spec, int sock, int out_fd,
                 pid_t *ret_pid, int *ret_pidfd, struct err *err);

#endif
