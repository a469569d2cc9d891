/* SPDX-License-Identifier: MIT */
#include "process/footprint.h"

#include "base/buf.h"
#include "base/fs.h"
#include "base/util.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#define STATUS_MAX_BYTES 65536

#if HAS_ASAN /* ASan's shadow and quarantine count as the runner's own */
const int64_t footprint_own_bytes = 512 << 20;
#else
const int64_t footprint_own_bytes = 4 << 20;
#endif

/* "VmHWM:     1234 kB" */
static int64_t status_bytes(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    return at ? 1024 * strtoll(at + strlen(key), NULL, 10) : 0;
}

static bool names_memory(const struct buf *text)
{
    return strstr(buf_str(text), "\nVmHWM:") != NULL;
}

/* All threads have the same memory, but only the status of a live thread shows it. /proc/PID/status
 * is that of the first thread, which candidate code can end. */
static bool read_any_thread(pid_t pid, struct buf *text)
{
    AUTO(freep) char *dir = xasprintf("/proc/%d/task", (int)pid);
    DIR *tasks = opendir(dir);
    bool found = false;

    for (struct dirent *e; tasks && !found && (e = readdir(tasks));) {
        AUTO(freep) char *path = xasprintf("%s/%s/status", dir, e->d_name);
        struct err gone = ERR_INIT;

        buf_reset(text);
        found = e->d_name[0] != '.' && fs_read(path, STATUS_MAX_BYTES, text, &gone) == 0 &&
                names_memory(text);
    }
    if (tasks)
        closedir(tasks);
    return found;
}

static int read_status(pid_t pid, struct buf *text, struct err *err)
{
    AUTO(freep) char *path = xasprintf("/proc/%d/status", (int)pid);

    if (fs_read(path, STATUS_MAX_BYTES, text, err) < 0)
        return -1;
    if (!names_memory(text) && !read_any_thread(pid, text))
        buf_reset(text); /* the process has no memory any more */
    return 0;
}

/* Arenas and files stay resident once they are mapped. So their present size is the most they held,
 * and the rest of the peak was private. VmHWM does not include huge pages. */
int footprint_peak(pid_t pid, int64_t *ret_bytes, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    if (read_status(pid, &text, err) < 0)
        return -1;

    const char *s = buf_str(&text);
    int64_t shared = status_bytes(s, "\nRssFile:") + status_bytes(s, "\nRssShmem:");

    *ret_bytes = MAX(status_bytes(s, "\nVmHWM:") - shared, status_bytes(s, "\nRssAnon:")) +
                 status_bytes(s, "\nHugetlbPages:");
    return 0;
}

uint64_t footprint_resident(pid_t pid)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct err ignored = ERR_INIT;

    if (read_status(pid, &text, &ignored) < 0)
        return 0;
    return (uint64_t)(status_bytes(buf_str(&text), "\nVmRSS:") +
                      status_bytes(buf_str(&text), "\nHugetlbPages:"));
}

int64_t footprint_folder(pid_t pid, const char *folder)
{
    AUTO(freep) char *path = xasprintf("/proc/%d/root%s", (int)pid, folder);
    struct statvfs st;

    if (statvfs(path, &st) < 0)
        return 0;
    return (int64_t)(st.f_blocks - st.f_bfree) * (int64_t)st.f_frsize;
}
