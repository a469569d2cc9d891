/* SPDX-License-Identifier: MIT */
/* Inside src/build: whether a shared library's host code reaches for functions that bring machine
 * code into the process at run time, which no disassembly of the library shows. */
#ifndef ASSAY_BUILD_HOST_REFS_H
#define ASSAY_BUILD_HOST_REFS_H

#include <stddef.h>

/* The name (or its beginning) of a function that loads code and that the host code refers to, or
 * the reason why that code cannot be inspected; NULL when there is none. A hint, not a proof: an
 * address can be computed. */
const char *host_refs_loader(const char *bytes, size_t len);

#endif
