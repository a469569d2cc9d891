/* SPDX-License-Identifier: MIT */
/* The jobs of one kind of device: builder threads, and a judge thread for each device of it. */
#ifndef ASSAY_RUN_LANE_H
#define ASSAY_RUN_LANE_H

#include "run/jobs.h"

#include <pthread.h>

/* State that lanes share. */
struct run_state {
    const struct run_config *config;
    struct jobs *jobs;
    pthread_mutex_t mutex; /* protects the store, the progress and the watcher */
    struct run_progress progress;
    uint64_t start_ns;
};

/* Judges batches first..end - 1. -1 when the run cannot go on (the store is full). Candidates that
 * cannot be judged are counted in the progress. */
int lane_run(struct run_state *run, int first, int end, struct err *err);

#endif
