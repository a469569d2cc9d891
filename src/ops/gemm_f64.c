/* SPDX-License-Identifier: MIT */
#define REAL double
#define FN(name) name##_f64
#include "ops/gemm_body.h"
