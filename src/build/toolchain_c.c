/* SPDX-License-Identifier: MIT */
/* .c files for the CPU. Code is made for this very processor, which is part of the identity. */
#include "build/compiler.h"
#include "build/recipe.h"

#include <string.h>

#define COMPILER_MEM_BYTES ((uint64_t)4 << 30)

static const char *const flags[] = {
    "-std=gnu17", "-O3",     "-march=native",       "-fopenmp",
    "-fPIC",      "-shared", "-fvisibility=hidden", NULL,
};
static const char *const libs[] = {"-lm", NULL};

static int build(const struct build_request *req, struct build_result *ret, struct err *err)
{
    AUTO(compiler_release) struct compiler c = COMPILER_INIT;
    struct hash h;

    if (compiler_find(req->cache_dir, &c, err) < 0)
        return -1;

    const char *const nothing[] = {NULL}, *const ro_dirs[] = {c.outside, NULL};
    struct recipe r = {.program = c.path,
                       .name = c.name,
                       .hidden = nothing,
                       .flags = flags,
                       .libs = libs,
                       .ro_dirs = ro_dirs,
                       .mem_bytes = COMPILER_MEM_BYTES};

    hash_init(&h);
    hash_adds(&h, c.identity);
    compiler_hash_cpu(&h);
    hash_final(&h, r.identity);
    return recipe_build(&r, req, ret, err);
}

const struct toolchain toolchain_c = {".c", build};
