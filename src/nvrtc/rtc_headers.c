/* SPDX-License-Identifier: MIT */
#include "nvrtc/rtc_headers.h"

#include "base/util.h"

/* 64-bit types as the toolkit's own headers spell them: another spelling would not go with them. */
static const char stdint_h[] = "#pragma once\n"
                               "typedef signed char int8_t;\n"
                               "typedef short int16_t;\n"
                               "typedef int int32_t;\n"
                               "typedef long long int64_t;\n"
                               "typedef unsigned char uint8_t;\n"
                               "typedef unsigned short uint16_t;\n"
                               "typedef unsigned int uint32_t;\n"
                               "typedef unsigned long long uint64_t;\n"
                               "typedef long long intptr_t;\n"
                               "typedef unsigned long long uintptr_t;\n";
static const char limits_h[] = "#pragma once\n"
                               "#define INT_MIN (-2147483647 - 1)\n"
                               "#define INT_MAX 2147483647\n"
                               "#define UINT_MAX 4294967295u\n";
static const char float_h[] = "#pragma once\n"
                              "#define FLT_MIN 1.17549435e-38f\n"
                              "#define FLT_MAX 3.40282347e+38f\n"
                              "#define FLT_EPSILON 1.19209290e-7f\n"
                              "#define DBL_MAX 1.7976931348623157e+308\n";
static const char math_h[] = "#pragma once\n"
                             "#ifndef INFINITY\n"
                             "#define INFINITY __int_as_float(0x7f800000)\n"
                             "#endif\n"
                             "#ifndef NAN\n"
                             "#define NAN __int_as_float(0x7fffffff)\n"
                             "#endif\n";
/* The contract of host code, which there is none of here; but its types were promised. */
static const char assay_h[] = "#pragma once\n"
                              "#include <stdint.h>\n";
/* What they declare is there without them (size_t, printf, assert) or is of no use in a kernel. */
static const char nothing_h[] = "#pragma once\n";

const char *const rtc_header_names[] = {
    "assay.h", "stdint.h", "cstdint", "limits.h", "climits", "float.h", "cfloat", "math.h",
    "cmath",   "stddef.h", "cstddef", "stdlib.h", "cstdlib", "stdio.h", "cstdio", "assert.h",
};
const char *const rtc_header_texts[] = {
    assay_h, stdint_h,  stdint_h,  limits_h,  limits_h,  float_h,   float_h,   math_h,
    math_h,  nothing_h, nothing_h, nothing_h, nothing_h, nothing_h, nothing_h, nothing_h,
};
const int rtc_n_headers = ARRAY_SIZE(rtc_header_names);
_Static_assert(ARRAY_SIZE(rtc_header_names) == ARRAY_SIZE(rtc_header_texts), "a name, a text");
