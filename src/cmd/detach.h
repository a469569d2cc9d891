/* SPDX-License-Identifier: MIT */
/* A driver takes a fifth of a second to close a device. A user who waits for a verdict need not
 * wait for that. So a command that opens such a device runs in a child:
 *
 *   assay (front) --- fork ---> the command: judges, prints, stores
 *     waits                      detach_end(status): standard streams closed, status sent
 *     exits with it              closes the device, ends unwatched
 *
 * Until detach_end() the two are one to anybody else: signals sent to the front reach the command,
 * the command dies with the front, and the front ends as the command ends. */
#ifndef ASSAY_CMD_DETACH_H
#define ASSAY_CMD_DETACH_H

/* Returns in the child, or in the same process if there can be none. Called before any thread is
 * made. */
void detach_begin(void);
/* Called when everything is printed and stored. Does nothing without detach_begin(). */
void detach_end(int status);

#endif
