/* SPDX-License-Identifier: MIT */
/* Includes our own kernel instead of one of its own. An installed Assay lies where every compiler
 * may read. The folder of assay.h leads to it under any prefix; the usual places are tried, too.
 * expected: build_error: compiler */
#if __has_include(<../exemplars/cpu/level1/019_relu/naive.c>)
#include <../exemplars/cpu/level1/019_relu/naive.c>
#elif __has_include("/usr/share/assay/exemplars/cpu/level1/019_relu/naive.c")
#include "/usr/share/assay/exemplars/cpu/level1/019_relu/naive.c"
#elif __has_include("/usr/local/share/assay/exemplars/cpu/level1/019_relu/naive.c")
#include "/usr/local/share/assay/exemplars/cpu/level1/019_relu/naive.c"
#elif __has_include("/usr/local/exemplars/cpu/level1/019_relu/naive.c")
#include "/usr/local/exemplars/cpu/level1/019_relu/naive.c"
#elif __has_include("/opt/assay/share/assay/exemplars/cpu/level1/019_relu/naive.c")
#include "/opt/assay/share/assay/exemplars/cpu/level1/019_relu/naive.c"
#else
#error "no exemplar to be seen"
#endif
