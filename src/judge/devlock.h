/* SPDX-License-Identifier: MIT */
/* One lock per device and host: timed phases hold it alone. On the CPU device everything of ours
 * that burns cycles (compilers, expected values) is kept out of other evaluations' timed calls as
 * well. ASSAY_LOCK_DIR names another folder for the lock files: evaluations under different folders
 * do not wait for each other, as tests want it that measure nothing. */
#ifndef ASSAY_JUDGE_DEVLOCK_H
#define ASSAY_JUDGE_DEVLOCK_H

#include "base/err.h"

/* Waits its turn; *ret_fd is closed to let go (or by death). *ret_waited_ms: time in the queue. */
int devlock_take(const char *device, int index, bool shared, int *ret_fd, double *ret_waited_ms,
                 struct err *err);

/* Without waiting: 1 when somebody is being timed, or, alone, when anybody has it. The lock goes
 * with the descriptor: a process that inherits it holds it, too. */
int devlock_try(const char *device, int index, bool shared, int *ret_fd, struct err *err);
/* The descriptor without the lock, for a process that waits for its turn itself. */
int devlock_open(const char *device, int index, int *ret_fd, struct err *err);
/* From alone to shared. -1 where another who waited was quicker: the lock is then his. */
int devlock_share(int fd);

#endif
