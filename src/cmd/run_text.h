/* SPDX-License-Identifier: MIT */
/* What a run shows: lines and a bar on stderr while it goes, its verdicts on stdout at the end. */
#ifndef ASSAY_CMD_RUN_TEXT_H
#define ASSAY_CMD_RUN_TEXT_H

#include "cmd/cmd.h"
#include "run/run.h"

void run_text_watch(struct run_watcher *w);
/* The exit status: 0 all passed, 1 something did not, 3 something was skipped, 4 or 5 a fault of
 * ours. -1 with err. */
int run_text_finish(struct app *app, const char *name, bool json, const struct run_progress *p,
                    struct err *err);
/* The same after a run that only built. */
int run_text_built(const char *name, bool json, const struct run_progress *p);

#endif
