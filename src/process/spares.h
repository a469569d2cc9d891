/* SPDX-License-Identifier: MIT */
/* Spares: runners that wait with their device open, so that a candidate does not wait for a
 * driver. Each serves one candidate on one size and is thrown away like any other runner. Spares
 * open their device only while nobody is being timed on it, and keep everybody from timing until
 * they are warm. A failure here is no error: a candidate that finds no spare gets a runner
 * started for it. */
#ifndef ASSAY_PROCESS_SPARES_H
#define ASSAY_PROCESS_SPARES_H

#include "process/rproc.h"

#define SPARES_MAX 8

struct spares {
    struct rproc_config config;
    struct rproc waiting[SPARES_MAX]; /* the first n are used, oldest first */
    int n;
    int need; /* runners of one candidate; if fewer are left, more are started */
    int full; /* number of spares after spares_fill(); 0: none, ever */
};

/* Prepares for candidates that are started with this config from now on, `need` runners each.
 * Spares that wait are kept if they would have been started the same way. Whatever `config` points
 * at outlives the spares. A struct of zeros has none. */
void spares_serve(struct spares *s, const struct rproc_config *config, int need);
/* Starts missing spares and does not wait; on the CPU device only while nobody is being timed. */
void spares_fill(struct spares *s);
/* Waits until all spares are warm, and drops those that are late or dead. Called before timing. */
void spares_settle(struct spares *s);
/* Hands memory and artifact to a spare. False: none is left alive, or they are another subject's.
 * *ret is otherwise as after rproc_start(). */
bool spares_take(struct spares *s, const struct rproc_config *config, struct rproc *ret);
/* Ends the spares that wait. */
void spares_release(struct spares *s);

#endif
