/* SPDX-License-Identifier: MIT */
#include "run/queue.h"

void queue_init(struct queue *q, const struct jobs *jobs, int first, int end, int depth, bool turns)
{
    const struct batch *last = &jobs->batches[end - 1];

    *q = (struct queue){.order = jobs->order,
                        .batches = jobs->batches,
                        .next_batch = first,
                        .end_batch = end,
                        .next_build = jobs->batches[first].first,
                        .end_build = last->first + last->n,
                        .depth = depth,
                        .turns = turns};
    pthread_mutex_init(&q->mutex, NULL);
    pthread_cond_init(&q->changed, NULL);
}

void queue_destroy(struct queue *q)
{
    pthread_mutex_destroy(&q->mutex);
    pthread_cond_destroy(&q->changed);
}

void queue_stop(struct queue *q)
{
    pthread_mutex_lock(&q->mutex);
    q->stopped = true;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->mutex);
}

/* --- builders --- */

static bool full(const struct queue *q)
{
    return q->building + q->waiting >= q->depth || q->next_build == q->end_build;
}

static bool may_build(const struct queue *q)
{
    return !full(q) && !(q->turns && q->judges_turn);
}

struct job *queue_take(struct queue *q)
{
    struct job *j = NULL;

    pthread_mutex_lock(&q->mutex);
    while (!q->stopped && q->next_build < q->end_build && !may_build(q))
        pthread_cond_wait(&q->changed, &q->mutex);
    if (!q->stopped && q->next_build < q->end_build) {
        j = q->order[q->next_build++];
        j->state = JOB_BUILDING;
        q->building++;
    }
    pthread_mutex_unlock(&q->mutex);
    return j;
}

void queue_built(struct queue *q, struct job *j)
{
    pthread_mutex_lock(&q->mutex);
    j->state = JOB_BUILT;
    q->building--;
    q->waiting++;
    if (q->building == 0 && full(q))
        q->judges_turn = true;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->mutex);
}

/* --- judges --- */

const struct batch *queue_batch(struct queue *q)
{
    const struct batch *b = NULL;

    pthread_mutex_lock(&q->mutex);
    if (!q->stopped && q->next_batch < q->end_batch)
        b = &q->batches[q->next_batch++];
    pthread_mutex_unlock(&q->mutex);
    return b;
}

int queue_untaken(struct queue *q)
{
    pthread_mutex_lock(&q->mutex);

    int at = q->next_batch < q->end_batch ? q->batches[q->next_batch].first : q->end_build;

    pthread_mutex_unlock(&q->mutex);
    return at;
}

bool queue_wait(struct queue *q, struct job *j)
{
    pthread_mutex_lock(&q->mutex);
    while (!q->stopped && (j->state != JOB_BUILT || (q->turns && !q->judges_turn)))
        pthread_cond_wait(&q->changed, &q->mutex);

    bool go = !q->stopped;

    pthread_mutex_unlock(&q->mutex);
    return go;
}

void queue_done(struct queue *q, struct job *j)
{
    pthread_mutex_lock(&q->mutex);
    j->state = JOB_DONE;
    q->waiting--;
    if (q->waiting == 0 && q->next_build < q->end_build)
        q->judges_turn = false;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->mutex);
}
