/* SPDX-License-Identifier: MIT */
/* The input laws by name. Apart from fill.h because CUDA compiles this one too. */
#ifndef ASSAY_TENSOR_LAWKIND_H
#define ASSAY_TENSOR_LAWKIND_H

/* To add a law: see CONTRIBUTING.md, "An input law". */
enum law_kind {
    LAW_SPREAD,    /* signed; each row (last axis) has a location and a scale of its own */
    LAW_NORMAL,    /* a = mean, b = deviation */
    LAW_UNIFORM,   /* a <= x < b, before it is rounded to the type */
    LAW_HEAVY,     /* as LAW_SPREAD, heavy-tailed: of a normal times law_heavy_scale() */
    LAW_NEEDLE,    /* first, last and two random places of each row are normal, the rest 0 */
    LAW_INTS,      /* whole numbers a <= x < b, of an integer or a float type */
    LAW_PERM,      /* each row a permutation of 0..n-1 */
    LAW_LENGTHS,   /* ragged lengths 1..a: edges (1, a, multiples of page b, neighbours), others */
    LAW_CONSTANT,  /* a */
    LAW_BERNOULLI, /* 1 with probability a, else 0 */
    LAW_SORTED,  /* each row rises (a = 1) or falls (a = -1) from end to end of -4..4, and has up to
                    three spikes above 4 at random places */
    LAW_CLUSTER, /* normal; a neighbours at a random place of each row lie b higher, and up to two
                    lone peaks elsewhere lie above those */
    LAW_PEAKS,   /* each row: about one in a places at one height, the others b to b + 0.2 below */
    LAW_OFFSETS, /* prefix sums of a rows over row length - 1 groups: even ones (b = 0), or some
                    empty and some large (b = 1) */
    LAW_PAGES,   /* a block table over a live pages of b tokens, shuffled; see law_page_of() */
    LAW_PAGED,   /* in pages of a rows each, normal (b = 0) or as LAW_SPREAD (b = 1); pages that no
                    table names hold NaN */
    LAW_TIES, /* whole numbers a <= x < b of a float type: below a bound of the row's own, and up to
                 three not below it at random places */
    LAW_BANDS, /* each row uniform between bounds of its own within a..b, at least a quarter of it
                */
    LAW_COUNT,
};

struct law {
    enum law_kind kind;
    double a, b;
    double scale; /* float laws: the number is multiplied by this; 0 means 1. LAW_PAGES: the longest
                     sequence where lengths are ragged, 0 where all tables are full */
};

#endif
