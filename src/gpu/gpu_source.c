/* SPDX-License-Identifier: MIT */
#include "gpu/gpu_source.h"

#include "base/util.h"
#include "device/cuda/cuda_source.h"

CUDA_EMBED(gpu_text_kernels, "gpu/gpu_kernels.cuh");
CUDA_EMBED(gpu_text_load, "gpu/gpu_load.cuh");
CUDA_EMBED(gpu_text_step, "gpu/gpu_step.cuh");
CUDA_EMBED(gpu_text_elementwise, "gpu/gpu_elementwise.cuh");
CUDA_EMBED(gpu_text_special, "gpu/gpu_special.cuh");
CUDA_EMBED(gpu_text_compare, "gpu/gpu_compare.cuh");
CUDA_EMBED(gpu_text_move, "gpu/gpu_move.cuh");
CUDA_EMBED(gpu_text_reduce, "gpu/gpu_reduce.cuh");
CUDA_EMBED(gpu_text_contract, "gpu/gpu_contract.cuh");
CUDA_EMBED(gpu_text_shared, "gpu/gpu_kernels.h");
CUDA_EMBED(gpu_text_items, "ops/items.h");
CUDA_EMBED(gpu_text_item_args, "ops/item_args.h");
CUDA_EMBED(gpu_text_conv, "ops/conv.h");
CUDA_EMBED(gpu_text_store, "ops/store_kind.h");
CUDA_EMBED(gpu_text_op_code, "problem/op_code.h");
CUDA_EMBED(gpu_text_rounding, "tensor/rounding.h");
CUDA_EMBED(gpu_text_dtype, "tensor/dtype.h");
CUDA_EMBED(gpu_text_portable, "tensor/portable.h");
CUDA_EMBED(gpu_text_narrow, "tensor/narrow.h");
CUDA_EMBED(gpu_text_philox, "tensor/philox.h");
CUDA_EMBED(gpu_text_fingerprint, "tensor/fingerprint.h");
CUDA_EMBED(gpu_text_judge_compare, "device/cuda/cuda_compare.cuh");
CUDA_EMBED(gpu_text_judge_types, "device/cuda/cuda_types.cuh");
CUDA_EMBED(gpu_text_judge_thread, "device/cuda/cuda_thread.cuh");
CUDA_EMBED(gpu_text_judge, "device/cuda/cuda_kernels.h");

static struct nvrtc_program program(const char *name, const char *text, int sm)
{
    static const struct nvrtc_file headers[] = {
        {"gpu/gpu_load.cuh", gpu_text_load},
        {"gpu/gpu_step.cuh", gpu_text_step},
        {"gpu/gpu_elementwise.cuh", gpu_text_elementwise},
        {"gpu/gpu_special.cuh", gpu_text_special},
        {"gpu/gpu_compare.cuh", gpu_text_compare},
        {"gpu/gpu_move.cuh", gpu_text_move},
        {"gpu/gpu_reduce.cuh", gpu_text_reduce},
        {"gpu/gpu_contract.cuh", gpu_text_contract},
        {"gpu/gpu_kernels.h", gpu_text_shared},
        {"ops/items.h", gpu_text_items},
        {"ops/item_args.h", gpu_text_item_args},
        {"ops/conv.h", gpu_text_conv},
        {"ops/store_kind.h", gpu_text_store},
        {"problem/op_code.h", gpu_text_op_code},
        {"tensor/rounding.h", gpu_text_rounding},
        {"tensor/dtype.h", gpu_text_dtype},
        {"tensor/portable.h", gpu_text_portable},
        {"tensor/narrow.h", gpu_text_narrow},
        {"tensor/philox.h", gpu_text_philox},
        {"tensor/fingerprint.h", gpu_text_fingerprint},
        {"device/cuda/cuda_compare.cuh", gpu_text_judge_compare},
        {"device/cuda/cuda_types.cuh", gpu_text_judge_types},
        {"device/cuda/cuda_thread.cuh", gpu_text_judge_thread},
        {"device/cuda/cuda_kernels.h", gpu_text_judge},
        {"stdint.h", cuda_stdint_text},
        {"stdbool.h", ""},
        {"stddef.h", ""},
    };

    return (struct nvrtc_program){
        .source = {name, text},
        .headers = headers,
        .n_headers = ARRAY_SIZE(headers),
        .sm = sm,
    };
}

struct nvrtc_program gpu_source(int sm)
{
    return program("gpu_kernels.cuh", gpu_text_kernels, sm);
}

struct nvrtc_program gpu_special_source(const char *text, int sm)
{
    struct nvrtc_program p = program("pass.cu", text, sm);

    p.is_small = true;
    return p;
}
