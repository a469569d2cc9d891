/* SPDX-License-Identifier: MIT */
/* Building a graph: nodes, sources, outputs, and the clean-up after the last output. */
#include "problem/graph_ops.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stops an endless loop. The largest published net (DenseNet-201) has about 5,000 nodes. */
#define GRAPH_MAX_NODES 200000

struct graph *graph_new(void)
{
    return xcalloc(1, sizeof(struct graph));
}

static void call_release(struct call *c)
{
    free(c->name);
    free(c->torch);
}

static void null_release(struct null *n)
{
    free(n->name);
    free(n->nodes);
    graph_free(n->graph);
}

void graph_free(struct graph *g)
{
    if (!g)
        return;
    for (int i = 0; i < g->n_nodes; i++)
        free(g->nodes[i].in);
    for (int i = 0; i < g->n_sources; i++) {
        free(g->sources[i].name);
        free(g->sources[i].laws);
    }
    for (int i = 0; i < g->n_outputs; i++)
        free(g->outputs[i].name);
    for (int i = 0; i < g->n_calls; i++)
        call_release(&g->calls[i]);
    free(g->nodes);
    free(g->sources);
    free(g->outputs);
    free(g->calls);
    for (int i = 0; i < g->n_nulls; i++)
        null_release(&g->nulls[i]);
    free(g->nulls);
    free(g->tolerance.why);
    construct_release(&g->construct);
    free(g);
}

void graph_freep(struct graph **g)
{
    graph_free(*g);
    *g = NULL;
}

static int append(struct graph *g, const struct node *node)
{
    if (g->n_nodes == g->cap_nodes) {
        g->cap_nodes = MAX(64, g->cap_nodes * 2);
        g->nodes = xrealloc(g->nodes, (size_t)g->cap_nodes * sizeof(*g->nodes));
    }
    g->nodes[g->n_nodes] = *node;
    return g->n_nodes++;
}

int graph_add(struct graph *g, enum op_code op, const int *in, int n_in,
              const struct op_attrs *attrs, const struct node *want, struct err *err)
{
    struct node node = {.op = op, .n_in = n_in, .call = -1};
    struct infer f = {g, &node, want, err};

    if (g->n_nodes >= GRAPH_MAX_NODES)
        return fail(err, ERR_INPUT, "more than %d nodes: is a loop endless?", GRAPH_MAX_NODES);
    if (attrs)
        node.attrs = *attrs;
    node.in = xmalloc(sizeof(int) * (size_t)n_in);
    if (n_in)
        memcpy(node.in, in, sizeof(int) * (size_t)n_in);
    if (op_infer(&f) < 0) {
        free(node.in);
        return -1;
    }
    return append(g, &node);
}

/* Names become macros and variables: letters, digits, '_' and '.', a letter first. */
static int check_name(const char *name, struct err *err)
{
    bool ok = isalpha((unsigned char)name[0]) && strlen(name) <= 100;

    for (const char *p = name; *p; p++)
        ok = ok && (isalnum((unsigned char)*p) || *p == '_' || *p == '.');
    if (ok)
        return 0;
    return fail(err, ERR_INPUT,
                "'%.100s' is no tensor name: letters, digits, '_' and '.', a letter first", name);
}

/* Whether two tensors would have the same macro: IN_CONV_WEIGHT stands for conv.weight and for
 * conv_weight, so a graph may not have both. */
static bool same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        int x = *a == '.' ? '_' : toupper((unsigned char)*a);
        int y = *b == '.' ? '_' : toupper((unsigned char)*b);

        if (x != y)
            return false;
    }
    return *a == *b;
}

int graph_check_name(const struct graph *g, const char *name, struct err *err)
{
    const char *other = NULL;

    if (check_name(name, err) < 0)
        return -1;
    for (int i = 0; i < g->n_sources && !other; i++)
        if (same_name(g->sources[i].name, name))
            other = g->sources[i].name;
    for (int i = 0; i < g->n_outputs && !other; i++)
        if (same_name(g->outputs[i].name, name))
            other = g->outputs[i].name;
    for (int i = 0; i < g->construct.n_scalars && !other; i++)
        if (same_name(g->construct.scalars[i].name, name))
            other = g->construct.scalars[i].name;
    if (!other)
        return 0;
    if (!strcmp(other, name))
        return fail(err, ERR_INPUT, "there is already a tensor named %s", name);
    return fail(err, ERR_INPUT, "%s and %s would have the same name in C", other, name);
}

static int check_dims(const char *name, const struct shape *s, struct err *err)
{
    for (int i = 0; i < s->rank; i++)
        if (s->dim[i] < 1)
            return fail(err, ERR_INPUT, "%s: dimension %d of %s must be at least 1", name, i,
                        shape_text(s).s);
    if (shape_count(s) < 0)
        return fail(err, ERR_INPUT, "%s: %s has more than %lld elements", name, shape_text(s).s,
                    (long long)SHAPE_MAX_COUNT);
    return 0;
}

int graph_add_source(struct graph *g, enum source_kind kind, const char *name, enum dtype dtype,
                     const struct shape *shape, const struct law *laws, int n_laws, struct err *err)
{
    struct node want = {.dtype = dtype, .shape = *shape};
    struct op_attrs attrs = {.source = g->n_sources};
    const char *why = "";

    if (graph_check_name(g, name, err) < 0 || check_dims(name, shape, err) < 0)
        return -1;
    for (int i = 0; i < n_laws; i++)
        if (!law_fits(&laws[i], dtype, &why) || !law_fits_shape(&laws[i], shape, &why))
            return fail(err, ERR_INPUT, "%s: %s() for %s: %s", name, law_name(laws[i].kind),
                        dtype_name(dtype), why);

    int node = graph_add(g, OP_SOURCE, NULL, 0, &attrs, &want, err);

    if (node < 0)
        return -1;

    struct source *s;

    g->sources = xrealloc(g->sources, (size_t)(g->n_sources + 1) * sizeof(*g->sources));
    s = &g->sources[g->n_sources++];
    *s = (struct source){xstrdup(name), kind, dtype, *shape, node, n_laws, NULL, 0};
    s->laws = xcalloc((size_t)n_laws, sizeof(*laws));
    if (n_laws)
        memcpy(s->laws, laws, (size_t)n_laws * sizeof(*laws));
    g->n_inputs += kind == SOURCE_INPUT;
    g->n_laws = MAX(g->n_laws, n_laws);
    return node;
}

int graph_add_output(struct graph *g, const char *name, int node, struct err *err)
{
    if (graph_check_name(g, name, err) < 0)
        return -1;
    g->outputs = xrealloc(g->outputs, (size_t)(g->n_outputs + 1) * sizeof(*g->outputs));
    g->outputs[g->n_outputs++] = (struct output){xstrdup(name), node};
    return 0;
}

int graph_add_null(struct graph *g, const char *name, const int *nodes, int n, bool in_float,
                   struct err *err)
{
    struct null *null;

    if (n != g->n_outputs)
        return fail(err, ERR_INPUT, "null %s: %d tensors for %d outputs", name, n, g->n_outputs);
    for (int i = 0; i < n; i++) {
        const struct node *want = &g->nodes[g->outputs[i].node], *have = &g->nodes[nodes[i]];

        if (have->dtype != want->dtype || !shape_equal(&have->shape, &want->shape))
            return fail(err, ERR_INPUT, "null %s: %s %s where output %s is %s %s", name,
                        dtype_name(have->dtype), shape_text(&have->shape).s, g->outputs[i].name,
                        dtype_name(want->dtype), shape_text(&want->shape).s);
    }
    g->nulls = xrealloc(g->nulls, (size_t)(g->n_nulls + 1) * sizeof(*g->nulls));
    null = &g->nulls[g->n_nulls++];
    *null = (struct null){xstrdup(name), in_float, xmalloc(sizeof(int) * (size_t)n), NULL};
    memcpy(null->nodes, nodes, sizeof(int) * (size_t)n);
    return 0;
}

/* ------------------------------------------------------------------ finish */

/* New numbers of nodes and calls; -1: dropped. A dissolved call gets the number of its nearest kept
 * parent. */
struct moves {
    int *node, *call;
};

static void moves_release(struct moves *m)
{
    free(m->node);
    free(m->call);
}

/* Marks the nodes that outputs need. Inputs of a node have smaller numbers, so one sweep from the
 * end finds them all. */
static void mark_needed(const struct graph *g, int *needed)
{
    for (int i = 0; i < g->n_outputs; i++)
        needed[g->outputs[i].node] = 1;
    for (int i = g->n_nodes - 1; i >= 0; i--)
        for (int j = 0; needed[i] && j < g->nodes[i].n_in; j++)
            needed[g->nodes[i].in[j]] = 1;
}

static int check_inputs_used(const struct graph *g, const int *needed, struct err *err)
{
    for (int i = 0; i < g->n_sources; i++)
        if (g->sources[i].kind == SOURCE_INPUT && !needed[g->sources[i].node])
            return fail(err, ERR_INPUT, "input %s: no output needs it", g->sources[i].name);
    return 0;
}

static bool made_inside(const struct graph *g, int node, int call)
{
    int c = g->nodes[node].call;

    while (c > call)
        c = g->calls[c].parent;
    return c == call;
}

const char *call_next_ref(const char *p, int *ret_node, const char **ret_end)
{
    for (p = strchr(p, '%'); p; p = strchr(p + 1, '%')) {
        if (isdigit((unsigned char)p[1])) {
            char *end;

            *ret_node = (int)strtol(p + 1, &end, 10);
            *ret_end = end;
            return p;
        }
    }
    return NULL;
}

/* Whether a call is kept: its PyTorch text can replace its nodes if the call made its result
 * itself, and if every node that the text names is still there. */
static bool call_stands(const struct graph *g, int call, const int *node_to)
{
    const struct call *c = &g->calls[call];
    const char *p = c->torch, *end;
    int node;

    if (!c->torch || c->result < 0 || node_to[c->result] < 0 || !made_inside(g, c->result, call))
        return false;
    for (; call_next_ref(p, &node, &end); p = end)
        if (node < 0 || node >= g->n_nodes || node_to[node] < 0)
            return false;
    return true;
}

static void renumber_text(struct call *c, const int *node_to)
{
    AUTO(buf_release) struct buf out = BUF_INIT;
    const char *p = c->torch, *at, *end;
    int node;

    while ((at = call_next_ref(p, &node, &end))) {
        buf_add(&out, p, (size_t)(at - p));
        buf_addf(&out, "%%%d", node_to[node]);
        p = end;
    }
    buf_adds(&out, p);
    free(c->torch);
    c->torch = buf_steal(&out);
}

/* Drops calls and renumbers the others. Parents have smaller numbers than the calls inside them, so
 * each pass forward sees a parent first. */
static void compact_calls(struct graph *g, struct moves *m)
{
    int n = 0;

    for (int i = 0; i < g->n_calls; i++) {
        struct call *c = &g->calls[i];
        int parent = c->parent < 0 ? -1 : m->call[c->parent];

        if (!call_stands(g, i, m->node)) {
            m->call[i] = parent;
            call_release(c);
            *c = (struct call){.parent = c->parent};
            continue;
        }
        m->call[i] = n++;
    }
    for (int i = 0; i < g->n_calls; i++) {
        struct call *c = &g->calls[i];

        if (!c->torch)
            continue;
        renumber_text(c, m->node);
        c->result = m->node[c->result];
        c->parent = c->parent < 0 ? -1 : m->call[c->parent];
        g->calls[m->call[i]] = *c;
    }
    g->n_calls = n;
}

static void compact_nodes(struct graph *g, const struct moves *m)
{
    int n = 0;

    for (int i = 0; i < g->n_nodes; i++) {
        struct node *node = &g->nodes[i];

        if (m->node[i] < 0) {
            free(node->in);
            continue;
        }
        for (int j = 0; j < node->n_in; j++)
            node->in[j] = m->node[node->in[j]];
        node->call = node->call < 0 ? -1 : m->call[node->call];
        g->nodes[n++] = *node;
    }
    g->n_nodes = n;
    for (int i = 0; i < g->n_outputs; i++)
        g->outputs[i].node = m->node[g->outputs[i].node];
    for (int i = 0; i < g->n_sources; i++)
        g->sources[i].node = m->node[g->sources[i].node];
}

static void inputs_first(struct graph *g)
{
    struct source *sorted = xcalloc((size_t)g->n_sources, sizeof(*sorted));
    int n = 0;

    for (int kind = SOURCE_INPUT; kind <= SOURCE_PARAM; kind++)
        for (int i = 0; i < g->n_sources; i++)
            if ((int)g->sources[i].kind == kind)
                sorted[n++] = g->sources[i];
    free(g->sources);
    g->sources = sorted;
    for (int i = 0; i < g->n_sources; i++)
        g->nodes[g->sources[i].node].attrs.source = i;
}

static void copy_source(struct graph *to, const struct source *s)
{
    size_t bytes = (size_t)s->n_laws * sizeof(*s->laws);
    struct source *copy;

    to->sources = xrealloc(to->sources, (size_t)(to->n_sources + 1) * sizeof(*to->sources));
    copy = &to->sources[to->n_sources++];
    *copy = *s;
    copy->name = xstrdup(s->name);
    copy->laws = xmalloc(bytes);
    if (bytes)
        memcpy(copy->laws, s->laws, bytes);
}

/* A copy of the graph whose outputs are the null's nodes. It is only evaluated, so calls, tolerance
 * and the like are not copied. */
static struct graph *null_graph(const struct graph *g, const struct null *null)
{
    struct graph *to = graph_new();

    for (int i = 0; i < g->n_nodes; i++) {
        struct node n = g->nodes[i];

        n.in = xmalloc(sizeof(int) * (size_t)n.n_in);
        if (n.n_in)
            memcpy(n.in, g->nodes[i].in, sizeof(int) * (size_t)n.n_in);
        n.call = -1;
        append(to, &n);
    }
    for (int i = 0; i < g->n_sources; i++)
        copy_source(to, &g->sources[i]);
    to->n_inputs = g->n_inputs;
    to->n_laws = g->n_laws;
    to->outputs = xcalloc((size_t)g->n_outputs, sizeof(*to->outputs));
    for (; to->n_outputs < g->n_outputs; to->n_outputs++)
        to->outputs[to->n_outputs] =
            (struct output){xstrdup(g->outputs[to->n_outputs].name), null->nodes[to->n_outputs]};
    return to;
}

/* Drops unneeded nodes and renumbers the others. all_inputs: every input must be needed. A null may
 * ignore an input. */
static int finish(struct graph *g, bool all_inputs, struct err *err)
{
    AUTO(moves_release)
    struct moves m = {
        .node = xcalloc((size_t)g->n_nodes, sizeof(int)),
        .call = xcalloc((size_t)g->n_calls, sizeof(int)),
    };
    int n = 0;

    if (!g->n_outputs)
        return fail(err, ERR_INPUT, "there is no output: end with output(\"y\", y)");
    mark_needed(g, m.node);
    if (all_inputs && check_inputs_used(g, m.node, err) < 0)
        return -1;
    /* A parameter that nobody reads stays: it is part of the published signature (L2/26, L3/50). */
    for (int i = 0; i < g->n_sources; i++)
        m.node[g->sources[i].node] = 1;
    for (int i = 0; i < g->n_nodes; i++)
        m.node[i] = m.node[i] ? n++ : -1;
    compact_calls(g, &m);
    compact_nodes(g, &m);
    inputs_first(g);
    return 0;
}

int graph_finish(struct graph *g, struct err *err)
{
    for (int i = 0; i < g->n_nulls; i++) {
        struct null *null = &g->nulls[i];

        null->graph = null_graph(g, null);
        if (finish(null->graph, false, err) < 0)
            return wrap(err, "null %s", null->name);
    }
    for (int j = 0; j < g->n_laws; j++)
        if (graph_law_scored(g, j))
            return finish(g, !g->by_reference, err);
    return fail(err, ERR_INPUT,
                "every law is for checks only: nothing is left for scored calls; give float inputs "
                "spread(), heavy() or normal()");
}
