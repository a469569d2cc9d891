/* SPDX-License-Identifier: MIT */
/* Evaluates a graph: in double for the expected values, in float for the honest run, and
 * in float with rounding for the one-class-lower nulls. One source (loops over REAL) serves all. */
#ifndef ASSAY_OPS_OPS_H
#define ASSAY_OPS_OPS_H

#include "problem/graph.h"
#include "tensor/compare.h"
#include "tensor/fingerprint.h"

enum ops_precision { OPS_DOUBLE, OPS_FLOAT };

struct ops_run {
    enum ops_precision precision;
    /* Nulls (OPS_FLOAT only): operands of contractions rounded before use; sources and results of
     * the graph's outputs rounded (storage). */
    enum rounding round_operands, round_storage;
    /* Reductions and contractions start at rotation/16 of their axis and wrap around (0: at its
     * beginning). In float everything is summed strictly in that order, except that a reduction
     * over more than 65,536 terms is summed in lanes and groups of them (ITEM_LANES). */
    int rotation;
    bool compensated; /* OPS_FLOAT: sums as if compensated, in double and rounded once */
    bool f32_outputs; /* OPS_FLOAT: outputs of dtype f32 are filled with floats, not doubles */
    bool truncate; /* null: every reduction and contraction leaves out the last 1/16 (at least one)
                    */
};

/* The host's. sources[i]: the data of graph->sources[i] in its own dtype. outputs[i]: room for as
 * many 8-byte values as output i has elements; filled with double for float dtypes (float
 * precision: rounded to the output's dtype first; double precision: not rounded unless the file
 * casts) and int64 for the others. ERR_SYSTEM when memory for an intermediate is not to be had. */
int ops_eval(const struct graph *g, const struct ops_run *run, const void *const *sources,
             void *const *outputs, struct err *err);

/* Something that is compared with an output of a graph as that is made. */
struct ops_compare {
    int output;
    enum dtype type; /* of what lies at `got`, as many elements as the output has */
    const void *got;
    const struct compare_scale *scale;
    const double *row_rms;     /* of the expected values' rows, where scale has any */
    struct fingerprint *print; /* of what lies there, under its key; NULL: not wanted */
};

/* Who evaluates: this host (ops_host), or a GPU (gpu/gpu.h). Sources and outputs are addresses in
 * the engine's own memory; everything has ended when eval returns. */
struct ops_engine {
    void *ctx;
    int (*eval)(void *ctx, const struct graph *g, const struct ops_run *run,
                const void *const *sources, void *const *outputs, struct err *err);
    /* Most bytes it holds at once besides sources and outputs. */
    double (*peak_bytes)(void *ctx, const struct graph *g, enum ops_precision precision);
    /* Optional, both or neither. Whether compare() can compare elements of that dtype with this
     * output; what it takes for it is prepared. */
    bool (*compares)(void *ctx, const struct graph *g, const void *const *sources, int output,
                     enum dtype type);
    /* What eval() in double and the device's compare() give together, to the bit, without storing
     * what is expected. */
    int (*compare)(void *ctx, const struct graph *g, const void *const *sources,
                   const struct ops_compare *what, struct compare_stats *ret, struct err *err);
    /* Optional, both: memory it keeps for the next evaluation goes back; its end. */
    void (*trim)(struct ops_engine *e);
    void (*close)(struct ops_engine *e);
};
extern const struct ops_engine ops_host;

/* Whether `truncate` changes anything: the graph has a reduction, window or contraction. */
bool ops_can_truncate(const struct graph *g);
/* Whether anything is contracted (then tf32 operands are the class below f32, else bf16 storage).
 */
bool ops_contracts(const struct graph *g);
/* The host's peak bytes of intermediates in the given precision. */
double ops_peak_bytes(const struct graph *g, enum ops_precision precision);

/* From now on products of floats are OpenBLAS's as well, in whatever order it sums: for baselines,
 * never in a judge. False: there is no OpenBLAS. */
bool ops_blas_for_floats(void);
/* Whether there is one; loads it. */
bool ops_blas_load(void);
/* Threads used by all loops and by the BLAS; 0: as many as cores allowed. */
void ops_set_threads(int n);
/* "OpenBLAS 0.3.21 SkylakeX" once loaded, "none" otherwise: for records. */
const char *ops_blas_name(void);

#endif
