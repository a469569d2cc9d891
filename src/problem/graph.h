/* SPDX-License-Identifier: MIT */
/* A problem file becomes a graph: a flat list of nodes in execution order (SSA, static shapes).
 * Everything but the loader sees only the graph. Nodes are only appended; a node's inputs have
 * smaller numbers. */
#ifndef ASSAY_PROBLEM_GRAPH_H
#define ASSAY_PROBLEM_GRAPH_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "problem/construct.h"
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
    int call; /* index of the innermost composite call that this node belongs to, or -1 */
};

/* A composite op of the prelude, as a problem file called it: its nodes are its lowering, its text
 * is its PyTorch spelling. Calls nest (softmax inside sdpa). */
struct call {
    char *name;  /* "layer_norm" */
    char *torch; /* "F.layer_norm(v1, (64,), p0, p1, eps=1e-05)", with %N for node N's variable */
    int parent;  /* index of the enclosing call, or -1 */
    int result;  /* number of the node that the call returns */
};

enum source_kind { SOURCE_INPUT, SOURCE_PARAM };

struct source {
    char *name; /* "x", "conv.weight" */
    enum source_kind kind;
    enum dtype dtype;
    struct shape shape;
    int node;
    int n_laws; /* law number j of the graph means laws[j % n_laws] here */
    struct law *laws;
    uint32_t check_only; /* bit i: laws[i] is for checks, not for scored calls */
};

struct output {
    char *name;
    int node; /* number of the node with the output's dtype and shape */
};

struct tolerance { /* factors of the error gate; 0: the default for the dtype */
    double rms, max;
    bool compensated; /* the honest run sums as if compensated, and plain float sums are a null */
    char *why;
};

/* The cost that a problem states because the graph does not count its work; 0: not stated. */
struct stated_cost {
    double flops, bytes;
    enum dtype type; /* dtype of the flops */
};

/* A null candidate that the problem file states: the same sources, other outputs. */
struct null {
    char *name;
    bool in_float;       /* evaluated in float, else in double */
    int *nodes;          /* node per output; read by graph_finish */
    struct graph *graph; /* made by graph_finish; owned */
};

/* FLOPs and bytes of a graph. Contractions count 2 per multiply-add, by the dtype of the operands.
 */
struct cost {
    double contract[DT_COUNT];
    double conv_part; /* FLOPs of convolutions, a part of contract (Winograd can save some) */
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
    int n_laws; /* the largest n_laws of a source: law numbers are 0..n_laws - 1 */
    struct tolerance tolerance;
    struct stated_cost stated;
    int64_t memory_bytes;       /* budget of a candidate besides its tensors; 0: nothing stated */
    struct construct construct; /* for published PyTorch modules */
    struct null *nulls;
    int n_nulls;
    /* A reference outside draws the sources and computes the outputs. The outputs' nodes only state
     * their types and shapes. */
    bool by_reference;
};

struct graph *graph_new(void);
void graph_free(struct graph *g);
void graph_freep(struct graph **g);

/* Checks the operands, infers dtype and shape, and appends a node. For OP_SOURCE, OP_CONST,
 * OP_IOTA, OP_CAST, OP_RESHAPE, OP_EXPAND, OP_SLICE and OP_TOPK the wanted dtype and/or shape come
 * in `want`. Returns the node's number, or -1 and a message that says what does not fit ("matmul:
 * [4, 8] x [9, 2]: 8 and 9 must be equal"). */
int graph_add(struct graph *g, enum op_code op, const int *in, int n_in,
              const struct op_attrs *attrs, const struct node *want, struct err *err);
int graph_add_source(struct graph *g, enum source_kind kind, const char *name, enum dtype dtype,
                     const struct shape *shape, const struct law *laws, int n_laws,
                     struct err *err);
/* Fails unless the name can be that of a new input, parameter, output or scalar. */
int graph_check_name(const struct graph *g, const char *name, struct err *err);
int graph_add_output(struct graph *g, const char *name, int node, struct err *err);
/* Adds a null candidate, after all outputs. nodes: one per output, in its place. */
int graph_add_null(struct graph *g, const char *name, const int *nodes, int n, bool in_float,
                   struct err *err);
/* Finishes a graph after its last output and null: makes the graphs of the nulls, renumbers sources
 * (inputs before parameters), and drops nodes that no output needs. Refuses a graph without
 * outputs, one without a law for scored calls, and inputs that nothing uses, unless a reference
 * computes. */
int graph_finish(struct graph *g, struct err *err);

/* The number of the first output whose node is n, or -1. */
int graph_output(const struct graph *g, int n);
/* The law under which content number `content` of a pool is drawn. The first contents go `rounds`
 * times through all laws; later ones go through the laws that are scored. */
int graph_law(const struct graph *g, int content, int rounds);
/* Whether scored calls may use law number j: it is check-only for no source. */
bool graph_law_scored(const struct graph *g, int j);
int graph_n_scored(const struct graph *g);

void graph_cost(const struct graph *g, struct cost *ret);
double cost_contract_total(const struct cost *c);
double cost_bytes(const struct cost *c); /* compulsory bytes: each input and output once */
/* Whether an output depends on a stride-1 3x3(x3) convolution: Winograd widens its gate. */
bool graph_winograd(const struct graph *g);
/* Adds to the hash: ops, attributes, shapes, laws, names, tolerance, stated cost; not the file's
 * text. */
void graph_hash(const struct graph *g, struct hash *h);
/* Prints one node per line, for `assay show --as graph` and for tests. */
void graph_print(const struct graph *g, struct buf *out);

#endif
