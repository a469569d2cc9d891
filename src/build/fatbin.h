/* SPDX-License-Identifier: MIT */
/* Inside src/build: the machine code in a shared library that nvcc made. */
#ifndef ASSAY_BUILD_FATBIN_H
#define ASSAY_BUILD_FATBIN_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define FATBIN_SECTION ".nv_fatbin"
#define FATBIN_MAX_CUBINS 16 /* nvcc makes one file of code, and an empty one */

struct fatbin {
    struct {
        const char *at; /* not owned: points into the library's bytes; aligned to nothing */
        size_t len;
    } cubins[FATBIN_MAX_CUBINS];
    int n_cubins;
    bool has_ptx; /* there is an entry that the driver would compile at load time */
};

/* Takes the library apart. 1: the library is at fault, as it holds something that cannot be read;
 * err says what. Half of the code would be worse evidence than none. */
int fatbin_read(const char *bytes, size_t len, struct fatbin *ret, struct err *err);

#endif
