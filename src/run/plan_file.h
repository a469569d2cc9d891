/* SPDX-License-Identifier: MIT */
/* A run as a YAML file: docs/runs.md. The command line has precedence over it. */
#ifndef ASSAY_RUN_PLAN_FILE_H
#define ASSAY_RUN_PLAN_FILE_H

#include "run/candidates.h"
#include "terms/plan.h"

/* Settings of a run; zero and NULL: the file does not say. */
struct run_settings {
    char *name, *device;
    int sizes; /* index in size_choice_names */
    enum weights weights;
    int64_t repeats;
    bool check_only, steady, unadmitted;
    int64_t build_ms, call_ms, check_ms, timing_ms; /* limits */
};
void run_settings_release(struct run_settings *s);

/* Settings that cannot be understood are an error (ERR_INPUT, with the line): the run would not be
 * what was asked for. A candidate that cannot be understood is skipped, the others are not. */
int plan_file_load(const char *path, const char *share_dir, struct run_settings *settings,
                   struct candidates *ret, struct err *err);

#endif
