/* SPDX-License-Identifier: MIT */
#include "process/devlock.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- files --- */

/* Lock files are host-wide, not per user, unless ASSAY_LOCK_DIR is set: two users share one device.
 * The files are empty and stay. */
static int open_in(const char *dir, const struct device *d, int index, const char *suffix)
{
    AUTO(freep) char *path = xasprintf("%s/assay-%s-%d.%s", dir, d->name, index, suffix);
    /* The first open() has no O_CREAT: the kernel's protected_regular refuses O_CREAT on a file
     * another user made in a sticky folder, even to root. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0 && errno == ENOENT) {
        fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (fd >= 0)
            fchmod(fd, 0644);
    }
    return fd;
}

static int open_file(const struct device *d, int index, const char *suffix, struct err *err)
{
    const char *dir = getenv("ASSAY_LOCK_DIR");
    bool set = dir && *dir;
    int fd = open_in(set ? dir : "/run/lock", d, index, suffix);

    if (fd < 0 && set)
        return fail_errno(err, "cannot open the lock of device %s in ASSAY_LOCK_DIR=%s", d->name,
                          dir);
    if (fd < 0)
        fd = open_in("/tmp", d, index, suffix);
    if (fd < 0)
        fail_errno(err, "cannot open the lock of device %s in /run/lock or /tmp", d->name);
    return fd;
}

static int open_both(const struct device *d, int index, struct devlock *ret, struct err *err)
{
    ret->fd = open_file(d, index, "lock", err);
    ret->turn = ret->fd < 0 ? -1 : open_file(d, index, "turn", err);
    return ret->turn < 0 ? -1 : 0;
}

void devlock_release(struct devlock *l)
{
    fd_closep(&l->fd);
    fd_closep(&l->turn);
}

/* --- one lock --- */

static int lock_file(int fd, int how)
{
    int rc;

    while ((rc = flock(fd, how)) < 0 && errno == EINTR)
        continue;
    return rc;
}

/* how: LOCK_SH or LOCK_EX, maybe | LOCK_NB. The turnstile is taken first, and held until the lock
 * is there. Returns -1 with errno. */
static int take(struct devlock *l, int how)
{
    if (lock_file(l->turn, how) < 0 || lock_file(l->fd, how) < 0)
        return -1;
    fd_closep(&l->turn);
    return 0;
}

static int wait_for(const struct device *d, int index, int how, struct devlock *ret,
                    double *waited_ms, struct err *err)
{
    AUTO(devlock_release) struct devlock l = DEVLOCK_INIT;
    uint64_t start = clock_ns();

    if (open_both(d, index, &l, err) < 0)
        return -1;
    if (take(&l, how) < 0)
        return fail_errno(err, "cannot lock device %s", d->name);
    *waited_ms += clock_ms_since(start);
    *ret = l;
    l = (struct devlock)DEVLOCK_INIT;
    return 0;
}

/* --- a function for each use --- */

int devlock_alone(const struct device *d, int index, struct devlock *ret, double *waited_ms,
                  struct err *err)
{
    return wait_for(d, index, LOCK_EX, ret, waited_ms, err);
}

int devlock_shared(const struct device *d, int index, struct devlock *ret, double *waited_ms,
                   struct err *err)
{
    return wait_for(d, index, LOCK_SH, ret, waited_ms, err);
}

int devlock_to_prepare(const struct device *d, int index, struct devlock *ret, double *waited_ms,
                       struct err *err)
{
    return d->opens_slowly ? devlock_shared(d, index, ret, waited_ms, err) : 0;
}

int devlock_to_build(const struct device *d, int index, struct devlock *ret, double *waited_ms,
                     struct err *err)
{
    return d->pins_cores ? devlock_shared(d, index, ret, waited_ms, err) : 0;
}

void devlock_to_open(const struct device *d, int index, struct devlock *ret)
{
    struct err ignored = ERR_INIT;

    if (d->opens_slowly &&
        (open_both(d, index, ret, &ignored) < 0 || take(ret, LOCK_EX | LOCK_NB) < 0))
        devlock_release(ret);
}

bool devlock_for_spares(const struct device *d, int index, struct devlock *ret)
{
    struct err ignored = ERR_INIT;

    if (open_both(d, index, ret, &ignored) == 0 &&
        (take(ret, LOCK_SH | LOCK_NB) == 0 || (errno == EWOULDBLOCK && d->opens_slowly)))
        return true;
    devlock_release(ret);
    return false;
}

void devlock_share(struct devlock *l)
{
    lock_file(l->fd, LOCK_SH | LOCK_NB);
}
