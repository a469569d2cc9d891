/* SPDX-License-Identifier: MIT */
#include "device/device.h"

const struct device_throttle device_throttles[] = {
    {DEVICE_THROTTLE_POWER_CAP, "power_cap"},     {DEVICE_THROTTLE_HW_SLOWDOWN, "hw_slowdown"},
    {DEVICE_THROTTLE_SW_THERMAL, "sw_thermal"},   {DEVICE_THROTTLE_HW_THERMAL, "hw_thermal"},
    {DEVICE_THROTTLE_POWER_BRAKE, "power_brake"}, {0, NULL},
};

bool device_throttled(const struct device_state *s)
{
    for (const struct device_throttle *t = device_throttles; t->name && s->throttle > 0; t++)
        if (s->throttle & t->bit)
            return true;
    return false;
}
