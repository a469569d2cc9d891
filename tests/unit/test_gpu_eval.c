/* SPDX-License-Identifier: MIT */
/* Every case of test_eval.c, on the emulated GPU. */
#define RIG_ON_GPU
#include "test_eval.c"
