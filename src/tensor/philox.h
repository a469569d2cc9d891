/* SPDX-License-Identifier: MIT */
/* Philox4x32-10 (Salmon et al., SC'11): a counter-based generator. Plain C that CUDA compiles, too.
 */
#ifndef ASSAY_TENSOR_PHILOX_H
#define ASSAY_TENSOR_PHILOX_H

#include "tensor/portable.h"

struct philox {
    uint32_t v[4];
};

/* The keys of the ten rounds. A caller that draws many numbers makes them once. */
struct philox_keys {
    uint32_t k[20];
};

LAW_FN struct philox_keys philox_keys_of(uint32_t k0, uint32_t k1)
{
    struct philox_keys keys;

    for (uint32_t round = 0; round < 10; round++) {
        keys.k[2 * round] = k0 + round * 0x9E3779B9u;
        keys.k[2 * round + 1] = k1 + round * 0xBB67AE85u;
    }
    return keys;
}

LAW_FN struct philox philox_draw(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3,
                                 const struct philox_keys *keys)
{
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0;
        uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ keys->k[2 * round];
        uint32_t n2 = (uint32_t)(p0 >> 32) ^ c3 ^ keys->k[2 * round + 1];

        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = n0;
        c2 = n2;
    }

    struct philox out = {{c0, c1, c2, c3}};

    return out;
}

LAW_FN struct philox philox4x32(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t k0,
                                uint32_t k1)
{
    struct philox_keys keys = philox_keys_of(k0, k1);

    return philox_draw(c0, c1, c2, c3, &keys);
}

/* The i-th of the numbers from 0 to n - 1 that a secret key chooses. */
LAW_FN uint64_t philox_place(uint64_t key, uint32_t i, uint64_t n)
{
    struct philox p = philox4x32(i, 0, 0, 0, (uint32_t)key, (uint32_t)(key >> 32));

    return (p.v[0] | (uint64_t)p.v[1] << 32) % n;
}

#endif
