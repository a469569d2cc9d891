/* SPDX-License-Identifier: MIT */
/* Runners that wait with their device open, so that a candidate does not wait for a driver. Each
 * serves one candidate on one size and is thrown away like any other. They open their
 * device only while nobody is being timed on it, and keep everybody from timing until they are
 * warm. What goes wrong here is no error: a candidate that finds no spare gets a runner started for
 * it. */
#ifndef ASSAY_PROCESS_SPARES_H
#define ASSAY_PROCESS_SPARES_H

#include "process/rproc.h"

#define SPARES_MAX 8

struct spares {
    struct rproc_config config;
    struct rproc waiting[SPARES_MAX]; /* the first n, oldest first */
    int n;
    int need; /* of one candidate: with fewer left, more are started */
    int full; /* how many there are then; 0: none, ever */
};

/* For candidates that are started with this from now on, `need` runners each. Those that wait stay
 * where they would have been started the same. Whatever `config` points at outlives this. A struct
 * of zeros has none. */
void spares_serve(struct spares *s, const struct rproc_config *config, int need);
/* Starts what is missing and does not wait; on the CPU device only while nobody is being timed. */
void spares_fill(struct spares *s);
/* Waits until all are warm; those that are not in time, or died, are gone. Before timing. */
void spares_settle(struct spares *s);
/* Hands memory and artifact to one of them; false: there is none (left alive), or they are another
 * subject's. *ret is otherwise as after rproc_start(). */
bool spares_take(struct spares *s, const struct rproc_config *config, struct rproc *ret);
/* Ends those that wait. */
void spares_release(struct spares *s);

#endif
