/* SPDX-License-Identifier: MIT */
/* The judge's kernels as text, with every header they include. */
#ifndef ASSAY_DEVICE_CUDA_SOURCE_H
#define ASSAY_DEVICE_CUDA_SOURCE_H

#include "device/cuda/nvrtc.h"

/* A file of src as text inside the program: a machine that only runs needs no source tree. The path
 * is relative to the top of the tree, where make runs. */
#define CUDA_EMBED(symbol, path)                  \
    extern const char symbol[];                   \
    __asm__(".pushsection .rodata, \"a\"\n"       \
            ".globl " #symbol "\n"                \
            ".hidden " #symbol "\n" #symbol ":\n" \
            ".incbin \"src/" path "\"\n"          \
            ".byte 0\n"                           \
            ".popsection\n")

/* <stdint.h>: NVRTC brings no system headers. */
extern const char cuda_stdint_text[];

/* The judge's kernels for this architecture (90 for sm_90); all memory in it is static. */
struct nvrtc_program cuda_source(int sm);

#endif
