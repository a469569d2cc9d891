/* SPDX-License-Identifier: MIT */
/* The arithmetic of a keyed fingerprint of a tensor's bits. Two different tensors of one shape,
 * made by somebody who does not know the key, have the same fingerprint with a probability below
 * 2^-55. Plain C that CUDA compiles, too, like philox.h.
 *
 * Many threads share the work. A thread reads at most FINGERPRINT_WORDS words at a time and adds
 * them up with coefficients of 28 bits (a). These sums are the coefficients of a polynomial, which
 * is evaluated at a secret place (beta) modulo the prime 2^61 - 1. The threads' values are added up
 * with a factor for each thread. All that is done twice, with independent secrets. All secrets come
 * from Philox under one key.
 *
 * Why that is enough: let a word with coefficient a differ. In its thread, the differences of all
 * words with that coefficient are a polynomial that is not zero. Its degree is below 2^24 for every
 * tensor that fits into memory, so beta is one of its roots with a probability below 2^24 / 2^61.
 * The threads' factors cancel it against other threads with a probability of 2^-61. Otherwise at
 * most one of the 2^28 values of a makes the sums equal. So one row agrees with a probability
 * hardly above 2^-28, and both rows with 2^-56. */
#ifndef ASSAY_TENSOR_FINGERPRINT_H
#define ASSAY_TENSOR_FINGERPRINT_H

#include "tensor/philox.h"

#define FINGERPRINT_ROWS 2
#define FINGERPRINT_WORDS 16 /* sixteen products of 32 by 28 bits: their sum stays below 2^64 */
#define FINGERPRINT_PRIME 0x1FFFFFFFFFFFFFFFu

struct fingerprint {
    uint64_t key; /* secret; set by the caller who asks for a fingerprint */
    uint64_t v[FINGERPRINT_ROWS];
};

/* All secrets that one key gives, but for the factors of the threads. */
struct fingerprint_secrets {
    uint64_t key;
    uint64_t beta[FINGERPRINT_ROWS];
    uint32_t a[FINGERPRINT_ROWS][FINGERPRINT_WORDS];
};

LAW_FN struct philox fingerprint_draw(uint64_t key, uint32_t what, uint32_t i)
{
    return philox4x32(i, what, 0, 0, (uint32_t)key, (uint32_t)(key >> 32));
}

/* A factor of 61 bits; each row takes one pair of the four words drawn. */
LAW_FN uint64_t fingerprint_factor(const struct philox *p, int row)
{
    return (p->v[2 * row] | (uint64_t)p->v[2 * row + 1] << 32) >> 3;
}

LAW_FN struct fingerprint_secrets fingerprint_secrets_of(uint64_t key)
{
    struct fingerprint_secrets s;
    struct philox beta = fingerprint_draw(key, 1, 0);

    s.key = key;
    for (int row = 0; row < FINGERPRINT_ROWS; row++) {
        s.beta[row] = fingerprint_factor(&beta, row);
        for (int i = 0; i < FINGERPRINT_WORDS; i++)
            s.a[row][i] = fingerprint_draw(key, 0, (uint32_t)i).v[row] >> 4;
    }
    return s;
}

/* x * y + sum, modulo the prime. x, y and the result are below 2^61 + 8 and may lie above the
 * prime; sum is any number. */
LAW_FN uint64_t fingerprint_times(uint64_t x, uint64_t y, uint64_t sum)
{
    uint32_t x0 = (uint32_t)x, x1 = (uint32_t)(x >> 32);
    uint32_t y0 = (uint32_t)y, y1 = (uint32_t)(y >> 32);
    uint64_t low = (uint64_t)x0 * y0;
    uint64_t middle = (uint64_t)x0 * y1 + (uint64_t)x1 * y0; /* at most 2^62 */
    uint64_t high = (uint64_t)x1 * y1;                       /* at most 2^58 */
    /* Modulo the prime 2^61 is 1. So high, in units of 2^64, counts 8 times, and the bits of middle
     * from 29 on, in units of 2^(32 + 29), count once. */
    uint64_t all = (low & FINGERPRINT_PRIME) + (low >> 61) + (sum & FINGERPRINT_PRIME) +
                   (sum >> 61) + ((middle & 0x1FFFFFFF) << 32) + (middle >> 29) + (high << 3);

    return (all & FINGERPRINT_PRIME) + (all >> 61);
}

/* The representative of x below the prime. */
LAW_FN uint64_t fingerprint_least(uint64_t x)
{
    x = (x & FINGERPRINT_PRIME) + (x >> 61);
    return x >= FINGERPRINT_PRIME ? x - FINGERPRINT_PRIME : x;
}

#endif
