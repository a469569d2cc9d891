/* SPDX-License-Identifier: MIT */
/* A Python process of ours that imports torch once and forks runners, which the judge adopts:
 * PyTorch's worker for baselines (worker.h), the zygote for candidates (zygote.h). */
#ifndef ASSAY_PROCESS_PYPROC_H
#define ASSAY_PROCESS_PYPROC_H

#include "base/buf.h"
#include "base/err.h"

#include <sched.h>
#include <sys/types.h>

#define PYPROC_MESSAGE_MAX 256
#define PYPROC_MAX_FDS 4

struct pyproc {
    const char *name; /* for messages: "torch worker" */
    pid_t pid;        /* 0: none */
    int pidfd, sock;
    int text_fd;                      /* a memfd with what Python printed */
    char version[PYPROC_MESSAGE_MAX]; /* versions that it named when it was ready */
};

#define PYPROC_INIT                            \
    {                                          \
        .pidfd = -1, .sock = -1, .text_fd = -1 \
    }

#define PYPROC_MAX_ARGUMENTS 72 /* hidden paths, and a few more */

struct pyproc_config {
    const char *name, *script;
    const char *const *arguments; /* arguments of the script; end with NULL. NULL: none */
    char *const *envp;
    const cpu_set_t *cpus; /* cores of the process and its runners; NULL: the caller's */
};

/* Starts Python and waits until torch is imported, which takes seconds. $ASSAY_PYTHON names the
 * interpreter. Otherwise python3 of $PATH is tried, then /usr/bin/python3. ERR_SYSTEM when none has
 * torch. The process and its runners die with the calling thread. */
int pyproc_open(struct pyproc *ret, const struct pyproc_config *config, struct err *err);
void pyproc_close(struct pyproc *p); /* PYPROC_INIT is fine */

/* Asks for a runner, with descriptors that stay the caller's. It is a child of this process and
 * leads a process group. */
int pyproc_start(const struct pyproc *p, const char *request, const int *fds, int n_fds,
                 pid_t *ret_pid, int *ret_pidfd, struct err *err);

#endif
