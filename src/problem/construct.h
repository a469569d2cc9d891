/* SPDX-License-Identifier: MIT */
/* Making and calling a published PyTorch module for a problem: the constructor's arguments, the
 * arguments of forward in order, the module's names for parameters, and its mode.
 *
 * Each size has its own, as it has its own graph. C and CUDA candidates need none of it, so it does
 * not enter problem.hash: records of such candidates stay comparable when a file gains it. Whoever
 * keeps something that a Python candidate made adds construct_hash() to the key. */
#ifndef ASSAY_PROBLEM_CONSTRUCT_H
#define ASSAY_PROBLEM_CONSTRUCT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"

struct graph;
struct problem;

enum arg_kind { ARG_NONE, ARG_BOOL, ARG_INT, ARG_FLOAT, ARG_STRING, ARG_LIST, ARG_TUPLE };

/* A Python value. */
struct arg {
    enum arg_kind kind;
    int64_t number; /* ARG_INT; ARG_BOOL: 0 or 1 */
    double real;    /* ARG_FLOAT; finite */
    char *text;     /* ARG_STRING */
    struct arg *items;
    int n_items; /* ARG_LIST and ARG_TUPLE */
};

/* scalar(name, value): a plain number among the arguments of forward. */
struct scalar {
    char *name;
    struct arg value; /* ARG_INT or ARG_FLOAT */
    int before;       /* how many inputs come before it */
};

/* state { PARAM = NAME }: a parameter that the published module calls otherwise. */
struct state_name {
    char *param, *name;
};

struct construct {
    bool stated;     /* init() was called; if not, no published constructor makes this size */
    struct arg init; /* ARG_LIST */
    struct scalar *scalars;
    int n_scalars;
    struct state_name *states;
    int n_states;
};

void arg_release(struct arg *a);
void construct_release(struct construct *c);
/* Adds a scalar behind the inputs that the graph has so far, and takes over what value owns. */
int construct_add_scalar(struct graph *g, const char *name, const struct arg *value,
                         struct err *err);
/* Names a parameter of the graph as the module does. */
int construct_add_state(struct graph *g, const char *param, const char *name, struct err *err);

/* Prints a value as Python writes it. */
void arg_print(const struct arg *a, struct buf *out);
/* The constructor's arguments of a size as a Python list: "[2048, (3, 5), True, 'x', 0.1, None]",
 * which ast.literal_eval() reads; false if the size has none. */
bool construct_init(const struct graph *g, struct buf *out);

/* Argument k of forward; in the order in which the file declares inputs and scalars. */
struct forward_arg {
    const char *name;            /* not owned */
    int input;                   /* index of the input in graph.sources, or -1 */
    const struct scalar *scalar; /* if input is -1; not owned */
};
int construct_n_forward(const struct graph *g);
struct forward_arg construct_forward(const struct graph *g, int k);

/* The module's name of source number `param`: the source's own unless the file has another. */
const char *construct_state(const struct graph *g, int param);

/* All of it as one line of JSON, for a Python process:
 *   {"init": [2048, [3, 5], true, "x", 0.1, null], "init_python": "[2048, (3, 5), ...]",
 *    "forward": [{"input": 0}, {"value": 3.14}], "state": ["weight", "weight_scale"],
 *    "mode": "train"}
 * JSON has no tuples: init_python tells them from lists. Both are null if the size has no
 * constructor. "state" has a name for each parameter in order; mode is "train" or "eval". */
void construct_json(const struct problem *p, const struct graph *g, struct buf *out);
/* The hash of these lines for every size of the problem. */
void construct_hash(const struct problem *p, char out[HASH_HEX]);

#endif
