/* SPDX-License-Identifier: MIT */
#include "build/build.h"

#include "build/compiler.h"
#include "build/disassembler.h"
#include "build/nvcc.h"

#include <stdio.h>

static void found(struct build_tool *t, const char *what, const char *name, const char *path,
                  const struct err *err)
{
    *t = (struct build_tool){.what = what, .there = name};
    if (name)
        snprintf(t->text, sizeof(t->text), "%s, %s", name, path);
    else
        snprintf(t->text, sizeof(t->text), "%s", err->text);
}

void build_tools(const char *cache_dir, struct build_tool ret[BUILD_TOOLS])
{
    struct compiler c = COMPILER_INIT, cxx = COMPILER_INIT;
    struct nvcc nvcc = NVCC_INIT;
    struct disassembler disassembler = DISASSEMBLER_INIT;
    struct err err = ERR_INIT;

    compiler_find(cache_dir, &c, &err);
    found(&ret[0], "cc", c.name, c.path, &err);
    compiler_find_cxx(cache_dir, &cxx, &err);
    found(&ret[1], "c++", cxx.name, cxx.path, &err);
    nvcc_find(cache_dir, &nvcc, &err);
    found(&ret[2], "nvcc", nvcc.name, nvcc.path, &err);
    disassembler_find(cache_dir, &disassembler, &err);
    found(&ret[3], "disasm", disassembler.name, disassembler.path, &err);
    compiler_release(&c);
    compiler_release(&cxx);
    nvcc_release(&nvcc);
    disassembler_release(&disassembler);
}
