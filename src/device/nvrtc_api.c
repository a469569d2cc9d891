/* SPDX-License-Identifier: MIT */
#include "device/nvrtc_api.h"

#include "base/fs.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

/* ---- where it is ---- */

static char *library_in(const char *dir, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        AUTO(freep) char *path = fs_join(dir, names[i]);
        char *real = realpath(path, NULL);

        if (real)
            return real;
    }
    return NULL;
}

char *toolkit_library(const char *variable, const char *const *names, size_t n)
{
    const char *chosen = getenv(variable), *home = getenv("CUDA_HOME");
    AUTO(freep) char *home_lib = home && *home ? fs_join(home, "lib64") : NULL;
    AUTO(freep) char *program_dir = fs_program_dir();
    AUTO(freep) char *own_lib = fs_join(program_dir, "../lib");
    const char *const folders[] = {home_lib, own_lib, "/usr/local/cuda/lib64",
                                   "/usr/lib/x86_64-linux-gnu", "/usr/lib64"};
    char *found = NULL;

    if (chosen && *chosen)
        return realpath(chosen, NULL);
    for (size_t i = 0; !found && i < ARRAY_SIZE(folders); i++)
        if (folders[i])
            found = library_in(folders[i], names, n);
    return found;
}

char *nvrtc_library(void)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

    return toolkit_library("ASSAY_NVRTC", names, ARRAY_SIZE(names));
}

/* ---- loading it ---- */

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
