/* SPDX-License-Identifier: MIT */
/* A device that does what its candidate's text says (fake_program.h) and claims the time it is told
 * to: most tests of the judge run on it, because it is the same on every machine. */
#ifndef ASSAY_DEVICE_FAKE_DEVICE_H
#define ASSAY_DEVICE_FAKE_DEVICE_H

#include "device/device.h"

extern const struct device_judge_ops fake_judge_ops;
extern const struct device_runner_ops fake_runner_ops;
int fake_probe(const char **ret_why);
int fake_open(int index, void **ret_ctx, struct err *err);

#define FAKE_DEVICE                                                                    \
    .api = DEVICE_API, .name = "fake",                                                 \
    .summary = "does what its candidate's text says; for tests", .clock = CLOCK_CLAIM, \
    .probe = fake_probe

#endif
