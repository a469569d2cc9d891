/* SPDX-License-Identifier: MIT */
/*
 * A builder holds a flock on its folder as long as it lives: the kernel drops it with the process,
 * however that ends, so a folder that can be locked has no builder any more. Process numbers would
 * say less: they are used again, and mean nothing to a container that shares the cache.
 */
#include "build/build_dir.h"

#include "base/fs.h"
#include "base/interrupt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ATTEMPTS 10
#define STALE_S 86400 /* age of a stale folder, if the file system has no locks */

/* True if the folder's builder is gone. Then the lock is ours, so that nobody else removes the
 * folder as well. */
static bool is_stale(int fd)
{
    struct stat st;

    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return true;
    return errno != EWOULDBLOCK && fstat(fd, &st) == 0 && time(NULL) - st.st_mtime > STALE_S;
}

static void sweep(const char *tmp)
{
    DIR *dir = opendir(tmp);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;

        AUTO(freep) char *path = fs_join(tmp, entry->d_name);
        AUTO(fd_closep) int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        if (fd >= 0 && is_stale(fd))
            fs_remove_tree(path);
    }
    if (dir)
        closedir(dir);
}

/* ret stays empty when another builder's sweep came between making the folder and locking it. */
static int make_locked(const char *tmp, struct build_dir *ret)
{
    AUTO(freep) char *path = fs_join(tmp, "XXXXXX");
    struct stat st;

    interrupt_hold(); /* without this, an interrupt here would leave a folder behind */

    bool made = mkdtemp(path) != NULL;

    if (made)
        interrupt_track(path);
    interrupt_release();
    if (!made)
        return -1;

    AUTO(fd_closep) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool lost = fd < 0 || (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) ||
                fstat(fd, &st) < 0 || st.st_nlink == 0;

    if (lost) {
        interrupt_untrack(path);
        return 0;
    }
    ret->path = steal(&path);
    ret->lock_fd = fd_steal(&fd);
    return 0;
}

int build_dir_open(const char *cache_dir, struct build_dir *ret, struct err *err)
{
    AUTO(freep) char *name = fs_join(cache_dir, "tmp");

    if (fs_mkdirs(name, err) < 0)
        return -1;

    AUTO(freep) char *tmp = realpath(name, NULL);
    struct build_dir made = BUILD_DIR_INIT;
    int rc = 0;

    if (!tmp)
        return fail_errno(err, "%s", name);
    sweep(tmp);
    for (int i = 0; i < ATTEMPTS && rc == 0 && !made.path; i++)
        rc = make_locked(tmp, &made);
    if (!made.path)
        return fail_errno(err, "cannot make a folder in %s", tmp);
    *ret = made;
    return 0;
}

void build_dir_close(struct build_dir *d)
{
    if (d->path) {
        fs_remove_tree(d->path);
        interrupt_untrack(d->path);
    }
    freep(&d->path);
    fd_closep(&d->lock_fd);
}
