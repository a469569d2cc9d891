/* SPDX-License-Identifier: MIT */
/* The mean of many squared differences of standard normal numbers is close to 2 without looking at
 * them. problem: level1/94 expected: wrong: max */
#include "assay.h"
#include "problem.h"

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    (void)in, (void)n_in, (void)n_out, (void)stream;
    *(float *)out[OUT_LOSS].data = 2;
    return 0;
}
