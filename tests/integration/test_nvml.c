/* SPDX-License-Identifier: MIT */
/* covers: src/device/throttle.c */
/* What NVML tells of a GPU, from a library of a few lines. */
#include "testing.h"

#include "device/cuda/nvml.h"

static const char stub[] =
    "int nvmlInit_v2(void) { return 0; }\n"
    "int nvmlShutdown(void) { return 0; }\n"
    "int nvmlDeviceGetHandleByUUID(const char *u, void **d)\n"
    "{ *d = (void *)7; return u[0] == 'G' ? 0 : 6; }\n"
    "int nvmlDeviceGetClockInfo(void *d, int which, unsigned *v)\n"
    "{ *v = d == (void *)7 && which == 1 ? 1980 : 3201; return 0; }\n"
    "int nvmlDeviceGetTemperature(void *d, int s, unsigned *v) { *v = 41; return 0; }\n"
    "int nvmlDeviceGetPowerUsage(void *d, unsigned *v) { return 3; /* not supported */ }\n"
    "int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *v)\n"
    "{ *v = 0x44; return 0; }\n";

static void nvml_tells_what_it_knows(void **state)
{
    struct device_state s;

    (void)state;
    write_file("stub.c", stub);
    if (system("cc -shared -fPIC -w -o libstub.so stub.c") != 0)
        skip();

    struct nvml *n = nvml_open("./libstub.so", "GPU-1");

    assert_non_null(n);
    nvml_state(n, &s);
    nvml_close(n);
    assert_int_equal(s.sm_mhz, 1980);
    assert_int_equal(s.memory_mhz, 3201);
    assert_int_equal(s.celsius, 41);
    assert_true(s.watts == -1);
    assert_true(s.throttle == 0x44 && device_throttled(&s));
    assert_null(nvml_open("./libstub.so", "MIG-1"));
}

static void without_nvml_nothing_is_known(void **state)
{
    struct device_state s;

    (void)state;
    assert_null(nvml_open("./libnone.so", "GPU-1"));
    nvml_state(NULL, &s);
    assert_true(s.sm_mhz == -1 && s.memory_mhz == -1 && s.celsius == -1 && s.watts == -1);
    assert_false(device_throttled(&s));
    nvml_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nvml_tells_what_it_knows),
        cmocka_unit_test(without_nvml_nothing_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
