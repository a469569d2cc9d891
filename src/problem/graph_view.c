/* SPDX-License-Identifier: MIT */
/* Reading a finished graph: its cost, its hash, its text. */
#include "problem/graph.h"

#include <stdio.h>
#include <string.h>

static double count_of(const struct shape *s)
{
    return (double)shape_count(s);
}

static double window_size(const struct window *w)
{
    double n = 1;

    for (int i = 0; i < w->nd; i++)
        n *= (double)w->k[i];
    return n;
}

/* FLOPs of a contraction, 2 per multiply-add. A transposed convolution scatters every input
 * element, so it counts by x. */
static double contract_flops(const struct graph *g, const struct node *n)
{
    const struct shape *x = &g->nodes[n->in[0]].shape, *w = &g->nodes[n->in[1]].shape;
    double out = count_of(&n->shape);

    switch (n->op) {
    case OP_MATMUL:
        return 2 * out * (double)x->dim[x->rank - (n->attrs.trans_a ? 2 : 1)];
    case OP_GROUPED_MATMUL:
        return 2 * out * (double)x->dim[1];
    case OP_DELTA_RULE: /* S^T k, the update and S^T q; decays are not counted */
        return 6 * out * (double)x->dim[3];
    case OP_CONV:
    case OP_CONV_TRANSPOSE:
        return 2 * (n->op == OP_CONV ? out : count_of(x)) * (double)w->dim[1] *
               window_size(&n->attrs.window);
    default: /* recurrences: a product with w_hh per step */
        return 2 * (double)x->dim[0] * (double)x->dim[1] * count_of(w);
    }
}

static double other_flops(const struct graph *g, const struct node *n)
{
    switch (op_table[n->op].class) {
    case OP_CLASS_ELEMENTWISE:
    case OP_CLASS_SCAN:
        return count_of(&n->shape);
    case OP_CLASS_REDUCE:
        return count_of(&g->nodes[n->in[0]].shape);
    case OP_CLASS_WINDOW:
        return count_of(&n->shape) * window_size(&n->attrs.window);
    case OP_CLASS_RECUR:
        return count_of(&g->nodes[n->in[0]].shape);
    default:
        return 0;
    }
}

/* A reference need not read what it draws, so only its outputs must be moved. */
static void add_bytes(const struct graph *g, struct cost *c)
{
    for (int i = 0; i < g->n_sources && !g->by_reference; i++) {
        const struct source *s = &g->sources[i];
        double bytes = count_of(&s->shape) * (double)dtype_size(s->dtype);

        *(s->kind == SOURCE_INPUT ? &c->input_bytes : &c->param_bytes) += bytes;
    }
    for (int i = 0; i < g->n_outputs; i++) {
        const struct node *n = &g->nodes[g->outputs[i].node];

        c->output_bytes += count_of(&n->shape) * (double)dtype_size(n->dtype);
    }
}

/* Replaces counted costs by stated ones. Stated bytes are all that must be moved: outputs are
 * counted whole, the rest is input. */
static void apply_stated(const struct stated_cost *s, struct cost *c)
{
    if (s->flops > 0) {
        memset(c->contract, 0, sizeof(c->contract));
        c->contract[s->type] = s->flops;
    }
    if (s->bytes > 0) {
        c->input_bytes = s->bytes - c->output_bytes;
        c->param_bytes = 0;
    }
}

void graph_cost(const struct graph *g, struct cost *ret)
{
    struct cost c = {0};

    for (int i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->nodes[i];
        enum op_class class = op_table[n->op].class;

        if (class == OP_CLASS_CONTRACT || class == OP_CLASS_RECUR) {
            double flops = contract_flops(g, n);

            c.contract[g->nodes[n->in[0]].dtype] += flops;
            if (n->op == OP_CONV || n->op == OP_CONV_TRANSPOSE)
                c.conv_part += flops;
        }
        c.other += other_flops(g, n);
    }
    add_bytes(g, &c);
    apply_stated(&g->stated, &c);
    *ret = c;
}

double cost_contract_total(const struct cost *c)
{
    double sum = 0;

    for (int i = 0; i < DT_COUNT; i++)
        sum += c->contract[i];
    return sum;
}

double cost_bytes(const struct cost *c)
{
    return c->input_bytes + c->param_bytes + c->output_bytes;
}

bool graph_law_scored(const struct graph *g, int j)
{
    for (int i = 0; i < g->n_sources; i++)
        if (g->sources[i].n_laws && g->sources[i].check_only >> j % g->sources[i].n_laws & 1)
            return false;
    return true;
}

int graph_n_scored(const struct graph *g)
{
    int n = 0;

    for (int j = 0; j < g->n_laws; j++)
        n += graph_law_scored(g, j);
    return n;
}

int graph_output(const struct graph *g, int n)
{
    for (int i = 0; i < g->n_outputs; i++)
        if (g->outputs[i].node == n)
            return i;
    return -1;
}

int graph_law(const struct graph *g, int content, int rounds)
{
    if (content < rounds * g->n_laws)
        return content % g->n_laws;

    int nth = (content - rounds * g->n_laws) % graph_n_scored(g), j = 0;

    for (;; j++)
        if (graph_law_scored(g, j) && nth-- == 0)
            return j;
}

/* Every node of a finished graph is needed by an output, so any convolution counts. A transposed
 * convolution of stride 1 is a convolution with turned weights. */
bool graph_winograd(const struct graph *g)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->nodes[i];
        const struct window *w = &n->attrs.window;
        bool fits = (n->op == OP_CONV || n->op == OP_CONV_TRANSPOSE) && w->nd >= 2;

        for (int j = 0; fits && j < w->nd; j++)
            fits = w->k[j] == 3 && w->stride[j] == 1 && w->dilation[j] == 1;
        if (fits)
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ hash */

static void add_int(struct hash *h, int64_t v)
{
    hash_add_u64(h, (uint64_t)v);
}

static void add_double(struct hash *h, double v)
{
    uint64_t bits;

    v = v == 0 ? 0 : v; /* -0 and 0 have the same hash */
    memcpy(&bits, &v, sizeof(bits));
    hash_add_u64(h, bits);
}

static void add_shape(struct hash *h, const struct shape *s)
{
    add_int(h, s->rank);
    for (int i = 0; i < s->rank; i++)
        add_int(h, s->dim[i]);
}

static void add_window(struct hash *h, const struct window *w)
{
    add_int(h, w->nd);
    for (int i = 0; i < w->nd; i++) {
        add_int(h, w->k[i]);
        add_int(h, w->stride[i]);
        add_int(h, w->pad[i]);
        add_int(h, w->dilation[i]);
        add_int(h, w->output_pad[i]);
    }
    add_int(h, w->groups);
    add_int(h, w->ceil);
}

static void add_attrs(struct hash *h, const struct op_attrs *a)
{
    add_int(h, a->source);
    add_int(h, a->axis);
    add_int(h, a->axes);
    add_int(h, a->keep);
    add_int(h, a->trans_a);
    add_int(h, a->trans_b);
    add_double(h, a->value);
    add_int(h, a->from);
    add_int(h, a->step);
    for (int i = 0; i < SHAPE_MAX_RANK; i++) {
        add_int(h, a->perm[i]);
        add_int(h, a->lo[i]);
        add_int(h, a->hi[i]);
    }
    add_window(h, &a->window);
}

static void add_node(struct hash *h, const struct node *n)
{
    /* Names, not codes: a new op in the middle of the enum changes no problem's hash. */
    hash_adds(h, op_table[n->op].name);
    hash_adds(h, dtype_name(n->dtype));
    add_shape(h, &n->shape);
    add_int(h, n->n_in);
    for (int i = 0; i < n->n_in; i++)
        add_int(h, n->in[i]);
    add_attrs(h, &n->attrs);
}

static void add_source(struct hash *h, const struct source *s)
{
    hash_adds(h, s->name);
    add_int(h, s->kind);
    hash_adds(h, dtype_name(s->dtype));
    add_shape(h, &s->shape);
    add_int(h, s->n_laws);
    for (int i = 0; i < s->n_laws; i++) {
        hash_adds(h, law_name(s->laws[i].kind));
        if (law_version(s->laws[i].kind) > 0)
            add_int(h, law_version(s->laws[i].kind));
        add_double(h, s->laws[i].a);
        add_double(h, s->laws[i].b);
        add_double(h, s->laws[i].scale == 0 ? 1 : s->laws[i].scale);
    }
    if (s->check_only)
        add_int(h, s->check_only);
}

void graph_hash(const struct graph *g, struct hash *h)
{
    add_int(h, g->n_sources);
    for (int i = 0; i < g->n_sources; i++)
        add_source(h, &g->sources[i]);
    add_int(h, g->n_nodes);
    for (int i = 0; i < g->n_nodes; i++)
        add_node(h, &g->nodes[i]);
    add_int(h, g->n_outputs);
    for (int i = 0; i < g->n_outputs; i++) {
        hash_adds(h, g->outputs[i].name);
        add_int(h, g->outputs[i].node);
    }
    add_double(h, g->tolerance.rms);
    add_double(h, g->tolerance.max);
    if (g->tolerance.compensated)
        hash_adds(h, "compensated");
    if (g->stated.flops > 0 || g->stated.bytes > 0) {
        add_double(h, g->stated.flops);
        add_double(h, g->stated.bytes);
    }
}

/* ------------------------------------------------------------------ text */

static void print_list(struct buf *out, const char *name, const int64_t *v, int n)
{
    buf_addf(out, " %s=", name);
    for (int i = 0; i < n; i++)
        buf_addf(out, "%s%lld", i ? "," : "", (long long)v[i]);
}

static void print_window(struct buf *out, const struct window *w)
{
    print_list(out, "k", w->k, w->nd);
    print_list(out, "stride", w->stride, w->nd);
    print_list(out, "pad", w->pad, w->nd);
    print_list(out, "dilation", w->dilation, w->nd);
    print_list(out, "output_pad", w->output_pad, w->nd);
    buf_addf(out, " groups=%lld%s", (long long)w->groups, w->ceil ? " ceil" : "");
}

static void print_axes(struct buf *out, const struct op_attrs *a)
{
    const char *sep = " axes=";

    for (int i = 0; i < SHAPE_MAX_RANK; i++) {
        if (a->axes >> i & 1) {
            buf_addf(out, "%s%d", sep, i);
            sep = ",";
        }
    }
    buf_adds(out, a->keep ? " keep" : "");
}

static void print_attrs(struct buf *out, const struct graph *g, const struct node *n)
{
    const struct op_attrs *a = &n->attrs;

    switch (n->op) {
    case OP_SOURCE:
        buf_addf(out, " %s", g->sources[a->source].name);
        break;
    case OP_CONST:
        buf_addf(out, " %.9g", a->value);
        break;
    case OP_IOTA:
    case OP_CUMSUM:
    case OP_CUMPROD:
    case OP_CONCAT:
    case OP_GATHER:
    case OP_TAKE:
    case OP_TOPK:
        buf_addf(out, " axis=%d", a->axis);
        break;
    case OP_CAST:
        buf_adds(out, a->keep ? " unrounded" : "");
        break;
    case OP_MATMUL:
        buf_addf(out, "%s%s", a->trans_a ? " trans_a" : "", a->trans_b ? " trans_b" : "");
        break;
    case OP_PERMUTE:
        for (int i = 0; i < n->shape.rank; i++)
            buf_addf(out, "%s%d", i ? "," : " perm=", a->perm[i]);
        break;
    case OP_SLICE:
        buf_addf(out, " axis=%d from=%lld step=%lld", a->axis, (long long)a->from,
                 (long long)a->step);
        break;
    case OP_PAD:
        print_list(out, "lo", a->lo, n->shape.rank);
        print_list(out, "hi", a->hi, n->shape.rank);
        buf_addf(out, " value=%.9g", a->value);
        break;
    default:
        if (op_table[n->op].class == OP_CLASS_REDUCE)
            print_axes(out, a);
        else if (a->window.nd)
            print_window(out, &a->window);
    }
}

void graph_print(const struct graph *g, struct buf *out)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->nodes[i];

        buf_addf(out, "%%%d = %s", i, op_table[n->op].name);
        for (int j = 0; j < n->n_in; j++)
            buf_addf(out, " %%%d", n->in[j]);
        print_attrs(out, g, n);
        buf_addf(out, " -> %s ", dtype_name(n->dtype));
        shape_print(&n->shape, out);
        if (n->call >= 0)
            buf_addf(out, "  # %s", g->calls[n->call].name);
        buf_addch(out, '\n');
    }
    for (int i = 0; i < g->n_outputs; i++)
        buf_addf(out, "output %s = %%%d\n", g->outputs[i].name, g->outputs[i].node);
}
