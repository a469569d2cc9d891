/* SPDX-License-Identifier: MIT */
/* A whole runner: what assay-runner's main() does, and assay-plain's. */
#ifndef ASSAY_RUNNER_RUNNER_H
#define ASSAY_RUNNER_RUNNER_H

#include "device/device.h"

/* One runner's life: from HELLO on `sock` (see wire/wire.h) to the page loop. lock_fd (-1: none) is
 * closed once the device is open, turn_fd (-1: none) once that lock is there. `substitute` takes
 * the place of the device that HELLO names; NULL: there is none. Does not return: ends the process
 * with a WIRE_EXIT_* status. */
_Noreturn void runner_run(int sock, int lock_fd, int turn_fd, const struct device *substitute);

/* The same with the descriptors that a judge starts it with; 2 when there are none: not started by
 * a judge. `name`: of the program, for that message. */
int runner_main(const char *name, const struct device *substitute);

#endif
