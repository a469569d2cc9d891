/* SPDX-License-Identifier: MIT */
/* Inside src/build: finding nvdisasm or cuobjdump, and running it on a stranger's file. */
#ifndef ASSAY_BUILD_DISASSEMBLER_H
#define ASSAY_BUILD_DISASSEMBLER_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "build/sass.h"

struct disassembler {
    char *path;              /* absolute */
    char *name;              /* "nvdisasm 13.0.85" */
    bool bare;               /* nvdisasm: reads machine code, not libraries */
    char identity[HASH_HEX]; /* changes with the tool, not with the call */
};

#define DISASSEMBLER_INIT     \
    {                         \
        NULL, NULL, false, "" \
    }

/* Finds $ASSAY_DISASM, else nvdisasm, else cuobjdump: in $PATH, the toolkit ($CUDA_HOME), beside
 * nvcc. -1 when there is none that works. */
int disassembler_find(const char *cache_dir, struct disassembler *ret, struct err *err);
void disassembler_release(struct disassembler *d);

/* Disassembles the code in a sandbox and adds the figures to ret. 1: the code is at fault, as the
 * tool could not make sense of it; err has the tool's words. */
int disassembler_run(const struct disassembler *d, const char *cache_dir, const void *code,
                     size_t len, struct sass *ret, struct err *err);

#endif
