/* SPDX-License-Identifier: MIT */
/* The kernels and the headers that they include, as text inside the program: a machine that only
 * runs needs no source tree. Paths are relative to the top of the tree, where make runs. */
#include "device/cuda/cuda_source.h"

CUDA_EMBED(cuda_text_kernels, "device/cuda/cuda_kernels.cuh");
CUDA_EMBED(cuda_text_compare, "device/cuda/cuda_compare.cuh");
CUDA_EMBED(cuda_text_thread, "device/cuda/cuda_thread.cuh");
CUDA_EMBED(cuda_text_types, "device/cuda/cuda_types.cuh");
CUDA_EMBED(cuda_text_shared, "device/cuda/cuda_kernels.h");
CUDA_EMBED(cuda_text_dtype, "tensor/dtype.h");
CUDA_EMBED(cuda_text_portable, "tensor/portable.h");
CUDA_EMBED(cuda_text_philox, "tensor/philox.h");
CUDA_EMBED(cuda_text_lawkind, "tensor/lawkind.h");
CUDA_EMBED(cuda_text_law, "tensor/law.h");
CUDA_EMBED(cuda_text_narrow, "tensor/narrow.h");
CUDA_EMBED(cuda_text_peeks, "tensor/peeks.h");
CUDA_EMBED(cuda_text_fingerprint, "tensor/fingerprint.h");
CUDA_EMBED(cuda_text_sum_sq, "tensor/sum_sq.h");

const char cuda_stdint_text[] = "typedef signed char int8_t;\n"
                                "typedef unsigned char uint8_t;\n"
                                "typedef unsigned short uint16_t;\n"
                                "typedef int int32_t;\n"
                                "typedef unsigned int uint32_t;\n"
                                "typedef long int64_t;\n"
                                "typedef unsigned long uint64_t;\n"
                                "#define INT32_MAX 2147483647\n"
                                "#define INT32_MIN (-INT32_MAX - 1)\n"
                                "#define UINT32_MAX 4294967295u\n"
                                "#define INT64_MAX 9223372036854775807L\n"
                                "#define INT64_MIN (-INT64_MAX - 1)\n";

static const struct nvrtc_file headers[] = {
    {"device/cuda/cuda_compare.cuh", cuda_text_compare},
    {"device/cuda/cuda_thread.cuh", cuda_text_thread},
    {"device/cuda/cuda_types.cuh", cuda_text_types},
    {"device/cuda/cuda_kernels.h", cuda_text_shared},
    {"tensor/dtype.h", cuda_text_dtype},
    {"tensor/portable.h", cuda_text_portable},
    {"tensor/philox.h", cuda_text_philox},
    {"tensor/lawkind.h", cuda_text_lawkind},
    {"tensor/law.h", cuda_text_law},
    {"tensor/narrow.h", cuda_text_narrow},
    {"tensor/peeks.h", cuda_text_peeks},
    {"tensor/fingerprint.h", cuda_text_fingerprint},
    {"tensor/sum_sq.h", cuda_text_sum_sq},
    {"stdint.h", cuda_stdint_text},
    {"stdbool.h", ""},
    {"stddef.h", ""},
};

struct nvrtc_program cuda_source(int sm)
{
    return (struct nvrtc_program){
        .source = {"cuda_kernels.cuh", cuda_text_kernels},
        .headers = headers,
        .n_headers = ARRAY_SIZE(headers),
        .sm = sm,
    };
}
