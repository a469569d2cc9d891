/* SPDX-License-Identifier: MIT */
#include "problem/construct.h"

#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void arg_release(struct arg *a)
{
    for (int i = 0; i < a->n_items; i++)
        arg_release(&a->items[i]);
    free(a->items);
    free(a->text);
    *a = (struct arg){0};
}

void construct_release(struct construct *c)
{
    arg_release(&c->init);
    for (int i = 0; i < c->n_scalars; i++) {
        free(c->scalars[i].name);
        arg_release(&c->scalars[i].value);
    }
    for (int i = 0; i < c->n_states; i++) {
        free(c->states[i].param);
        free(c->states[i].name);
    }
    free(c->scalars);
    free(c->states);
}

/* ------------------------------------------------------------------ declarations */

int construct_add_scalar(struct graph *g, const char *name, const struct arg *value,
                         struct err *err)
{
    struct construct *c = &g->construct;

    if (graph_check_name(g, name, err) < 0)
        return -1;
    c->scalars = xrealloc(c->scalars, (size_t)(c->n_scalars + 1) * sizeof(*c->scalars));
    c->scalars[c->n_scalars++] = (struct scalar){xstrdup(name), *value, g->n_inputs};
    return 0;
}

static bool has_param(const struct graph *g, const char *name)
{
    for (int i = 0; i < g->n_sources; i++)
        if (g->sources[i].kind == SOURCE_PARAM && !strcmp(g->sources[i].name, name))
            return true;
    return false;
}

int construct_add_state(struct graph *g, const char *param, const char *name, struct err *err)
{
    struct construct *c = &g->construct;

    if (!has_param(g, param))
        return fail(err, ERR_INPUT, "there is no parameter %.60s; state comes behind them all",
                    param);
    if (!name[0])
        return fail(err, ERR_INPUT, "the module's name of %.60s is empty", param);
    for (int i = 0; i < c->n_states; i++)
        if (!strcmp(c->states[i].name, name))
            return fail(err, ERR_INPUT, "%.60s and %.60s are both named %.60s", c->states[i].param,
                        param, name);
    c->states = xrealloc(c->states, (size_t)(c->n_states + 1) * sizeof(*c->states));
    c->states[c->n_states++] = (struct state_name){xstrdup(param), xstrdup(name)};
    return 0;
}

/* ------------------------------------------------------------------ values as text */

/* The words in which two languages differ. */
struct dialect {
    const char *none, *no, *yes, *open_tuple, *close_tuple;
    char quote;
};
static const struct dialect json = {"null", "false", "true", "[", "]", '"'};
static const struct dialect python = {"None", "False", "True", "(", ")", '\''};

/* A string of both languages: \u00XX is a control character in either. */
static void print_text(const char *s, char quote, struct buf *out)
{
    buf_addch(out, quote);
    for (; *s; s++) {
        if (*s == quote || *s == '\\')
            buf_addf(out, "\\%c", *s);
        else if ((unsigned char)*s < 0x20)
            buf_addf(out, "\\u%04x", *s);
        else
            buf_addch(out, *s);
    }
    buf_addch(out, quote);
}

/* The shortest digits that read back as the same number, with a mark that it is no integer. */
static void print_real(double v, struct buf *out)
{
    char text[40];

    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    buf_adds(out, text);
    buf_adds(out, strpbrk(text, ".e") ? "" : ".0");
}

static void print_arg(const struct arg *a, const struct dialect *d, struct buf *out);

static void print_items(const struct arg *a, const struct dialect *d, struct buf *out)
{
    bool tuple = a->kind == ARG_TUPLE;

    buf_adds(out, tuple ? d->open_tuple : "[");
    for (int i = 0; i < a->n_items; i++) {
        buf_adds(out, i ? ", " : "");
        print_arg(&a->items[i], d, out);
    }
    /* Python's tuple of one is (1,). */
    buf_adds(out, tuple && d == &python && a->n_items == 1 ? "," : "");
    buf_adds(out, tuple ? d->close_tuple : "]");
}

static void print_arg(const struct arg *a, const struct dialect *d, struct buf *out)
{
    switch (a->kind) {
    case ARG_NONE:
        buf_adds(out, d->none);
        break;
    case ARG_BOOL:
        buf_adds(out, a->number ? d->yes : d->no);
        break;
    case ARG_INT:
        buf_addf(out, "%lld", (long long)a->number);
        break;
    case ARG_FLOAT:
        print_real(a->real, out);
        break;
    case ARG_STRING:
        print_text(a->text, d->quote, out);
        break;
    case ARG_LIST:
    case ARG_TUPLE:
        print_items(a, d, out);
        break;
    }
}

void arg_print(const struct arg *a, struct buf *out)
{
    print_arg(a, &python, out);
}

bool construct_init(const struct graph *g, struct buf *out)
{
    if (g->construct.stated)
        arg_print(&g->construct.init, out);
    return g->construct.stated;
}

/* ------------------------------------------------------------------ forward and state */

int construct_n_forward(const struct graph *g)
{
    return g->n_inputs + g->construct.n_scalars;
}

struct forward_arg construct_forward(const struct graph *g, int k)
{
    const struct construct *c = &g->construct;
    int scalars = 0; /* scalars before argument k */

    /* Scalar i is argument number before + i: so many inputs and i scalars precede it. */
    while (scalars < c->n_scalars && c->scalars[scalars].before + scalars < k)
        scalars++;
    if (scalars < c->n_scalars && c->scalars[scalars].before + scalars == k)
        return (struct forward_arg){c->scalars[scalars].name, -1, &c->scalars[scalars]};
    return (struct forward_arg){g->sources[k - scalars].name, k - scalars, NULL};
}

const char *construct_state(const struct graph *g, int param)
{
    const char *name = g->sources[param].name;

    for (int i = 0; i < g->construct.n_states; i++)
        if (!strcmp(g->construct.states[i].param, name))
            return g->construct.states[i].name;
    return name;
}

/* ------------------------------------------------------------------ one line of JSON */

static void print_init(const struct graph *g, struct buf *out)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    if (!construct_init(g, &text)) {
        buf_adds(out, "\"init\": null, \"init_python\": null");
        return;
    }
    buf_adds(out, "\"init\": ");
    print_arg(&g->construct.init, &json, out);
    buf_adds(out, ", \"init_python\": ");
    print_text(buf_str(&text), '"', out);
}

static void print_forward(const struct graph *g, struct buf *out)
{
    for (int k = 0; k < construct_n_forward(g); k++) {
        struct forward_arg a = construct_forward(g, k);

        buf_adds(out, k ? ", " : "");
        if (a.input >= 0) {
            buf_addf(out, "{\"input\": %d}", a.input);
            continue;
        }
        buf_adds(out, "{\"value\": ");
        print_arg(&a.scalar->value, &json, out);
        buf_addch(out, '}');
    }
}

void construct_json(const struct problem *p, const struct graph *g, struct buf *out)
{
    buf_addch(out, '{');
    print_init(g, out);
    buf_adds(out, ", \"forward\": [");
    print_forward(g, out);
    buf_adds(out, "], \"state\": [");
    for (int i = g->n_inputs; i < g->n_sources; i++) {
        buf_adds(out, i > g->n_inputs ? ", " : "");
        print_text(construct_state(g, i), '"', out);
    }
    buf_addf(out, "], \"mode\": \"%s\"}", p->eval_mode ? "eval" : "train");
}

void construct_hash(const struct problem *p, char out[HASH_HEX])
{
    struct hash h;

    hash_init(&h);
    for (int set = 0; set < SIZES_COUNT; set++)
        for (int i = 0; i < p->n_sizes[set]; i++) {
            AUTO(buf_release) struct buf line = BUF_INIT;

            construct_json(p, p->sizes[set][i].graph, &line);
            hash_adds(&h, buf_str(&line));
        }
    hash_final(&h, out);
}
