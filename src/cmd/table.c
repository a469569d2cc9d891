/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

extern const struct cmd cmd_list, cmd_show, cmd_eval, cmd_admit, cmd_attack, cmd_run, cmd_baseline,
    cmd_analyze, cmd_report, cmd_calibrate, cmd_doctor, cmd_import, cmd_completions, cmd_version;

const struct cmd *const cmd_table[] = {
    &cmd_list,      &cmd_show,   &cmd_eval,        &cmd_admit,   &cmd_import,
    &cmd_attack,    &cmd_run,    &cmd_baseline,    &cmd_analyze, &cmd_report,
    &cmd_calibrate, &cmd_doctor, &cmd_completions, &cmd_version, NULL,
};
