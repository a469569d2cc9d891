/* SPDX-License-Identifier: MIT */
/* Remembers its answer by the shape of the input. expected: wrong: max */
#include "assay.h"
#include "problem.h"

#include <stdlib.h>
#include <string.h>

static int64_t known_shape[2];
static float *answer;

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    if (!answer || memcmp(known_shape, in[IN_X].shape, sizeof(known_shape)) != 0) {
        answer = realloc(answer, (size_t)n * sizeof(*answer));
        for (int64_t i = 0; answer && i < n; i++)
            answer[i] = x[i] > 0 ? x[i] : 0;
        memcpy(known_shape, in[IN_X].shape, sizeof(known_shape));
    }
    if (!answer)
        return 1;
    memcpy(y, answer, (size_t)n * sizeof(*y));
    return 0;
}
