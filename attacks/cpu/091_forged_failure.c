/* SPDX-License-Identifier: MIT */
/* Tells the judge on the runner's own socket that the runner failed by no fault of the candidate,
 * while it is being loaded. expected: rejected: protocol */
#include "assay.h"
#include "problem.h"

#include <unistd.h>

/* magic, version 5, type FAIL, length; stage DEVICE, status 0, no text */
static const unsigned char frame[] = {'A', 'S', 'A', 'Y', 5, 0, 10, 0, 10, 0, 0,
                                      0,   1,   0,   0,   0, 0, 0,  0, 0,  0, 0};

__attribute__((constructor)) static void fail_early(void)
{
    if (write(3, frame, sizeof(frame)) < 0)
        _exit(1);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    (void)in, (void)n_in, (void)out, (void)n_out, (void)stream;
    return 0;
}
