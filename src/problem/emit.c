/* SPDX-License-Identifier: MIT */
/* A problem as text: the C header for a candidate, the page for people, and the op reference. */
#include "problem/problem.h"

#include "problem/trace.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* One source or output, in the graphs of all sizes. */
struct view {
    const char *name;
    enum dtype dtype;
    int source, output; /* one of them is -1 */
};

static struct view source_view(const struct graph *g, int i)
{
    return (struct view){g->sources[i].name, g->sources[i].dtype, i, -1};
}

static struct view output_view(const struct graph *g, int i)
{
    return (struct view){g->outputs[i].name, g->nodes[g->outputs[i].node].dtype, -1, i};
}

static const struct shape *view_shape(const struct view *v, const struct graph *g)
{
    return v->source >= 0 ? &g->sources[v->source].shape
                          : &g->nodes[g->outputs[v->output].node].shape;
}

/* The one size parameter that equals dimension d of the tensor in every size, or NULL. */
static const char *dim_name(const struct problem *p, const struct view *v, int d)
{
    const struct size *model = &p->sizes[SIZES_FULL][0];
    const char *found = NULL;

    for (int k = 0; k < model->n_params; k++) {
        bool same = true;

        for (int set = 0; set < SIZES_COUNT; set++)
            for (int i = 0; i < p->n_sizes[set]; i++)
                same = same && view_shape(v, p->sizes[set][i].graph)->dim[d] ==
                                   p->sizes[set][i].params[k].value;
        if (same && found)
            return NULL;
        if (same)
            found = model->params[k].name;
    }
    return found;
}

/* Whether all sizes have the same tensors, up to lengths. Graphs may differ in more than lengths
 * (one stage more, say). */
static bool same_tensors(const struct problem *p)
{
    const struct graph *model = p->sizes[SIZES_FULL][0].graph;

    for (int set = 0; set < SIZES_COUNT; set++) {
        for (int i = 0; i < p->n_sizes[set]; i++) {
            const struct graph *g = p->sizes[set][i].graph;

            if (g->n_sources != model->n_sources || g->n_outputs != model->n_outputs)
                return false;
            for (int s = 0; s < g->n_sources; s++)
                if (g->sources[s].shape.rank != model->sources[s].shape.rank)
                    return false;
            for (int o = 0; o < g->n_outputs; o++)
                if (g->nodes[g->outputs[o].node].shape.rank !=
                    model->nodes[model->outputs[o].node].shape.rank)
                    return false;
        }
    }
    return true;
}

static bool dim_fixed(const struct problem *p, enum size_set set, const struct view *v, int d)
{
    int64_t first = view_shape(v, p->sizes[set][0].graph)->dim[d];

    for (int i = 1; i < p->n_sizes[set]; i++)
        if (view_shape(v, p->sizes[set][i].graph)->dim[d] != first)
            return false;
    return true;
}

/* Prints a shape such as "[B, 64, W, W]": the name of a dimension that is a size parameter, the
 * number of one that is the same in all sizes of the set, else "?". */
static void print_shape(const struct problem *p, enum size_set set, const struct view *v,
                        struct buf *out)
{
    const struct shape *s = view_shape(v, p->sizes[set][0].graph);
    bool named = same_tensors(p);

    buf_addch(out, '[');
    for (int d = 0; d < s->rank; d++) {
        const char *name = named ? dim_name(p, v, d) : NULL;

        buf_adds(out, d ? ", " : "");
        if (name)
            buf_adds(out, name);
        else if (named && !dim_fixed(p, set, v, d))
            buf_addch(out, '?');
        else
            buf_addf(out, "%lld", (long long)s->dim[d]);
    }
    buf_addch(out, ']');
}

/* ------------------------------------------------------------------ C header */

static void add_macro_name(struct buf *out, const char *name)
{
    for (; *name; name++)
        buf_addch(out, *name == '.' ? '_' : (char)toupper((unsigned char)*name));
}

/* Adds text to a comment. The comment must not end early, whatever the text holds. */
static void add_comment_text(struct buf *out, const char *text)
{
    for (; *text; text++)
        buf_addch(out, (*text == '/' && out->len && out->ptr[out->len - 1] == '*') || *text == '\n'
                           ? ' '
                           : *text);
}

static void emit_index(const struct problem *p, enum size_set set, const struct view *v,
                       struct buf *out)
{
    size_t start = out->len;

    buf_addf(out, "#define %s_", v->source >= 0 ? "IN" : "OUT");
    add_macro_name(out, v->name);
    buf_addf(out, " %d", v->source >= 0 ? v->source : v->output);
    buf_fill(out, ' ', 40 - (int)(out->len - start));
    buf_addf(out, " /* %s ", dtype_name(v->dtype));
    print_shape(p, set, v, out);
    buf_adds(out, " */\n");
}

/* Defines the parameters that are the same in every size. Head counts, group counts and the like
 * are no tensor's dimension, so a candidate could not know them otherwise. */
static void emit_fixed_params(const struct problem *p, struct buf *out)
{
    const struct size *model = &p->sizes[SIZES_FULL][0];
    bool any = false;

    for (int k = 0; k < model->n_params; k++)
        if (size_param_fixed(p, k)) {
            buf_addf(out, "#define PARAM_%s %.17g\n", model->params[k].name,
                     model->params[k].value);
            any = true;
        }
    buf_adds(out, any ? "\n" : "");
}

void emit_c_header(const struct problem *p, enum size_set set, struct buf *out)
{
    const struct graph *g = p->sizes[set][0].graph;

    buf_addf(out, "/* %s: ", p->name);
    add_comment_text(out, p->title);
    buf_addf(out,
             "\n *\n * in[] and out[] of assay_kernel by name. Shapes are in the tensors; %s:\n",
             size_set_names[set]);
    for (int i = 0; i < p->n_sizes[set]; i++) {
        buf_adds(out, " *   ");
        size_print(&p->sizes[set][i], out);
        buf_addch(out, '\n');
    }
    buf_adds(out, " */\n#ifndef ASSAY_PROBLEM_H\n#define ASSAY_PROBLEM_H\n\n");
    emit_fixed_params(p, out);
    for (int i = 0; i < g->n_sources; i++) {
        struct view v = source_view(g, i);

        emit_index(p, set, &v, out);
    }
    buf_addf(out, "#define N_IN %d\n\n", g->n_sources);
    for (int i = 0; i < g->n_outputs; i++) {
        struct view v = output_view(g, i);

        emit_index(p, set, &v, out);
    }
    buf_addf(out, "#define N_OUT %d\n\n#endif\n", g->n_outputs);
}

/* ------------------------------------------------------------------ for people */

static void print_law(const struct law *law, struct buf *out)
{
    buf_addf(out, "%s", law_name(law->kind));
    switch (law->kind) {
    case LAW_NORMAL:
        if (law->a == 0 && law->b == 1)
            break;
        buf_addf(out, "(%.4g, %.4g)", law->a, law->b);
        break;
    case LAW_UNIFORM:
    case LAW_INTS:
    case LAW_LENGTHS:
    case LAW_CLUSTER:
    case LAW_PEAKS:
    case LAW_OFFSETS:
    case LAW_TIES:
    case LAW_BANDS:
        buf_addf(out, "(%.4g, %.4g)", law->a, law->b);
        break;
    case LAW_PAGES:
        buf_addf(out, "(%.8g, %.4g, %.8g)", law->a, law->b, law->scale);
        break;
    case LAW_PAGED:
        buf_addf(out, "(%.4g, %.4g%s)", law->a, law->scale, law->b != 0 ? ", 1" : "");
        break;
    case LAW_CONSTANT:
    case LAW_BERNOULLI:
    case LAW_SORTED:
        buf_addf(out, "(%.4g)", law->a);
        break;
    default:
        if (law->scale != 0 && law->scale != 1)
            buf_addf(out, " x %.4g", law->scale);
    }
}

void emit_law(const struct graph *g, int law, struct buf *out)
{
    const char *between = "";

    for (int i = 0; i < g->n_sources; i++) {
        const struct source *s = &g->sources[i];

        if (s->n_laws < 2 || !dtype_is_float(s->dtype))
            continue;
        buf_addf(out, "%s%s ", between, s->name);
        print_law(&s->laws[law % s->n_laws], out);
        between = ", ";
    }
}

static void print_tensor(const struct problem *p, const struct view *v, const char *kind,
                         const struct graph *g, struct buf *out)
{
    AUTO(buf_release) struct buf shape = BUF_INIT;

    print_shape(p, SIZES_FULL, v, &shape);
    buf_addf(out, "  %-7s %-24s %-7s %s", kind, v->name, dtype_name(v->dtype), buf_str(&shape));
    if (v->source >= 0) {
        buf_fill(out, ' ', MAX(2, 26 - (int)shape.len));
        for (int i = 0; i < g->sources[v->source].n_laws; i++) {
            buf_adds(out, i ? ", " : "");
            print_law(&g->sources[v->source].laws[i], out);
            buf_adds(out, g->sources[v->source].check_only >> i & 1 ? " (checks only)" : "");
        }
    }
    buf_addch(out, '\n');
}

/* Prints "137.4 G" and the unit: at most four digits and a prefix. */
static void print_amount(double v, const char *unit, struct buf *out)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    size_t i = 0;

    while (v >= 1000 && i + 1 < ARRAY_SIZE(prefixes)) {
        v /= 1000;
        i++;
    }
    buf_addf(out, "%.4g %s%s", v, prefixes[i], unit);
}

static void print_size(const struct problem *p, enum size_set set, int i, struct buf *out)
{
    const struct size *s = &p->sizes[set][i];
    struct cost c;

    graph_cost(s->graph, &c);
    buf_addf(out, "  %-6s ", size_set_names[set]);
    size_print(s, out);
    buf_adds(out, ": ");
    if (cost_contract_total(&c) > 0) {
        print_amount(cost_contract_total(&c), "FLOP in contractions", out);
        buf_adds(out, ", ");
    }
    print_amount(c.other, "FLOP elsewhere, ", out);
    print_amount(cost_bytes(&c), "B in and out", out);
    buf_addch(out, '\n');
}

/* Prints how a published module is made and called: "Model(64, 3), forward(x, s=3.14)". */
static void print_call(const struct graph *g, struct buf *out)
{
    const struct arg *init = &g->construct.init;

    buf_adds(out, "Model(");
    for (int i = 0; i < init->n_items; i++) {
        buf_adds(out, i ? ", " : "");
        arg_print(&init->items[i], out);
    }
    buf_adds(out, "), forward(");
    for (int k = 0; k < construct_n_forward(g); k++) {
        struct forward_arg a = construct_forward(g, k);

        buf_addf(out, "%s%s", k ? ", " : "", a.name);
        if (a.scalar) {
            buf_addch(out, '=');
            arg_print(&a.scalar->value, out);
        }
    }
    buf_addch(out, ')');
}

/* Prints the parameters that the module calls otherwise: "  w is its weight". */
static void print_states(const struct graph *g, struct buf *out)
{
    for (int i = g->n_inputs; i < g->n_sources; i++)
        if (strcmp(construct_state(g, i), g->sources[i].name) != 0)
            buf_addf(out, "  %s is its %s\n", g->sources[i].name, construct_state(g, i));
}

static bool constructed(const struct problem *p, enum size_set set)
{
    for (int i = 0; i < p->n_sizes[set]; i++)
        if (!p->sizes[set][i].graph->construct.stated)
            return false;
    return true;
}

static void print_module(const struct problem *p, struct buf *out)
{
    const struct graph *g = p->sizes[SIZES_FULL][0].graph;

    if (g->construct.stated) {
        buf_addf(out, "\nmodule%s: ", p->n_sizes[SIZES_FULL] > 1 ? " of the first full size" : "");
        print_call(g, out);
        buf_addf(out, ", in %s mode\n", p->eval_mode ? "eval" : "train");
        print_states(g, out);
    }
    for (int set = SIZES_FULL - 1; g->construct.stated && set >= 0; set--)
        if (!constructed(p, (enum size_set)set))
            buf_addf(out, "  no published constructor makes %s sizes\n", size_set_names[set]);
    if (p->foreign)
        buf_addf(out, "\nforeign: %s\n", p->foreign);
}

static void print_notes(const struct problem *p, struct buf *out)
{
    const struct tolerance *tol = &p->sizes[SIZES_FULL][0].graph->tolerance;

    if (p->repaired)
        buf_addf(out, "\nrepaired: %s\n", p->repaired);
    if (p->algebra)
        buf_addf(out, "\nalgebra: %s\n", p->algebra);
    if (p->requires_tensor)
        buf_addf(out, "\nrequires: %s tensor cores\n", p->requires_tensor);
    if (p->requires_memory)
        buf_addf(out, "\nscratch memory: %lld bytes\n", (long long)p->requires_memory);
    if (p->allow_libraries)
        buf_adds(out, "\nvendor libraries are allowed\n");
    if (p->setup_params)
        buf_adds(out, "\nassay_setup sees the parameters: weights may be packed\n");
    if (tol->why)
        buf_addf(out, "\ntolerance: rms %.4g, max %.4g%s: %s\n", tol->rms, tol->max,
                 tol->compensated ? " times the error of compensated sums" : "", tol->why);
    for (int i = 0; i < p->n_null_skips; i++)
        buf_addf(out, "\nnull candidate %s is left out: %s\n", p->null_skips[i].name,
                 p->null_skips[i].why);
}

void emit_text(const struct problem *p, struct buf *out)
{
    const struct graph *g = p->sizes[SIZES_FULL][0].graph;

    buf_addf(out, "%s: %s\n\n", p->name, p->title);
    for (int i = 0; i < g->n_sources; i++) {
        struct view v = source_view(g, i);

        print_tensor(p, &v, g->sources[i].kind == SOURCE_INPUT ? "input" : "param", g, out);
    }
    for (int i = 0; i < g->n_outputs; i++) {
        struct view v = output_view(g, i);

        print_tensor(p, &v, "output", g, out);
    }
    buf_addch(out, '\n');
    for (int set = SIZES_COUNT - 1; set >= 0; set--)
        for (int i = 0; i < p->n_sizes[set]; i++)
            print_size(p, (enum size_set)set, i, out);
    print_module(p, out);
    print_notes(p, out);
    buf_addf(out, "\nhash %.12s\n", p->hash);
}

/* ------------------------------------------------------------------ the op reference */

int emit_reference(struct buf *out, struct err *err)
{
    buf_adds(out, "# Ops\n\n"
                  "Made by `assay list --ops`. `x` is a tensor; `n:number`, `s:string`, `l:list`; "
                  "`=` gives a "
                  "default, `?` allows nil; in\nbraces the options of a trailing table.\n\n"
                  "## What a problem file can call\n\n| op | PyTorch |\n|---|---|\n");
    if (trace_reference(out, err) < 0)
        return -1;
    buf_adds(out,
             "\nBesides: `+ - * / ^` and unary `-`; `abs sqrt exp expm1 log log1p tanh erf sin cos "
             "floor`; "
             "`lt le gt ge eq\nne minimum maximum pow`; `where(condition, a, b)`; `logical_and "
             "logical_or "
             "logical_not`.\n\n"
             "## Core ops\n\nWhat all of these are lowered to; each has one loop in `src/ops`.\n\n"
             "| op | operands | meaning |\n|---|---|---|\n");
    for (int i = 0; i < OP_COUNT; i++)
        buf_addf(out,
                 op_table[i].min_in == op_table[i].max_in ? "| `%s` | %d | %s |\n"
                                                          : "| `%s` | %d+ | %s |\n",
                 op_table[i].name, op_table[i].min_in, op_table[i].summary);
    return 0;
}
