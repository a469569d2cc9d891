/* SPDX-License-Identifier: MIT */
/* The assembler is to put a file of the machine's into the artifact. expected: build_error:
 * compiler */
#include "assay.h"
#include "problem.h"

__asm__(".pushsection .rodata\n"
        "stolen: .incbin \"/etc/passwd\"\n"
        ".popsection");

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    (void)in, (void)n_in, (void)out, (void)n_out, (void)stream;
    return 0;
}
