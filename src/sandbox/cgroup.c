/* SPDX-License-Identifier: MIT */
/*
 * A group lives as long as its runner and is called assay-JUDGE-NUMBER. A judge that is killed
 * leaves its groups behind, empty, since runners die with it; the next judge that finds no such
 * process removes them. A group is never emptied by force: one that cannot be removed is in use.
 */
#include "sandbox/cgroup.h"

#include "base/fs.h"
#include "base/util.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EVENTS_MAX_BYTES 4096

static pthread_once_t swept = PTHREAD_ONCE_INIT;

static const char *parent(void)
{
    const char *given = getenv("ASSAY_CGROUP");

    return given && *given ? given : NULL;
}

bool cgroup_given(void)
{
    return parent() != NULL;
}

static bool is_left_behind(const char *name)
{
    int pid = 0;

    return sscanf(name, "assay-%d-", &pid) == 1 && pid > 0 && kill(pid, 0) < 0 && errno == ESRCH;
}

static void sweep(void)
{
    DIR *dir = opendir(parent());
    struct dirent *e;

    while (dir && (e = readdir(dir)))
        if (is_left_behind(e->d_name))
            unlinkat(dirfd(dir), e->d_name, AT_REMOVEDIR);
    if (dir)
        closedir(dir);
}

static int open_in(const char *group, const char *name, int flags)
{
    AUTO(freep) char *path = fs_join(group, name);

    return open(path, flags | O_CLOEXEC);
}

static int set(const char *group, const char *name, const char *value)
{
    AUTO(fd_closep) int fd = open_in(group, name, O_WRONLY);

    return fd < 0 ? -1 : fs_write_all(fd, value, strlen(value));
}

static int set_limits(const char *group, uint64_t mem_bytes, unsigned max_threads)
{
    char memory[32] = "max", threads[32];

    if (mem_bytes)
        snprintf(memory, sizeof(memory), "%" PRIu64, mem_bytes);
    snprintf(threads, sizeof(threads), "%u", max_threads);
    set(group, "memory.swap.max", "0"); /* the file is missing without swap */
    return set(group, "memory.max", memory) < 0 ? -1 : set(group, "pids.max", threads);
}

char *cgroup_make(uint64_t mem_bytes, unsigned max_threads)
{
    static atomic_uint number;

    if (!parent()) {
        errno = ENOENT;
        return NULL;
    }
    pthread_once(&swept, sweep);

    AUTO(freep)
    char *path = xasprintf("%s/assay-%d-%u", parent(), (int)getpid(), atomic_fetch_add(&number, 1));

    if (mkdir(path, 0755) < 0)
        return NULL;
    if (set_limits(path, mem_bytes, max_threads) < 0) {
        int saved = errno;

        rmdir(path);
        errno = saved;
        return NULL;
    }
    return steal(&path);
}

int cgroup_door(const char *path)
{
    return open_in(path, "cgroup.procs", O_WRONLY);
}

bool cgroup_ran_out(const char *path)
{
    AUTO(fd_closep) int fd = open_in(path, "memory.events", O_RDONLY);
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct err ignored = ERR_INIT;
    const char *line;

    if (fd < 0 || fs_read_fd(fd, EVENTS_MAX_BYTES, &text, &ignored) < 0)
        return false;
    line = strstr(buf_str(&text), "oom_kill ");
    return line && atoi(line + strlen("oom_kill ")) > 0;
}

void cgroup_remove(char **path)
{
    if (*path)
        rmdir(*path);
    freep(path);
}
