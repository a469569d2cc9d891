/* SPDX-License-Identifier: MIT */
/* Limits: how far a time is from what the hardware allows, and what no honest kernel can beat. */
#ifndef ASSAY_HARDWARE_LIMITS_H
#define ASSAY_HARDWARE_LIMITS_H

#include "hardware/calibration.h"
#include "hardware/hardware.h"
#include "problem/problem.h"

struct limits {
    double flops, bytes; /* contraction FLOPs, compulsory bytes */
    double floor_ns;     /* the longer of both at the datasheet's peaks, or measured ones */
    const char *regime;  /* "memory" or "compute": the longer of both at these peaks */
    double reach_ns;     /* like floor_ns, at the rates that were measured on this device */
    /* The gates, deliberately generous; 0: none. No call is faster than an empty kernel either. Hot
     * calls may find data in the cache that fits there. */
    double physics_ns, hot_physics_ns;
};

/* hw: the datasheet; NULL: nobody has written it down. cache_bytes: data that may stay unwritten to
 * memory when a call ends. params_fixed: the candidate holds parameters in its own form, and may
 * have them in a cache, so the gates do not count them. A class that was not measured has the
 * datasheet's rate in reach_ns. */
void limits_compute(const struct problem *p, const struct graph *g, const struct hardware *hw,
                    const struct calibration *c, int64_t cache_bytes, bool params_fixed,
                    struct limits *ret);
/* Reachable time plus the call floor, divided by the time: 1 is the best this device can do. */
double limits_sol(const struct limits *l, const struct calibration *c, double cold_ns);

#endif
