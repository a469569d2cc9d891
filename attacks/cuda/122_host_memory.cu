/* SPDX-License-Identifier: MIT */
/* Takes and uses more memory of the host than a runner may have; touching it all takes a while.
 * expected: crash: memory or timeout: call */
#include "assay.h"
#include "problem.h"

#include <stdlib.h>
#include <string.h>

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    size_t bytes = (size_t)256 << 20;

    for (int i = 0; i < 64; i++) {
        void *piece = malloc(bytes);

        if (!piece)
            return 1;
        memset(piece, i + 1, bytes);
    }
    return 0;
}
