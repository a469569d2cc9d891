/* SPDX-License-Identifier: MIT */
/* Every case of test_ops_run.c, on the emulated GPU. */
#define RIG_ON_GPU
#include "test_ops_run.c"
