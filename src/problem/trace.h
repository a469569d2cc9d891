/* SPDX-License-Identifier: MIT */
/* Inside src/problem: one run of a problem file for one size, or of a hardware table.
 *
 * Lua raises errors by longjmp, over C frames. So code here holds no heap memory of its own while
 * it calls Lua: every allocation belongs to the graph or the problem at once. */
#ifndef ASSAY_PROBLEM_TRACE_H
#define ASSAY_PROBLEM_TRACE_H

#include "problem/problem.h"

#include <lua.h>

enum trace_stage { STAGE_START, STAGE_PROBLEM, STAGE_SIZES };

struct hardware_list;

struct trace {
    struct problem *problem; /* not owned; the first run fills it */
    struct graph *graph;     /* graph of the size that is traced; not owned */
    const char *path;        /* the file's name in messages; not owned */
    enum size_set set;
    int index;  /* number of the size in its set */
    bool first; /* the first run reads the declarations, later ones only build their graph */
    enum trace_stage stage;
    int call; /* the innermost composite call, or -1 */
    /* Pushes the table of names that the file may use; NULL: the prelude's. A hardware table sets
     * it and fills `hardware`. */
    void (*names)(lua_State *L);
    struct hardware_list *hardware; /* not owned */

    lua_State *lua; /* set while the file runs */
    size_t mem_bytes;
    int64_t steps;
    uint64_t start_ns;
    int full_line; /* line at which memory ran out, or 0 */
};

/* lua_state.c: runs the text in a fresh restricted state. */
int trace_run(struct trace *t, const char *text, size_t len, struct err *err);

/* problem.c: runs the file for one size and stores graph and hash in that size. */
int trace_size(struct problem *p, enum size_set set, int index, bool first, struct err *err);

/* problem.c: sets the hash of a size from its parameters and its graph. */
void problem_hash_size(struct size *s);

/* problem.c: frees all sizes of a set, which is empty afterwards. */
void problem_drop_sizes(struct problem *p, enum size_set set);

/* medium.c: makes the medium sizes of a file that states none. Its other sizes are traced already.
 * If the rule finds none, the set stays empty. */
int medium_make(struct problem *p, struct err *err);

/* lua_state.c: adds one row per op and layer of the prelude: name, operands, PyTorch spelling. */
int trace_reference(struct buf *out, struct err *err);

/* problem.c: the text of that name, read from `path` unless the problem has it already. *ret is
 * valid until the next text is read. */
int problem_text(struct problem *p, const char *name, const char *path, size_t max_bytes,
                 const struct buf **ret, struct err *err);
/* lib "NAME" in a problem file: returns the result of problems/lib/NAME.lua, which holds blocks
 * that several nets share. */
int trace_lib(lua_State *L);

struct trace *trace_of(lua_State *L);
/* Raises "FILE:LINE: CALL: message"; the line is the problem file's. Does not return; the int is
 * for `return trace_raise(...)`. */
int trace_raise(lua_State *L, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* trace_raise() with the text of an error that the graph set. */
int trace_raise_err(lua_State *L, const struct err *err);
/* Raises "unknown WHAT 'key'" and suggests the nearest key of the table at index `names`. */
int trace_unknown(lua_State *L, const char *what, const char *key, int names);

/* trace.c: adds the primitives that the prelude is made of to the table on top of the stack. */
void trace_open(lua_State *L);
/* declare.c: adds a table `names` to the table on top of the stack: problem, sizes, input, output,
 * ..., the laws and the dtypes. */
void declare_open(lua_State *L);
/* declare_module.c: adds init, tuple, scalar and state to the table on top of the stack. */
void declare_module_open(lua_State *L);

/* The node of the tensor at index i, or -1 when it is none. */
int tensor_node(lua_State *L, int i);
void tensor_push(lua_State *L, int node);
/* Readers of Lua values. They raise an error that names `what` if the value does not fit. */
enum dtype value_dtype(lua_State *L, int i, const char *what);
void value_shape(lua_State *L, int i, const char *what, struct shape *ret);
int64_t value_int(lua_State *L, int i, const char *what);
/* declare.c: raises unless problem { ... } and sizes { ... } came before WHAT. */
void value_after_sizes(lua_State *L, const char *what);
/* declare.c: raises unless the first argument is a table, as in WHAT { ... }, and drops all others.
 */
void value_table(lua_State *L, const char *what);
/* Raises unless every key of the table is one of keys, or an index of at most n_list. */
void value_keys(lua_State *L, int table, const char *what, const char *const *keys, size_t n_keys,
                lua_Integer n_list);
/* Copies the string under key to the heap and replaces *ret; a missing key leaves *ret alone. */
void value_text(lua_State *L, int table, const char *what, const char *key, char **ret);
/* The positive number under key; 0 when the key is missing. */
double value_positive(lua_State *L, int table, const char *what, const char *key);

/* attrs.c: reads the attributes of this op from the prelude's table at index `table` (or none). x
 * is the first operand or NULL. */
void attrs_read(lua_State *L, int table, enum op_code op, const struct node *x,
                struct op_attrs *ret, struct node *ret_want);

/* embed.c: pushes the prelude as a Lua function. */
#define PRELUDE_CHUNK "=prelude"
void prelude_push(lua_State *L);

#endif
