/* SPDX-License-Identifier: MIT */
/* Passes that are compiled for what they do: what gpu_special.c writes for those of
 * test_gpu_special.c, each as text and as code. To add one: a pass there, whose test prints the text
 * that belongs into tests/emu/special, and its name here. */
#include "emu.h"

#include "gpu/gpu_special.cuh"

#undef SPECIAL_KERNEL
#define SPECIAL_KERNEL(S)                       \
    static void special(struct gpu_special a)   \
    {                                           \
        special_all<S>(a);                      \
    }

#define TEXT(symbol, path)                      \
    extern "C" const char symbol[];             \
    __asm__(".pushsection .rodata, \"a\"\n"      \
            ".globl " #symbol "\n"              \
            ".hidden " #symbol "\n"             \
            #symbol ":\n"                       \
            ".incbin \"tests/emu/special/" path "\"\n" \
            ".byte 0\n"                         \
            ".popsection\n");

namespace softmax
{
#include "special/softmax.cu"
TEXT(emu_text_softmax, "softmax.cu")
}

namespace softmax_odd
{
#include "special/softmax_odd.cu"
TEXT(emu_text_softmax_odd, "softmax_odd.cu")
}

namespace relu
{
#include "special/relu.cu"
TEXT(emu_text_relu, "relu.cu")
}

namespace sigmoid
{
#include "special/sigmoid.cu"
TEXT(emu_text_sigmoid, "sigmoid.cu")
}

namespace several
{
#include "special/several.cu"
TEXT(emu_text_several, "several.cu")
}

namespace whole
{
#include "special/whole.cu"
TEXT(emu_text_whole, "whole.cu")
}

#define SPECIAL(name)                                                     \
    {#name, name::emu_text_##name,                                        \
     {"special", [](void **args) { emu_call(name::special, args); }}},

extern const struct emu_special emu_specials[];
const struct emu_special emu_specials[] = {SPECIAL(softmax) SPECIAL(softmax_odd) SPECIAL(relu)
    SPECIAL(sigmoid) SPECIAL(several) SPECIAL(whole){nullptr, "", {nullptr, nullptr}}};
