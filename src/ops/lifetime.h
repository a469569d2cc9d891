/* SPDX-License-Identifier: MIT */
/* Where the value of each node lives and until when, decided before anything is computed. Several
 * nodes may share a home: a reshape is a view, and an elementwise op writes over an operand that
 * nobody needs afterwards. What is handed on within a pass has none. */
#ifndef ASSAY_OPS_LIFETIME_H
#define ASSAY_OPS_LIFETIME_H

#include "ops/ops.h"
#include "ops/pass.h"

#include <stddef.h>

enum home_kind {
    HOME_HEAP,
    HOME_SOURCE, /* the caller's data as they are, read only */
    HOME_OUTPUT, /* the caller's room for a result */
};

struct home {
    enum home_kind kind;
    int index;       /* of the source or output */
    enum dtype type; /* how its elements lie */
    size_t bytes;
    int last; /* node after which nobody needs it */
};

struct lifetimes {
    int *home_of; /* per node; -1: no output needs it, or a pass does not store it */
    struct home *homes;
    int n_homes;
    struct passes passes;
};

/* reads_sources: every source may stay as it came; else only those that already lie as values do.
 * most_steps: of a pass, 0 for none. */
void lifetimes_init(struct lifetimes *l, const struct graph *g, const struct ops_run *run,
                    bool reads_sources, int most_steps);
void lifetimes_release(struct lifetimes *l);
/* A reshape, or a cast that only changes the dtype: its operand's memory as it is. */
bool lifetimes_is_view(const struct node *node);

#endif
