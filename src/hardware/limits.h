/* SPDX-License-Identifier: MIT */
/* How far from what the hardware allows, and what no honest kernel can beat. */
#ifndef ASSAY_HARDWARE_LIMITS_H
#define ASSAY_HARDWARE_LIMITS_H

#include "hardware/calibration.h"
#include "hardware/hardware.h"
#include "problem/problem.h"

struct limits {
    double flops, bytes; /* contraction FLOPs, compulsory bytes */
    double floor_ns;     /* max of the two at the datasheet's peaks; measured ones without it */
    const char *regime;  /* "memory" or "compute": which one binds there */
    double reach_ns;     /* the same at the rates this very device was measured to reach */
    /* The gates, deliberately generous; 0: none. No call is faster than an empty kernel either. Hot
     * ones may find in the cache what fits there. */
    double physics_ns, hot_physics_ns;
};

/* hw: the datasheet, NULL where nobody has written it down. cache_bytes: what may stay unwritten to
 * memory when a call ends. A class that was not measured has the datasheet's rate in reach_ns. */
void limits_compute(const struct problem *p, const struct graph *g, const struct hardware *hw,
                    const struct calibration *c, int64_t cache_bytes, struct limits *ret);
/* Reachable time plus the call floor, over the time: 1 is the best this device can do. */
double limits_sol(const struct limits *l, const struct calibration *c, double cold_ns);

#endif
