/* SPDX-License-Identifier: MIT */
#include "device/cuda/cublaslt.h"

#include "device/cuda/cuda_library.h"

#include <dlfcn.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct cublaslt table;
static const char *why_missing;

char *cublaslt_library(void)
{
    return cuda_library_find("ASSAY_CUBLASLT", "libcublasLt");
}

static void load(void)
{
    AUTO(freep) char *path = cublaslt_library();
    void *lib = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;

    if (!lib) {
        why_missing = path ? "cuBLASLt is there but does not load: libcublasLt.so is damaged"
                           : "no cuBLASLt (libcublasLt.so.13 or .12): install the CUDA toolkit, or "
                             "set CUDA_HOME";
        return;
    }
#define CUBLASLT_LOAD(name, args)              \
    *(void **)&table.name = dlsym(lib, #name); \
    if (!table.name)                           \
        why_missing = "this cuBLASLt is too old: it has no " #name;
    CUBLASLT_FUNCTIONS(CUBLASLT_LOAD)
#undef CUBLASLT_LOAD
}

const struct cublaslt *cublaslt(const char **ret_why)
{
    pthread_once(&once, load);
    *ret_why = why_missing;
    return why_missing ? NULL : &table;
}
