/* SPDX-License-Identifier: MIT */
/* A run as a YAML file: docs/runs.md. What the command line says comes before it. */
#ifndef ASSAY_RUN_PLAN_FILE_H
#define ASSAY_RUN_PLAN_FILE_H

#include "run/candidates.h"

/* Zero and NULL: the file does not say. */
struct run_settings {
    char *name, *device;
    int sizes; /* of size_choice_names */
    int64_t repeats;
    bool check_only, steady;
    int64_t build_ms, call_ms, check_ms, timing_ms; /* limits */
};
void run_settings_release(struct run_settings *s);

/* Settings that cannot be understood end it (ERR_INPUT, with the line): what would be judged is not
 * what was asked for. A candidate that cannot be is skipped, the others are not. */
int plan_file_load(const char *path, const char *share_dir, struct run_settings *settings,
                   struct candidates *ret, struct err *err);

#endif
