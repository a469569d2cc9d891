/* SPDX-License-Identifier: MIT */
/* covers: src/ops/eval.c src/gpu/gpu_engine.c src/gpu/gpu_memory.c */
/* Every case of test_eval.c, on the emulated GPU. */
#define RIG_ON_GPU
#include "test_eval.c"
