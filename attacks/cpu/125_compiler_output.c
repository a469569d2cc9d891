/* SPDX-License-Identifier: MIT */
/* Makes the compiler print without end: a warning in a file that includes itself twice. Its text
 * is cut, and then it is ended. build timeout: 4000 expected: build_error: compiler or
 * build_error: timeout */
#include "assay.h"
#include "problem.h"

#if __INCLUDE_LEVEL__ < 60
#warning "a line of text that the compiler prints, with all the files it came through"
#include __FILE__
#include __FILE__
#endif

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream);
