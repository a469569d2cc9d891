/* SPDX-License-Identifier: MIT */
/* Between builders and judges: batches go to judges in order, jobs are built in the same order, and
 * no more than a few wait for a judge. Where candidates are timed on the very cores that compile
 * (`turns`), builders and the judge take turns: they fill the queue, it empties it. Overlapping
 * builders would keep a lock from ever being free. */
#ifndef ASSAY_RUN_QUEUE_H
#define ASSAY_RUN_QUEUE_H

#include "run/jobs.h"

#include <pthread.h>

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct job **order; /* not owned */
    const struct batch *batches;
    int end_batch;                /* of the device at hand */
    int next_batch;               /* nobody judges yet */
    int next_build, end_build;    /* nobody builds yet */
    int building, waiting, depth; /* being built; built and not judged; most of both */
    bool turns, judges_turn;
    bool stopped;
};

/* Batches first..end - 1, which are of one device. */
void queue_init(struct queue *q, const struct jobs *jobs, int first, int end, int depth,
                bool turns);
void queue_destroy(struct queue *q);
/* Nothing more is handed out. */
void queue_stop(struct queue *q);

/* For builders: the next job to build, or NULL at the end. */
struct job *queue_take(struct queue *q);
void queue_built(struct queue *q, struct job *j);

/* For judges: the next batch, or NULL at the end; then every job of it, waiting for its build
 * (false: stopped), and a word when it is judged. */
const struct batch *queue_batch(struct queue *q);
bool queue_wait(struct queue *q, struct job *j);
void queue_done(struct queue *q, struct job *j);
/* Where in the jobs' order the batches begin that no judge has taken yet. */
int queue_untaken(struct queue *q);

#endif
