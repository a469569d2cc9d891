/* SPDX-License-Identifier: MIT */
/* Homes: the memory in which the value of each node lives, and until when. They are decided before
 * anything is computed. Several nodes may share a home: a reshape is a view, and an elementwise op
 * writes over an operand that nobody needs afterwards. A value that is handed on within a pass has
 * no home. */
#ifndef ASSAY_OPS_LIFETIME_H
#define ASSAY_OPS_LIFETIME_H

#include "ops/ops.h"
#include "ops/pass.h"

#include <stddef.h>

enum home_kind {
    HOME_HEAP,
    HOME_SOURCE, /* the caller's data, which are only read */
    HOME_OUTPUT, /* the caller's memory for an output */
};

struct home {
    enum home_kind kind;
    int index;       /* number of the source or output */
    enum dtype type; /* dtype of the elements in memory */
    size_t bytes;
    int last; /* the node after which nobody needs this home */
};

struct lifetimes {
    int *home_of; /* home per node; -1: no output needs the node, or a pass does not store it */
    struct home *homes;
    int n_homes;
    struct passes passes;
};

/* Plans the homes of all values. reads_sources: every source is read in its own dtype; otherwise
 * only sources whose dtype is the store's. most_steps: most steps of a pass, 0 for no passes. */
void lifetimes_init(struct lifetimes *l, const struct graph *g, const struct ops_run *run,
                    bool reads_sources, int most_steps);
void lifetimes_release(struct lifetimes *l);
/* Whether a node uses its operand's memory unchanged: a reshape, or a cast that only changes the
 * dtype. */
bool lifetimes_is_view(const struct node *node);

#endif
