/* SPDX-License-Identifier: MIT */
/* Macros that double what they are given until the compiler has no memory left. build timeout:
 * 3000 expected: build_error: compiler or build_error: timeout */
#include "assay.h"
#include "problem.h"

#define TWICE_0(x) x x
#define TWICE_1(x) TWICE_0(TWICE_0(x))
#define TWICE_2(x) TWICE_1(TWICE_1(x))
#define TWICE_3(x) TWICE_2(TWICE_2(x))
#define TWICE_4(x) TWICE_3(TWICE_3(x))
#define TWICE_5(x) TWICE_4(TWICE_4(x))
#define TWICE_6(x) TWICE_5(TWICE_5(x))

int numbers[] = {TWICE_6(1, 2, 3, 4, )};
