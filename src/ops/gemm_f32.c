/* SPDX-License-Identifier: MIT */
#define REAL float
#define FN(name) name##_f32
#include "ops/gemm_body.h"
