/* SPDX-License-Identifier: MIT */
/* Computes once and repeats its first answer ever after. expected: wrong: max */
#include "assay.h"
#include "problem.h"

#include <stdlib.h>
#include <string.h>

static float *first_answer;

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    if (!first_answer) {
        first_answer = malloc((size_t)n * sizeof(*first_answer));
        if (!first_answer)
            return 1;
        for (int64_t i = 0; i < n; i++)
            first_answer[i] = x[i] > 0 ? x[i] : 0;
    }
    memcpy(y, first_answer, (size_t)n * sizeof(*y));
    return 0;
}
