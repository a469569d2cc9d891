/* SPDX-License-Identifier: MIT */
/* The problem itself in the place of a candidate. Its artifact is text: one line that says how and
 * which size ("naive small 0"), then the packed problem. */
#ifndef ASSAY_PLAIN_PLAIN_H
#define ASSAY_PLAIN_PLAIN_H

#include "device/device.h"

extern const struct device_runner_ops plain_runner;

#endif
