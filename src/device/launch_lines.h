/* SPDX-License-Identifier: MIT */
/* The launch lines in a .cu source (cuda_launch.h says what stands in them):
 *
 *     // assay: launch relu grid=ceil_div(in0.numel, 256) block=256
 *     // assay:     args=in0,out0,in0.numel:i64
 *
 * A line that does not begin with `launch` goes on with the one before it. A source that has a
 * launch line takes the route without host code. */
#ifndef ASSAY_DEVICE_LAUNCH_LINES_H
#define ASSAY_DEVICE_LAUNCH_LINES_H

#include "base/buf.h"

struct launch_lines {
    const char *at, *end; /* not owned: the text still to be read */
    int read;             /* lines so far */
};

/* Puts the next launch, from the word `launch` on and in one line, into ret, and the number of the
 * line where it begins into *ret_line; false: no more. */
bool launch_lines_next(struct launch_lines *l, struct buf *ret, int *ret_line);
/* Whether there is one at all. */
bool launch_lines_any(const char *text, size_t len);

#endif
