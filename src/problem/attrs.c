/* SPDX-License-Identifier: MIT */
/* Reads the prelude's attribute tables into struct op_attrs. Keys are the fields of op_attrs;
 * dtype, shape, len and the k of topk go into `want`. */
#include "problem/trace.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

/* The largest length or step that makes sense; sums of a few stay within 64 bits. */
#define ATTR_MAX ((int64_t)1 << 50)

static int64_t bounded(lua_State *L, int i, const char *key)
{
    int64_t v = value_int(L, i, key);

    if (v < -ATTR_MAX || v > ATTR_MAX)
        trace_raise(L, "%s is out of range", key);
    return v;
}

static int64_t get_int(lua_State *L, int table, const char *key, int64_t missing)
{
    int64_t v = missing;

    if (lua_getfield(L, table, key) != LUA_TNIL)
        v = bounded(L, -1, key);
    lua_pop(L, 1);
    return v;
}

static bool get_flag(lua_State *L, int table, const char *key)
{
    lua_getfield(L, table, key);

    bool v = lua_toboolean(L, -1);

    lua_pop(L, 1);
    return v;
}

static double get_number(lua_State *L, int table, const char *key)
{
    lua_getfield(L, table, key);
    if (lua_type(L, -1) != LUA_TNUMBER)
        trace_raise(L, "%s must be a number, not %s", key, luaL_typename(L, -1));

    double v = lua_tonumber(L, -1);

    lua_pop(L, 1);
    return v;
}

/* Reads one number for all n places, or a list of n numbers. */
static void get_ints(lua_State *L, int table, const char *key, int n, const int64_t *missing,
                     int64_t *ret)
{
    int type = lua_getfield(L, table, key);

    if (type == LUA_TTABLE && (int64_t)lua_rawlen(L, -1) != n)
        trace_raise(L, "%s must be a whole number or a list of %d", key, n);
    for (int i = 0; i < n; i++) {
        if (type == LUA_TNIL) {
            ret[i] = missing[i];
        } else if (type == LUA_TTABLE) {
            lua_rawgeti(L, -1, i + 1);
            ret[i] = bounded(L, -1, key);
            lua_pop(L, 1);
        } else {
            ret[i] = bounded(L, -1, key);
        }
    }
    lua_pop(L, 1);
}

static int get_axis(lua_State *L, int table)
{
    int64_t axis = get_int(L, table, "axis", 0);

    if (axis < 0 || axis >= SHAPE_MAX_RANK)
        trace_raise(L, "axis %lld is out of range", (long long)axis);
    return (int)axis;
}

static uint32_t get_axes(lua_State *L, int table)
{
    uint32_t bits = 0;

    lua_getfield(L, table, "axes");
    for (lua_Unsigned i = 1; i <= lua_rawlen(L, -1); i++) {
        lua_rawgeti(L, -1, (lua_Integer)i);

        int64_t axis = bounded(L, -1, "dim");

        if (axis >= 0 && axis < SHAPE_MAX_RANK)
            bits |= 1u << axis;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return bits;
}

static void get_shape(lua_State *L, int table, struct shape *ret)
{
    lua_getfield(L, table, "shape");
    value_shape(L, lua_gettop(L), "shape", ret);
    lua_pop(L, 1);
    for (int i = 0; i < ret->rank; i++)
        if (ret->dim[i] < 1)
            trace_raise(L, "dimension %d of the shape must be at least 1, not %lld", i,
                        (long long)ret->dim[i]);
    if (shape_count(ret) < 0)
        trace_raise(L, "the shape has more than %lld elements", (long long)SHAPE_MAX_COUNT);
}

static void get_dtype(lua_State *L, int table, enum dtype *ret)
{
    lua_getfield(L, table, "dtype");
    *ret = value_dtype(L, lua_gettop(L), "the dtype");
    lua_pop(L, 1);
}

static void get_perm(lua_State *L, int table, int rank, int *ret)
{
    static const int64_t none[SHAPE_MAX_RANK];
    int64_t perm[SHAPE_MAX_RANK];

    get_ints(L, table, "perm", rank, none, perm);
    for (int i = 0; i < rank; i++)
        ret[i] = perm[i] < 0 || perm[i] >= rank ? -1 : (int)perm[i];
}

static void get_window(lua_State *L, int table, enum op_code op, const struct node *x,
                       struct window *ret)
{
    static const int64_t ones[WINDOW_MAX_ND] = {1, 1, 1}, zeros[WINDOW_MAX_ND];
    bool pool = op == OP_MAX_POOL || op == OP_AVG_POOL;
    int nd = MAX(1, MIN(x->shape.rank - 2, WINDOW_MAX_ND));

    ret->nd = nd;
    if (pool && lua_getfield(L, table, "k") == LUA_TNIL)
        trace_raise(L, "k, the size of the window, is missing: write { k = 2 }");
    if (pool)
        lua_pop(L, 1);
    get_ints(L, table, "k", nd, ones, ret->k);
    get_ints(L, table, "stride", nd, pool ? ret->k : ones, ret->stride);
    get_ints(L, table, "pad", nd, zeros, ret->pad);
    get_ints(L, table, "dilation", nd, ones, ret->dilation);
    get_ints(L, table, "output_pad", nd, zeros, ret->output_pad);
    ret->groups = get_int(L, table, "groups", 1);
    ret->ceil = get_flag(L, table, "ceil");
}

void attrs_read(lua_State *L, int table, enum op_code op, const struct node *x,
                struct op_attrs *ret, struct node *ret_want)
{
    if (!lua_istable(L, table))
        return;
    if (x)
        ret_want->shape = x->shape;
    switch (op) {
    case OP_CONST:
        ret->value = get_number(L, table, "value");
        get_dtype(L, table, &ret_want->dtype);
        get_shape(L, table, &ret_want->shape);
        break;
    case OP_IOTA:
        ret->axis = get_axis(L, table);
        get_dtype(L, table, &ret_want->dtype);
        get_shape(L, table, &ret_want->shape);
        break;
    case OP_CAST:
        ret->keep = get_flag(L, table, "keep");
        get_dtype(L, table, &ret_want->dtype);
        break;
    case OP_SUM:
    case OP_PROD:
    case OP_MAX:
    case OP_MIN:
    case OP_ARGMAX:
    case OP_ARGMIN:
        ret->axes = get_axes(L, table);
        ret->keep = get_flag(L, table, "keep");
        break;
    case OP_MATMUL:
        ret->trans_a = get_flag(L, table, "trans_a");
        ret->trans_b = get_flag(L, table, "trans_b");
        break;
    case OP_CONV:
    case OP_CONV_TRANSPOSE:
    case OP_MAX_POOL:
    case OP_AVG_POOL:
        get_window(L, table, op, x, &ret->window);
        break;
    case OP_RESHAPE:
    case OP_EXPAND:
        get_shape(L, table, &ret_want->shape);
        break;
    case OP_PERMUTE:
        get_perm(L, table, x->shape.rank, ret->perm);
        break;
    case OP_SLICE:
        ret->axis = get_axis(L, table);
        ret->from = get_int(L, table, "from", 0);
        ret->step = get_int(L, table, "step", 1);
        ret_want->shape.dim[ret->axis] = get_int(L, table, "len", 0);
        break;
    case OP_TOPK:
        ret->axis = get_axis(L, table);
        ret_want->shape.dim[ret->axis] = get_int(L, table, "k", 0);
        break;
    case OP_PAD:
        ret->axis = get_axis(L, table);
        ret->lo[ret->axis] = get_int(L, table, "lo", 0);
        ret->hi[ret->axis] = get_int(L, table, "hi", 0);
        ret->value = get_number(L, table, "value");
        break;
    default:
        ret->axis = get_axis(L, table);
    }
}
