/* SPDX-License-Identifier: MIT */
#include "judge/footprint.h"

#include "base/buf.h"
#include "base/fs.h"
#include "base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATUS_MAX_BYTES 65536

#if HAS_ASAN /* its shadow and quarantine are the runner's own */
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

/* Arenas and files once mapped stay resident, so what they hold now is the most they held: the rest
 * of the peak was private. */
int footprint_peak(pid_t pid, int64_t *ret_bytes, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    if (fs_read(path, STATUS_MAX_BYTES, &text, err) < 0)
        return -1;

    const char *s = buf_str(&text);
    int64_t shared = status_bytes(s, "\nRssFile:") + status_bytes(s, "\nRssShmem:");

    *ret_bytes = MAX(status_bytes(s, "\nVmHWM:") - shared, status_bytes(s, "\nRssAnon:"));
    return 0;
}
