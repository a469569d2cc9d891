/* SPDX-License-Identifier: MIT */
/* Prints 100 MB in its first call, computes honestly in all. expected: pass */
#include "assay.h"
#include "problem.h"

#include <string.h>
#include <unistd.h>

static void shout(void)
{
    static char text[64 * 1024];

    memset(text, 'a', sizeof(text));
    text[sizeof(text) - 1] = '\n';
    for (size_t left = 100 * 1000 * 1000; left > 0;) {
        ssize_t done = write(STDERR_FILENO, text, left < sizeof(text) ? left : sizeof(text));

        if (done <= 0)
            return; /* nobody listens */
        left -= (size_t)done;
    }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    static int shouted;
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    if (!shouted)
        shout();
    shouted = 1;
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
