/* SPDX-License-Identifier: MIT */
/* What this very device reaches, measured by `assay calibrate` on the cores candidates get. Kept
 * under the home folder, one file per device fingerprint. */
#ifndef ASSAY_HARDWARE_CALIBRATION_H
#define ASSAY_HARDWARE_CALIBRATION_H

#include "device/device.h"

#include <sched.h>

struct calibration {
    char fingerprint[65];
    char device[128];
    char created[21];
    double read_bytes_s, copy_bytes_s; /* copy counts bytes read plus bytes written */
    double flops_s[ARITH_COUNT];       /* fused multiply-add counts 2; 0: not measured */
    bool partial;          /* units that could not be measured may be faster than what was */
    double call_floor_ns;  /* an empty candidate, cold, the empty order taken off */
    double empty_order_ns; /* what is taken off, by the judge's clock */
    /* What honest calls take at most, or at least, by the clock of the score: no candidate may hide
     * behind a constant. 0: not measured. max: the 99th percentile, low: the 10th. */
    double empty_order_max_ns;
    double cold_floor_ns, hot_floor_ns; /* the 1st percentile of an empty candidate's calls */
    double hold_low_ns, hold_max_ns;    /* GPUs: from a ready content to a device that is held */
    double probe_max_ns; /* GPUs: the judge's least work at once after a call: processes change */
    double head_ns, head_max_ns; /* CPUs: CPU time of a call that it does not explain; median */
};

/* The better of reading and copying: what memory traffic is held against. */
double calibration_bytes_s(const struct calibration *c);

/* The better of two measurements, rate by rate: a peak is what was reached once, undisturbed. */
void calibration_merge(struct calibration *c, const struct calibration *other);

/* *ret_found: false where there is none for this fingerprint, or one of an older layout; then *ret
 * is left alone. -1: the file cannot be read; err names it. */
int calibration_load(const char *home, const char *fingerprint, bool *ret_found,
                     struct calibration *ret, struct err *err);
int calibration_save(const char *home, const struct calibration *c, struct err *err);

/* Memory and arithmetic rates of the CPUs in the set; about half a second. cache_bytes: last level.
 */
int calibrate_cpu(const cpu_set_t *cpus, int64_t cache_bytes, struct calibration *ret,
                  struct err *err);

/* A GPU's, through the judge's own context; partial where the device cannot measure arithmetic. */
int calibrate_gpu(const struct device_judge_ops *ops, void *ctx, struct calibration *ret,
                  struct err *err);

#endif
