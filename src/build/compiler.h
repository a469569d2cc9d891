/* SPDX-License-Identifier: MIT */
/* Inside src/build: finding a C or C++ compiler, and knowing exactly which one it is. */
#ifndef ASSAY_BUILD_COMPILER_H
#define ASSAY_BUILD_COMPILER_H

#include "base/err.h"
#include "base/hash.h"

struct compiler {
    char *path;    /* absolute */
    char *outside; /* the folder above the compiler's own when that is not in /usr, else NULL */
    char *name;    /* "gcc 12.2.0" */
    char identity[HASH_HEX]; /* changes with the compiler, not with the call */
};

#define COMPILER_INIT        \
    {                        \
        NULL, NULL, NULL, "" \
    }

/* Finds $ASSAY_CC, else gcc, else cc. Starts it only when the cache does not know it yet. */
int compiler_find(const char *cache_dir, struct compiler *ret, struct err *err);
/* Finds $ASSAY_CXX, else g++, else c++: nvcc compiles host code with it. */
int compiler_find_cxx(const char *cache_dir, struct compiler *ret, struct err *err);
void compiler_release(struct compiler *c);

/* Model and features of the processor that -march=native compiles for. */
void compiler_hash_cpu(struct hash *h);

#endif
