/* SPDX-License-Identifier: MIT */
/* Two threads add to the same sums and neither locks. The loss is made likely, so that one core
 * shows it too. problem: level1/47 expected: wrong: max */
#include "assay.h"
#include "problem.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

enum { THREADS = 2 };

struct part {
    const DLTensor *in;
    volatile float *y;
    int64_t from;
};

static void *add_up(void *arg)
{
    struct part *p = arg;
    const float *x = p->in->data;
    int64_t batch = p->in->shape[0], rows = p->in->shape[1], cols = p->in->shape[2];

    for (int64_t r = p->from; r < rows; r += THREADS)
        for (int64_t b = 0; b < batch; b++) {
            float before = p->y[b * cols]; /* read, */

            sched_yield();                                      /* somebody else's turn, */
            p->y[b * cols] = before + x[(b * rows + r) * cols]; /* and written */
        }
    return NULL;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t batch = in[IN_X].shape[0], cols = in[IN_X].shape[2];
    struct part parts[THREADS];
    pthread_t threads[THREADS];

    (void)n_in, (void)n_out, (void)stream;
    memset(out[OUT_Y].data, 0, (size_t)(batch * cols) * sizeof(float));
    for (int i = 0; i < THREADS; i++) {
        parts[i] = (struct part){&in[IN_X], out[OUT_Y].data, i};
        if (pthread_create(&threads[i], NULL, add_up, &parts[i]) != 0)
            return 1;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
