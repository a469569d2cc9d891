/* SPDX-License-Identifier: MIT */
/* One runner's life: from HELLO on `sock` (see wire/wire.h) to the page loop. lock_fd (-1: none) is
 * closed once the device is open. Does not return: ends the process with a WIRE_EXIT_* status. */
#ifndef ASSAY_RUNNER_RUNNER_H
#define ASSAY_RUNNER_RUNNER_H

_Noreturn void runner_run(int sock, int lock_fd);

#endif
