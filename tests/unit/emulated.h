/* SPDX-License-Identifier: MIT */
/* The emulated GPU (tests/emu). */
#ifndef TESTS_EMULATED_H
#define TESTS_EMULATED_H

#include "testing.h"

#include "base/fs.h"

#include <dlfcn.h>

/* Its library answers to the names of the driver, of NVRTC and of cuBLAS; with_blas false: there is
 * none of the last. */
static inline void emulated_load(bool with_blas)
{
    AUTO(freep) char *dir = fs_program_dir();
    AUTO(freep) char *library = fs_join(dir, "../emu/libcuda.so.1");

    setenv("ASSAY_NVRTC", library, 1);
    setenv("ASSAY_CUBLAS", with_blas ? library : "/nowhere", 1);
    if (!dlopen(library, RTLD_NOW | RTLD_GLOBAL))
        fail_msg("%s", dlerror());
}

#endif
