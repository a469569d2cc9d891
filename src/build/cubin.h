/* SPDX-License-Identifier: MIT */
/* Inside src/build: registers and memory of kernels, which a file of machine code states beside the
 * code. The bytes are a stranger's, and aligned as malloc aligns. */
#ifndef ASSAY_BUILD_CUBIN_H
#define ASSAY_BUILD_CUBIN_H

#include "build/sass.h"

/* False for the file without code that nvcc adds to a library; true if it cannot be read. */
bool cubin_has_code(const char *bytes, size_t len);

/* Adds registers and memory to the kernels in s, as sass_read_usage() does. */
void cubin_read_usage(const char *bytes, size_t len, struct sass *s);

#endif
