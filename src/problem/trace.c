/* SPDX-License-Identifier: MIT */
/* Tensors as Lua values, and the few primitives of which the prelude makes everything else. */
#include "problem/trace.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define TENSOR "tensor"
#define OPERANDS_MAX 256

void tensor_push(lua_State *L, int node)
{
    int *box = lua_newuserdatauv(L, sizeof(int), 0);

    *box = node;
    luaL_setmetatable(L, TENSOR);
}

int tensor_node(lua_State *L, int i)
{
    const int *box = luaL_testudata(L, i, TENSOR);

    return box ? *box : -1;
}

static const struct node *node_at(lua_State *L, int node)
{
    return &trace_of(L)->graph->nodes[node];
}

/* ------------------------------------------------------------------ values */

int64_t value_int(lua_State *L, int i, const char *what)
{
    int ok;
    lua_Integer v = lua_tointegerx(L, i, &ok);

    if (ok && lua_type(L, i) == LUA_TNUMBER)
        return v;
    if (lua_type(L, i) == LUA_TNUMBER)
        trace_raise(L, "%s is %g: whole numbers only (// divides without a rest)", what,
                    lua_tonumber(L, i));
    trace_raise(L, "%s must be a whole number, not %s", what, luaL_typename(L, i));
    return 0;
}

enum dtype value_dtype(lua_State *L, int i, const char *what)
{
    enum dtype t = DT_COUNT;

    if (lua_type(L, i) != LUA_TSTRING)
        trace_raise(L, "%s must be a dtype such as f32, not %s", what, luaL_typename(L, i));
    if (!dtype_parse(lua_tostring(L, i), &t))
        trace_raise(L, "%s: there is no dtype '%.30s'", what, lua_tostring(L, i));
    return t;
}

void value_shape(lua_State *L, int i, const char *what, struct shape *ret)
{
    char item[160];

    if (!lua_istable(L, i))
        trace_raise(L, "%s must be a list of dimensions such as { 4, 8 }, not %s", what,
                    luaL_typename(L, i));

    lua_Unsigned n = lua_rawlen(L, i);

    if (n > SHAPE_MAX_RANK)
        trace_raise(L, "%s has more than %d dimensions", what, SHAPE_MAX_RANK);
    ret->rank = (int)n;
    for (int d = 0; d < ret->rank; d++) {
        lua_rawgeti(L, i, d + 1);
        snprintf(item, sizeof(item), "%.100s: dimension %d", what, d);
        ret->dim[d] = value_int(L, -1, item);
        lua_pop(L, 1);
    }
}

/* ------------------------------------------------------------------ nodes */

static int add_node(lua_State *L, enum op_code op, const int *in, int n_in,
                    const struct op_attrs *attrs, const struct node *want)
{
    struct trace *t = trace_of(L);
    struct err err = ERR_INIT;
    int node = graph_add(t->graph, op, in, n_in, attrs, want, &err);

    if (node < 0)
        return trace_raise_err(L, &err);
    t->graph->nodes[node].call = t->call;
    return node;
}

/* Adds a constant: a plain number beside a tensor takes the tensor's dtype. */
static int number_node(lua_State *L, double value, enum dtype dtype)
{
    struct op_attrs attrs = {.value = value};
    struct node want = {.dtype = dtype};

    if (dtype == DT_BOOL)
        trace_raise(L, "a number and a bool tensor do not mix: write cast(x, f32)");
    if (!dtype_is_float(dtype) && (value != floor(value) || fabs(value) > 0x1p53))
        trace_raise(L, "%g is no %s: write cast(x, f32) first", value, dtype_name(dtype));
    return add_node(L, OP_CONST, NULL, 0, &attrs, &want);
}

/* The dtype that numbers adapt to: that of the first tensor; where() skips its condition. */
static bool adapt_to(lua_State *L, const int *in, int n_in, enum op_code op, enum dtype *ret)
{
    for (int i = op == OP_WHERE; i < n_in; i++) {
        if (in[i] >= 0) {
            *ret = node_at(L, in[i])->dtype;
            return true;
        }
    }
    return false;
}

/* Reads operands from stack index `first` on and turns numbers into constants. */
static void read_operands(lua_State *L, enum op_code op, int first, int n, int *in)
{
    const char *name = op_table[op].name;
    bool numbers = op_table[op].class == OP_CLASS_ELEMENTWISE && n > 1;
    enum dtype dtype = DT_F32;

    for (int i = 0; i < n; i++) {
        in[i] = tensor_node(L, first + i);
        if (in[i] < 0 && !(numbers && lua_type(L, first + i) == LUA_TNUMBER))
            trace_raise(L, "%s: operand %d must be a tensor, not %s", name, i + 1,
                        luaL_typename(L, first + i));
    }
    if (!adapt_to(L, in, n, op, &dtype))
        trace_raise(L, "%s: a number alone has no dtype: write full({}, f32, value)", name);
    for (int i = 0; i < n; i++) {
        if (in[i] < 0 && op == OP_WHERE && i == 0)
            trace_raise(L, "where: the condition must be a bool tensor, not a number");
        if (in[i] < 0)
            in[i] = number_node(L, lua_tonumber(L, first + i), dtype);
    }
}

/* Evaluates an op of a plain number: sqrt(2) is a number, because the same names serve numbers and
 * tensors. */
static bool fold_number(enum op_code op, double x, double *ret)
{
    switch (op) {
    case OP_NEG:
        *ret = -x;
        return true;
    case OP_ABS:
        *ret = fabs(x);
        return true;
    case OP_SQRT:
        *ret = sqrt(x);
        return true;
    case OP_EXP:
        *ret = exp(x);
        return true;
    case OP_LOG:
        *ret = log(x);
        return true;
    case OP_TANH:
        *ret = tanh(x);
        return true;
    case OP_SIN:
        *ret = sin(x);
        return true;
    case OP_COS:
        *ret = cos(x);
        return true;
    default:
        return false;
    }
}

/* node(op, attrs or nil, operand...) */
static int l_node(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    int n = lua_gettop(L) - 2, in[OPERANDS_MAX];
    struct op_attrs attrs = {0};
    struct node want = {.dtype = DT_F32};
    enum op_code op;
    double folded;

    if (!op_parse(name, &op))
        return trace_raise(L, "there is no op %s", name);
    if (n == 1 && lua_type(L, 3) == LUA_TNUMBER && fold_number(op, lua_tonumber(L, 3), &folded)) {
        lua_pushnumber(L, folded);
        return 1;
    }
    while (n > op_table[op].min_in && lua_isnil(L, 2 + n))
        n--; /* an optional operand, such as a bias, was left out */
    if (n > OPERANDS_MAX)
        return trace_raise(L, "%s: more than %d tensors", name, OPERANDS_MAX);
    if (n > 0)
        read_operands(L, op, 3, n, in);
    attrs_read(L, 2, op, n > 0 ? node_at(L, in[0]) : NULL, &attrs, &want);
    tensor_push(L, add_node(L, op, in, MAX(n, 0), &attrs, &want));
    return 1;
}

/* ------------------------------------------------------------------ operators */

static int binary(lua_State *L, enum op_code op)
{
    int in[2];

    lua_settop(L, 2);
    read_operands(L, op, 1, 2, in);
    tensor_push(L, add_node(L, op, in, 2, NULL, NULL));
    return 1;
}

static int l_add(lua_State *L)
{
    return binary(L, OP_ADD);
}

static int l_sub(lua_State *L)
{
    return binary(L, OP_SUB);
}

static int l_mul(lua_State *L)
{
    return binary(L, OP_MUL);
}

static int l_div(lua_State *L)
{
    return binary(L, OP_DIV);
}

/* x ^ 2 is x * x: one rounding instead of pow's. */
static int l_pow(lua_State *L)
{
    if (lua_type(L, 2) == LUA_TNUMBER && lua_tonumber(L, 2) == 2) {
        lua_settop(L, 1);
        lua_pushvalue(L, 1);
        return binary(L, OP_MUL);
    }
    return binary(L, OP_POW);
}

static int l_unm(lua_State *L)
{
    int in = tensor_node(L, 1);

    tensor_push(L, add_node(L, OP_NEG, &in, 1, NULL, NULL));
    return 1;
}

static int l_order(lua_State *L)
{
    return trace_raise(L,
                       "< <= > >= give one truth value, not a tensor: write lt(a, b), le, gt, ge");
}

static int l_equal(lua_State *L)
{
    return trace_raise(L,
                       "== and ~= give one truth value, not a tensor: write eq(a, b) or ne(a, b)");
}

static int l_concat(lua_State *L)
{
    return trace_raise(L, ".. joins strings: write concat({ a, b }, { dim = 0 }) for tensors");
}

static int l_len(lua_State *L)
{
    return trace_raise(L, "a tensor has no #: write x.rank, or x.shape[1] for its first dimension");
}

static int l_call(lua_State *L)
{
    return trace_raise(L, "a tensor is not a function");
}

static int l_index(lua_State *L)
{
    const struct node *n = node_at(L, tensor_node(L, 1));
    const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;

    if (key && !strcmp(key, "shape")) {
        lua_createtable(L, n->shape.rank, 0);
        for (int i = 0; i < n->shape.rank; i++) {
            lua_pushinteger(L, n->shape.dim[i]);
            lua_rawseti(L, -2, i + 1);
        }
        return 1;
    }
    if (key && !strcmp(key, "rank"))
        lua_pushinteger(L, n->shape.rank);
    else if (key && !strcmp(key, "dtype"))
        lua_pushstring(L, dtype_name(n->dtype));
    else if (key)
        return trace_raise(L, "a tensor has shape, rank and dtype, not '%.40s'", key);
    else
        return trace_raise(L, "a tensor is not indexed: write slice(x, axis, from, to) or select");
    return 1;
}

static int l_newindex(lua_State *L)
{
    return trace_raise(L, "a tensor cannot be changed: make a new one");
}

/* ------------------------------------------------------------------ calls */

/* begin_call(name): nodes that are made until end_call belong to this call. */
static int l_begin_call(lua_State *L)
{
    struct trace *t = trace_of(L);
    struct graph *g = t->graph;
    const char *name = luaL_checkstring(L, 1);

    g->calls = xrealloc(g->calls, (size_t)(g->n_calls + 1) * sizeof(*g->calls));
    g->calls[g->n_calls] = (struct call){xstrdup(name), NULL, t->call, -1};
    t->call = g->n_calls++;
    return 0;
}

/* end_call(result, torch): without a text the call dissolves into its nodes (graph_finish). */
static int l_end_call(lua_State *L)
{
    struct trace *t = trace_of(L);
    struct call *c = &t->graph->calls[t->call];

    c->result = tensor_node(L, 1);
    if (lua_type(L, 2) == LUA_TSTRING)
        c->torch = xstrdup(lua_tostring(L, 2));
    t->call = c->parent;
    return 0;
}

/* ------------------------------------------------------------------ small things */

static int l_id(lua_State *L)
{
    int node = tensor_node(L, 1);

    if (node < 0)
        return 0;
    lua_pushinteger(L, node);
    return 1;
}

static int l_raise(lua_State *L)
{
    return trace_raise(L, "%s", luaL_checkstring(L, 1));
}

static int l_unknown(lua_State *L)
{
    return trace_unknown(L, luaL_checkstring(L, 1), luaL_checkstring(L, 2), 3);
}

void trace_open(lua_State *L)
{
    static const luaL_Reg primitives[] = {
        {"node", l_node}, {"begin_call", l_begin_call}, {"end_call", l_end_call},
        {"id", l_id},     {"raise", l_raise},           {"unknown", l_unknown},
        {NULL, NULL},
    };
    static const luaL_Reg meta[] = {
        {"__add", l_add},       {"__sub", l_sub},           {"__mul", l_mul},
        {"__div", l_div},       {"__pow", l_pow},           {"__unm", l_unm},
        {"__lt", l_order},      {"__le", l_order},          {"__eq", l_equal},
        {"__len", l_len},       {"__call", l_call},         {"__index", l_index},
        {"__concat", l_concat}, {"__newindex", l_newindex}, {NULL, NULL},
    };

    luaL_setfuncs(L, primitives, 0);
    luaL_newmetatable(L, TENSOR);
    luaL_setfuncs(L, meta, 0);
    lua_pop(L, 1);
}
