/* SPDX-License-Identifier: MIT */
/* Calibration: what this very device reaches, measured by `assay calibrate` on the cores that
 * candidates get. Stored under the home folder, one file per device fingerprint. */
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
    bool partial;                      /* units that could not be measured may be faster */
    double call_floor_ns;  /* a call of an empty candidate, cold, without the empty order */
    double empty_order_ns; /* an empty order, by the judge's clock */
    /* Bounds of honest calls, so that no candidate can hide behind a constant. 0: not measured.
     * max: the 99th percentile, low: the 5th. */
    double empty_order_max_ns;
    double cold_floor_ns, hot_floor_ns; /* 1st percentile of an empty candidate's calls */
    double hold_low_ns, hold_max_ns;    /* GPUs: from a ready content until the device is held */
    double probe_max_ns; /* GPUs: the judge's probe right after a call, when processes change */
    double head_ns, head_max_ns; /* CPUs: CPU time that a call does not explain; median and max */
};

/* The better rate of reading and copying, which memory traffic is held against. */
double calibration_bytes_s(const struct calibration *c);

/* Takes the better of two measurements, rate by rate: a peak is what was reached once,
 * undisturbed. */
void calibration_merge(struct calibration *c, const struct calibration *other);

/* *ret_found is false if there is no calibration for this fingerprint, or one of an older layout;
 * then *ret is left alone. -1: the file cannot be read; err names it. */
int calibration_load(const char *home, const char *fingerprint, bool *ret_found,
                     struct calibration *ret, struct err *err);
int calibration_save(const char *home, const struct calibration *c, struct err *err);

/* Measures memory and arithmetic rates of the CPUs in the set, in about half a second. cache_bytes:
 * last level. */
int calibrate_cpu(const cpu_set_t *cpus, int64_t cache_bytes, struct calibration *ret,
                  struct err *err);

/* Measures a GPU's rates through the judge's own context; partial if the device cannot measure
 * arithmetic. */
int calibrate_gpu(const struct device_judge_ops *ops, void *ctx, struct calibration *ret,
                  struct err *err);

#endif
