/* SPDX-License-Identifier: MIT */
/* Looks other processes up in /proc, by stat(), which opens nothing: their pids, and with them uids
 * and numbers of threads. It returns 1 when it sees one. expected: pass */
#include "assay.h"
#include "problem.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIDS 4096

static int there(const char *folder, int number)
{
    char path[64];
    struct stat st;

    snprintf(path, sizeof(path), "%s/%d", folder, number);
    return stat(path, &st) == 0;
}

/* A thread of our own can be looked up like a process. */
static int sees_others(void)
{
    for (int pid = 1; pid < PIDS; pid++)
        if (pid != getpid() && there("/proc", pid) && !there("/proc/self/task", pid))
            return 1;
    return 0;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    static int looked, seen;
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    if (!looked)
        seen = sees_others();
    looked = 1;
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return seen;
}
