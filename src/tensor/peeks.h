/* SPDX-License-Identifier: MIT */
/* Places in a memory at which the judge looks at a few words. A secret key chooses them, equally
 * many in each span, whatever its size. Plain C that CUDA compiles, too, like philox.h. */
#ifndef ASSAY_TENSOR_PEEKS_H
#define ASSAY_TENSOR_PEEKS_H

#include "tensor/philox.h"

/* As many spans as a kernel's argument can hold; most kernels write fewer tensors. */
#define PEEK_SPANS 32

struct peek_span {
    uint64_t at, words; /* begin and length, in words of 4 bytes; at least one word */
};

struct peeks {
    uint64_t key; /* secret */
    uint32_t n;   /* number of spans, at least one */
    struct peek_span spans[PEEK_SPANS];
};

/* The i-th place to look at, in words. */
LAW_FN uint64_t peeks_place(const struct peeks *p, uint32_t i)
{
    const struct peek_span *s = &p->spans[i % p->n];

    return s->at + philox_place(p->key, i, s->words);
}

#endif
