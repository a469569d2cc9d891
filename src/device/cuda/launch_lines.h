/* SPDX-License-Identifier: MIT */
/* The launch lines in a .cu source (cuda_launch.h says what stands in them):
 *
 *     // assay: launch relu grid=ceil_div(in0.numel, 256) block=256
 *     // assay:     args=in0,out0,in0.numel:i64
 *
 * A line that does not begin with `launch` continues the one before it. A source that has a launch
 * line takes the route without host code. A source with a line that was only meant to be a launch
 * line takes no route at all. */
#ifndef ASSAY_DEVICE_LAUNCH_LINES_H
#define ASSAY_DEVICE_LAUNCH_LINES_H

#include "base/buf.h"

struct launch_lines {
    const char *at, *end; /* not owned: the text still to be read */
    int read;             /* lines read so far */
};

/* Puts the next launch into ret, from the word `launch` on and in one line, with a mark before the
 * text of each line of the source (cuda_launch.h). *ret_line: the line of the source where it
 * begins. false: no more. */
bool launch_lines_next(struct launch_lines *l, struct buf *ret, int *ret_line);
/* True if there is a launch line at all. */
bool launch_lines_any(const char *text, size_t len);

struct launch_stray {
    int line, column;
    char why[160];
};

/* Finds the first comment that was meant to be a launch line and is none: `// assay: lauch`, or
 * `assay: launch` in other letters, without its colon or in a block comment. false: there is
 * none. */
bool launch_lines_stray(const char *text, size_t len, struct launch_stray *ret);

#endif
