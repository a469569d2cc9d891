/* SPDX-License-Identifier: MIT */
#include "device/cuda/nvml.h"

#include <dlfcn.h>
#include <stdlib.h>

#define CLOCK_SM 1
#define CLOCK_MEMORY 2
#define SENSOR_GPU 0

typedef struct nvmlDevice_st *nvmlDevice_t;

struct nvml {
    void *library;
    nvmlDevice_t device;
    int (*shutdown)(void);
    /* Functions below are NULL if this version lacks them. */
    int (*clock)(nvmlDevice_t device, int which, unsigned *mhz);
    int (*temperature)(nvmlDevice_t device, int sensor, unsigned *celsius);
    int (*power)(nvmlDevice_t device, unsigned *milliwatts);
    int (*reasons)(nvmlDevice_t device, unsigned long long *bits);
};

static void find_functions(struct nvml *n)
{
    *(void **)&n->shutdown = dlsym(n->library, "nvmlShutdown");
    *(void **)&n->clock = dlsym(n->library, "nvmlDeviceGetClockInfo");
    *(void **)&n->temperature = dlsym(n->library, "nvmlDeviceGetTemperature");
    *(void **)&n->power = dlsym(n->library, "nvmlDeviceGetPowerUsage");
    *(void **)&n->reasons = dlsym(n->library, "nvmlDeviceGetCurrentClocksEventReasons");
    if (!n->reasons) /* the name before driver 535 */
        *(void **)&n->reasons = dlsym(n->library, "nvmlDeviceGetCurrentClocksThrottleReasons");
}

static bool find_device(struct nvml *n, const char *uuid)
{
    int (*init)(void);
    int (*by_uuid)(const char *uuid, nvmlDevice_t *device);

    *(void **)&init = dlsym(n->library, "nvmlInit_v2");
    *(void **)&by_uuid = dlsym(n->library, "nvmlDeviceGetHandleByUUID");
    return init && by_uuid && init() == 0 && by_uuid(uuid, &n->device) == 0;
}

struct nvml *nvml_open(const char *library, const char *uuid)
{
    struct nvml *n = xcalloc(1, sizeof(*n));

    n->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (n->library)
        find_functions(n);
    if (!n->library || !find_device(n, uuid)) {
        nvml_close(n);
        return NULL;
    }
    return n;
}

void nvml_close(struct nvml *n)
{
    if (!n)
        return;
    if (n->shutdown)
        n->shutdown();
    if (n->library)
        dlclose(n->library);
    free(n);
}

void nvml_state(const struct nvml *n, struct device_state *ret)
{
    unsigned long long bits;
    unsigned v;

    *ret = (struct device_state)DEVICE_STATE_UNKNOWN;
    if (!n)
        return;
    if (n->clock && n->clock(n->device, CLOCK_SM, &v) == 0)
        ret->sm_mhz = (int)v;
    if (n->clock && n->clock(n->device, CLOCK_MEMORY, &v) == 0)
        ret->memory_mhz = (int)v;
    if (n->temperature && n->temperature(n->device, SENSOR_GPU, &v) == 0)
        ret->celsius = (int)v;
    if (n->power && n->power(n->device, &v) == 0)
        ret->watts = v / 1e3;
    if (n->reasons && n->reasons(n->device, &bits) == 0)
        ret->throttle = (int64_t)bits;
}
