/* SPDX-License-Identifier: MIT */
/* Starts threads in every call, and waits for them. expected: pass */
#include "assay.h"
#include "problem.h"

#include <pthread.h>

enum { THREADS = 4 };

struct part {
    const float *x;
    float *y;
    int64_t n;
};

static void *relu(void *arg)
{
    struct part *p = arg;

    for (int64_t i = 0; i < p->n; i++)
        p->y[i] = p->x[i] > 0 ? p->x[i] : 0;
    return NULL;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    struct part parts[THREADS];
    pthread_t threads[THREADS];

    for (int t = 0; t < THREADS; t++) {
        int64_t from = n * t / THREADS, to = n * (t + 1) / THREADS;

        parts[t] = (struct part){x + from, y + from, to - from};
        if (pthread_create(&threads[t], NULL, relu, &parts[t]) != 0)
            return 1;
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    return 0;
}
