/* SPDX-License-Identifier: MIT */
/* san-slow: src/gpu src/device src/ops src/tensor src/problem tests/emu */
/* san-slow: tests/unit/test_eval.c tests/unit/gpu_rig.h */
/* covers: src/ops/eval.c src/gpu/gpu_engine.c src/gpu/gpu_memory.c */
/* Every case of test_eval.c, on the emulated GPU. */
#define RIG_ON_GPU
#include "test_eval.c"
