/* SPDX-License-Identifier: MIT */
/* Every case of test_ops.c, on the emulated GPU. */
#define RIG_ON_GPU
#include "test_ops.c"
