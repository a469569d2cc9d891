/* SPDX-License-Identifier: MIT */
/* The arithmetic of a sketch: few numbers that stand for the many of a tensor, and tell how far
 * another tensor is from it. Host and CUDA, like philox.h.
 *
 * Numbers are divided by the size of their row and put into groups of SKETCH_GROUP. Of each group
 * the sketch holds SKETCH_SUMS sums in which every number stands, with signs that only a secret key
 * tells. Sums are linear: the difference of two tensors' is the sums of their errors e. The mean of
 * a group's squares then is the sum of its e^2, on the average over signs: over many groups very
 * nearly, and exactly where one number of a group is wrong. Two errors of the same size can cancel
 * out in a sum, in all of them with a probability of 2^-16 at most.
 *
 * A group is taken in blocks of 16 numbers. A block's numbers have a sign each, 16 orthogonal sums
 * of them are made (Walsh and Hadamard's), which keep their length, and these are added to the
 * group's with signs of their own: 32 signs a block, where independent ones would be 256. So of one
 * block not even two errors cancel out. The price: equal errors that lie alike in two blocks may
 * have sums that are mostly 0 in both, and then few signs have to meet. Of two in each all cancel
 * out with a probability of 2^-9, of four with 2^-8, the most of all that was tried; of eight it is
 * less again. What is wrong in more than one group has to cancel out in each.
 *
 * Groups are made side by side, SKETCH_BESIDE of neighbouring numbers at a time; which of these are
 * in which is the business of who makes them. */
#ifndef ASSAY_TENSOR_SKETCH_H
#define ASSAY_TENSOR_SKETCH_H

#include "tensor/philox.h"

#define SKETCH_SUMS 16 /* numbers of a block, too */
#define SKETCH_BLOCKS 16
#define SKETCH_GROUP (SKETCH_BLOCKS * SKETCH_SUMS)
#define SKETCH_BESIDE 256
#define SKETCH_SPAN (SKETCH_BESIDE * SKETCH_GROUP)

#ifdef __CUDACC__
#define SKETCH_UNROLL _Pragma("unroll")
#else
#define SKETCH_UNROLL
#endif

struct sketch_sums {
    double v[SKETCH_SUMS];
};

/* How it is kept. */
struct sketch_group {
    float v[SKETCH_SUMS];
};

/* What the difference of two of them says: of errors, each divided by the size of its row. */
struct sketch_stats {
    double rms;
    double max; /* the largest root of a group's sum of squares */
};

/* Of n numbers. */
LAW_FN uint64_t sketch_bytes(int64_t n)
{
    return (uint64_t)((n + SKETCH_SPAN - 1) / SKETCH_SPAN) * SKETCH_BESIDE *
           sizeof(struct sketch_group);
}

/* The signs of four blocks of a group, a word each. */
LAW_FN struct philox sketch_signs(uint64_t key, int64_t group, int four)
{
    return philox4x32((uint32_t)group, (uint32_t)((uint64_t)group >> 32), (uint32_t)four, 0,
                      (uint32_t)key, (uint32_t)(key >> 32));
}

LAW_FN double sketch_signed(double v, uint32_t signs, int i)
{
    return f64_of_bits(bits_of_f64(v) ^ (uint64_t)(signs >> i & 1) << 63);
}

/* A block's numbers, which are lost. */
LAW_FN void sketch_add(struct sketch_sums *s, double v[SKETCH_SUMS], uint32_t signs)
{
    SKETCH_UNROLL
    for (int i = 0; i < SKETCH_SUMS; i++)
        v[i] = sketch_signed(v[i], signs, i);
    SKETCH_UNROLL
    for (int half = 1; half < SKETCH_SUMS; half *= 2) {
        SKETCH_UNROLL
        for (int i = 0; i < SKETCH_SUMS; i++) {
            double a = v[i], b = v[i | half];

            if (!(i & half)) {
                v[i] = a + b;
                v[i | half] = a - b;
            }
        }
    }
    SKETCH_UNROLL
    for (int i = 0; i < SKETCH_SUMS; i++)
        s->v[i] += sketch_signed(v[i], signs, SKETCH_SUMS + i);
}

LAW_FN struct sketch_group sketch_kept(const struct sketch_sums *s)
{
    struct sketch_group kept;

    for (int i = 0; i < SKETCH_SUMS; i++)
        kept.v[i] = (float)s->v[i];
    return kept;
}

/* An estimate of the sum of e^2 in the group; not finite where something else is not. */
LAW_FN double sketch_distance_sq(const struct sketch_sums *s, const struct sketch_group *kept)
{
    double sum = 0;

    for (int i = 0; i < SKETCH_SUMS; i++) {
        double d = s->v[i] - (double)kept->v[i];

        sum += d * d;
    }
    return sum / SKETCH_SUMS;
}

#endif
