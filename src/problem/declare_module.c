/* SPDX-License-Identifier: MIT */
/* The declarations that published PyTorch modules need: init, tuple, scalar and state. C and CUDA
 * candidates do not see them (construct.h). */
#include "problem/trace.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#define TUPLE "tuple"
#define ARGS_MAX 256
#define DEPTH_MAX 8

static bool is_tuple(lua_State *L, int i)
{
    if (!lua_getmetatable(L, i))
        return false;
    luaL_getmetatable(L, TUPLE);

    bool same = lua_rawequal(L, -1, -2);

    lua_pop(L, 2);
    return same;
}

static void read_arg(lua_State *L, int i, int number, int depth, struct arg *ret);

/* The list or tuple at index i. Every place belongs to *ret before the next one is read, so that an
 * error leaks nothing. */
static void read_list(lua_State *L, int i, int number, int depth, struct arg *ret)
{
    lua_Unsigned n = lua_rawlen(L, i);
    lua_Integer keys = 0;

    for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1))
        keys++;
    if (keys != (lua_Integer)n)
        trace_raise(L, "init: argument %d: a list has no names and no nil in it", number);
    if (n > ARGS_MAX || depth > DEPTH_MAX)
        trace_raise(L, "init: argument %d: at most %d values in a list, %d lists in one another",
                    number, ARGS_MAX, DEPTH_MAX);
    ret->kind = is_tuple(L, i) ? ARG_TUPLE : ARG_LIST;
    ret->items = xcalloc(MAX((size_t)n, 1), sizeof(*ret->items));
    ret->n_items = (int)n;
    for (int k = 0; k < (int)n; k++) {
        lua_rawgeti(L, i, k + 1);
        read_arg(L, lua_gettop(L), number, depth + 1, &ret->items[k]);
        lua_pop(L, 1);
    }
}

/* 3 is an integer and 3.0 a float, for Lua as for Python. */
static bool read_number(lua_State *L, int i, struct arg *ret)
{
    if (lua_isinteger(L, i))
        *ret = (struct arg){.kind = ARG_INT, .number = lua_tointeger(L, i)};
    else
        *ret = (struct arg){.kind = ARG_FLOAT, .real = lua_tonumber(L, i)};
    return isfinite(lua_tonumber(L, i));
}

static void read_arg(lua_State *L, int i, int number, int depth, struct arg *ret)
{
    luaL_checkstack(L, 8, "init");
    switch (lua_type(L, i)) {
    case LUA_TNIL:
        *ret = (struct arg){.kind = ARG_NONE};
        break;
    case LUA_TBOOLEAN:
        *ret = (struct arg){.kind = ARG_BOOL, .number = lua_toboolean(L, i)};
        break;
    case LUA_TNUMBER:
        if (!read_number(L, i, ret))
            trace_raise(L, "init: argument %d is not finite", number);
        break;
    case LUA_TSTRING:
        *ret = (struct arg){.kind = ARG_STRING, .text = xstrdup(lua_tostring(L, i))};
        break;
    case LUA_TTABLE:
        read_list(L, i, number, depth, ret);
        break;
    default:
        trace_raise(L,
                    "init: argument %d is a %s: numbers, booleans, strings, nil, lists and "
                    "tuple(...) only",
                    number, tensor_node(L, i) >= 0 ? "tensor" : luaL_typename(L, i));
    }
}

/* init(...): the arguments of the published constructor for this size. */
static int l_init(lua_State *L)
{
    struct construct *c = &trace_of(L)->graph->construct;
    int n = lua_gettop(L);

    value_after_sizes(L, "init");
    if (c->stated)
        return trace_raise(L, "init comes once");
    if (n > ARGS_MAX)
        return trace_raise(L, "init: more than %d arguments", ARGS_MAX);
    c->stated = true;
    c->init = (struct arg){.kind = ARG_LIST,
                           .items = xcalloc((size_t)MAX(n, 1), sizeof(*c->init.items)),
                           .n_items = n};
    for (int i = 1; i <= n; i++)
        read_arg(L, i, i, 0, &c->init.items[i - 1]);
    return 0;
}

/* tuple(...): a list that Python gets as a tuple. */
static int l_tuple(lua_State *L)
{
    int n = lua_gettop(L);

    lua_createtable(L, n, 0);
    lua_insert(L, 1);
    for (int i = n; i >= 1; i--)
        lua_rawseti(L, 1, i);
    luaL_setmetatable(L, TUPLE);
    return 1;
}

/* scalar(name, value): a number that forward gets at this place. Returns the number. */
static int l_scalar(lua_State *L)
{
    struct err err = ERR_INIT;
    struct arg value;

    value_after_sizes(L, "scalar");
    if (lua_gettop(L) != 2 || lua_type(L, 1) != LUA_TSTRING)
        return trace_raise(L, "write scalar(\"name\", value)");
    if (lua_type(L, 2) != LUA_TNUMBER)
        return trace_raise(L, "scalar %.60s: a number is wanted, not %s", lua_tostring(L, 1),
                           tensor_node(L, 2) >= 0 ? "tensor" : luaL_typename(L, 2));
    if (!read_number(L, 2, &value))
        return trace_raise(L, "scalar %.60s is not finite", lua_tostring(L, 1));
    if (construct_add_scalar(trace_of(L)->graph, lua_tostring(L, 1), &value, &err) < 0)
        return trace_raise(L, "scalar: %s", err.text);
    return 1; /* the value */
}

/* state { w = "weight" }: what the published module calls a parameter of ours. */
static int l_state(lua_State *L)
{
    struct graph *g = trace_of(L)->graph;
    struct err err = ERR_INIT;

    value_after_sizes(L, "state");
    value_table(L, "state");
    if (g->construct.n_states)
        return trace_raise(L, "state comes once");
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TSTRING)
            return trace_raise(L, "write state { parameter = \"name in the module\" }");
        if (construct_add_state(g, lua_tostring(L, -2), lua_tostring(L, -1), &err) < 0)
            return trace_raise(L, "state: %s", err.text);
        lua_pop(L, 1);
    }
    return 0;
}

void declare_module_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"init", l_init},   {"tuple", l_tuple}, {"scalar", l_scalar},
        {"state", l_state}, {NULL, NULL},
    };

    luaL_setfuncs(L, functions, 0);
    luaL_newmetatable(L, TUPLE);
    lua_pop(L, 1);
}
