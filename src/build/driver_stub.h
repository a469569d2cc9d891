/* SPDX-License-Identifier: MIT */
/* Inside src/build: a libcuda to link against, on machines with or without a driver or its stub. */
#ifndef ASSAY_BUILD_DRIVER_STUB_H
#define ASSAY_BUILD_DRIVER_STUB_H

#include "build/build.h"
#include "build/compiler.h"
#include "build/nvcc.h"

#define DRIVER_STUB_FILE "libcuda.so" /* the name that -lcuda looks for */

/* C++ text that defines every function that `header`, the text of a cuda.h, names. */
void driver_stub_source(const char *header, struct buf *ret);

/* Adds the library's bytes: from the cache, or made by the host compiler from the toolkit's cuda.h
 * and then cached. ERR_SYSTEM when that header is missing or is no cuda.h. */
int driver_stub(const struct nvcc *n, const struct compiler *host, const struct build_request *req,
                struct buf *ret, struct err *err);

#endif
