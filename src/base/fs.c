/* SPDX-License-Identifier: MIT */
#include "base/fs.h"

#include "base/fault.h"
#include "base/interrupt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REMOVE_ATTEMPTS 20 /* attempts to remove a folder in which files may still be created */

int fs_read_fd(int fd, size_t max_bytes, struct buf *ret, struct err *err)
{
    size_t start = ret->len;

    for (;;) {
        buf_reserve(ret, 16384);

        ssize_t n = read(fd, ret->ptr + ret->len, 16384);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(err, "cannot read");
        ret->len += (size_t)n;
        ret->ptr[ret->len] = '\0';
        if (ret->len - start > max_bytes)
            return fail(err, ERR_INPUT, "larger than the limit of %zu bytes", max_bytes);
        if (n == 0)
            return 0;
    }
}

static int fail_open(const char *path, struct err *err)
{
    fail_errno(err, "%s", path);
    err->kind = ERR_INPUT;
    return -1;
}

/* Reads all of fd. fd is the result of opening path: -1, with errno, if that failed. */
static int read_opened(int fd, const char *path, size_t max_bytes, struct buf *ret, struct err *err)
{
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return fail_open(path, err);
    if (!S_ISREG(st.st_mode))
        return fail(err, ERR_INPUT, "%s: not a plain file", path);
    if (fs_read_fd(fd, max_bytes, ret, err) < 0)
        return wrap(err, "%s", path);
    return 0;
}

/* O_NONBLOCK: opening must not hang if the path is a fifo. */
#define OPEN_TO_READ (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

int fs_read(const char *path, size_t max_bytes, struct buf *ret, struct err *err)
{
    AUTO(fd_closep) int fd = open(path, OPEN_TO_READ);

    return read_opened(fd, path, max_bytes, ret, err);
}

/* --- beneath a folder --- */

static bool is_link(int dir_fd, const char *name)
{
    struct stat st;

    return fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

/* Opens one component of a path. If a link stands in the place of a folder, the kernel says
 * ENOTDIR; this function says ELOOP. */
static int open_part(int dir_fd, const char *part, int flags)
{
    int fd = openat(dir_fd, part, flags | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0 && errno == ENOTDIR)
        errno = is_link(dir_fd, part) ? ELOOP : ENOTDIR;
    return fd;
}

/* Fallback without openat2(): opens a path component by component and follows no link. */
static int open_by_parts(int root_fd, const char *name, int flags)
{
    AUTO(freep) char *copy = xstrdup(name);
    AUTO(fd_closep) int dir = -1;
    char *rest = copy, *slash;

    while ((slash = strchr(rest, '/'))) {
        *slash = '\0';

        int next = open_part(dir < 0 ? root_fd : dir, rest, O_PATH | O_DIRECTORY);

        if (next < 0)
            return -1;
        fd_closep(&dir);
        dir = next;
        rest = slash + 1 + strspn(slash + 1, "/");
    }
    return open_part(dir < 0 ? root_fd : dir, *rest ? rest : ".", flags);
}

static bool leads_out(const char *name)
{
    const char *at = name;

    if (*name == '/')
        return true;
    while ((at = strstr(at, ".."))) {
        bool begins = at == name || at[-1] == '/', ends = at[2] == '/' || !at[2];

        if (begins && ends)
            return true;
        at++;
    }
    return false;
}

int fs_open_beneath(int root_fd, const char *name, int flags)
{
    struct open_how how = {.flags = (uint64_t)flags | O_CLOEXEC,
                           .resolve =
                               RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};

    if (leads_out(name)) {
        errno = EXDEV;
        return -1;
    }

    int fd = (int)syscall(SYS_openat2, root_fd, name, &how, sizeof(how));

    /* Linux before 5.6 has no openat2(); containers of that time refuse calls they do not know. */
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        fd = open_by_parts(root_fd, name, flags);
    return fd;
}

int fs_read_beneath(const char *root, const char *name, size_t max_bytes, struct buf *ret,
                    struct err *err)
{
    AUTO(fd_closep) int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    AUTO(freep) char *path = fs_join(root, name);

    if (root_fd < 0)
        return fail_open(root, err);

    AUTO(fd_closep) int fd = fs_open_beneath(root_fd, name, OPEN_TO_READ);

    if (fd < 0 && errno == ELOOP)
        return fail(err, ERR_INPUT, "%s: it is a symbolic link, or a folder on its path is one",
                    path);
    return read_opened(fd, path, max_bytes, ret, err);
}

int fs_holds(int fd, uint64_t bytes, struct err *err)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return fail_errno(err, "cannot look at a descriptor");
    if ((uint64_t)st.st_size < bytes)
        return fail(err, ERR_SYSTEM, "a file has %lld bytes and needs at least %llu",
                    (long long)st.st_size, (unsigned long long)bytes);
    return 0;
}

int fs_write_all(int fd, const void *data, size_t len)
{
    const char *p = data;

    if (fault("write")) {
        errno = ENOSPC;
        return -1;
    }
    while (len > 0) {
        ssize_t n = write(fd, p, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        p += n;
        len -= (size_t)n;
    }
    return 0;
}

/* Writes a file that has no name until it is complete: even kill -9 leaves nothing behind. */
static int write_unnamed(const char *dir, const char *path, const void *data, size_t len)
{
    AUTO(fd_closep) int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    char link[64];

    if (fd < 0 || fs_write_all(fd, data, len) < 0)
        return -1;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* Fallback: replaces an existing file, or serves a file system without unnamed files. */
static int write_renamed(const char *path, const void *data, size_t len)
{
    AUTO(freep) char *tmp = xasprintf("%s.tmp-XXXXXX", path);
    AUTO(fd_closep) int fd = mkostemp(tmp, O_CLOEXEC);

    if (fd < 0)
        return -1;
    if (fs_write_all(fd, data, len) < 0 || rename(tmp, path) < 0) {
        int saved = errno;

        unlink(tmp);
        errno = saved;
        return -1;
    }
    return 0;
}

int fs_write_atomic(const char *path, const void *data, size_t len, struct err *err)
{
    AUTO(freep) char *dir = xstrdup(path);
    char *slash = strrchr(dir, '/');

    if (slash)
        *slash = '\0';
    interrupt_hold();

    int rc = write_unnamed(slash ? dir : ".", path, data, len);

    if (rc < 0 && errno != ENOSPC && errno != EDQUOT)
        rc = write_renamed(path, data, len);
    interrupt_release();
    return rc < 0 ? fail_errno(err, "cannot write %s", path) : 0;
}

int fs_publish(const char *path, struct err *err)
{
    mode_t mask = umask(0);

    umask(mask);
    return chmod(path, 0666 & ~mask) < 0
               ? fail_errno(err, "cannot make %s readable for others", path)
               : 0;
}

int fs_mkdirs(const char *path, struct err *err)
{
    AUTO(freep) char *copy = xstrdup(path);

    for (char *p = copy + 1;; p++) {
        if (*p != '/' && *p != '\0')
            continue;

        char saved = *p;

        *p = '\0';
        if (mkdir(copy, 0700) < 0 && errno != EEXIST)
            return fail_errno(err, "cannot create folder %s", copy);
        *p = saved;
        if (!saved)
            return 0;
    }
}

bool fs_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Returns true when the folder is gone, or cannot be removed for another reason than a file in it.
 */
static bool remove_dir(const char *path, int levels)
{
    DIR *dir = opendir(path);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;

        AUTO(freep) char *name = fs_join(path, entry->d_name);

        if (unlink(name) < 0 && levels > 0)
            remove_dir(name, levels - 1);
    }
    if (dir)
        closedir(dir);
    return rmdir(path) == 0 || errno != ENOTEMPTY;
}

void fs_remove_tree(const char *path)
{
    for (int i = 0; i < REMOVE_ATTEMPTS && !remove_dir(path, 2); i++)
        continue;
}

int fs_sealed_memfd(const char *name, const void *data, size_t len, int *ret_fd, struct err *err)
{
    AUTO(fd_closep) int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0 || fs_write_all(fd, data, len) < 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        return fail_errno(err, "cannot make a sealed copy of %s", name);
    *ret_fd = fd_steal(&fd);
    return 0;
}

char *fs_join(const char *dir, const char *name)
{
    return xasprintf("%s/%s", dir, name);
}

static char *user_dir(const char *own, const char *xdg, const char *under_home)
{
    const char *value = getenv(own);

    if (value && *value)
        return xstrdup(value);
    value = getenv(xdg);
    if (value && *value == '/')
        return fs_join(value, "assay");
    value = getenv("HOME");
    if (!value || !*value) {
        struct passwd *pw = getpwuid(getuid());

        value = pw && pw->pw_dir ? pw->pw_dir : "/tmp";
    }
    return xasprintf("%s/%s/assay", value, under_home);
}

char *fs_home_dir(void)
{
    return user_dir("ASSAY_HOME", "XDG_DATA_HOME", ".local/share");
}

char *fs_cache_dir(void)
{
    return user_dir("ASSAY_CACHE", "XDG_CACHE_HOME", ".cache");
}

char *fs_program_dir(void)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

    if (n <= 0)
        return xstrdup(".");
    path[n] = '\0';

    char *slash = strrchr(path, '/');

    if (slash)
        *slash = '\0';
    return xstrdup(path);
}

/* Cuts the last part off; false if there is none but the root. */
static bool cut_last(char *dir)
{
    char *slash = strrchr(dir, '/');

    if (!slash || slash == dir)
        return false;
    *slash = '\0';
    return true;
}

char *fs_libexec_dir(void)
{
    AUTO(freep) char *dir = fs_program_dir();
    AUTO(freep) char *beside = fs_join(dir, "assay-runner");

    if (fs_exists(beside) || !cut_last(dir))
        return steal(&dir);

    return fs_join(dir, "libexec/assay");
}

/* NULL if there are no problems under dir. */
static char *share_under(const char *dir, const char *name)
{
    AUTO(freep) char *share = *name ? fs_join(dir, name) : xstrdup(dir);
    AUTO(freep) char *problems = fs_join(share, "problems");

    return fs_exists(problems) ? steal(&share) : NULL;
}

char *fs_share_dir(void)
{
    const char *set = getenv("ASSAY_SHARE");

    if (set && *set)
        return xstrdup(set);

    /* problems/ lies beside build/ (with build/assay) in a checkout, beside bin/ (with bin/assay)
     * in a dist tree, and in share/assay/ beside bin/ where it is installed; tests run from
     * build/unit. */
    AUTO(freep) char *dir = fs_program_dir();

    for (int up = 0; up < 3; up++) {
        char *found = share_under(dir, "share/assay");

        if (!found)
            found = share_under(dir, "");
        if (found)
            return found;
        if (!cut_last(dir))
            break;
    }
    return xstrdup(".");
}
