/* SPDX-License-Identifier: MIT */
/* Drawing the inputs and parameters of a content. */
#ifndef ASSAY_CONTENT_DRAW_H
#define ASSAY_CONTENT_DRAW_H

#include "content/layout.h"
#include "device/device.h"
#include "problem/graph.h"

struct drawing {
    const struct device_judge_ops *ops;
    void *ctx;
    const struct graph *graph;
    const struct layout *in; /* layout_inputs(graph) */
    uint64_t seed;
    bool params_fixed; /* all contents have the parameters of content 0 */
};

/* Draws content k by the law of this number into an arena or a slot. */
int draw_inputs(const struct drawing *d, int k, int law, struct mem *to, struct err *err);

#endif
