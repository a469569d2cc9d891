/* SPDX-License-Identifier: MIT */
/* A whole runner, for the main() of assay-runner and of assay-plain, and for Python. */
#ifndef ASSAY_RUNNER_RUNNER_H
#define ASSAY_RUNNER_RUNNER_H

#include "device/device.h"

/* One runner's life: from HELLO on `sock` (see wire/wire.h) to the page loop. lock_fd (-1: none) is
 * closed once the device is open, turn_fd (-1: none) once that lock is taken. `substitute` takes
 * the place of the device that HELLO names; NULL: that device is used. layers: SANDBOX_* that this
 * process has and its judge cannot know of. Does not return: ends the process with a WIRE_EXIT_*
 * status. */
_Noreturn void runner_run(int sock, int lock_fd, int turn_fd, const struct device *substitute,
                          uint32_t layers);

/* A process that is pid 1 of a namespace ends by WIRE_EXIT_ABORT from here on when it aborts. */
int runner_catch_abort(void);

/* Calls runner_run() with the descriptors that a judge passes on. Without them no judge started the
 * program: then it says so under its `name`, and returns 2. */
int runner_main(const char *name, const struct device *substitute);

#endif
