/* SPDX-License-Identifier: MIT */
/* Inside src/build: sections and symbols of a 64-bit ELF file in memory, a shared library or a
 * GPU's machine code. The file is a stranger's: every offset is checked, nothing is copied. */
#ifndef ASSAY_BUILD_ELF_VIEW_H
#define ASSAY_BUILD_ELF_VIEW_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

struct elf_view {
    const char *at; /* the file's bytes; neither they nor the pointers below are owned */
    size_t len;
    const Elf64_Shdr *sections;
    size_t n_sections;
    const char *names; /* names of the sections */
    size_t names_len;
};

struct elf_symbols {
    const Elf64_Sym *at;
    size_t n;
    const char *names;
    size_t names_len;
};

/* Opens a file in memory. False unless it is a 64-bit ELF file for the machine (EM_X86_64, EM_CUDA)
 * and its section headers can be read. The bytes have to be aligned as malloc aligns. */
bool elf_open(const char *bytes, size_t len, unsigned machine, struct elf_view *ret);

/* A section's bytes; NULL unless the whole section is in the file and its entries are aligned. */
const void *elf_contents(const struct elf_view *f, const Elf64_Shdr *s, size_t align);

/* A section's name; "" when it cannot be read. */
const char *elf_section_name(const struct elf_view *f, const Elf64_Shdr *s);
const Elf64_Shdr *elf_find(const struct elf_view *f, const char *section);

/* Finds the symbols in a section; false when there is no such section or it cannot be read. */
bool elf_find_symbols(const struct elf_view *f, const char *section, struct elf_symbols *ret);
const char *elf_symbol_name(const struct elf_symbols *s, size_t i);

#endif
