/* SPDX-License-Identifier: MIT */
#include "ops/threads.h"

#include "ops/ops.h"

#include <omp.h>

/* Starting a team of threads costs as much as this many simple operations: some microseconds. */
#define PARALLEL_MIN 100000

static int limit;

void ops_set_threads(int n)
{
    limit = n > 0 ? n : omp_get_num_procs();
    omp_set_num_threads(limit); /* used by the conversions of tensor/dtype.h */
}

int threads_limit(void)
{
    return limit ? limit : omp_get_num_procs();
}

int threads_for(double operations)
{
    return operations < PARALLEL_MIN ? 1 : threads_limit();
}
