/* SPDX-License-Identifier: MIT */
/* A Lua state that can do nothing but describe a problem.
 *
 * The prelude is ours and runs with Lua's base, string, table and math libraries. The problem file
 * sees only the names that the prelude returns, through a read-only environment. It is loaded as
 * text, because byte code can crash the interpreter. Strings have no methods: ("a?"):rep(28) and a
 * pattern would hang inside one C call, where no hook runs.
 *
 * Limits: memory by the allocator, instructions and time by the count hook. Errors carry the
 * problem file's line, found by walking the stack past the prelude's frames. */
#include "problem/trace.h"

#include "base/clock.h"
#include "base/fs.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEM_MAX_BYTES ((size_t)256 << 20)
#define STEPS_MAX 20000000
#define STEPS_PER_HOOK 500 /* few, because one step may compare 100 MB of string */
#define TIME_MAX_MS 10000

/* A chunk name that Lua need not shorten, as it does with long paths. Messages name the path. */
#define PROBLEM_CHUNK "=problem"

struct trace *trace_of(lua_State *L)
{
    return *(struct trace **)lua_getextraspace(L);
}

/* The line that runs in the problem file, or 0: that of the innermost frame of the file. */
static int problem_line(lua_State *L)
{
    lua_Debug ar;

    for (int level = 0; lua_getstack(L, level, &ar); level++) {
        lua_getinfo(L, "Sl", &ar);
        if (!strcmp(ar.source, PROBLEM_CHUNK) && ar.currentline > 0)
            return ar.currentline;
    }
    return 0;
}

/* ------------------------------------------------------------------ errors */

int trace_raise(lua_State *L, const char *fmt, ...)
{
    const struct trace *t = trace_of(L);
    char text[1400];
    va_list ap;
    int call = t->call;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    while (call >= 0 && t->graph->calls[call].parent >= 0)
        call = t->graph->calls[call].parent;
    if (call >= 0) {
        const char *name = t->graph->calls[call].name;
        size_t len = strlen(name);

        /* "linear: matmul: ...", but not "matmul: matmul: ..." */
        if (strncmp(text, name, len) != 0 || text[len] != ':') {
            lua_pushfstring(L, "%s: %s", name, text);
            return lua_error(L);
        }
    }
    lua_pushstring(L, text);
    return lua_error(L);
}

int trace_raise_err(lua_State *L, const struct err *err)
{
    return trace_raise(L, "%s", err->text);
}

#define NAMES_MAX 400

static int by_length(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    size_t m = strlen(x), n = strlen(y);

    return m != n ? (m < n ? 1 : -1) : strcmp(x, y);
}

int trace_unknown(lua_State *L, const char *what, const char *key, int names)
{
    const char *list[NAMES_MAX];
    size_t n = 0;

    names = lua_absindex(L, names);
    lua_pushnil(L);
    while (n < NAMES_MAX && lua_next(L, names)) {
        lua_pop(L, 1); /* the key stays alive: the table holds it */
        if (lua_type(L, -1) == LUA_TSTRING)
            list[n++] = lua_tostring(L, -1);
    }

    /* nearest() takes the first of equally near names. This order makes it the longest, and the
     * same one every time. */
    qsort(list, n, sizeof(*list), by_length);

    const char *near = nearest(key, list, n);

    if (near)
        return trace_raise(L, "unknown %s '%.60s': did you mean %s?", what, key, near);
    return trace_raise(L, "unknown %s '%.60s'", what, key);
}

/* Splits Lua's own "problem:12: text"; returns the text and the line. The line is 0 if it is one of
 * the prelude. */
static const char *strip_position(const char *text, int *ret_line)
{
    const char *names[] = {&PROBLEM_CHUNK[1], &PRELUDE_CHUNK[1]};

    *ret_line = 0;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        size_t len = strlen(names[i]);
        int line, used = 0;

        if (!strncmp(text, names[i], len) && sscanf(text + len, ":%d: %n", &line, &used) == 1 &&
            used) {
            *ret_line = i == 0 ? line : 0;
            return text + len + used;
        }
    }
    return text;
}

/* Lua's message handler. It runs where the error was raised, so the stack is still there. */
static int on_error(lua_State *L)
{
    const char *text = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : "an error without text";
    int line, said;

    text = strip_position(text, &said);
    line = problem_line(L);
    if (!line)
        line = said;
    if (line)
        lua_pushfstring(L, "%s:%d: %s", trace_of(L)->path, line, text);
    else
        lua_pushfstring(L, "%s: %s", trace_of(L)->path, text);
    return 1;
}

/* ------------------------------------------------------------------ limits */

/* Lua's allocator. Lua calls no message handler when memory is out, so the allocator notes the
 * line. Reading the stack allocates nothing. */
static void *alloc(void *ud, void *ptr, size_t old, size_t new)
{
    struct trace *t = ud;

    if (!ptr)
        old = 0; /* Lua passes a type tag for new objects */
    if (new == 0) {
        free(ptr);
        t->mem_bytes -= old;
        return NULL;
    }
    if (new > old &&new - old > MEM_MAX_BYTES - MIN(t->mem_bytes, MEM_MAX_BYTES)) {
        t->full_line = t->lua ? problem_line(t->lua) : 0;
        return NULL;
    }

    void *out = realloc(ptr, new);

    if (out)
        t->mem_bytes += new - old;
    return out;
}

static void on_count(lua_State *L, lua_Debug *ar)
{
    struct trace *t = trace_of(L);

    (void)ar;
    t->steps += STEPS_PER_HOOK;
    if (t->steps > STEPS_MAX)
        trace_raise(L, "more than %d million instructions: is a loop endless?",
                    STEPS_MAX / 1000000);
    if (clock_ms_since(t->start_ns) > TIME_MAX_MS)
        trace_raise(L, "more than %d seconds: is a loop endless?", TIME_MAX_MS / 1000);
}

/* ------------------------------------------------------------------ names that a file may use */

/* Reads a global name. Upvalue 1: the table of known names. */
static int env_index(lua_State *L)
{
    const char *key = lua_tostring(L, 2);

    lua_settop(L, 2);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
        return 1;
    return trace_unknown(L, "name", key ? key : "?", lua_upvalueindex(1));
}

static int env_newindex(lua_State *L)
{
    const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";

    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
        return trace_raise(L, "%s cannot be changed", key);
    return trace_raise(L, "%s is not local: write local %s%s", key,
                       lua_isfunction(L, 3) ? "function " : "", key);
}

static int string_index(lua_State *L)
{
    return trace_raise(L, "strings have no methods here: build names with ..");
}

/* Replaces the table on top of the stack by a read-only view of it. */
static void make_read_only(lua_State *L)
{
    int known = lua_gettop(L);

    lua_newtable(L);
    lua_newtable(L);
    lua_pushvalue(L, known);
    lua_pushcclosure(L, env_index, 1);
    lua_setfield(L, -2, "__index");
    lua_pushvalue(L, known);
    lua_pushcclosure(L, env_newindex, 1);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, -2);
    lua_remove(L, known);
}

static int read_only(lua_State *L)
{
    lua_settop(L, 1);
    make_read_only(L);
    return 1;
}

static void open_libraries(lua_State *L)
{
    static const luaL_Reg libs[] = {
        {LUA_GNAME, luaopen_base},
        {LUA_STRLIBNAME, luaopen_string},
        {LUA_TABLIBNAME, luaopen_table},
        {LUA_MATHLIBNAME, luaopen_math},
    };

    for (size_t i = 0; i < ARRAY_SIZE(libs); i++) {
        luaL_requiref(L, libs[i].name, libs[i].func, 1);
        lua_pop(L, 1);
    }
    /* All strings share one metatable. This one has neither methods nor arithmetic on "10". */
    lua_pushliteral(L, "");
    lua_newtable(L);
    lua_pushcfunction(L, string_index);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

/* ------------------------------------------------------------------ shared blocks */

#define LIB_MAX_BYTES ((size_t)1 << 20)

static bool plain_name(const char *name)
{
    return name && *name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

/* problems/level3/015_x.lua -> problems/lib/NAME.lua */
static char *lib_path(const char *problem_path, const char *name)
{
    AUTO(freep) char *dir = xstrdup(problem_path);
    char *slash = strrchr(dir, '/');

    if (slash)
        *slash = '\0';
    return xasprintf("%s/../lib/%s.lua", slash ? dir : ".", name);
}

/* Loads the file as a function on the stack, or leaves a message there. It holds heap memory, so it
 * calls nothing that raises an error (unless Lua is out of memory). */
static bool lib_load(lua_State *L, const char *name)
{
    AUTO(freep) char *path = lib_path(trace_of(L)->path, name);
    AUTO(freep) char *chunk = xasprintf("=lib %s", name);
    const struct buf *text;
    struct err err = ERR_INIT;

    if (problem_text(trace_of(L)->problem, name, path, LIB_MAX_BYTES, &text, &err) < 0) {
        lua_pushstring(L, err.text);
        return false;
    }
    return luaL_loadbufferx(L, buf_str(text), text->len, chunk, "t") == LUA_OK;
}

int trace_lib(lua_State *L)
{
    const char *name = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : NULL;

    if (!plain_name(name))
        return trace_raise(L, "lib takes the name of a file in problems/lib: lib \"densenet\"");
    if (!lib_load(L, name))
        return trace_raise(L, "lib: %s", lua_tostring(L, -1));
    lua_getfield(L, LUA_REGISTRYINDEX, "env");
    lua_setupvalue(L, -2, 1);
    lua_call(L, 0, 1);
    return 1;
}

struct lua_chunk {
    const char *text;
    size_t len;
};

/* Runs the prelude and leaves the table of all names on the stack. */
static void push_prelude_names(lua_State *L)
{
    open_libraries(L);
    prelude_push(L);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, "core");
    trace_open(L);
    declare_open(L);
    lua_pushcfunction(L, read_only);
    lua_setfield(L, -2, "read_only");
    lua_call(L, 1, 1);
}

/* Runs a file. Everything that may fail for lack of memory happens here, under one protected call.
 */
static int protected_run(lua_State *L)
{
    const struct lua_chunk *run = lua_touserdata(L, 1);
    const struct trace *t = trace_of(L);

    if (t->names)
        t->names(L);
    else
        push_prelude_names(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, "names");
    make_read_only(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, "env");
    if (luaL_loadbufferx(L, run->text, run->len, PROBLEM_CHUNK, "t"))
        return lua_error(L);
    lua_insert(L, -2);
    lua_setupvalue(L, -2, 1); /* _ENV */
    lua_call(L, 0, 0);
    return 0;
}

/* Messages quote names of the file, which may hold anything. */
static void one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            *text = ' ';
}

static int report(lua_State *L, const struct trace *t, int status, struct err *err)
{
    const char *text = lua_tostring(L, -1);

    if (status != LUA_ERRMEM) {
        fail(err, ERR_INPUT, "%s", text ? text : t->path);
        one_line(err->text);
        return -1;
    }
    if (t->full_line)
        return fail(err, ERR_INPUT, "%s:%d: more than %zu MiB of memory: is a loop endless?",
                    t->path, t->full_line, MEM_MAX_BYTES >> 20);
    return fail(err, ERR_INPUT, "%s: more than %zu MiB of memory: is a loop endless?", t->path,
                MEM_MAX_BYTES >> 20);
}

int trace_run(struct trace *t, const char *text, size_t len, struct err *err)
{
    struct lua_chunk run = {text, len};
    lua_State *L = lua_newstate(alloc, t);

    if (!L)
        return fail(err, ERR_SYSTEM, "%s: no memory for a Lua state", t->path);
    *(struct trace **)lua_getextraspace(L) = t;
    t->lua = L;
    t->start_ns = clock_ns();
    lua_sethook(L, on_count, LUA_MASKCOUNT, STEPS_PER_HOOK);
    lua_pushcfunction(L, on_error);
    lua_pushcfunction(L, protected_run);
    lua_pushlightuserdata(L, &run);

    int status = lua_pcall(L, 1, 0, 1);
    int rc = status == LUA_OK ? 0 : report(L, t, status, err);

    t->lua = NULL;
    lua_close(L);
    return rc;
}

/* ------------------------------------------------------------------ the op reference */

static const char *field(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);

    const char *text = lua_tostring(L, -1);

    lua_pop(L, 1);
    return text ? text : "";
}

static int protected_reference(lua_State *L)
{
    struct buf *out = lua_touserdata(L, 1);

    push_prelude_names(L);
    lua_getfield(L, LUA_REGISTRYINDEX, "core");
    lua_getfield(L, -1, "reference");
    for (lua_Integer i = 1; lua_geti(L, -1, i) == LUA_TTABLE; i++) {
        const char *name = field(L, "name"), *torch = field(L, "torch");

        buf_addf(out, "| `%s(%s)` | %s%s%s |\n", name, field(L, "takes"), *torch ? "`" : "", torch,
                 *torch ? "`" : "");
        lua_pop(L, 1);
    }
    return 0;
}

int trace_reference(struct buf *out, struct err *err)
{
    struct trace t = {.call = -1, .path = "prelude"};
    lua_State *L = lua_newstate(alloc, &t);

    if (!L)
        return fail(err, ERR_SYSTEM, "not enough memory for Lua");
    *(struct trace **)lua_getextraspace(L) = &t;
    lua_pushcfunction(L, protected_reference);
    lua_pushlightuserdata(L, out);

    int status = lua_pcall(L, 1, 0, 0);

    if (status != LUA_OK)
        fail(err, ERR_SYSTEM, "prelude: %s", lua_tostring(L, -1));
    lua_close(L);
    return status == LUA_OK ? 0 : -1;
}
