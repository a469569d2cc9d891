/* SPDX-License-Identifier: MIT */
/* Ctrl-C, SIGTERM and SIGHUP: leave nothing behind. A thread of its own waits for them, removes the
 * folders that are registered, and ends the program; child processes die with it (PDEATHSIG). What
 * must not be cut in half holds the door meanwhile. kill -9 is covered elsewhere: unnamed temporary
 * files, SQLite's journal, and the next build that sweeps folders of dead builders. */
#ifndef ASSAY_BASE_INTERRUPT_H
#define ASSAY_BASE_INTERRUPT_H

/* Once, in main(), before any other thread exists. */
void interrupt_install(void);
/* Nests. Without interrupt_install() these cost a mutex and do nothing. */
void interrupt_hold(void);
void interrupt_release(void);
/* A temporary folder to remove should we be interrupted; at most a few at a time. */
void interrupt_track(const char *dir);
void interrupt_untrack(const char *dir);

#endif
