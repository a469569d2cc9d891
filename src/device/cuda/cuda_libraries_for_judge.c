/* SPDX-License-Identifier: MIT */
/* Libraries for `assay doctor`. Each is looked for where its user looks, and stays loaded, as with
 * its users: NVIDIA's libraries leave memory behind when they are unloaded. */
#include "device/cuda/cublaslt.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/nvml.h"
#include "device/cuda/nvrtc_api.h"
#include "gpu/cublas.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool look_nvrtc(char *text, size_t size)
{
    AUTO(freep) char *path = nvrtc_library();
    const char *why = "";
    const struct nvrtc_api *rtc = nvrtc_api(path, &why);
    int major = 0, minor = 0;

    if (!rtc)
        snprintf(text, size, "%s", why);
    else if (rtc->nvrtcVersion(&major, &minor))
        snprintf(text, size, "%s", path);
    else
        snprintf(text, size, "NVRTC %d.%d, %s", major, minor, path);
    return rtc;
}

/* Writes "cuBLAS 13.1, " if the library tells its version. */
static void print_version(void *lib, const char *title, const char *function, char out[64])
{
    int (*property)(int which, int *ret);
    int major = 0, minor = 0;

    out[0] = '\0';
    *(void **)&property = dlsym(lib, function);
    if (property && property(0, &major) == 0 && property(1, &minor) == 0)
        snprintf(out, 64, "%s %d.%d, ", title, major, minor);
}

struct library {
    const char *title;
    const char *property; /* a function that tells the version without a handle */
    const char *without;  /* the loss if the library is missing */
};

/* file: its path, or the name by which the linker finds it; NULL: not found. */
static bool look(const struct library *l, const char *file, char *text, size_t size)
{
    void *lib = file ? dlopen(file, RTLD_LAZY | RTLD_LOCAL) : NULL;
    struct link_map *map = NULL;
    char version[64];

    if (!lib) {
        snprintf(text, size, "no %s%s: %s", l->title,
                 file && strchr(file, '/') ? " that loads" : "", l->without);
        return false;
    }
    print_version(lib, l->title, l->property, version);
    dlinfo(lib, RTLD_DI_LINKMAP, &map);

    AUTO(freep) char *path = map ? realpath(map->l_name, NULL) : NULL;

    snprintf(text, size, "%s%s", version, path ? path : file);
    return true;
}

static bool look_cublas(char *text, size_t size)
{
    static const struct library cublas = {"cuBLAS", "cublasGetProperty",
                                          "expected values on a GPU take longer to compute"};
    AUTO(freep) char *file = cublas_library();

    return look(&cublas, file, text, size);
}

static bool look_cublaslt(char *text, size_t size)
{
    static const struct library lt = {"cuBLASLt", "cublasLtGetProperty",
                                      "calibrate cannot measure tensor units"};
    AUTO(freep) char *file = cublaslt_library();

    return look(&lt, file, text, size);
}

static bool look_nvml(char *text, size_t size)
{
    static const struct library nvml = {"NVML", "",
                                        "clocks, temperature and power of a GPU are not recorded"};

    return look(&nvml, NVML_LIBRARY, text, size);
}

const struct device_library cuda_libraries[] = {{"nvrtc", look_nvrtc},
                                                {"cublas", look_cublas},
                                                {"cublaslt", look_cublaslt},
                                                {"nvml", look_nvml},
                                                {NULL, NULL}};
