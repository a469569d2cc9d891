/* SPDX-License-Identifier: MIT */
/* Gate: a candidate is right or wrong by its error in units of the honest run's error (facts and
 * factors measured; see docs/correctness.md). rho = RMS(e/r), mu = max|e/r|; wrong when rho > Fr
 * rho_h or mu > Fm mu_h. */
#ifndef ASSAY_CONTENT_GATE_H
#define ASSAY_CONTENT_GATE_H

#include "problem/graph.h"
#include "tensor/compare.h"
#include "terms/verdict.h"

struct gate {
    double rms_factor, max_factor; /* Fr, Fm */
    double honest_rms, honest_max; /* rho_h, mu_h, floors applied */
};

/* Factors for an output of this graph: (8, 16) for f32, (4, 8) for 16-bit and less, (32, 64) behind
 * a stride-1 3x3 convolution, unless the problem states its own. */
void gate_factors(const struct graph *g, enum dtype t, struct gate *ret);
/* Floors: rho_h >= u/2 and mu_h >= u, because relu's honest error is 0. */
void gate_set_honest(struct gate *gate, enum dtype t, const struct compare_stats *honest);

double compare_rho(const struct compare_stats *s);

/* Judges one call's output: 0 fine, 1 wrong. Integers must be equal; floats must be finite where
 * expected and within Fm mu_h. RMS is judged over pooled calls by gate_pooled(): one scalar is no
 * RMS. */
int gate_call(const struct gate *gate, const char *output, const struct shape *shape, enum dtype t,
              const struct compare_stats *s, struct verdict *v);
int gate_pooled(const struct gate *gate, const char *output, enum dtype t,
                const struct compare_stats *pooled, struct verdict *v);

#endif
