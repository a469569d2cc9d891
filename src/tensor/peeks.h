/* SPDX-License-Identifier: MIT */
/* Where a few words of a memory are looked at: places that a secret key chooses, as many in each
 * span, whatever its size. Host and CUDA, like philox.h. */
#ifndef ASSAY_TENSOR_PEEKS_H
#define ASSAY_TENSOR_PEEKS_H

#include "tensor/philox.h"

/* What a kernel's argument has room for, and more tensors than most kernels write. */
#define PEEK_SPANS 32

struct peek_span {
    uint64_t at, words; /* in words of 4 bytes; at least one */
};

struct peeks {
    uint64_t key; /* secret */
    uint32_t n;   /* spans, at least one */
    struct peek_span spans[PEEK_SPANS];
};

/* The i-th place, in words. */
LAW_FN uint64_t peeks_place(const struct peeks *p, uint32_t i)
{
    const struct peek_span *s = &p->spans[i % p->n];

    return s->at + philox_place(p->key, i, s->words);
}

#endif
