/* SPDX-License-Identifier: MIT */
/* Becomes another program. expected: rejected: sandbox */
#include "assay.h"
#include "problem.h"

#include <unistd.h>

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    char *const argv[] = {"sh", "-c", "exit 0", 0};

    (void)in, (void)n_in, (void)out, (void)n_out, (void)stream;
    return execv("/bin/sh", argv);
}
