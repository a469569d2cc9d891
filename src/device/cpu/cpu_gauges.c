/* SPDX-License-Identifier: MIT */
#include "device/cpu/cpu_device.h"
#include "device/gauge.h"

/* The threads spin while the candidate is woken, and its data is in the caches of its core, as with
 * honest candidates. */
static const char threads[] =
    "#include \"assay.h\"\n" GAUGE_KERNEL "    float *y = (float *)out[0].data;\n"
    "#pragma omp parallel for\n"
    "    for (long i = 0; i < (long)out[0].shape[0]; i++)\n"
    "        y[i] = (float)i;\n"
    "    return 0;\n}\n";

const struct device_gauges cpu_gauges = {
    .file = "empty.c",
    .empty = "#include \"assay.h\"\n" GAUGE_KERNEL "    return 0;\n}\n",
    .threads = threads,
};
