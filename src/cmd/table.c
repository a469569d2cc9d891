/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

extern const struct cmd cmd_list, cmd_show, cmd_eval, cmd_admit, cmd_calibrate, cmd_doctor, cmd_run,
    cmd_analyze, cmd_baseline, cmd_report;

const struct cmd *const cmd_table[] = {
    &cmd_list,    &cmd_show,   &cmd_eval,      &cmd_admit,  &cmd_run, &cmd_baseline,
    &cmd_analyze, &cmd_report, &cmd_calibrate, &cmd_doctor, NULL,
};
