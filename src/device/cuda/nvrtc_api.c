/* SPDX-License-Identifier: MIT */
#include "device/cuda/nvrtc_api.h"

#include "device/cuda/cuda_library.h"

#include <dlfcn.h>
#include <pthread.h>

char *nvrtc_library(void)
{
    return cuda_library_find("ASSAY_NVRTC", "libnvrtc");
}

/* ---- loading the library ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct nvrtc_api table;
static const char *why_missing = "";

static const char *load(const char *library)
{
    const char *missing = NULL;

    if (!library)
        return "no NVRTC (libnvrtc.so.13 or .12): install the CUDA toolkit, or set CUDA_HOME";

    void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);

    if (!lib)
        return "NVRTC is there but does not load: libnvrtc.so is damaged or lacks its libraries";
#define NVRTC_LOAD(name, args)                 \
    *(void **)&table.name = dlsym(lib, #name); \
    if (!table.name)                           \
        missing = "this NVRTC is too old: it has no " #name;
    NVRTC_FUNCTIONS(NVRTC_LOAD)
    NVRTC_LOAD(nvrtcGetErrorString, )
#undef NVRTC_LOAD
    return missing;
}

const struct nvrtc_api *nvrtc_api(const char *library, const char **ret_why)
{
    static bool tried;

    pthread_mutex_lock(&lock);
    if (!tried)
        why_missing = load(library);
    tried = true;
    pthread_mutex_unlock(&lock);
    *ret_why = why_missing;
    return why_missing ? NULL : &table;
}
