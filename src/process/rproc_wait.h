/* SPDX-License-Identifier: MIT */
/* Waiting for a runner's process: for a word on the shared page, for its text, for its end. Also
 * the verdict if it dies, is late or takes too much memory. */
#ifndef ASSAY_PROCESS_RPROC_WAIT_H
#define ASSAY_PROCESS_RPROC_WAIT_H

#include "process/rproc.h"

#define MEMORY_WATCH_NS 20000000

/* Stage of a runner: the word in a verdict's detail, and the reason if the stage takes too long. */
enum rproc_when {
    WHEN_START,
    WHEN_LOADING,
    WHEN_SETUP,
    WHEN_CALL,
    WHEN_BETWEEN_CALLS,
};
const char *rproc_when_name(enum rproc_when when);

/* Reads the runner's text, as much as lies in the pipe. */
void rproc_drain(struct rproc *r);
/* Whether the process is gone and reaped; options: of waitid(). */
bool rproc_reap(struct rproc *r, int options);
/* Verdicts on a runner that is dead and on one that is too late. Both leave no process. */
int rproc_died(struct rproc *r, enum rproc_when when, struct verdict *v);
int rproc_overdue(struct rproc *r, enum rproc_when when, int limit_ms, struct verdict *v);
/* 0 go on, 1 the runner took too much memory and was ended. */
int rproc_watch_memory(struct rproc *r, enum rproc_when when, struct verdict *v);
/* Spins until *word, or *other, equals value. Taking too long is a verdict; if ret_overdue is not
 * NULL, it only sets *ret_overdue. */
int rproc_spin_for_either(struct rproc *r, atomic_uint *word, atomic_uint *other, unsigned value,
                          int limit_ms, bool *ret_overdue, enum rproc_when when, struct verdict *v);
int rproc_spin_for(struct rproc *r, atomic_uint *word, unsigned value, int limit_ms,
                   enum rproc_when when, struct verdict *v);

#endif
