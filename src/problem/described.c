/* SPDX-License-Identifier: MIT */
/* A problem of what a reference says about itself, one object of JSON:
 *
 *   {"inputs": [{"name": "x", "dtype": "f32", "shape": [16, 64]}, {"name": "s", "value": 3.14}],
 *    "params": [{"name": "p0.weight", "dtype": "f32", "shape": [8, 4], "state": "0.weight"}],
 *    "outputs": [{"name": "y", "dtype": "f32", "shape": [16, 64]}],
 *    "init": [64, {"tuple": [3, 5]}, true, "same", null], "mode": "train"}
 *
 * An input with a value is a plain number. A parameter's `state` is the module's own name for it.
 * The reference is a stranger's program, so nothing here is taken on trust. */
#include "problem/problem.h"

#include "problem/trace.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TENSORS_MAX 1000 /* sources and outputs of one reference */
#define ARGS_MAX 256
#define DEPTH_MAX 8
/* PyTorch's blocked sums are more exact than the unit of our own problems, which sums in order. So
 * the same honest kernels need wider gates. */
#define RMS_FACTOR 16
#define MAX_FACTOR 32

/* --- values --- */

static int read_arg(const json_t *j, int depth, struct arg *ret, struct err *err);

static int read_items(const json_t *list, enum arg_kind kind, int depth, struct arg *ret,
                      struct err *err)
{
    size_t n = json_array_size(list);

    if (!json_is_array(list) || n > ARGS_MAX || depth > DEPTH_MAX)
        return fail(err, ERR_INPUT,
                    "get_init_inputs: at most %d values in a list, %d lists in one another",
                    ARGS_MAX, DEPTH_MAX);
    ret->kind = kind;
    ret->items = xcalloc(n, sizeof(*ret->items));
    for (size_t i = 0; i < n; i++) {
        ret->n_items++;
        if (read_arg(json_array_get(list, i), depth + 1, &ret->items[i], err) < 0)
            return -1;
    }
    return 0;
}

/* On failure *ret owns what was read, for arg_release(). */
static int read_arg(const json_t *j, int depth, struct arg *ret, struct err *err)
{
    switch (json_typeof(j)) {
    case JSON_NULL:
        ret->kind = ARG_NONE;
        return 0;
    case JSON_TRUE:
    case JSON_FALSE:
        *ret = (struct arg){.kind = ARG_BOOL, .number = json_is_true(j)};
        return 0;
    case JSON_INTEGER:
        *ret = (struct arg){.kind = ARG_INT, .number = json_integer_value(j)};
        return 0;
    case JSON_REAL:
        *ret = (struct arg){.kind = ARG_FLOAT, .real = json_real_value(j)};
        return 0;
    case JSON_STRING:
        *ret = (struct arg){.kind = ARG_STRING, .text = xstrdup(json_string_value(j))};
        return 0;
    case JSON_ARRAY:
        return read_items(j, ARG_LIST, depth, ret, err);
    case JSON_OBJECT:
        return read_items(json_object_get(j, "tuple"), ARG_TUPLE, depth, ret, err);
    }
    return 0;
}

/* --- tensors --- */

struct described {
    const char *name;
    enum dtype dtype;
    struct shape shape;
};

static int read_shape(const json_t *list, struct shape *ret)
{
    size_t n = json_array_size(list);

    if (!json_is_array(list) || n > SHAPE_MAX_RANK)
        return -1;
    ret->rank = (int)n;
    for (size_t i = 0; i < n; i++) {
        const json_t *dim = json_array_get(list, i);

        if (!json_is_integer(dim))
            return -1;
        ret->dim[i] = json_integer_value(dim);
    }
    return shape_count(ret) > 0 ? 0 : -1;
}

static int read_tensor(const json_t *j, struct described *ret, struct err *err)
{
    const char *dtype = json_string_value(json_object_get(j, "dtype"));

    ret->name = json_string_value(json_object_get(j, "name"));
    if (!ret->name)
        return fail(err, ERR_INPUT, "the reference describes a tensor without a name");
    if (!dtype || !dtype_parse(dtype, &ret->dtype))
        return fail(err, ERR_INPUT, "%.60s: there is no type '%.40s'", ret->name,
                    dtype ? dtype : "");
    if (read_shape(json_object_get(j, "shape"), &ret->shape) < 0)
        return fail(err, ERR_INPUT,
                    "%.60s: a tensor has 1 to %lld elements and at most %d dimensions", ret->name,
                    (long long)SHAPE_MAX_COUNT, SHAPE_MAX_RANK);
    return 0;
}

/* The reference draws the numbers itself. A law has to be there, and says nothing. */
static int add_source(struct graph *g, enum source_kind kind, const json_t *j, struct err *err)
{
    static const struct law law = {.kind = LAW_CONSTANT};
    struct described d = {0};

    if (read_tensor(j, &d, err) < 0)
        return -1;
    return graph_add_source(g, kind, d.name, d.dtype, &d.shape, &law, 1, err) < 0 ? -1 : 0;
}

static int add_param(struct graph *g, const json_t *j, struct err *err)
{
    const char *name = json_string_value(json_object_get(j, "name"));
    const char *state = json_string_value(json_object_get(j, "state"));

    if (add_source(g, SOURCE_PARAM, j, err) < 0)
        return -1;
    return !state || !strcmp(state, name) ? 0 : construct_add_state(g, name, state, err);
}

static int add_input(struct graph *g, const json_t *j, struct err *err)
{
    const json_t *value = json_object_get(j, "value");
    const char *name = json_string_value(json_object_get(j, "name"));
    struct arg number = {0};

    if (!value)
        return add_source(g, SOURCE_INPUT, j, err);
    if (!name || !json_is_number(value))
        return fail(err, ERR_INPUT, "the reference describes an input that is no tensor or number");
    if (read_arg(value, 0, &number, err) < 0)
        return -1;
    return construct_add_scalar(g, name, &number, err);
}

static int add_output(struct graph *g, const json_t *j, struct err *err)
{
    const struct op_attrs attrs = {0};
    struct described d = {0};

    if (read_tensor(j, &d, err) < 0)
        return -1;

    const struct node want = {.dtype = d.dtype, .shape = d.shape};
    int node = graph_add(g, OP_CONST, NULL, 0, &attrs, &want, err);

    return node < 0 ? -1 : graph_add_output(g, d.name, node, err);
}

/* --- the whole --- */

static int check_counts(const json_t *inputs, const json_t *params, const json_t *outputs,
                        struct err *err)
{
    if (!json_is_array(inputs) || !json_is_array(params) || !json_is_array(outputs))
        return fail(err, ERR_INPUT, "the reference's description has no lists of tensors");
    if (json_array_size(inputs) + json_array_size(params) + json_array_size(outputs) > TENSORS_MAX)
        return fail(err, ERR_INPUT, "the reference has more than %d tensors", TENSORS_MAX);
    return 0;
}

static int fill_graph(const json_t *j, struct graph *g, struct err *err)
{
    const json_t *inputs = json_object_get(j, "inputs"), *params = json_object_get(j, "params");
    const json_t *outputs = json_object_get(j, "outputs"), *init = json_object_get(j, "init");

    if (check_counts(inputs, params, outputs, err) < 0)
        return -1;
    for (size_t i = 0; i < json_array_size(inputs); i++)
        if (add_input(g, json_array_get(inputs, i), err) < 0)
            return -1;
    for (size_t i = 0; i < json_array_size(params); i++)
        if (add_param(g, json_array_get(params, i), err) < 0)
            return -1;
    for (size_t i = 0; i < json_array_size(outputs); i++)
        if (add_output(g, json_array_get(outputs, i), err) < 0)
            return -1;
    if (g->n_inputs == 0)
        return fail(err, ERR_INPUT, "get_inputs() returns no tensor");
    g->construct.stated = true;
    if (read_items(init, ARG_LIST, 0, &g->construct.init, err) < 0)
        return -1;
    g->by_reference = true;
    g->tolerance.rms = RMS_FACTOR;
    g->tolerance.max = MAX_FACTOR;
    return graph_finish(g, err);
}

static int add_size(const json_t *j, struct problem *p, enum size_set set, struct err *err)
{
    AUTO(graph_freep) struct graph *graph = graph_new();

    if (fill_graph(j, graph, err) < 0)
        return -1;
    p->sizes[set] = xcalloc(1, sizeof(*p->sizes[set]));
    p->n_sizes[set] = 1;
    p->sizes[set][0].graph = steal(&graph);
    problem_hash_size(&p->sizes[set][0]);
    return 0;
}

static int fill_problem(const json_t *j, const char *name, struct problem *p, struct err *err)
{
    const char *mode = json_string_value(json_object_get(j, "mode"));

    p->name = xstrdup(name);
    p->path = xstrdup(name);
    p->title = xstrdup(name);
    p->level = xstrdup("ref");
    p->eval_mode = mode && !strcmp(mode, "eval");
    for (int set = 0; set < SIZES_COUNT; set++)
        if (add_size(j, p, (enum size_set)set, err) < 0)
            return -1;
    memcpy(p->hash, p->sizes[SIZES_FULL][0].hash, sizeof(p->hash));
    return 0;
}

int problem_of_description(const char *text, size_t len, const char *name, struct problem **ret,
                           struct err *err)
{
    AUTO(problem_freep) struct problem *p = xcalloc(1, sizeof(*p));
    json_t *j = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
    int rc = json_is_object(j) ? fill_problem(j, name, p, err)
                               : fail(err, ERR_INPUT, "the reference's description cannot be read");

    json_decref(j);
    if (rc == 0)
        *ret = steal(&p);
    return rc;
}
