/* SPDX-License-Identifier: MIT */
#include "judge/station.h"

#include "base/clock.h"
#include "base/fs.h"
#include "judge/call_floor.h"
#include "process/devlock.h"

#include <stdio.h>
#include <stdlib.h>

/* --- calibration --- */

static int measure_rates(const struct device *device, void *ctx, const struct cpus *cpus,
                         const struct device_info *info, struct calibration *ret, struct err *err)
{
    if (!device->pins_cores)
        return calibrate_gpu(device->judge, ctx, ret, err);
    return calibrate_cpu(cpus->split ? &cpus->runner : &cpus->allowed, info->cache_bytes, ret, err);
}

static int calibrate(const struct places *places, const struct device *device, int index, void *ctx,
                     const struct device_info *info, struct calibration *ret, struct err *err)
{
    struct cpus cpus;
    AUTO(devlock_release) struct devlock lock = DEVLOCK_INIT;
    uint32_t layers;
    double waited = 0;

    cpus_split(&cpus);
    if (devlock_alone(device, index, &lock, &waited, err) < 0)
        return -1;
    *ret = (struct calibration){0};
    snprintf(ret->fingerprint, sizeof(ret->fingerprint), "%s", info->fingerprint);
    snprintf(ret->device, sizeof(ret->device), "%s", info->name);
    clock_utc(ret->created);
    if (measure_rates(device, ctx, &cpus, info, ret, err) < 0 ||
        call_floor_measure(places, device, index, &cpus, ret, &layers, err) < 0)
        return wrap(err, "calibration");
    return calibration_save(places->home, ret, err);
}

int station_calibrate(const struct places *places, const struct device *device, int index,
                      struct calibration *ret, struct err *err)
{
    struct device_info info;
    void *ctx = NULL;

    if (device->clock == CLOCK_CLAIM)
        return fail(err, ERR_INPUT, "the %s device has nothing to calibrate", device->name);
    if (device->judge->open(index, &ctx, err) < 0)
        return -1;

    int rc = device->judge->describe(ctx, &info, err);

    if (rc == 0)
        rc = calibrate(places, device, index, ctx, &info, ret, err);
    device->judge->close(ctx);
    return rc;
}

/* The fake device's times are stated by its candidates; its peaks are round numbers. */
static void fake_calibration(struct calibration *c)
{
    *c = (struct calibration){
        .fingerprint = "fake",
        .device = "fake",
        .created = "2026-01-01T00:00:00Z",
        .read_bytes_s = 1e11,
        .copy_bytes_s = 1e11,
        .flops_s = {[ARITH_FP32] = 1e12, [ARITH_FP64] = 5e11},
        .call_floor_ns = 1000,
    };
}

static int open_calibration(struct station *st, bool *ret_made, struct err *err)
{
    if (st->device->clock == CLOCK_CLAIM) {
        fake_calibration(&st->calibration);
        return 0;
    }

    bool found;

    if (calibration_load(st->places->home, st->info.fingerprint, &found, &st->calibration, err) < 0)
        return -1;
    if (found)
        return 0;
    *ret_made = true;
    spares_settle(&st->spares);
    return calibrate(st->places, st->device, st->index, st->ctx, &st->info, &st->calibration, err);
}

/* --- opening --- */

/* Expected values are computed in the memory in which the contents lie. */
static int open_engine(struct station *st, struct err *err)
{
    if (st->device->open_engine)
        return st->device->open_engine(st->ctx, &st->engine, err);
    st->engine = ops_host;
    return 0;
}

/* CPUs have no datasheet for the cores at hand, and the fake device none at all. */
static int open_hardware(struct station *st, struct err *err)
{
    if (st->device->pins_cores || st->device->clock == CLOCK_CLAIM)
        return 0;
    if (hardware_load(st->places->share, &st->hardware_list, err) < 0)
        return -1;
    st->hardware = hardware_find(&st->hardware_list, st->info.name);
    return 0;
}

struct station *station_new(const struct places *places, const struct device *device, int index)
{
    struct station *st = xcalloc(1, sizeof(*st));

    st->places = places;
    st->device = device;
    st->index = index;
    st->exiting = (struct exiting)EXITING_INIT;
    if (device->pins_cores)
        cpus_split(&st->cpus);
    return st;
}

int station_open(struct station *st, struct err *err)
{
    if (!st->has_ctx && st->device->judge->open(st->index, &st->ctx, err) < 0)
        return -1;
    st->has_ctx = true;
    return 0;
}

static void close_device(struct station *st)
{
    hardware_release(&st->hardware_list);
    st->hardware = NULL;
    if (st->engine.close)
        st->engine.close(&st->engine);
    if (st->has_ctx)
        st->device->judge->close(st->ctx);
    st->ctx = NULL;
    st->has_ctx = st->ready = false;
}

int station_ready(struct station *st, bool *ret_calibration_made, struct err *err)
{
    *ret_calibration_made = false;
    if (st->ready)
        return 0;
    if (station_open(st, err) < 0)
        return -1;
    if (st->device->judge->describe(st->ctx, &st->info, err) < 0 || open_engine(st, err) < 0 ||
        open_hardware(st, err) < 0 || open_calibration(st, ret_calibration_made, err) < 0) {
        close_device(st);
        return -1;
    }
    st->ready = true;
    return 0;
}

void station_trim(struct station *st)
{
    if (st->ready && st->engine.trim)
        st->engine.trim(&st->engine);
}

void station_free(struct station *st)
{
    if (!st)
        return;
    exiting_await(&st->exiting);
    spares_release(&st->spares);
    close_device(st);
    free(st);
}

void station_freep(struct station **st)
{
    station_free(*st);
    *st = NULL;
}
