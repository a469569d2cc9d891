/* SPDX-License-Identifier: MIT */
/* Wants to leave its answers to the next process in shared memory, a memfd, a pipe, a message
 * queue. expected: pass */
#include "assay.h"
#include "problem.h"

#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/shm.h>
#include <unistd.h>

static int can_leave_something(void)
{
    int fds[2];

    return shm_open("/assay", O_RDWR | O_CREAT, 0600) >= 0 ||
           shmget(42, 4096, IPC_CREAT | 0600) >= 0 || msgget(42, IPC_CREAT | 0600) >= 0 ||
           memfd_create("answers", 0) >= 0 || pipe(fds) == 0;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    if (can_leave_something())
        return 1; /* the next process could find it */
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
