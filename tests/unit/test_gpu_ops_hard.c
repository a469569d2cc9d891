/* SPDX-License-Identifier: MIT */
/* covers: src/gpu/gpu_contract.c src/gpu/gpu_reduce.c src/gpu/gpu_recur.c */
/* Every case of test_ops_hard.c, on the emulated GPU. */
#define RIG_ON_GPU
#include "test_ops_hard.c"
