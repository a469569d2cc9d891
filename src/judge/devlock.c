/* SPDX-License-Identifier: MIT */
#include "judge/devlock.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Without ASSAY_LOCK_DIR it is host-wide, not per user: two users share one device. The files are
 * empty and stay. */
static int open_lock(const char *dir, const char *device, int index)
{
    AUTO(freep) char *path = xasprintf("%s/assay-%s-%d.lock", dir, device, index);
    /* Without O_CREAT first: the kernel's protected_regular refuses O_CREAT on a file another user
     * made in a sticky folder, even to root. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0 && errno == ENOENT) {
        fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (fd >= 0)
            fchmod(fd, 0644);
    }
    return fd;
}

static int open_somewhere(const char *device, int index, struct err *err)
{
    const char *dir = getenv("ASSAY_LOCK_DIR");
    bool set = dir && *dir;
    int fd = open_lock(set ? dir : "/run/lock", device, index);

    if (fd < 0 && set)
        return fail_errno(err, "cannot open the lock of device %s in ASSAY_LOCK_DIR=%s", device,
                          dir);
    if (fd < 0)
        fd = open_lock("/tmp", device, index);
    if (fd < 0)
        fail_errno(err, "cannot open the lock of device %s in /run/lock or /tmp", device);
    return fd;
}

int devlock_take(const char *device, int index, bool shared, int *ret_fd, double *ret_waited_ms,
                 struct err *err)
{
    uint64_t start = clock_ns();
    AUTO(fd_closep) int fd = open_somewhere(device, index, err);

    if (fd < 0)
        return -1;
    while (flock(fd, shared ? LOCK_SH : LOCK_EX) < 0)
        if (errno != EINTR)
            return fail_errno(err, "cannot lock device %s", device);
    *ret_waited_ms = clock_ms_since(start);
    *ret_fd = fd_steal(&fd);
    return 0;
}

int devlock_open(const char *device, int index, int *ret_fd, struct err *err)
{
    *ret_fd = open_somewhere(device, index, err);
    return *ret_fd < 0 ? -1 : 0;
}

int devlock_share(int fd)
{
    int rc;

    while ((rc = flock(fd, LOCK_SH | LOCK_NB)) < 0 && errno == EINTR)
        continue;
    return rc;
}

int devlock_try(const char *device, int index, bool shared, int *ret_fd, struct err *err)
{
    AUTO(fd_closep) int fd = open_somewhere(device, index, err);

    if (fd < 0)
        return -1;
    if (flock(fd, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) < 0)
        return errno == EWOULDBLOCK ? 1 : fail_errno(err, "cannot lock device %s", device);
    *ret_fd = fd_steal(&fd);
    return 0;
}
