/* SPDX-License-Identifier: MIT */
/* Reading what cuobjdump and nvdisasm print: which tensor cores an artifact's machine code uses,
 * what else it computes with, and what each kernel takes of registers and memory. Text in, figures
 * out; no tool is started here.
 *
 * To add an opcode: a row in sass_rules[] (sass.c), a case in tests/unit/test_sass.c. */
#ifndef ASSAY_BUILD_SASS_H
#define ASSAY_BUILD_SASS_H

#include "base/util.h"

/* Classes of tensor instructions, by the type of the operands, not of the accumulator. */
enum tensor_class {
    TENSOR_NONE, /* not a tensor instruction */
    TENSOR_FP64,
    TENSOR_TF32,
    TENSOR_BF16,
    TENSOR_FP16,
    TENSOR_FP8,
    TENSOR_FP6,
    TENSOR_FP4,
    TENSOR_INT8,
    TENSOR_INT4,
    TENSOR_BINARY,
    TENSOR_UNTYPED, /* the instruction does not say: fp16, bf16 or tf32 (tcgen05), or one unknown */
    TENSOR_CLASSES,
};
extern const char *const tensor_class_names[TENSOR_CLASSES]; /* "fp8", ... */
/* The class of this name; TENSOR_NONE if there is none. */
enum tensor_class tensor_class_find(const char *name);

/* An opcode that matters. If several rows have the same opcode, the first whose modifier is there
 * counts. */
struct sass_rule {
    const char *opcode;   /* NULL: any other that ends in MMA */
    const char *modifier; /* one of the words behind the dots; NULL: none is needed */
    enum tensor_class class;
};
#define SASS_RULES 41
extern const struct sass_rule sass_rules[SASS_RULES];
/* Label of a rule, from its opcode and modifier: "HGMMA.BF16". The caller frees it. */
char *sass_rule_label(int rule);

/* Numbers of instructions in the code, not of how often they run. */
struct sass_counts {
    uint64_t instructions;
    uint64_t rule[SASS_RULES];
};
uint64_t sass_count_class(const struct sass_counts *c, enum tensor_class class);
uint64_t sass_count_opcode(const struct sass_counts *c, const char *opcode);

/* A kernel, or a device function that was not inlined. */
struct sass_kernel {
    char *name;
    int64_t registers, stack_bytes, local_bytes, shared_bytes; /* static figures; -1: not stated */
    struct sass_counts counts;
};

#define SASS_MAX_KERNELS 256
#define SASS_MAX_NAME 2048 /* templates have long names */

struct sass {
    struct sass_kernel *kernels; /* in the order of the text */
    int n_kernels;
    int left_out; /* kernels past SASS_MAX_KERNELS; total counts them, too */
    struct sass_counts total;
    bool has_ptx; /* there is an entry that the driver would compile at load time */
};

void sass_release(struct sass *s);
/* Counts the instructions of a disassembly (cuobjdump -sass, nvdisasm -c) and adds its kernels. Any
 * text is fine; lines that are no instructions are passed over. */
void sass_read(struct sass *s, const char *text, size_t len);
/* Adds registers and memory (cuobjdump --dump-resource-usage) to the kernels in s. */
void sass_read_usage(struct sass *s, const char *text, size_t len);
/* The first kernel of that name, or NULL. */
struct sass_kernel *sass_find(struct sass *s, const char *name);
/* Adds everything in `other`, which is empty afterwards. */
void sass_merge(struct sass *s, struct sass *other);

#endif
