/* SPDX-License-Identifier: MIT */
/* Station: a device as a judge has it open, whatever the problem: context, kernels, calibration,
 * spares. It outlives sessions, since opening a driver takes longer than judging a small kernel. */
#ifndef ASSAY_JUDGE_STATION_H
#define ASSAY_JUDGE_STATION_H

#include "base/places.h"
#include "hardware/calibration.h"
#include "hardware/hardware.h"
#include "ops/ops.h"
#include "process/cpus.h"
#include "process/exiting.h"
#include "process/spares.h"

struct station {
    const struct places *places;
    const struct device *device;
    int index;
    struct cpus cpus; /* set if the device pins cores */
    struct spares spares;
    struct exiting exiting; /* the last candidate's runners; keeps others from timing */
    bool has_ctx;
    void *ctx; /* context of the device; may be NULL */
    bool ready;
    /* Set once `ready`: */
    struct ops_engine engine; /* evaluates in the device's memory */
    struct device_info info;
    struct calibration calibration;
    struct hardware_list hardware_list;
    const struct hardware *hardware; /* entry of hardware_list; NULL: no datasheet */
};

/* Makes a station with nothing opened yet. */
struct station *station_new(const struct places *places, const struct device *device, int index);
/* Opens the device, unless it is open. */
int station_open(struct station *st, struct err *err);
/* Opens and measures everything that a judge needs of the device, once. *ret_calibration_made:
 * there was no calibration for this device, and it was measured just now. */
int station_ready(struct station *st, bool *ret_calibration_made, struct err *err);
/* Waits for exiting runners, ends the spares and closes the device. */
void station_free(struct station *st);
void station_freep(struct station **st);

/* Frees memory that the engine keeps for the next evaluation of the same problem: for another
 * problem it is in the way. */
void station_trim(struct station *st);

/* Measures the device anew and stores the figures. */
int station_calibrate(const struct places *places, const struct device *device, int index,
                      struct calibration *ret, struct err *err);

#endif
