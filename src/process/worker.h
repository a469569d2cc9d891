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
    const char *share;      /* folder that holds workers/ */
    const char *cache;      /* folder for what torch.compile makes */
    const cpu_set_t *cpus;  /* cores of the runners; NULL: the caller's */
    const char *const *env; /* worker_env of struct device */
};

/* Starts Python and waits until torch is imported, which takes seconds. $ASSAY_PYTHON names the
 * interpreter. Otherwise python3 of $PATH is tried, then /usr/bin/python3. ERR_SYSTEM when none has
 * torch. The worker and its runners die with the calling thread. */
int worker_open(const struct worker_config *config, struct worker **ret, struct err *err);
void worker_close(struct worker *w); /* NULL is fine */
void worker_closep(struct worker **w);

/* "torch 2.11.0 eager, tf32 off": a baseline's toolchain. */
void worker_describe(const struct worker *w, const struct baseline *spec, struct buf *out);

/* Makes a runner that speaks the protocol of wire.h on `sock` and prints to `out_fd` (both stay the
 * caller's). It is a child of this process and leads a process group. */
int worker_start(struct worker *w, const struct baseline *spec, int sock, int out_fd,
                 pid_t *ret_pid, int *ret_pidfd, struct err *err);

#endif
