/* SPDX-License-Identifier: MIT */
/* Drawing the inputs and parameters of a content. */
#ifndef ASSAY_CONTENT_DRAW_H
#define ASSAY_CONTENT_DRAW_H

#include "content/layout.h"
#include "device/device.h"
#include "problem/graph.h"

/* Draws contents in place of a graph's laws: a reference outside (judge/reference.h). */
struct drawer {
    /* Writes all sources of a content to their places in `in`. Seeds decide: one about inputs, one
     * about parameters. */
    int (*draw)(void *arg, const uint64_t seeds[2], const struct layout *in, struct mem *to,
                struct err *err);
    void *arg;
};

struct drawing {
    const struct device_judge_ops *ops;
    void *ctx;
    const struct graph *graph;
    const struct layout *in; /* layout_inputs(graph) */
    uint64_t seed;
    const struct drawer *drawer; /* NULL: the graph's laws. Not owned */
    bool params_fixed;           /* all contents have the parameters of content 0 */
};

/* Draws content k by the law of this number into an arena or a slot. */
int draw_inputs(const struct drawing *d, int k, int law, struct mem *to, struct err *err);

#endif
