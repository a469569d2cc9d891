/* SPDX-License-Identifier: MIT */
/* Ends its process, and calls that success. expected: crash: exited */
#include "assay.h"
#include "problem.h"

#include <stdlib.h>

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    exit(0);
}
