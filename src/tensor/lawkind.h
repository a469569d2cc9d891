/* SPDX-License-Identifier: MIT */
/* The input laws by name. Apart from fill.h because CUDA compiles this one too. */
#ifndef ASSAY_TENSOR_LAWKIND_H
#define ASSAY_TENSOR_LAWKIND_H

enum law_kind {
    LAW_SPREAD,    /* signed; each row (last axis) has a location and a scale of its own */
    LAW_NORMAL,    /* a = mean, b = deviation */
    LAW_UNIFORM,   /* a <= x < b, before it is rounded to the type */
    LAW_HEAVY,     /* signed, heavy-tailed: a normal times exp of a normal */
    LAW_NEEDLE,    /* first, last and two random places of each row are normal, the rest 0 */
    LAW_INTS,      /* whole numbers a <= x < b */
    LAW_PERM,      /* each row a permutation of 0..n-1 */
    LAW_LENGTHS,   /* ragged lengths 1..a: edges (1, a, multiples of page b, neighbours), others */
    LAW_CONSTANT,  /* a */
    LAW_BERNOULLI, /* 1 with probability a, else 0 */
    LAW_COUNT,
};

struct law {
    enum law_kind kind;
    double a, b;
    double scale; /* float laws: the number is multiplied by this; 0 means 1 */
};

#endif
