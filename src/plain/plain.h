/* SPDX-License-Identifier: MIT */
/* A runner that evaluates the problem itself instead of a candidate. Its artifact is text: one line
 * with the kind of loops and the size ("naive small 0"), then the packed problem. */
#ifndef ASSAY_PLAIN_PLAIN_H
#define ASSAY_PLAIN_PLAIN_H

#include "device/device.h"

extern const struct device_runner_ops plain_runner;

#endif
