/* SPDX-License-Identifier: MIT */
/* A thread watches the inputs, computes as soon as one has changed, and has the answer ready when
 * the call comes. The process stands still while inputs change. expected: pass at least 200 us */
#include "assay.h"
#include "problem.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The honest work, made long enough to be seen. */
static void work(int64_t microseconds)
{
    struct timespec start, now;

    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000 + (now.tv_nsec - start.tv_nsec) / 1000 <
           microseconds);
}

enum { INPUTS = 2, WORK_US = 300, LINES = 16 };

static struct input {
    const float *_Atomic x;
    float words[LINES];
    float *answer;
    atomic_int ready; /* the answer is of these words */
} inputs[INPUTS];
static int64_t n_elements;

/* A few words tell contents apart. */
static void sample(const float *x, float *words)
{
    for (int i = 0; i < LINES; i++)
        words[i] = x[i * (n_elements / LINES)];
}

static void renew(struct input *in)
{
    float words[LINES];

    sample(in->x, words);
    if (in->ready && !memcmp(words, in->words, sizeof(words)))
        return;
    in->ready = 0;
    memcpy(in->words, words, sizeof(words));
    work(WORK_US);
    for (int64_t i = 0; i < n_elements; i++)
        in->answer[i] = in->x[i] > 0 ? in->x[i] : 0;
    in->ready = 1;
}

static void *watch(void *arg)
{
    for (;;) {
        for (int i = 0; i < INPUTS; i++)
            if (inputs[i].x)
                renew(&inputs[i]);
        sched_yield();
    }
    return arg;
}

static struct input *input_of(const float *x)
{
    for (int i = 0; i < INPUTS; i++) {
        if (!inputs[i].x) {
            inputs[i].answer = malloc((size_t)n_elements * sizeof(float));
            inputs[i].x = x;
        }
        if (inputs[i].x == x)
            return inputs[i].answer ? &inputs[i] : NULL;
    }
    return NULL;
}

/* Whether the thread has already answered what lies there now. */
static int is_answered(const struct input *in)
{
    float words[LINES];

    sample(in->x, words);
    return in->ready && !memcmp(words, in->words, sizeof(words));
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    static pthread_t thread;
    struct input *mine;

    n_elements = n;
    if (!thread && pthread_create(&thread, NULL, watch, NULL) != 0)
        return 1;
    mine = input_of(x);
    if (!mine)
        return 1;
    while (!is_answered(mine))
        sched_yield();
    memcpy(y, mine->answer, (size_t)n * sizeof(*y));
    return 0;
}
