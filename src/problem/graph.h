/* SPDX-License-Identifier: MIT */
/* What a problem file becomes: a flat list of nodes in execution order (SSA, static shapes).
 * Everything but the loader sees only this. Nodes are only appended; a node's inputs have smaller
 * numbers. */
#ifndef ASSAY_PROBLEM_GRAPH_H
#define ASSAY_PROBLEM_GRAPH_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "problem/op_code.h"
#include "tensor/dtype.h"
#include "tensor/fill.h"
#include "tensor/shape.h"

enum op_class {
    OP_CLASS_SOURCE,
    OP_CLASS_ELEMENTWISE,
    OP_CLASS_REDUCE,
    OP_CLASS_SCAN,
    OP_CLASS_CONTRACT,
    OP_CLASS_WINDOW,
    OP_CLASS_MOVE,
    OP_CLASS_RECUR
};

struct op_info {
    const char *name;
    enum op_class class;
    int min_in, max_in;
    const char *summary; /* one line for the op reference */
};
extern const struct op_info op_table[OP_COUNT];
bool op_parse(const char *name, enum op_code *ret);

#define WINDOW_MAX_ND 3
struct window {
    int nd; /* 1..3 */
    int64_t k[WINDOW_MAX_ND], stride[WINDOW_MAX_ND], pad[WINDOW_MAX_ND], dilation[WINDOW_MAX_ND],
        output_pad[WINDOW_MAX_ND];
    int64_t groups;
    bool ceil;
};

struct op_attrs {
    int source;
    int axis;
    uint32_t axes;
    bool keep, trans_a, trans_b;
    double value;
    int64_t from, step;
    int perm[SHAPE_MAX_RANK];
    int64_t lo[SHAPE_MAX_RANK], hi[SHAPE_MAX_RANK];
    struct window window;
};

struct node {
    enum op_code op;
    enum dtype dtype;
    struct shape shape;
    int n_in;
    int *in; /* node numbers */
    struct op_attrs attrs;
    int call; /* index of the innermost composite call this node belongs to, or -1 */
};

/* A composite op of the prelude as it was written: its nodes are its lowering, the text its PyTorch
 * spelling. Calls nest (softmax inside sdpa). */
struct call {
    char *name;  /* "layer_norm" */
    char *torch; /* "F.layer_norm(v1, (64,), p0, p1, eps=1e-05)", with %N for node N's variable */
    int parent;  /* or -1 */
    int result;  /* node */
};

enum source_kind { SOURCE_INPUT, SOURCE_PARAM };

struct source {
    char *name; /* "x", "conv.weight" */
    enum source_kind kind;
    enum dtype dtype;
    struct shape shape;
    int node;
    int n_laws; /* under law number j of the graph it is laws[j % n_laws] */
    struct law *laws;
    uint32_t check_only; /* bit i: laws[i] is for checks, not for scored calls */
};

struct output {
    char *name;
    int node; /* its dtype and shape are the output's */
};

struct tolerance { /* factors of the error gate; 0: the default for the dtype */
    double rms, max;
    bool compensated; /* the honest run sums as if compensated: plain float sums are a null */
    char *why;
};

/* What the problem states where the graph's own count says something else; 0: it does not. */
struct stated_cost {
    double flops, bytes;
    enum dtype type; /* of the flops */
};

/* A null candidate of the problem's own: the same sources, other outputs. */
struct null {
    char *name;
    bool in_float;       /* evaluated in float, else in double */
    int *nodes;          /* per output, until graph_finish */
    struct graph *graph; /* from graph_finish on; owned */
};

/* FLOPs by what does the work: contractions count 2 per multiply-add, by the dtype of the operands.
 */
struct cost {
    double contract[DT_COUNT];
    double conv_part; /* of the contraction FLOPs, those of convolutions (Winograd's share) */
    double other;     /* elementwise, reductions, windows: one per element visited */
    double input_bytes, param_bytes, output_bytes;
};

struct graph {
    struct node *nodes;
    int n_nodes, cap_nodes;
    struct source *sources; /* inputs first, then parameters, each in order of declaration */
    int n_sources, n_inputs;
    struct output *outputs;
    int n_outputs;
    struct call *calls;
    int n_calls;
    int n_laws; /* the most any source has: law numbers are 0..n_laws - 1 */
    struct tolerance tolerance;
    struct stated_cost stated;
    int64_t memory_bytes; /* what a candidate may hold besides its tensors; 0: nothing stated */
    struct null *nulls;
    int n_nulls;
};

struct graph *graph_new(void);
void graph_free(struct graph *g);
void graph_freep(struct graph **g);

/* Appends a node after checking operands and inferring dtype and shape. For OP_SOURCE, OP_CONST,
 * OP_IOTA, OP_CAST, OP_RESHAPE, OP_EXPAND, OP_SLICE the wanted dtype and/or shape come in `want`.
 * Returns the node's number, or -1 and a message that says what does not fit ("matmul: [4, 8] x
 * [9, 2]: 8 and 9 must be equal"). */
int graph_add(struct graph *g, enum op_code op, const int *in, int n_in,
              const struct op_attrs *attrs, const struct node *want, struct err *err);
int graph_add_source(struct graph *g, enum source_kind kind, const char *name, enum dtype dtype,
                     const struct shape *shape, const struct law *laws, int n_laws,
                     struct err *err);
int graph_add_output(struct graph *g, const char *name, int node, struct err *err);
/* After all outputs: what a null candidate gives for them. nodes: one per output. */
int graph_add_null(struct graph *g, const char *name, const int *nodes, int n, bool in_float,
                   struct err *err);
/* After the last output: makes the graphs of the nulls, renumbers sources (inputs before
 * parameters), drops nodes no output needs, and refuses unused inputs and a graph without outputs.
 */
int graph_finish(struct graph *g, struct err *err);

/* The first output that node n is, or -1. */
int graph_output(const struct graph *g, int n);
/* The law that content number k of a pool is drawn under. The first contents go `rounds` times
 * through all laws, those behind them through the laws that are scored. */
int graph_law(const struct graph *g, int content, int rounds);
/* Whether scored calls may use law number j: no source keeps its law there for checks. */
bool graph_law_scored(const struct graph *g, int j);
int graph_n_scored(const struct graph *g);

void graph_cost(const struct graph *g, struct cost *ret);
double cost_contract_total(const struct cost *c);
double cost_bytes(const struct cost *c); /* compulsory: each input and output once */
/* Whether an output lies downstream of a stride-1 3x3(x3) convolution (Winograd widens the gate).
 */
bool graph_winograd(const struct graph *g);
/* Into the hash: ops, attributes, shapes, laws, names, tolerance; not the file's text. */
void graph_hash(const struct graph *g, struct hash *h);
/* One node a line, for `assay show --as graph` and for tests. */
void graph_print(const struct graph *g, struct buf *out);

#endif
