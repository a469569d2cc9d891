/* SPDX-License-Identifier: MIT */
/* The arithmetic of a keyed fingerprint of a tensor's bits: two tensors of one shape that differ
 * have the same one with a probability below 2^-55, whoever made them without the key. Host and
 * CUDA, like philox.h.
 *
 * Many threads share the work. A thread reads FINGERPRINT_WORDS words or fewer at a time and adds
 * them up with coefficients of 28 bits (a); such sums are the coefficients of a polynomial at a
 * secret place (beta), modulo the prime 2^61 - 1; and what the threads have is added up with
 * factors of their own (fingerprint_lane). All that twice, with independent secrets. Why that is
 * enough: let one word differ. The polynomial of its thread, and its place in a step, is not zero;
 * beta is none of its roots but for one in 2^61 by its degree, which is below 2^24 for all that
 * memory can hold; the threads' factors make the sum zero for one in 2^61; and then at most one of
 * the 2^28 values of its coefficient a does. So one in 2^28, hardly more, and both times one in
 * 2^56. All secrets come from Philox under one key. */
#ifndef ASSAY_TENSOR_FINGERPRINT_H
#define ASSAY_TENSOR_FINGERPRINT_H

#include "tensor/philox.h"

#define FINGERPRINT_ROWS 2
#define FINGERPRINT_WORDS 16 /* of 32 bits, each times 28: their sum stays below 2^64 */
#define FINGERPRINT_PRIME 0x1FFFFFFFFFFFFFFFu

struct fingerprint {
    uint64_t key; /* secret; whoever asks sets it */
    uint64_t v[FINGERPRINT_ROWS];
};

/* What one key gives. */
struct fingerprint_secrets {
    uint64_t key;
    uint64_t beta[FINGERPRINT_ROWS];
    uint32_t a[FINGERPRINT_ROWS][FINGERPRINT_WORDS];
};

LAW_FN struct philox fingerprint_draw(uint64_t key, uint32_t what, uint32_t i)
{
    return philox4x32(i, what, 0, 0, (uint32_t)key, (uint32_t)(key >> 32));
}

/* Of 61 bits each, a pair of words a row. */
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

/* x * y + sum, modulo the prime. x, y and what is returned are below 2^61 + 8, and may lie above
 * the prime; sum is any number. */
LAW_FN uint64_t fingerprint_times(uint64_t x, uint64_t y, uint64_t sum)
{
    uint32_t x0 = (uint32_t)x, x1 = (uint32_t)(x >> 32);
    uint32_t y0 = (uint32_t)y, y1 = (uint32_t)(y >> 32);
    uint64_t low = (uint64_t)x0 * y0;
    uint64_t middle = (uint64_t)x0 * y1 + (uint64_t)x1 * y0; /* at most 2^62 */
    uint64_t high = (uint64_t)x1 * y1;                       /* at most 2^58 */
    /* 2^61 is 1: so are 8 for 2^64, and its upper part for what lies 29 bits up in the middle. */
    uint64_t all = (low & FINGERPRINT_PRIME) + (low >> 61) + (sum & FINGERPRINT_PRIME) +
                   (sum >> 61) + ((middle & 0x1FFFFFFF) << 32) + (middle >> 29) + (high << 3);

    return (all & FINGERPRINT_PRIME) + (all >> 61);
}

/* Below the prime. */
LAW_FN uint64_t fingerprint_least(uint64_t x)
{
    x = (x & FINGERPRINT_PRIME) + (x >> 61);
    return x >= FINGERPRINT_PRIME ? x - FINGERPRINT_PRIME : x;
}

#endif
