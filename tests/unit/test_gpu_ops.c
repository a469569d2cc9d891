/* SPDX-License-Identifier: MIT */
/* covers: src/gpu/gpu_engine.c src/gpu/gpu_contract.c src/gpu/gpu_reduce.c */
/* covers: src/gpu/gpu_elementwise.c src/gpu/gpu_move.c src/gpu/gpu_recur.c */
/* Every case of test_ops.c, on the emulated GPU. */
#define RIG_ON_GPU
#include "test_ops.c"
