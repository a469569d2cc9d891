/* SPDX-License-Identifier: MIT */
/* What a runner says of launches that a driver refuses: the line is the source's, which the author
 * can look up. The driver here knows one kernel and refuses much shared memory. */
#include "testing.h"

#include "device/cuda/cuda_launch.h"
#include "device/cuda/cuda_module.h"

#include <string.h>

static CUresult load(CUmodule *module, const void *image, unsigned n, int *options, void **values)
{
    (void)image, (void)n, (void)options, (void)values;
    *module = (CUmodule)0x10;
    return 0;
}

static CUresult get_function(CUfunction *function, CUmodule module, const char *name)
{
    (void)module;
    *function = (CUfunction)0x20;
    return strcmp(name, "relu") == 0 ? 0 : 500;
}

static CUresult set_attribute(CUfunction function, int attribute, int value)
{
    (void)function, (void)attribute;
    return value > 200 << 10 ? 1 : 0;
}

static CUresult error_name(CUresult error, const char **name)
{
    (void)error;
    *name = "CUDA_ERROR_INVENTED";
    return 0;
}

static const struct cuda_driver driver = {.cuModuleLoadDataEx = load,
                                          .cuModuleGetFunction = get_function,
                                          .cuFuncSetAttribute = set_attribute,
                                          .cuGetErrorName = error_name,
                                          .cuGetErrorString = error_name};

static struct cuda_module *kept[8]; /* they live as long as the process */

static int load_and_prepare(int i, const char *lines, struct err *err)
{
    static const struct tensor_slot in = {DT_F32, {1, {0}}, 0}, out = {DT_F32, {1, {4}}, 0};
    struct device_call call = {.in = &in, .n_in = 1, .out = &out, .n_out = 1, .first_param = 1};
    AUTO(freep) char *bytes = xasprintf("%s%s\nELF", CUDA_LAUNCH_MAGIC, lines);
    struct cuda_launches *launches = NULL;
    int rc = cuda_module_load(&driver, bytes, strlen(bytes), &kept[i], err);

    if (rc == 0)
        rc = cuda_launches_new(kept[i], &call, &launches, err);
    cuda_launches_free(launches);
    return rc;
}

static void errors_name_the_line(void **state)
{
    static const struct {
        const char *lines, *want; /* NULL: none */
    } cases[] = {
        {"@3:11 launch relu grid=1 @4:11 block=1\n", NULL},
        {"@3:11 launch relu grid=1 block=1\n@9:11 launch gelu grid=1 @10:11 block=1\n",
         "line 9: no kernel gelu"},
        {"launch relu grid=1 block=1\nlaunch gelu grid=1 block=1\n",
         "launch line 2: no kernel gelu"},
        {"@3:11 launch relu block=1 @4:11 grid=in0.numel\n", "line 4, column 16: grid x is 0"},
        {"@3:11 launch relu grid=1 @4:11 block=1 smem=300000\n",
         "line 3: smem=300000: CUDA_ERROR_INVENTED"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct err err = ERR_INIT;
        int rc = load_and_prepare((int)i, cases[i].lines, &err);

        if (cases[i].want ? rc == 0 || strncmp(err.text, cases[i].want, strlen(cases[i].want)) != 0
                          : rc < 0)
            fail_msg("%s  says: %s", cases[i].lines, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_name_the_line)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
