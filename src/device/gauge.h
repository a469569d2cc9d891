/* SPDX-License-Identifier: MIT */
/* Beginning of a gauge (struct device_gauges) in C or CUDA. */
#ifndef ASSAY_DEVICE_GAUGE_H
#define ASSAY_DEVICE_GAUGE_H

#define GAUGE_KERNEL                                                                           \
    "int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)\n" \
    "{\n"                                                                                      \
    "    (void)in, (void)n_in, (void)out, (void)n_out, (void)stream;\n"

#endif
