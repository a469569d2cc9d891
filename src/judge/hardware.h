/* SPDX-License-Identifier: MIT */
/* Datasheet peaks of GPUs, dense, without sparsity. Fractions of peak and the physics gate go by
 * these; what a device really reaches is a calibration's business. To add one: a row in hardware.c.
 */
#ifndef ASSAY_JUDGE_HARDWARE_H
#define ASSAY_JUDGE_HARDWARE_H

struct hardware {
    const char *name;   /* as the driver spells it */
    double bytes_s;     /* memory bandwidth */
    double f32_flops_s; /* plain fp32 units */
    double f64_flops_s; /* plain fp64 units */
    const char *source;
};

/* NULL for a device nobody has written down. */
const struct hardware *hardware_find(const char *device_name);

#endif
