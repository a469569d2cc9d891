/* SPDX-License-Identifier: MIT */
/*
 * The same figures as `ptxas -v` prints (tests/integration/test_cubin.c compares them):
 *
 *   registers, stack   .nv.info: a list of attributes, these by the number of the kernel's symbol
 *   shared, local      the size of .nv.shared.NAME and .nv.local.NAME; 0 without such a section
 */
#include "build/cubin.h"

#include "build/elf_view.h"

#include <string.h>

#define SHARED ".nv.shared."
#define LOCAL ".nv.local."
/* From sm_90 on the system's own KiB comes first in shared memory, and counts in each kernel's
 * section. */
#define RESERVED SHARED "reserved.0"
#define RESERVED_BYTES 1024

/* An attribute has a form, a code and 16 bits. In this form the 16 bits are the number of bytes
 * that follow, in others the value. */
#define FORM_SIZED 4
#define MAX_BYTES ((uint64_t)1 << 20) /* most bytes of attributes; a kernel has some 50 */
enum { CODE_FRAME_BYTES = 0x11, CODE_MIN_STACK_BYTES = 0x12, CODE_REGISTERS = 0x2f };

struct attribute {
    uint8_t form, code;
    uint16_t bytes;
};

struct per_symbol {
    uint32_t symbol, value;
};

bool cubin_has_code(const char *bytes, size_t len)
{
    struct elf_view f;

    if (!elf_open(bytes, len, EM_CUDA, &f))
        return true;
    for (size_t i = 0; i < f.n_sections; i++)
        if ((f.sections[i].sh_flags & SHF_EXECINSTR) && f.sections[i].sh_size)
            return true;
    return false;
}

static void note(struct sass_kernel *k, uint8_t code, uint32_t value)
{
    if (code == CODE_REGISTERS)
        k->registers = value;
    else if (code == CODE_FRAME_BYTES || code == CODE_MIN_STACK_BYTES) /* includes callees */
        k->stack_bytes = MAX(k->stack_bytes, (int64_t)value);
}

static void read_attributes(const struct elf_view *f, struct sass *s)
{
    const Elf64_Shdr *section = elf_find(f, ".nv.info");
    const char *at = section ? elf_contents(f, section, 1) : NULL;
    size_t left = at ? (size_t)MIN(section->sh_size, MAX_BYTES) : 0;
    struct elf_symbols symbols;
    struct attribute a;

    if (!elf_find_symbols(f, ".symtab", &symbols))
        return;
    while (left >= sizeof(a)) {
        memcpy(&a, at, sizeof(a));

        size_t more = a.form == FORM_SIZED ? a.bytes : 0;
        struct per_symbol v;

        at += sizeof(a);
        left -= sizeof(a);
        if (more > left)
            return;
        if (more == sizeof(v)) {
            memcpy(&v, at, sizeof(v));

            struct sass_kernel *k = sass_find(s, elf_symbol_name(&symbols, v.symbol));

            if (k)
                note(k, a.code, v.value);
        }
        at += more;
        left -= more;
    }
}

/* The kernel that has the section's memory, or NULL. */
static struct sass_kernel *owner(struct sass *s, const char *section, const char *prefix)
{
    size_t len = strlen(prefix);

    return strncmp(section, prefix, len) == 0 ? sass_find(s, section + len) : NULL;
}

static void read_memory(const struct elf_view *f, struct sass *s)
{
    int64_t reserved = elf_find(f, RESERVED) ? RESERVED_BYTES : 0;

    for (int i = 0; i < s->n_kernels; i++)
        s->kernels[i].shared_bytes = s->kernels[i].local_bytes = 0;
    for (size_t i = 0; i < f->n_sections; i++) {
        const char *name = elf_section_name(f, &f->sections[i]);
        int64_t bytes = (int64_t)MIN(f->sections[i].sh_size, (uint64_t)INT32_MAX);
        struct sass_kernel *k = owner(s, name, SHARED);

        if (k)
            k->shared_bytes = MAX(bytes - reserved, (int64_t)0);
        k = owner(s, name, LOCAL);
        if (k)
            k->local_bytes = bytes;
    }
}

void cubin_read_usage(const char *bytes, size_t len, struct sass *s)
{
    struct elf_view f;

    if (!elf_open(bytes, len, EM_CUDA, &f))
        return;
    read_attributes(&f, s);
    read_memory(&f, s);
}
