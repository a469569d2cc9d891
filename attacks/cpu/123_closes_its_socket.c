/* SPDX-License-Identifier: MIT */
/* Closes its socket to the judge when it is loaded, and lives on: the end of a socket is not the
 * end of a process, and who waits for that one waits for ever. expected: rejected: protocol */
#include "assay.h"
#include "problem.h"

#include <unistd.h>

__attribute__((constructor)) static void close_and_wait(void)
{
    for (int fd = 3; fd < 256; fd++)
        close(fd);
    for (;;)
        pause();
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    (void)in, (void)n_in, (void)out, (void)n_out, (void)stream;
    return 0;
}
