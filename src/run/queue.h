/* SPDX-License-Identifier: MIT */
/* Queue between builders and judges. Batches go to judges in order, jobs are built in the same
 * order, and no more than a few wait for a judge. If candidates are timed on the very cores that
 * compile (`turns`), builders and the judge take turns: builders fill the queue, the judge empties
 * it. Overlapping builders would keep the lock from ever being free. */
#ifndef ASSAY_RUN_QUEUE_H
#define ASSAY_RUN_QUEUE_H

#include "run/jobs.h"

#include <pthread.h>

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct job **order; /* not owned */
    const struct batch *batches;
    int end_batch;                /* end of the present device's batches */
    int next_batch;               /* first batch that no judge has taken */
    int next_build, end_build;    /* first job that no builder has taken; end */
    int building, waiting, depth; /* jobs being built; built and not judged; most of both */
    bool turns, judges_turn;
    bool stopped;
};

/* Makes a queue of batches first..end - 1, which are of one device. */
void queue_init(struct queue *q, const struct jobs *jobs, int first, int end, int depth,
                bool turns);
void queue_destroy(struct queue *q);
/* Nothing more is handed out from now on. */
void queue_stop(struct queue *q);

/* For builders: the next job to build, or NULL at the end. */
struct job *queue_take(struct queue *q);
void queue_built(struct queue *q, struct job *j);

/* For judges: the next batch, or NULL at the end. Then, for every job of it, queue_wait() waits for
 * the build (false: stopped), and queue_done() says that it is judged. */
const struct batch *queue_batch(struct queue *q);
bool queue_wait(struct queue *q, struct job *j);
void queue_done(struct queue *q, struct job *j);
/* Index in the jobs' order of the first batch that no judge has taken yet. */
int queue_untaken(struct queue *q);

#endif
