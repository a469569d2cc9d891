/* SPDX-License-Identifier: MIT */
/* Looks for the judge's own reference in the process it was loaded into; the runner is linked
 * without it. expected: pass */
#include "assay.h"
#include "problem.h"

#include <dlfcn.h>

static int reference_is_here(void)
{
    static const char *const names[] = {"ops_eval",    "ops_host",     "graph_new", "pool_open",
                                        "fill_tensor", "problem_load", "gate_call"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (dlsym(RTLD_DEFAULT, names[i]))
            return 1;
    return 0;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    if (reference_is_here())
        return 1; /* then it could be called */
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
