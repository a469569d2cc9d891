/* SPDX-License-Identifier: MIT */
/* The input laws by name. Not in fill.h, because CUDA compiles this header, too. */
#ifndef ASSAY_TENSOR_LAWKIND_H
#define ASSAY_TENSOR_LAWKIND_H

/* To add a law: see CONTRIBUTING.md, "An input law". */
enum law_kind {
    LAW_SPREAD,    /* signed; each row (last axis) has a location and a scale of its own */
    LAW_NORMAL,    /* a = mean, b = deviation */
    LAW_UNIFORM,   /* a <= x < b, before rounding to the type */
    LAW_HEAVY,     /* as LAW_SPREAD, but of a normal times law_heavy_scale(): heavy-tailed */
    LAW_NEEDLE,    /* first, last and two random places of each row are normal, the rest 0 */
    LAW_INTS,      /* whole numbers a <= x < b, of an integer or a float type */
    LAW_PERM,      /* each row a permutation of 0..n-1 */
    LAW_LENGTHS,   /* ragged lengths 1..a: half of them edge cases (1, a, multiples of the page b
                      and their neighbours), the others random */
    LAW_CONSTANT,  /* every element is `a` */
    LAW_BERNOULLI, /* 1 with probability a, else 0 */
    LAW_SORTED,    /* each row rises (a = 1) or falls (a = -1) through all of -4..4, and has up to
                      three spikes above 4 at random places */
    LAW_CLUSTER,   /* normal; at a random place of each row, `a` neighbours lie b higher, and up to
                      two lone peaks elsewhere lie above those */
    LAW_PEAKS,     /* in each row about one place in `a` has the same height; the others lie b to
                      b + 0.2 below it */
    LAW_OFFSETS,   /* prefix sums that divide `a` rows among (row length - 1) groups, evenly (b = 0)
                      or with some groups empty and some large (b = 1) */
    LAW_PAGES, /* a block table over `a` live pages of `b` tokens, shuffled; see law_page_of() */
    LAW_PAGED, /* pages of `a` rows each, normal (b = 0) or as LAW_SPREAD (b = 1); dead pages (see
                  law_page_is_dead()) hold NaN */
    LAW_TIES,  /* whole numbers a <= x < b of a float type: each row has a bound and stays below it,
                  but for up to three random places */
    LAW_BANDS, /* each row is uniform between bounds of its own, which span at least a quarter of
                  a..b */
    LAW_COUNT,
};

struct law {
    enum law_kind kind;
    double a, b;
    double scale; /* float laws: factor of every number; 0 means 1. LAW_PAGES: the longest sequence
                     if lengths are ragged, 0 if all tables are full */
};

#endif
