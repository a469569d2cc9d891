/* SPDX-License-Identifier: MIT */
/*
 * Threads are counted for many together: for a user (RLIMIT_NPROC; those in a user namespace count
 * for its maker as well) and for a container (pids.max). A candidate that takes them all would
 * leave its judge none. That judge could start no runner, and OpenMP ends a process that cannot
 * have its threads. So a runner gets a share.
 */
#include "sandbox/thread_limit.h"

#include "base/fs.h"
#include "sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SHARES 8  /* three runners have one each; more than half is left to judge and build with */
#define MANY 4096 /* enough for OpenMP on a large machine */
#define OF_DRIVERS 8
#define FILE_MAX_BYTES 65536

/* pids.max of a folder; UINT64_MAX if there is no such file, or if it says "max". */
static uint64_t read_limit(const char *folder)
{
    AUTO(freep) char *path = fs_join(folder, "pids.max");
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct err ignored = ERR_INIT;
    char *end;

    if (fs_read(path, FILE_MAX_BYTES, &text, &ignored) < 0)
        return UINT64_MAX;

    uint64_t n = strtoull(buf_str(&text), &end, 10);

    return end == buf_str(&text) ? UINT64_MAX : n;
}

/* The least pids.max of a group and of all groups that it lies in. */
static uint64_t least_above(const char *root, const char *group, size_t len)
{
    AUTO(freep) char *path = xasprintf("%s%.*s", root, (int)len, group);
    uint64_t least = UINT64_MAX;

    for (char *slash = path + strlen(path); slash; slash = strrchr(path + strlen(root), '/')) {
        *slash = '\0';
        least = MIN(least, read_limit(path));
    }
    return least;
}

/* `groups` has lines of "NUMBER:CONTROLLERS:GROUP". Version 2 has one, without controllers. */
uint64_t thread_limit_of_groups(const char *groups, const char *mounted)
{
    AUTO(freep) char *v1 = fs_join(mounted, "pids");
    uint64_t least = UINT64_MAX;

    for (const char *line = groups; *line; line += strspn(line, "\n")) {
        const char *end = line + strcspn(line, "\n"), *name = strchr(line, ':');
        const char *group = name && name < end ? strchr(name + 1, ':') : NULL;

        if (group && group < end) {
            const char *root = group == name + 1                            ? mounted
                               : !strncmp(name, ":pids:", strlen(":pids:")) ? v1
                                                                            : NULL;

            if (root)
                least = MIN(least, least_above(root, group + 1, (size_t)(end - group - 1)));
        }
        line = end;
    }
    return least;
}

/* RLIMIT_NPROC does not bind root, and root's runners have other uids. */
static uint64_t least_of_all(void)
{
    AUTO(buf_release) struct buf groups = BUF_INIT;
    struct err ignored = ERR_INIT;
    struct rlimit limit;
    uint64_t least = UINT64_MAX;

    if (geteuid() != 0 && getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        least = limit.rlim_cur;
    if (fs_read("/proc/self/cgroup", FILE_MAX_BYTES, &groups, &ignored) == 0)
        least = MIN(least, thread_limit_of_groups(buf_str(&groups), "/sys/fs/cgroup"));
    return least;
}

unsigned sandbox_max_threads(void)
{
    uint64_t cores = (uint64_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);

    return (unsigned)MIN(MAX(least_of_all() / SHARES, 2 * cores + OF_DRIVERS), (uint64_t)MANY);
}
