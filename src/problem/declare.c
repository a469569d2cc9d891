/* SPDX-License-Identifier: MIT */
/* The declarations of a problem file: problem, sizes, input, param, output, tolerance and others.
 */
#include "problem/trace.h"

#include <ctype.h>
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAW "law"
#define LAWS_MAX 16
#define SIZES_MAX 64
#define PARAMS_MAX 32
#define NULL_OUTPUTS_MAX 16

/* ------------------------------------------------------------------ reading tables */

void value_table(lua_State *L, const char *what)
{
    lua_settop(L, 1);
    if (!lua_istable(L, 1))
        trace_raise(L, "%s takes a table: %s { ... }", what, what);
}

void value_keys(lua_State *L, int table, const char *what, const char *const *keys, size_t n_keys,
                lua_Integer n_list)
{
    lua_pushnil(L);
    while (lua_next(L, table)) {
        bool known = lua_isinteger(L, -2) && lua_tointeger(L, -2) <= n_list;

        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TSTRING) {
            if (known)
                continue;
            trace_raise(L, "%s: only named keys go here", what);
        }

        const char *key = lua_tostring(L, -1);

        for (size_t i = 0; i < n_keys && !known; i++)
            known = !strcmp(key, keys[i]);
        if (!known) {
            const char *near = nearest(key, keys, n_keys);

            trace_raise(L, "%s: unknown key '%.60s'%s%s%s", what, key,
                        near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
        }
    }
}

void value_text(lua_State *L, int table, const char *what, const char *key, char **ret)
{
    int type = lua_getfield(L, table, key);

    if (type != LUA_TNIL && type != LUA_TSTRING)
        trace_raise(L, "%s: %s must be a string, not %s", what, key, luaL_typename(L, -1));
    if (type == LUA_TSTRING) {
        free(*ret);
        *ret = xstrdup(lua_tostring(L, -1));
    }
    lua_pop(L, 1);
}

double value_positive(lua_State *L, int table, const char *what, const char *key)
{
    double v = 0;

    if (lua_getfield(L, table, key) != LUA_TNIL) {
        v = lua_tonumber(L, -1);
        if (lua_type(L, -1) != LUA_TNUMBER || !(v > 0) || !isfinite(v))
            trace_raise(L, "%s: %s must be a positive number", what, key);
    }
    lua_pop(L, 1);
    return v;
}

void value_after_sizes(lua_State *L, const char *what)
{
    if (trace_of(L)->stage != STAGE_SIZES)
        trace_raise(L, "%s comes after problem { ... } and sizes { ... }", what);
}

/* ------------------------------------------------------------------ problem */

static void read_level(lua_State *L, struct problem *p)
{
    char level[64] = "";
    int type = lua_getfield(L, 1, "level");

    if (type == LUA_TNUMBER)
        snprintf(level, sizeof(level), "level%lld", (long long)value_int(L, -1, "level"));
    else if (type == LUA_TSTRING)
        snprintf(level, sizeof(level), "%s", lua_tostring(L, -1));
    else if (type != LUA_TNIL)
        trace_raise(L, "problem: level must be a number or a name such as \"hard\"");
    lua_pop(L, 1);
    if (p->level && level[0] && strcmp(p->level, level) != 0)
        trace_raise(L, "problem: it says %s, but the file is in %s", level, p->level);
    if (!p->level && level[0])
        p->level = xstrdup(level);
}

static void read_id(lua_State *L, struct problem *p)
{
    if (lua_getfield(L, 1, "id") != LUA_TNIL) {
        int64_t id = value_int(L, -1, "id");

        if (id < 1 || id > 1000000)
            trace_raise(L, "problem: id must be at least 1");
        if (p->id && p->id != id)
            trace_raise(L, "problem: it says id %lld, but the file is number %d", (long long)id,
                        p->id);
        p->id = (int)id;
    }
    lua_pop(L, 1);
}

static void read_mode(lua_State *L, struct problem *p)
{
    if (lua_getfield(L, 1, "mode") != LUA_TNIL) {
        const char *mode = lua_tostring(L, -1);

        p->eval_mode = mode && !strcmp(mode, "eval");
        if (!mode || (!p->eval_mode && strcmp(mode, "train") != 0))
            trace_raise(L, "problem: mode can only be \"train\" or \"eval\"");
    }
    lua_pop(L, 1);
}

static int l_problem(lua_State *L)
{
    static const char *const keys[] = {"level",   "id",    "repaired", "algebra",
                                       "foreign", "setup", "mode"};
    struct trace *t = trace_of(L);
    struct problem *p = t->problem;

    if (t->stage != STAGE_START)
        return trace_raise(L, "problem { ... } comes first, and once");
    t->stage = STAGE_PROBLEM;
    value_table(L, "problem");
    value_keys(L, 1, "problem", keys, ARRAY_SIZE(keys), 1);
    if (!t->first)
        return 0;
    if (lua_rawgeti(L, 1, 1) != LUA_TSTRING)
        return trace_raise(L, "problem: the title is missing: problem { \"title\", ... }");
    free(p->title);
    p->title = xstrdup(lua_tostring(L, -1));
    read_level(L, p);
    read_id(L, p);
    value_text(L, 1, "problem", "repaired", &p->repaired);
    value_text(L, 1, "problem", "algebra", &p->algebra);
    value_text(L, 1, "problem", "foreign", &p->foreign);
    read_mode(L, p);
    if (lua_getfield(L, 1, "setup") != LUA_TNIL) {
        const char *setup = lua_tostring(L, -1);

        if (!setup || strcmp(setup, "params") != 0)
            return trace_raise(L, "problem: setup can only be \"params\"");
        p->setup_params = true;
    }
    return 0;
}

/* ------------------------------------------------------------------ sizes */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct size_param *)a)->name, ((const struct size_param *)b)->name);
}

static void check_size_name(lua_State *L, const char *name)
{
    bool ok = isalpha((unsigned char)name[0]) && strlen(name) <= 40;

    for (const char *c = name; *c; c++)
        ok = ok && (isalnum((unsigned char)*c) || *c == '_');
    if (!ok)
        trace_raise(L, "sizes: '%.60s' is no name", name);
    lua_getfield(L, LUA_REGISTRYINDEX, "names");
    if (lua_getfield(L, -1, name) != LUA_TNIL)
        trace_raise(L, "sizes: %s is the name of a function: choose another", name);
    lua_pop(L, 2);
}

/* Reads one size: the table of its parameters, at stack index `table`. */
static void read_size(lua_State *L, int table, enum size_set set)
{
    struct problem *p = trace_of(L)->problem;
    struct size *s;

    if (p->n_sizes[set] >= SIZES_MAX)
        trace_raise(L, "sizes: more than %d in %s", SIZES_MAX, size_set_names[set]);
    p->sizes[set] = xrealloc(p->sizes[set], (size_t)(p->n_sizes[set] + 1) * sizeof(*p->sizes[set]));
    s = &p->sizes[set][p->n_sizes[set]++];
    *s = (struct size){.params = xcalloc(PARAMS_MAX, sizeof(*s->params))};
    lua_pushnil(L);
    while (lua_next(L, table)) {
        if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TNUMBER)
            trace_raise(L, "sizes: %s must hold NAME = number", size_set_names[set]);
        if (s->n_params == PARAMS_MAX)
            trace_raise(L, "sizes: more than %d names", PARAMS_MAX);
        check_size_name(L, lua_tostring(L, -2));
        s->params[s->n_params++] =
            (struct size_param){xstrdup(lua_tostring(L, -2)), lua_tonumber(L, -1)};
        lua_pop(L, 1);
    }
    qsort(s->params, (size_t)s->n_params, sizeof(*s->params), by_name);
}

static void read_set(lua_State *L, enum size_set set)
{
    int table;

    if (lua_getfield(L, 1, size_set_names[set]) != LUA_TTABLE)
        trace_raise(L, "sizes: %s is missing: sizes { full = { B = 8 }, small = { B = 2 } }",
                    size_set_names[set]);
    table = lua_gettop(L);
    if (!lua_rawlen(L, table)) {
        read_size(L, table, set);
    } else {
        value_keys(L, table, "sizes", NULL, 0, SIZES_MAX);
        for (lua_Unsigned i = 1; i <= lua_rawlen(L, table); i++) {
            if (lua_rawgeti(L, table, (lua_Integer)i) != LUA_TTABLE)
                trace_raise(L, "sizes: %s must be a table or a list of tables",
                            size_set_names[set]);
            read_size(L, table + 1, set);
            lua_pop(L, 1);
        }
    }
    lua_pop(L, 1);
}

static const struct size_param *find_param(const struct size *s, const char *name)
{
    for (int i = 0; i < s->n_params; i++)
        if (!strcmp(s->params[i].name, name))
            return &s->params[i];
    return NULL;
}

/* Every size must have the same parameter names as the first size of `full`. */
static void check_same_names(lua_State *L, const struct problem *p)
{
    const struct size *model = &p->sizes[SIZES_FULL][0];

    for (int set = 0; set < SIZES_COUNT; set++) {
        for (int i = 0; i < p->n_sizes[set]; i++) {
            const struct size *s = &p->sizes[set][i];

            for (int j = 0; j < model->n_params; j++)
                if (!find_param(s, model->params[j].name))
                    trace_raise(L, "sizes: %s lacks %s", size_set_names[set],
                                model->params[j].name);
            for (int j = 0; j < s->n_params; j++)
                if (!find_param(model, s->params[j].name))
                    trace_raise(L, "sizes: %s has %s, full has not", size_set_names[set],
                                s->params[j].name);
        }
    }
}

/* Medium must not change a parameter on which small and full agree: a head count or a group count
 * is no dimension to be scaled, and headers tell candidates its value. */
static void check_fixed(lua_State *L, const struct problem *p)
{
    const struct size *model = &p->sizes[SIZES_FULL][0];

    for (int k = 0; k < model->n_params; k++)
        for (int i = 0; i < p->n_sizes[SIZES_MEDIUM]; i++)
            if (size_param_fixed(p, k) &&
                p->sizes[SIZES_MEDIUM][i].params[k].value != model->params[k].value)
                trace_raise(L, "sizes: medium changes %s, which small and full agree on",
                            model->params[k].name);
}

static int l_sizes(lua_State *L)
{
    static const char *const keys[] = {"full", "small", "medium"};
    struct trace *t = trace_of(L);
    const struct size *s;

    if (t->stage != STAGE_PROBLEM)
        return trace_raise(L, "sizes { ... } comes right after problem { ... }, once");
    t->stage = STAGE_SIZES;
    value_table(L, "sizes");
    if (t->first) {
        value_keys(L, 1, "sizes", keys, ARRAY_SIZE(keys), 0);
        read_set(L, SIZES_FULL);
        read_set(L, SIZES_SMALL);
        t->problem->medium_stated = lua_getfield(L, 1, "medium") != LUA_TNIL;
        lua_pop(L, 1);
        if (t->problem->medium_stated)
            read_set(L, SIZES_MEDIUM);
        check_same_names(L, t->problem);
        check_fixed(L, t->problem);
    }
    s = &t->problem->sizes[t->set][t->index];
    lua_getfield(L, LUA_REGISTRYINDEX, "names");
    for (int i = 0; i < s->n_params; i++) {
        double v = s->params[i].value;

        if (v == floor(v) && fabs(v) < 0x1p53)
            lua_pushinteger(L, (lua_Integer)v);
        else
            lua_pushnumber(L, v);
        lua_setfield(L, -2, s->params[i].name);
    }
    return 0;
}

/* ------------------------------------------------------------------ laws */

/* How a file writes each law. Numbers are positional; spread, heavy and needle take { scale = s },
 * a factor of the drawn numbers. */
static const struct law_form {
    enum law_kind kind;
    int min_args, max_args;
    bool scale;
    double a, b; /* defaults */
    const char *usage;
} law_forms[] = {
    {LAW_SPREAD, 0, 0, true, 0, 0, "spread() or spread { scale = 2 }"},
    {LAW_NORMAL, 0, 2, false, 0, 1, "normal(mean, deviation)"},
    {LAW_UNIFORM, 2, 2, false, 0, 0, "uniform(low, high)"},
    {LAW_HEAVY, 0, 0, true, 0, 0, "heavy() or heavy { scale = 2 }"},
    {LAW_NEEDLE, 0, 0, true, 0, 0, "needle() or needle { scale = 2 }"},
    {LAW_INTS, 2, 2, false, 0, 0, "ints(low, high), high itself left out"},
    {LAW_PERM, 0, 0, false, 0, 0, "perm()"},
    {LAW_LENGTHS, 1, 2, false, 0, 0, "lengths(max, page)"},
    {LAW_CONSTANT, 1, 1, false, 0, 0, "constant(value)"},
    {LAW_BERNOULLI, 1, 1, false, 0, 0, "bernoulli(probability)"},
    {LAW_SORTED, 1, 1, false, 0, 0, "sorted(1) for rising rows or sorted(-1) for falling ones"},
    {LAW_CLUSTER, 2, 2, false, 0, 0, "cluster(neighbours, height)"},
    {LAW_PEAKS, 2, 2, false, 0, 0, "peaks(one_in, depth)"},
    {LAW_OFFSETS, 1, 2, false, 0, 0, "offsets(rows) or offsets(rows, 1) for skewed groups"},
    {LAW_PAGES, 2, 3, false, 0, 0, "pages(live, tokens) or pages(live, tokens, longest)"},
    {LAW_PAGED, 1, 3, false, 0, 0,
     "paged(rows), paged(rows, deviation) or paged(rows, deviation, 1)"},
    {LAW_TIES, 2, 2, false, 0, 0, "ties(low, high), high itself left out"},
    {LAW_BANDS, 2, 2, false, 0, 0, "bands(low, high)"},
};

/* A law as a Lua value. */
struct law_box {
    struct law law;
    bool check_only;
};

static void law_push(lua_State *L, const struct law_box *box)
{
    *(struct law_box *)lua_newuserdatauv(L, sizeof(*box), 0) = *box;
    luaL_setmetatable(L, LAW);
}

/* The field that argument number i fills, counted from 1. paged() takes its scale before b. */
static double *law_argument(struct law *law, int i)
{
    if (i == 1)
        return &law->a;
    return (i == 2) == (law->kind != LAW_PAGED) ? &law->b : &law->scale;
}

/* Makes a law, such as spread(). Upvalue 1: index in law_forms. */
static int l_law(lua_State *L)
{
    static const char *const keys[] = {"scale"};
    const struct law_form *form = &law_forms[lua_tointeger(L, lua_upvalueindex(1))];
    struct law law = {form->kind, form->a, form->b, form->kind == LAW_PAGES ? 0 : 1};
    int n = lua_gettop(L);

    if (form->scale && n == 1 && lua_istable(L, 1)) {
        value_keys(L, 1, law_name(law.kind), keys, 1, 0);
        law.scale = value_positive(L, 1, law_name(law.kind), "scale");
        n = 0;
    }
    if (n < form->min_args || n > form->max_args)
        return trace_raise(L, "write %s", form->usage);
    for (int i = 1; i <= n; i++) {
        if (lua_type(L, i) != LUA_TNUMBER)
            return trace_raise(L, "write %s", form->usage);
        *law_argument(&law, i) = lua_tonumber(L, i);
    }
    law_push(L, &(struct law_box){law, false});
    return 1;
}

/* check_only(law): the law is for checks; scored calls leave it out. */
static int l_check_only(lua_State *L)
{
    const struct law_box *box = luaL_testudata(L, 1, LAW);

    if (!box || lua_gettop(L) != 1)
        return trace_raise(L, "write check_only(lengths(max, page)), or another law");
    law_push(L, &(struct law_box){box->law, true});
    return 1;
}

/* ------------------------------------------------------------------ tensors */

/* The laws of a float input that states none: signed with a scale per row, plain, heavy-tailed, and
 * nearly all zero. A kernel that skips work or precision fails under some of them. */
static const struct law float_laws[] = {
    {LAW_SPREAD, 0, 0, 1},
    {LAW_NORMAL, 0, 1, 1},
    {LAW_HEAVY, 0, 0, 1},
    {LAW_NEEDLE, 0, 0, 1},
};

static int default_laws(lua_State *L, enum source_kind kind, const char *name, enum dtype dtype,
                        struct law *ret)
{
    if (!dtype_is_float(dtype))
        trace_raise(L, "%s: %s needs a law: %s", name, dtype_name(dtype),
                    dtype == DT_BOOL ? "bernoulli(0.5)"
                                     : "ints(low, high), perm() or lengths(max)");
    if (kind == SOURCE_PARAM) {
        ret[0] = float_laws[1];
        return 1;
    }
    memcpy(ret, float_laws, sizeof(float_laws));
    return ARRAY_SIZE(float_laws);
}

/* input(name, dtype, shape [, law...]) and param(name, dtype, shape [, law]) */
static int add_source(lua_State *L, enum source_kind kind, const char *what)
{
    struct law laws[LAWS_MAX];
    int n_laws = lua_gettop(L) - 3;
    struct err err = ERR_INIT;
    struct shape shape = {0};
    uint32_t check_only = 0;
    char label[160];

    value_after_sizes(L, what);
    if (n_laws < 0 || lua_type(L, 1) != LUA_TSTRING)
        return trace_raise(L, "write %s(\"name\", f32, { B, N }%s)", what,
                           kind == SOURCE_INPUT ? ", law..." : ", law");
    if (n_laws > (kind == SOURCE_INPUT ? LAWS_MAX : 1))
        return trace_raise(L, "%s: too many laws", what);

    const char *name = lua_tostring(L, 1);
    enum dtype dtype;

    snprintf(label, sizeof(label), "%s %.100s", what, name);
    dtype = value_dtype(L, 2, label);
    value_shape(L, 3, label, &shape);
    for (int i = 0; i < n_laws; i++) {
        const struct law_box *box = luaL_testudata(L, 4 + i, LAW);

        if (!box)
            return trace_raise(L, "%s: a law such as spread() is wanted, not %s", label,
                               luaL_typename(L, 4 + i));
        laws[i] = box->law;
        check_only |= (uint32_t)box->check_only << i;
    }
    if (n_laws == 0)
        n_laws = default_laws(L, kind, label, dtype, laws);
    for (int i = 0; kind == SOURCE_INPUT && dtype_is_float(dtype) && i < n_laws; i++)
        check_only |= (uint32_t)law_is_for_checks(laws[i].kind) << i;

    int node = graph_add_source(trace_of(L)->graph, kind, name, dtype, &shape, laws, n_laws, &err);

    if (node < 0)
        return trace_raise(L, "%s: %s", what, err.text);
    trace_of(L)->graph->sources[trace_of(L)->graph->n_sources - 1].check_only = check_only;
    tensor_push(L, node);
    return 1;
}

static int l_input(lua_State *L)
{
    return add_source(L, SOURCE_INPUT, "input");
}

static int l_param(lua_State *L)
{
    return add_source(L, SOURCE_PARAM, "param");
}

static int l_output(lua_State *L)
{
    struct err err = ERR_INIT;

    value_after_sizes(L, "output");
    if (lua_type(L, 1) != LUA_TSTRING || lua_gettop(L) < 2)
        return trace_raise(L, "write output(\"name\", x)");
    if (lua_gettop(L) > 2)
        return trace_raise(L,
                           "output %s: %d values, one is wanted: ( ) around a call keep its first",
                           lua_tostring(L, 1), lua_gettop(L) - 1);

    int node = tensor_node(L, 2);

    if (node < 0)
        return trace_raise(L, "output %s: a tensor is wanted, not %s", lua_tostring(L, 1),
                           luaL_typename(L, 2));
    if (graph_add_output(trace_of(L)->graph, lua_tostring(L, 1), node, &err) < 0)
        return trace_raise(L, "output: %s", err.text);
    return 0;
}

/* null("name", y... [, { precision = "f32" }]): outputs of a candidate that must fail. */
static int l_null(lua_State *L)
{
    static const char *const keys[] = {"precision"};
    struct graph *g = trace_of(L)->graph;
    struct err err = ERR_INIT;
    int n = lua_gettop(L) - 1, nodes[NULL_OUTPUTS_MAX];
    bool in_float = false;

    value_after_sizes(L, "null");
    if (lua_type(L, 1) == LUA_TSTRING && n > 0 && lua_istable(L, n + 1)) {
        value_keys(L, n + 1, "null", keys, ARRAY_SIZE(keys), 0);
        lua_getfield(L, n + 1, "precision");
        in_float = lua_type(L, -1) == LUA_TSTRING && !strcmp(lua_tostring(L, -1), "f32");
        if (!in_float)
            return trace_raise(L, "null: precision can only be f32");
        n--;
    }
    if (lua_type(L, 1) != LUA_TSTRING || n < 1 || n > NULL_OUTPUTS_MAX)
        return trace_raise(L, "write null(\"name\", y) with a tensor for each output");
    for (int i = 0; i < n; i++) {
        nodes[i] = tensor_node(L, 2 + i);
        if (nodes[i] < 0)
            return trace_raise(L, "null %s: a tensor is wanted, not %s", lua_tostring(L, 1),
                               luaL_typename(L, 2 + i));
    }
    if (graph_add_null(g, lua_tostring(L, 1), nodes, n, in_float, &err) < 0)
        return trace_raise_err(L, &err);
    return 0;
}

/* ------------------------------------------------------------------ the rest */

/* cost { flops = n, type = bf16, bytes = n }: for problems whose work the graph does not count. */
static int l_cost(lua_State *L)
{
    static const char *const keys[] = {"flops", "type", "bytes"};
    struct stated_cost *c = &trace_of(L)->graph->stated;

    value_after_sizes(L, "cost");
    value_table(L, "cost");
    value_keys(L, 1, "cost", keys, ARRAY_SIZE(keys), 0);
    c->flops = value_positive(L, 1, "cost", "flops");
    c->bytes = value_positive(L, 1, "cost", "bytes");
    lua_getfield(L, 1, "type");
    if (c->flops > 0)
        c->type = value_dtype(L, lua_gettop(L), "cost: type");
    return 0;
}

static int l_tolerance(lua_State *L)
{
    static const char *const keys[] = {"rms", "max", "sums", "why"};
    struct tolerance *tol = &trace_of(L)->graph->tolerance;

    value_after_sizes(L, "tolerance");
    value_table(L, "tolerance");
    value_keys(L, 1, "tolerance", keys, ARRAY_SIZE(keys), 0);
    tol->rms = value_positive(L, 1, "tolerance", "rms");
    tol->max = value_positive(L, 1, "tolerance", "max");
    if (lua_getfield(L, 1, "sums") != LUA_TNIL) {
        tol->compensated =
            lua_type(L, -1) == LUA_TSTRING && !strcmp(lua_tostring(L, -1), "compensated");
        if (!tol->compensated)
            return trace_raise(L, "tolerance: sums can only be \"compensated\"");
    }
    value_text(L, 1, "tolerance", "why", &tol->why);
    if (!tol->why || !tol->why[0])
        return trace_raise(L, "tolerance: why is missing: say what makes this gate the right one");
    return 0;
}

const char *const requires_tensor_names[] = {"fp8",  "bf16", "fp16", "tf32",
                                             "fp64", "int8", "fp4",  NULL};

static int l_requires(lua_State *L)
{
    static const char *const keys[] = {"tensor", "memory"};
    struct problem *p = trace_of(L)->problem;
    bool known = false;

    value_after_sizes(L, "requires");
    value_table(L, "requires");
    value_keys(L, 1, "requires", keys, ARRAY_SIZE(keys), 0);
    value_text(L, 1, "requires", "tensor", &p->requires_tensor);
    for (int i = 0; p->requires_tensor && requires_tensor_names[i]; i++)
        known = known || !strcmp(p->requires_tensor, requires_tensor_names[i]);
    if (p->requires_tensor && !known)
        return trace_raise(L, "requires: tensor must be fp8, bf16, fp16, tf32, fp64, int8 or fp4");
    if (lua_getfield(L, 1, "memory") != LUA_TNIL) {
        int64_t bytes = value_int(L, -1, "memory");

        if (bytes < 0)
            return trace_raise(L, "requires: memory must not be negative");
        trace_of(L)->graph->memory_bytes = bytes;
        if (trace_of(L)->set == SIZES_FULL)
            p->requires_memory = bytes;
    }
    return 0;
}

static int l_allow(lua_State *L)
{
    static const char *const keys[] = {"libraries"};

    value_after_sizes(L, "allow");
    value_table(L, "allow");
    value_keys(L, 1, "allow", keys, ARRAY_SIZE(keys), 0);
    lua_getfield(L, 1, "libraries");
    if (!lua_isboolean(L, -1))
        return trace_raise(L, "allow: libraries must be true or false");
    trace_of(L)->problem->allow_libraries = lua_toboolean(L, -1);
    return 0;
}

static int skip_by_name(const void *a, const void *b)
{
    return strcmp(((const struct null_skip *)a)->name, ((const struct null_skip *)b)->name);
}

/* nulls { skip = { mean = "why" } }. Admission checks the names: it knows which nulls there are. */
static int l_nulls(lua_State *L)
{
    static const char *const keys[] = {"skip"};
    struct trace *t = trace_of(L);
    struct problem *p = t->problem;

    value_after_sizes(L, "nulls");
    value_table(L, "nulls");
    value_keys(L, 1, "nulls", keys, ARRAY_SIZE(keys), 0);
    if (lua_getfield(L, 1, "skip") != LUA_TTABLE)
        return trace_raise(L, "nulls: write nulls { skip = { mean = \"why\" } }");
    if (!t->first)
        return 0;
    lua_pushnil(L);
    while (lua_next(L, 2)) {
        if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TSTRING)
            return trace_raise(L, "nulls: skip must hold NAME = \"why\"");
        p->null_skips =
            xrealloc(p->null_skips, (size_t)(p->n_null_skips + 1) * sizeof(*p->null_skips));
        p->null_skips[p->n_null_skips++] = (struct null_skip){
            xstrdup(lua_tostring(L, -2)),
            xstrdup(lua_tostring(L, -1)),
        };
        lua_pop(L, 1);
    }
    if (p->n_null_skips)
        qsort(p->null_skips, (size_t)p->n_null_skips, sizeof(*p->null_skips), skip_by_name);
    return 0;
}

void declare_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"problem", l_problem},       {"sizes", l_sizes},   {"input", l_input},
        {"param", l_param},           {"output", l_output}, {"tolerance", l_tolerance},
        {"requires", l_requires},     {"allow", l_allow},   {"nulls", l_nulls},
        {"lib", trace_lib},           {"null", l_null},     {"cost", l_cost},
        {"check_only", l_check_only}, {NULL, NULL},
    };

    lua_newtable(L);
    luaL_setfuncs(L, functions, 0);
    declare_module_open(L);
    for (size_t i = 0; i < ARRAY_SIZE(law_forms); i++) {
        lua_pushinteger(L, (lua_Integer)i);
        lua_pushcclosure(L, l_law, 1);
        lua_setfield(L, -2, law_name(law_forms[i].kind));
    }
    for (int i = 0; i < DT_COUNT; i++) {
        lua_pushstring(L, dtype_name((enum dtype)i));
        lua_setfield(L, -2, dtype_name((enum dtype)i));
    }
    lua_setfield(L, -2, "names");
    luaL_newmetatable(L, LAW);
    lua_pop(L, 1);
}
