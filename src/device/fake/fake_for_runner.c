/* SPDX-License-Identifier: MIT */
#include "device/fake/fake_device.h"

const struct device device_fake = {FAKE_DEVICE, .runner = &fake_runner_ops};
