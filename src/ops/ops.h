/* SPDX-License-Identifier: MIT */
/* Evaluates a graph: in double for the expected values, in float for the honest run, and in float
 * with rounding for the nulls of one precision class lower. One source (loops over REAL) serves
 * all. */
#ifndef ASSAY_OPS_OPS_H
#define ASSAY_OPS_OPS_H

#include "problem/graph.h"
#include "tensor/compare.h"
#include "tensor/fingerprint.h"

enum ops_precision { OPS_DOUBLE, OPS_FLOAT };

struct ops_run {
    enum ops_precision precision;
    /* For nulls, OPS_FLOAT only. round_operands rounds the operands of contractions before use;
     * round_storage rounds the graph's sources and outputs. */
    enum rounding round_operands, round_storage;
    /* Reductions and contractions start at rotation/16 of their axis and wrap around (0: at its
     * beginning). In float everything is summed strictly in that order, except that a reduction
     * over more than 65,536 terms is summed in lanes and groups of them (ITEM_LANES). */
    int rotation;
    bool compensated; /* OPS_FLOAT: sums are as if compensated: in double, rounded once */
    bool f32_outputs; /* OPS_FLOAT: outputs of dtype f32 are filled with floats, not doubles */
    bool truncate; /* null: every reduction and contraction drops its last 1/16, at least one term
                    */
};

/* Evaluates on the host. sources[i]: the data of graph->sources[i] in its own dtype. outputs[i]:
 * room for as many 8-byte values as output i has elements. It is filled with doubles for float
 * dtypes and with int64 for the others. In float precision, values are first rounded to the
 * output's dtype; in double they are not, unless the file casts. ERR_SYSTEM when there is too
 * little memory for an intermediate. */
int ops_eval(const struct graph *g, const struct ops_run *run, const void *const *sources,
             void *const *outputs, struct err *err);

/* Elements that are compared with an output of a graph while that output is computed. */
struct ops_compare {
    int output;
    enum dtype type; /* dtype of the elements at `got` */
    const void *got; /* as many elements as the output has */
    const struct compare_scale *scale;
    const double *row_rms;     /* RMS of each row of expected values, if scale has rows */
    struct fingerprint *print; /* receives the fingerprint of `got` under its key; NULL: none */
};

/* An engine evaluates graphs: this host (ops_host) or a GPU (gpu/gpu.h). Sources and outputs are
 * addresses in the engine's own memory. All work has ended when eval returns. */
struct ops_engine {
    void *ctx;
    int (*eval)(void *ctx, const struct graph *g, const struct ops_run *run,
                const void *const *sources, void *const *outputs, struct err *err);
    /* Most bytes that an evaluation holds at once besides sources and outputs. */
    double (*peak_bytes)(void *ctx, const struct graph *g, enum ops_precision precision);
    /* Whether compare() can compare elements of that dtype with this output; if so, also prepares
     * that (compiles its kernel). Optional: an engine has compares() and compare(), or neither. */
    bool (*compares)(void *ctx, const struct graph *g, const void *const *sources, int output,
                     enum dtype type);
    /* Evaluates an output in double and compares it, without storing expected values. The figures
     * are those of eval() and the device's compare(), to the bit. */
    int (*compare)(void *ctx, const struct graph *g, const void *const *sources,
                   const struct ops_compare *what, struct compare_stats *ret, struct err *err);
    /* Optional: frees memory that is kept for the next evaluation. */
    void (*trim)(struct ops_engine *e);
    /* Optional: closes the engine. */
    void (*close)(struct ops_engine *e);
};
extern const struct ops_engine ops_host;

/* Whether `truncate` changes anything: the graph has a reduction, scan, window, contraction or
 * recurrence of more than one term. */
bool ops_can_truncate(const struct graph *g);
/* Whether the graph contracts anything. If so, tf32 operands are the class below f32, else bf16
 * storage is. */
bool ops_contracts(const struct graph *g);
/* The host's peak bytes of intermediates in the given precision. */
double ops_peak_bytes(const struct graph *g, enum ops_precision precision);

/* From now on OpenBLAS computes products of floats, too, in whatever order it sums: for baselines,
 * never in a judge. False: there is no OpenBLAS. */
bool ops_blas_for_floats(void);
/* Loads OpenBLAS. False: there is none. */
bool ops_blas_load(void);
/* Sets the number of threads of all loops; 0: as many as this process may use cores. */
void ops_set_threads(int n);
/* The BLAS for records: "OpenBLAS 0.3.21 SkylakeX" once it is loaded, else "none". */
const char *ops_blas_name(void);

#endif
