/* SPDX-License-Identifier: MIT */
/* A template that instantiates itself twice, sixty levels deep. build timeout: 8000 expected:
 * build_error: timeout or build_error: compiler */
#include "assay.h"
#include "problem.h"

template <int depth, long path> struct bomb {
    static constexpr long value =
        bomb<depth - 1, 2 * path>::value + bomb<depth - 1, 2 * path + 1>::value;
};

template <long path> struct bomb<0, path> {
    static constexpr long value = path;
};

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    return bomb<60, 1>::value;
}
