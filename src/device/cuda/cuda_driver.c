/* SPDX-License-Identifier: MIT */
#include "device/cuda/cuda_driver.h"

#include <dlfcn.h>
#include <stdio.h>

static bool load(struct cuda_driver *cu, const char **ret_why)
{
    /* RTLD_GLOBAL: an artifact that calls the driver directly finds it already loaded. */
    void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);

    if (!lib) {
        *ret_why = "no NVIDIA driver (libcuda.so.1)";
        return false;
    }
#define CUDA_DRIVER_LOAD(name, args)                                 \
    *(void **)&cu->name = dlsym(lib, #name);                         \
    if (!cu->name) {                                                 \
        *ret_why = "the NVIDIA driver is too old: it has no " #name; \
        return false;                                                \
    }
    CUDA_DRIVER_FUNCTIONS(CUDA_DRIVER_LOAD)
#undef CUDA_DRIVER_LOAD
    return true;
}

const struct cuda_driver *cuda_driver(const char **ret_why)
{
    static struct cuda_driver table;
    static const char *why;
    static int state; /* 0: not tried, 1: there, -1: not */

    if (state == 0)
        state = load(&table, &why) ? 1 : -1;
    *ret_why = why;
    return state > 0 ? &table : NULL;
}

int cuda_fail(const struct cuda_driver *cu, CUresult rc, struct err *err, const char *fmt, ...)
{
    const char *name = NULL, *text = NULL;
    char what[256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(what, sizeof(what), fmt, ap);
    va_end(ap);
    cu->cuGetErrorName(rc, &name);
    cu->cuGetErrorString(rc, &text);
    return fail(err, ERR_DEVICE, "%s: %s (%s)", what, name ? name : "unknown error",
                text ? text : "no text");
}
