/* SPDX-License-Identifier: MIT */
/* The device's lock, on an index of this process's own, and a program in place of a runner. */
#ifndef TESTS_LOCK_RIG_H
#define TESTS_LOCK_RIG_H

#include "testing.h"

#include "process/rproc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

#define LIMIT_MS 60000 /* nothing here takes so long: then it hangs */

static inline bool gone(pid_t pid)
{
    return kill(pid, 0) < 0 && errno == ESRCH;
}

static inline int lock_index(void)
{
    return 1000 + (int)getpid();
}

/* Where devlock.c may have put it; NULL: not there. */
static inline char *lock_path(int i, const char *end)
{
    const char *const dirs[] = {getenv("ASSAY_LOCK_DIR"), "/run/lock", "/tmp"};

    return dirs[i] ? xasprintf("%s/assay-fake-%d.%s", dirs[i], lock_index(), end) : NULL;
}

static inline int open_lock(void)
{
    int fd = -1;

    for (int i = 0; i < 3 && fd < 0; i++) {
        AUTO(freep) char *path = lock_path(i, "lock");

        fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    }
    return fd;
}

static inline void remove_lock(void)
{
    for (int i = 0; i < 3; i++) {
        AUTO(freep) char *lock = lock_path(i, "lock"), *turn = lock_path(i, "turn");

        if (lock)
            unlink(lock);
        if (turn)
            unlink(turn);
    }
}

static inline bool may_time(void)
{
    AUTO(fd_closep) int fd = open_lock();

    assert_true(fd >= 0);
    return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* A runner on the fake device, under this process's lock; path: not owned. */
static inline struct rproc_config locked_config(const char *path)
{
    return (struct rproc_config){.runner_path = path,
                                 .subject = {.kind = &subject_native},
                                 .device = &device_fake,
                                 .device_index = lock_index()};
}

/* In place of a runner: it opens nothing, says nothing and stays. */
static inline void write_sleeper(void)
{
    write_file("sleeper", "#!/bin/sh\nexec sleep 1000\n");
    assert_int_equal(chmod("sleeper", 0755), 0);
}

#endif
