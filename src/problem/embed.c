/* SPDX-License-Identifier: MIT */
/* The prelude, embedded into the program. Its files are one chunk in this order, so that later
 * parts see the locals of earlier ones. Paths are relative to the top of the tree, where make runs.
 *
 * Every size of every problem gets a fresh Lua state. Compiling the prelude took nine tenths of a
 * load (0.9 ms). So it is compiled once, and each state loads that byte code (0.1 ms). */
#include "problem/trace.h"

#include <lauxlib.h>
#include <pthread.h>

extern const char prelude_text[], prelude_end[];

__asm__(".pushsection .rodata, \"a\"\n"
        ".globl prelude_text, prelude_end\n"
        ".hidden prelude_text, prelude_end\n"
        "prelude_text:\n"
        ".incbin \"src/problem/prelude.lua\"\n"
        ".incbin \"src/problem/prelude_ops.lua\"\n"
        ".incbin \"src/problem/prelude_nn.lua\"\n"
        "prelude_end:\n"
        ".popsection\n");

static pthread_once_t compiled = PTHREAD_ONCE_INIT;
static struct buf code; /* lives as long as the program */

static int add_code(lua_State *L, const void *data, size_t len, void *to)
{
    (void)L;
    buf_add(to, data, len);
    return 0;
}

static void compile(void)
{
    lua_State *L = luaL_newstate();

    if (L && luaL_loadbufferx(L, prelude_text, (size_t)(prelude_end - prelude_text), PRELUDE_CHUNK,
                              "t") == LUA_OK)
        lua_dump(L, add_code, &code, 0);
    if (L)
        lua_close(L);
}

void prelude_push(lua_State *L)
{
    pthread_once(&compiled, compile);
    if (luaL_loadbufferx(L, buf_str(&code), code.len, PRELUDE_CHUNK, code.len ? "b" : "t"))
        lua_error(L);
}
