/* SPDX-License-Identifier: MIT */
/*
 * A driver takes a fifth of a second to let go of a device, and who waits for a verdict need not
 * wait for that. So a command that opens one runs in a child:
 *
 *   assay (front) --- fork ---> the command: judges, prints, stores
 *     waits                      detach_end(status): standard streams closed, status sent
 *     exits with it              closes the device, ends unwatched
 *
 * Until it leaves, the two are one to anybody else: signals sent to the front reach the command, it
 * dies with the front, and the front ends as it ends.
 */
#ifndef ASSAY_CMD_DETACH_H
#define ASSAY_CMD_DETACH_H

/* Returns in the child, or where there can be none. Before any thread is made. */
void detach_begin(void);
/* All is said and stored. Nothing without detach_begin(). */
void detach_end(int status);

#endif
