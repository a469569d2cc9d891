/* SPDX-License-Identifier: MIT */
#include "emu.h"

using std::isfinite;
using std::isnan;
#include "device/cuda/cuda_kernels.cuh"

#define EMU_DTYPE_KERNELS(K) \
    K(compare_f64) K(compare_f32) K(compare_f16) K(compare_bf16) K(compare_f8e4m3) \
    K(compare_f8e5m2) K(compare_i64) K(compare_i32) K(compare_i8) K(compare_u8) K(compare_bool)

extern const struct emu_kernel emu_judge_kernels[];
const struct emu_kernel emu_judge_kernels[] = {
    EMU_KERNEL(fill_rows) EMU_KERNEL(fill_spread) EMU_KERNEL(fill_normal)
    EMU_KERNEL(fill_uniform) EMU_KERNEL(fill_heavy) EMU_KERNEL(fill_needle) EMU_KERNEL(fill_reals)
    EMU_KERNEL(fill_integers) EMU_KERNEL(store_reals)
    EMU_KERNEL(store_integers) EMU_KERNEL(poison)
    EMU_KERNEL(poison_check) EMU_KERNEL(peek) EMU_KERNEL(differ) EMU_KERNEL(short_row_rms) EMU_KERNEL(segment_sums)
    EMU_KERNEL(long_row_rms) EMU_KERNEL(compare_finish) EMU_KERNEL(fingerprint_1)
    EMU_KERNEL(fingerprint_2) EMU_KERNEL(fingerprint_4) EMU_KERNEL(fingerprint_8) EMU_KERNEL(flush_write)
    EMU_KERNEL(flush_read) EMU_KERNEL(fma_f32) EMU_KERNEL(fma_f64) EMU_DTYPE_KERNELS(EMU_KERNEL)
    {nullptr, nullptr}};
