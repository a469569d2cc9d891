/* SPDX-License-Identifier: MIT */
/* Says that the output is bf16, and writes half as many bytes. expected: wrong: max or wrong:
 * nonfinite or wrong: unwritten */
#include "assay.h"
#include "problem.h"

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const uint16_t *x = in[IN_X].data; /* the upper half of a float is a bf16 */
    uint16_t *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    out[OUT_Y].dtype = (DLDataType){ASSAY_BFLOAT, 16, 1};
    for (int64_t i = 0; i < n; i++)
        y[i] = x[2 * i + 1] & 0x8000 ? 0 : x[2 * i + 1];
    return 0;
}
