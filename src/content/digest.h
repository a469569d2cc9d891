/* SPDX-License-Identifier: MIT */
/* Digest: small values that are kept of a content when it makes room for another, such as the sums
 * over the rows of a softmax. With them its expected values are made again in fewer passes over
 * memory, to the same bits. */
#ifndef ASSAY_CONTENT_DIGEST_H
#define ASSAY_CONTENT_DIGEST_H

#include "problem/graph.h"

#include <stddef.h>

#define DIGEST_SHARE 64 /* kept values take at most 1/64 of their content */

struct digest {
    int n;          /* number of values that are kept; 0: none, and both graphs are empty */
    size_t *offset; /* offset of each value in pool_content.kept, in bytes; 8 bytes an element */
    size_t bytes;
    struct graph first; /* the problem's graph, with the kept values as its last outputs */
    struct graph again; /* the problem's graph, with the kept values as its last sources */
};

/* content_bytes: inputs and expected values of one content. The graph outlives the digest. */
void digest_init(struct digest *d, const struct graph *g, size_t content_bytes);
void digest_release(struct digest *d);

#endif
