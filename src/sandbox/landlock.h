/* SPDX-License-Identifier: MIT */
/* Inside src/sandbox: Landlock by system call. Headers of distributions lag behind kernels, so the
 * rights are defined here. */
#ifndef ASSAY_SANDBOX_LANDLOCK_H
#define ASSAY_SANDBOX_LANDLOCK_H

#include <stdbool.h>

enum landlock_use {
    LANDLOCK_READ,    /* a file, or a folder with all that is in it */
    LANDLOCK_EXECUTE, /* read and run */
    LANDLOCK_DEVICE,  /* read, write, ioctl: device nodes and /proc/self/task */
    LANDLOCK_OWN,     /* anything but to run it: a folder of one's own */
};

/* What the kernel speaks; 0: no Landlock. Scopes (signals, abstract sockets) came with 6. */
int landlock_abi(void);
#define LANDLOCK_ABI_SCOPES 6

/* A ruleset that allows nothing; the caller's descriptor, -1 with errno when there is none. */
int landlock_new(void);
/* A path that does not exist is no error: there is nothing to allow. -1 with errno otherwise. */
int landlock_allow(int ruleset_fd, const char *path, enum landlock_use use);
/* From here on, for the calling thread and what it starts. no_new_privs has to be on. A system call
 * and nothing else: fit for a child that shares its parent's memory. */
int landlock_enter(int ruleset_fd);

#endif
