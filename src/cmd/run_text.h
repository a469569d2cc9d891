/* SPDX-License-Identifier: MIT */
/* Output of a run: lines and a bar on stderr while it goes on, its verdicts on stdout at the
 * end. */
#ifndef ASSAY_CMD_RUN_TEXT_H
#define ASSAY_CMD_RUN_TEXT_H

#include "cmd/cmd.h"
#include "run/run.h"

void run_text_watch(struct run_watcher *w);
/* Prints the summary. Returns the exit status: 0 all passed, 1 something did not, 3 something was
 * skipped, 4 or 5 a fault of ours. -1 with err. */
int run_text_finish(struct app *app, const char *name, bool json, const struct run_progress *p,
                    struct err *err);
/* Prints the summary of a run that only built, and returns its exit status. */
int run_text_built(const char *name, bool json, const struct run_progress *p);

#endif
