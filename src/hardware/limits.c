/* SPDX-License-Identifier: MIT */
/* Three times, from the same FLOPs and bytes:
 *   floor    at the datasheet's dense peaks of the declared classes: the score, peak_fraction
 *   reach    at the rates `assay calibrate` saw on this device: sol
 *   physics  what nothing can beat, by whatever unit; deliberately generous: the gate */
#include "hardware/limits.h"

#include <math.h>

/* Without a datasheet nothing is called impossible before it beats the best measurement by half. */
#define MEASURED_SLACK 1.5
#define WINOGRAD_SAVING 4 /* F(4x4, 3x3) */
/* A median may lie so far below the 1st percentile of an empty kernel's calls. */
#define COLD_SLACK_NS 200
#define HOT_SHARE 0.95

/* Rates that a time is held against: the datasheet's or the measured ones. */
struct peaks {
    double bytes_s, flops_s[ARITH_COUNT];
};

static struct peaks datasheet_peaks(const struct hardware *hw)
{
    struct peaks p = {.bytes_s = hw->bytes_s};

    for (int a = 0; a < ARITH_COUNT; a++)
        p.flops_s[a] = hw->flops_s[a];
    return p;
}

static struct peaks measured_peaks(const struct hardware *hw, const struct calibration *c)
{
    struct peaks p = {.bytes_s = calibration_bytes_s(c)};

    for (int a = 0; a < ARITH_COUNT; a++)
        p.flops_s[a] = c->flops_s[a] > 0 || !hw ? c->flops_s[a] : hw->flops_s[a];
    return p;
}

/* The class that contractions of this type are done in: the one the problem demands, else the
 * operands' own. */
static enum arith class_of(const struct problem *p, enum dtype t)
{
    enum arith a;

    if (p->requires_tensor && arith_parse(p->requires_tensor, &a))
        return a;
    return arith_of(t);
}

static double compute_s(const struct problem *p, const struct cost *cost, const struct peaks *peaks,
                        double (*rate)(const double *, enum arith))
{
    double sum = 0;

    for (int t = 0; t < DT_COUNT; t++) {
        double r = rate(peaks->flops_s, class_of(p, (enum dtype)t));

        if (r > 0)
            sum += cost->contract[t] / r;
    }
    return sum;
}

/* Whether no algebra removes FLOPs: there is one contraction, plain. A causal mask halves attention
 * honestly, and a chain of matmuls can be reassociated. */
static bool plain_contraction(const struct problem *p, const struct graph *g)
{
    int n = 0;

    for (int i = 0; i < g->n_nodes; i++)
        n += op_table[g->nodes[i].op].class == OP_CLASS_CONTRACT ||
             op_table[g->nodes[i].op].class == OP_CLASS_RECUR;
    return n == 1 && !p->algebra;
}

/* Time in which nothing computes faster. */
static double physics_compute_s(const struct problem *p, const struct graph *g,
                                const struct cost *cost, const struct peaks *peaks)
{
    double share = cost->conv_part > 0 ? 1.0 / WINOGRAD_SAVING : 1;

    return plain_contraction(p, g) ? share * compute_s(p, cost, peaks, arith_bound) : 0;
}

/* Time in which nothing moves faster. Cold, every input comes from memory. Back to back, only data
 * that exceeds the cache by far has to. */
static double physics_move_s(const struct cost *cost, const struct peaks *peaks, double cache_bytes,
                             bool params_fixed, bool cold)
{
    double params = params_fixed ? 0 : cost->param_bytes;

    if (!cold && cost_bytes(cost) <= 2 * cache_bytes)
        return 0;
    return (cost->input_bytes + params + fmax(0, cost->output_bytes - cache_bytes)) /
           peaks->bytes_s;
}

void limits_compute(const struct problem *p, const struct graph *g, const struct hardware *hw,
                    const struct calibration *c, int64_t cache_bytes, bool params_fixed,
                    struct limits *ret)
{
    struct peaks measured = measured_peaks(hw, c);
    struct peaks peaks = hw ? datasheet_peaks(hw) : measured;
    double cache = fmax((double)cache_bytes, hw ? hw->cache_bytes : 0);
    struct cost cost;

    graph_cost(g, &cost);
    *ret = (struct limits){.flops = cost_contract_total(&cost), .bytes = cost_bytes(&cost)};

    double work_s = compute_s(p, &cost, &peaks, arith_rate), move_s = ret->bytes / peaks.bytes_s;

    ret->floor_ns = 1e9 * fmax(work_s, move_s);
    ret->regime = work_s > move_s ? "compute" : "memory";
    ret->reach_ns =
        1e9 * fmax(compute_s(p, &cost, &measured, arith_rate), ret->bytes / measured.bytes_s);

    /* A unit that was not measured may be many times faster than those that were. */
    double compute = hw || !c->partial ? physics_compute_s(p, g, &cost, &peaks) : 0;
    double unit = 1e9 / (hw ? 1 : MEASURED_SLACK);

    double cold = physics_move_s(&cost, &peaks, cache, params_fixed, true);
    double hot = physics_move_s(&cost, &peaks, cache, params_fixed, false);

    ret->physics_ns = fmax(unit * fmax(compute, cold), c->cold_floor_ns - COLD_SLACK_NS);
    ret->hot_physics_ns = fmax(unit * fmax(compute, hot), HOT_SHARE * c->hot_floor_ns);
}

double limits_sol(const struct limits *l, const struct calibration *c, double cold_ns)
{
    return cold_ns > 0 ? (l->reach_ns + c->call_floor_ns) / cold_ns : 0;
}
