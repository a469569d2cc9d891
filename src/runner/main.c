/* SPDX-License-Identifier: MIT */
/* assay-runner: started by the judge (sandbox_start) with its socket as descriptor 3, never by
 * hand. */
#include "runner/runner.h"

int main(void)
{
    return runner_main("assay-runner", NULL);
}
