/* SPDX-License-Identifier: MIT */
#include "judge/limits.h"

#include <math.h>

/* Without a datasheet nothing is called impossible before it beats the best measurement by half. */
#define MEASURED_SLACK 1.5
#define WINOGRAD_SAVING 4 /* F(4x4, 3x3) */

static double rate(const struct calibration *c, enum dtype t)
{
    return t == DT_F64 ? c->f64_flops_s : c->f32_flops_s;
}

/* FLOPs that no algebra removes: one contraction, plain. A causal mask halves attention honestly, a
 * chain of matmuls can be reassociated. */
static bool plain_contraction(const struct problem *p, const struct graph *g)
{
    int n = 0;

    for (int i = 0; i < g->n_nodes; i++)
        n += op_table[g->nodes[i].op].class == OP_CLASS_CONTRACT ||
             op_table[g->nodes[i].op].class == OP_CLASS_RECUR;
    return n == 1 && !p->algebra;
}

void limits_compute(const struct problem *p, const struct graph *g, const struct calibration *c,
                    int64_t cache_bytes, struct limits *ret)
{
    struct cost cost;
    double compute_s = 0, memory_s;

    graph_cost(g, &cost);
    *ret = (struct limits){.flops = cost_contract_total(&cost), .bytes = cost_bytes(&cost)};
    for (int t = 0; t < DT_COUNT; t++)
        if (rate(c, (enum dtype)t) > 0)
            compute_s += cost.contract[t] / rate(c, (enum dtype)t);
    memory_s = ret->bytes / calibration_bytes_s(c);
    ret->floor_ns = 1e9 * fmax(compute_s, memory_s);
    ret->regime = compute_s > memory_s ? "compute" : "memory";

    double moved =
        cost.input_bytes + cost.param_bytes + fmax(0, cost.output_bytes - (double)cache_bytes);
    double must_s = moved / (MEASURED_SLACK * calibration_bytes_s(c));

    if (plain_contraction(p, g)) {
        double share = cost.conv_part > 0 ? 1.0 / WINOGRAD_SAVING : 1;

        must_s = fmax(must_s, compute_s * share / MEASURED_SLACK);
    }
    ret->physics_ns = 1e9 * must_s;
}

double limits_sol(const struct limits *l, const struct calibration *c, double cold_ns)
{
    return cold_ns > 0 ? (l->floor_ns + c->call_floor_ns) / cold_ns : 0;
}
