/* SPDX-License-Identifier: MIT */
/* What is kept of a content that makes room for another: values on the way to its outputs that are
 * small next to it, as the sums over the rows of a softmax. With them, what is expected of it is
 * made again in fewer passes over memory, to the same bits. */
#ifndef ASSAY_CONTENT_DIGEST_H
#define ASSAY_CONTENT_DIGEST_H

#include "problem/graph.h"

#include <stddef.h>

#define DIGEST_SHARE 64 /* nothing is kept of a content that takes more than this part of it */

struct digest {
    int n;          /* values that are kept; 0: none, and the graphs are empty */
    size_t *offset; /* per value, in bytes into what is kept; 8 bytes an element */
    size_t bytes;
    struct graph first; /* the problem's graph, these values being its last outputs */
    struct graph again; /* the same graph, these values being its last sources */
};

/* content_bytes: its inputs and expected values. The graph outlives the digest. */
void digest_init(struct digest *d, const struct graph *g, size_t content_bytes);
void digest_release(struct digest *d);

#endif
