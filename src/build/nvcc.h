/* SPDX-License-Identifier: MIT */
/* Inside src/build: finding nvcc, and knowing exactly which one it is. */
#ifndef ASSAY_BUILD_NVCC_H
#define ASSAY_BUILD_NVCC_H

#include "base/err.h"
#include "base/hash.h"

struct nvcc {
    char *path;              /* absolute */
    char *root;              /* the toolkit's folder */
    char *outside;           /* the folder above nvcc's own when that is not in /usr, else NULL */
    char *cuda_h;            /* path of cuda.h, which declares the driver's functions */
    char *name;              /* "nvcc 13.0.88" */
    char identity[HASH_HEX]; /* changes with the toolkit, not with the call */
};

#define NVCC_INIT                        \
    {                                    \
        NULL, NULL, NULL, NULL, NULL, "" \
    }

/* Finds $ASSAY_NVCC, else nvcc, else /usr/local/cuda/bin/nvcc. */
int nvcc_find(const char *cache_dir, struct nvcc *ret, struct err *err);
void nvcc_release(struct nvcc *n);

#endif
