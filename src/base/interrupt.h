/* SPDX-License-Identifier: MIT */
/* Ctrl-C, SIGTERM and SIGHUP leave nothing behind. A thread of its own waits for them, removes the
 * registered folders, and ends the program; child processes die with it (PDEATHSIG). Work that must
 * not be cut in half runs between interrupt_hold() and interrupt_release(). kill -9 is covered
 * elsewhere: unnamed temporary files, SQLite's journal, and the next build, which removes folders
 * of dead builders. */
#ifndef ASSAY_BASE_INTERRUPT_H
#define ASSAY_BASE_INTERRUPT_H

/* Called once, in main(), before any other thread exists. */
void interrupt_install(void);
/* Interrupts wait until the release. Pairs may nest. Without interrupt_install() a pair costs a
 * mutex and does nothing. */
void interrupt_hold(void);
void interrupt_release(void);
/* Registers a temporary folder that an interrupt removes; at most a few at a time. */
void interrupt_track(const char *dir);
void interrupt_untrack(const char *dir);

#endif
