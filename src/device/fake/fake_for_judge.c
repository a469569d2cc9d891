/* SPDX-License-Identifier: MIT */
#include "build/recipe.h"
#include "device/fake/fake_device.h"

const struct device device_fake = {FAKE_DEVICE, .judge = &fake_judge_ops,
                                   .toolchains =
                                       (const struct toolchain *const[]){&toolchain_fake, NULL}};
