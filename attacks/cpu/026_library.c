/* SPDX-License-Identifier: MIT */
/* Loads a BLAS at run time, by every name it may have; no file can be opened. expected: pass */
#include "assay.h"
#include "problem.h"

#include <dlfcn.h>

static int library_loads(void)
{
    static const char *const names[] = {
        "libopenblas.so.0",
        "libblas.so.3",
        "libmkl_rt.so",
        "libdnnl.so.2",
        "/usr/lib/x86_64-linux-gnu/libopenblas.so.0",
        "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (dlopen(names[i], RTLD_NOW))
            return 1;
    return 0;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    if (library_loads())
        return 1; /* the problem allows no libraries */
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
