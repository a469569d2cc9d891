/* SPDX-License-Identifier: MIT */
/* For the tests of src/ops: builds a graph on sources made of doubles and evaluates it. */
#ifndef TESTS_OPS_RIG_H
#define TESTS_OPS_RIG_H

#include "testing.h"

#include "base/util.h"
#include "ops/ops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TENSORS 16

struct tensor {
    struct shape shape;
    double *v;
};

struct rig {
    struct graph *g;
    void *data[MAX_TENSORS];           /* in the source's dtype */
    struct tensor source[MAX_TENSORS]; /* what that holds */
    void *out[MAX_TENSORS];
    int n_sources;
};

static struct err err;

#define SHAPE(...) shape_of((const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / 8)

static inline struct shape shape_of(const int64_t *dim, size_t rank)
{
    struct shape s = {.rank = (int)rank};

    memcpy(s.dim, dim, rank * sizeof(*dim));
    return s;
}

static inline void rig_start(struct rig *r)
{
    memset(r, 0, sizeof(*r));
    r->g = graph_new();
}

static inline void rig_end(struct rig *r)
{
    for (int i = 0; i < MAX_TENSORS; i++) {
        free(r->data[i]);
        free(r->source[i].v);
        free(r->out[i]);
    }
    graph_free(r->g);
}

static inline double noise(void)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53 * 2 - 1;
}

static inline int add_source(struct rig *r, enum dtype t, struct shape s, const double *values)
{
    struct law law = {LAW_CONSTANT, 0, 0, 0};
    int64_t n = shape_count(&s);
    int i = r->n_sources++;
    char name[8];

    snprintf(name, sizeof(name), "x%d", i);
    r->source[i] = (struct tensor){s, xcalloc((size_t)n, sizeof(double))};
    r->data[i] = xcalloc((size_t)n, 8);
    for (int64_t k = 0; k < n; k++) {
        char *at = (char *)r->data[i] + (size_t)k * dtype_size(t);

        dtype_store(t, at, values ? values[k] : noise());
        r->source[i].v[k] = dtype_load(t, at);
    }

    int node = graph_add_source(r->g, SOURCE_INPUT, name, t, &s, &law, 1, &err);

    assert_true(node >= 0);
    return node;
}

static inline int add_f32(struct rig *r, struct shape s)
{
    return add_source(r, DT_F32, s, NULL);
}

static inline int add_op(struct rig *r, enum op_code op, const struct op_attrs *attrs,
                         const struct node *want, int n_in, ...)
{
    int in[8];
    va_list ap;

    va_start(ap, n_in);
    for (int i = 0; i < n_in; i++)
        in[i] = va_arg(ap, int);
    va_end(ap);

    int node = graph_add(r->g, op, in, n_in, attrs, want, &err);

    must(node, &err);
    return node;
}

static inline void finish(struct rig *r, int node)
{
    assert_int_equal(graph_add_output(r->g, "y", node, &err), 0);
    must(graph_finish(r->g, &err), &err);
}

static inline int64_t result_count(const struct rig *r, int i)
{
    return shape_count(&r->g->nodes[r->g->outputs[i].node].shape);
}

static inline int evaluate_on_host(struct rig *r, const struct ops_run *run)
{
    for (int i = 0; i < r->g->n_outputs; i++) {
        free(r->out[i]);
        r->out[i] = xmalloc((size_t)result_count(r, i) * 8);
        memset(r->out[i], 0xA5, (size_t)result_count(r, i) * 8);
    }
    return ops_host.eval(ops_host.ctx, r->g, run, (const void *const *)r->data, r->out, &err);
}

#ifdef RIG_ON_GPU
#include "gpu_rig.h"
#else
#define RIG_FAULT "alloc"

static inline int evaluate(struct rig *r, const struct ops_run *run)
{
    return evaluate_on_host(r, run);
}
#endif

static inline struct tensor result(const struct rig *r, int i)
{
    struct tensor t = {r->g->nodes[r->g->outputs[i].node].shape, r->out[i]};

    return t;
}

static const struct ops_run in_double = {.precision = OPS_DOUBLE};
static const struct ops_run in_float = {.precision = OPS_FLOAT};

/* RMS of the difference over RMS of want */
static inline double distance(const double *got, const double *want, int64_t n)
{
    double d = 0, w = 0;

    for (int64_t i = 0; i < n; i++) {
        d += (got[i] - want[i]) * (got[i] - want[i]);
        w += want[i] * want[i];
    }
    return w > 0 ? sqrt(d / w) : sqrt(d);
}

/* Both precisions against want: double exactly but for rounding, float within its own. */
static inline void check(struct rig *r, int node, const double *want, const char *what)
{
    finish(r, node);
    for (int p = 0; p < 2; p++) {
        const struct ops_run *run = p ? &in_float : &in_double;

        assert_int_equal(evaluate(r, run), 0);

        struct tensor y = result(r, 0);
        double d = distance(y.v, want, shape_count(&y.shape));

        if (!(d < (p ? 1e-3 : 1e-12)))
            fail_msg("%s, %s: off by %g", what, p ? "float" : "double", d);
    }
}

/* --- index arithmetic of the tests' own: coordinates, most significant first --- */

static inline void coords(const struct shape *s, int64_t i, int64_t *at)
{
    for (int d = s->rank - 1; d >= 0; d--) {
        at[d] = i % s->dim[d];
        i /= s->dim[d];
    }
}

static inline int64_t place(const struct shape *s, const int64_t *at)
{
    int64_t i = 0;

    for (int d = 0; d < s->rank; d++)
        i = i * s->dim[d] + at[d];
    return i;
}

/* x's element under NumPy broadcasting at coordinates of out */
static inline double fetch(const struct tensor *x, const struct shape *out, const int64_t *at)
{
    int64_t own[SHAPE_MAX_RANK];

    for (int d = 0; d < x->shape.rank; d++) {
        own[d] = at[d + out->rank - x->shape.rank];
        if (x->shape.dim[d] == 1)
            own[d] = 0;
    }
    return x->v[place(&x->shape, own)];
}

static inline double *room(const struct shape *s)
{
    return xcalloc((size_t)shape_count(s), sizeof(double));
}

static inline int add_recurrence(struct rig *r, enum op_code op, int64_t steps, int64_t batch,
                                 int64_t hidden)
{
    int64_t g = op == OP_LSTM ? 4 : op == OP_GRU ? 3 : 1;
    int x = add_f32(r, SHAPE(steps, batch, g * hidden)), w = add_f32(r, SHAPE(g * hidden, hidden));
    int b = add_f32(r, SHAPE(g * hidden)), h = add_f32(r, SHAPE(batch, hidden)), c = -1;

    if (op == OP_LSTM)
        c = add_f32(r, SHAPE(batch, hidden));
    return add_op(r, op, NULL, NULL, op == OP_LSTM ? 5 : 4, x, w, b, h, c);
}

#endif
