/* SPDX-License-Identifier: MIT */
/* Passes that are compiled for what they do: what gpu_special.c writes for those of
 * test_gpu_special.c, test_gpu_compare.c and test_recall.c, each as text and as code. To add one: a
 * pass there, whose test prints the text that belongs into tests/emu/special, and its name here. */
#include "emu.h"

using std::isfinite;
using std::isnan;
#include "gpu/gpu_compare.cuh"

#undef SPECIAL_KERNEL
#define SPECIAL_KERNEL(S)                       \
    static void special(struct gpu_special a)   \
    {                                           \
        special_all<S>(a);                      \
    }

#undef SPECIAL_COMPARE
#define SPECIAL_COMPARE(S, T)                                                                  \
    static void special(struct cuda_compare c, struct cuda_figures *parts, struct gpu_special a) \
    {                                                                                          \
        compare<type_##T>(c, made_values<S>{a, 0}, parts);                                     \
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

namespace compare_softmax
{
#include "special/compare_softmax.cu"
TEXT(emu_text_compare_softmax, "compare_softmax.cu")
}

namespace compare_softmax_long
{
#include "special/compare_softmax_long.cu"
TEXT(emu_text_compare_softmax_long, "compare_softmax_long.cu")
}

namespace compare_softmax_odd
{
#include "special/compare_softmax_odd.cu"
TEXT(emu_text_compare_softmax_odd, "compare_softmax_odd.cu")
}

namespace compare_relu
{
#include "special/compare_relu.cu"
TEXT(emu_text_compare_relu, "compare_relu.cu")
}

namespace compare_relu_bf16
{
#include "special/compare_relu_bf16.cu"
TEXT(emu_text_compare_relu_bf16, "compare_relu_bf16.cu")
}

namespace compare_pool_relu
{
#include "special/compare_pool_relu.cu"
TEXT(emu_text_compare_pool_relu, "compare_pool_relu.cu")
}

namespace compare_pool_softmax
{
#include "special/compare_pool_softmax.cu"
TEXT(emu_text_compare_pool_softmax, "compare_pool_softmax.cu")
}

#define SPECIAL(name)                                                     \
    {#name, name::emu_text_##name,                                        \
     {"special", [](void **args) { emu_call(name::special, args); }}},

extern const struct emu_special emu_specials[];
const struct emu_special emu_specials[] = {
    SPECIAL(softmax) SPECIAL(softmax_odd) SPECIAL(relu) SPECIAL(sigmoid) SPECIAL(several)
    SPECIAL(whole) SPECIAL(compare_softmax) SPECIAL(compare_softmax_long)
    SPECIAL(compare_softmax_odd) SPECIAL(compare_relu)
    SPECIAL(compare_relu_bf16) SPECIAL(compare_pool_relu)
    SPECIAL(compare_pool_softmax){nullptr, "", {nullptr, nullptr}}};
