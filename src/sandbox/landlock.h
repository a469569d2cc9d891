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
    LANDLOCK_OWN,     /* all but execute: a folder of the tool's own */
};

/* Landlock version of this kernel; 0: none. Scopes (signals, abstract sockets) came with 6. */
int landlock_abi(void);
#define LANDLOCK_ABI_SCOPES 6

/* Makes a ruleset that allows nothing. Returns a descriptor for the caller, or -1 with errno. */
int landlock_new(void);
/* Allows one use of a path. A path that does not exist is no error: there is nothing to allow.
 * Returns -1 with errno for other errors. */
int landlock_allow(int ruleset_fd, const char *path, enum landlock_use use);
/* Puts the ruleset in force, for the calling thread and all that it starts. no_new_privs has to be
 * on. Makes a system call and nothing else, so it is fit for a child that shares its parent's
 * memory. */
int landlock_enter(int ruleset_fd);

#endif
