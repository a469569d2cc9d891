/* SPDX-License-Identifier: MIT */
/*
 * assay-plain runs the baselines of the CPU. It is the same runner as a candidate's (sandbox,
 * arenas, page, the judge's clock). But instead of loading a library it traces the problem and
 * evaluates its graph, op after op, in float: by loops, or with OpenBLAS for contractions.
 */
#include "ops/ops.h"
#include "plain/plain.h"
#include "runner/runner.h"

#include <malloc.h>

int main(void)
{
    static struct device device;

    /* OpenBLAS is loaded now, because inside the sandbox no file can be opened. */
    ops_blas_load();
    /* Intermediates reuse memory that the last call gave back, and take no fresh pages. */
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT32_MAX);
    mallopt(M_ARENA_MAX, 1);
    device = device_cpu;
    device.runner = &plain_runner;
    return runner_main("assay-plain", &device);
}
