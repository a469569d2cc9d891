/* SPDX-License-Identifier: MIT */
/* Its worker never starts (the stack it asks for is absurd), and nobody looks. expected: wrong:
 * unwritten */
#include "assay.h"
#include "problem.h"

#include <pthread.h>

static void *relu(void *arg)
{
    return arg;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    pthread_attr_t attributes;
    pthread_t thread;

    (void)in, (void)n_in, (void)out, (void)n_out, (void)stream;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)1 << 46);
    pthread_create(&thread, &attributes, relu, 0);
    return 0;
}
