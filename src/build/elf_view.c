/* SPDX-License-Identifier: MIT */
#include "build/elf_view.h"

#include "base/util.h"

#include <string.h>

#define MAX_NAME 8192

const void *elf_contents(const struct elf_view *f, const Elf64_Shdr *s, size_t align)
{
    if (s->sh_type == SHT_NOBITS || s->sh_offset > f->len || s->sh_size > f->len - s->sh_offset ||
        s->sh_offset % align)
        return NULL;
    return f->at + s->sh_offset;
}

bool elf_open(const char *bytes, size_t len, unsigned machine, struct elf_view *ret)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)bytes;
    struct elf_view f = {.at = bytes, .len = len};

    if (len < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != machine ||
        head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shoff % sizeof(uint64_t) ||
        head->e_shoff > len || head->e_shnum > (len - head->e_shoff) / sizeof(Elf64_Shdr) ||
        head->e_shstrndx >= head->e_shnum)
        return false;
    f.sections = (const Elf64_Shdr *)(bytes + head->e_shoff);
    f.n_sections = head->e_shnum;
    f.names = elf_contents(&f, &f.sections[head->e_shstrndx], 1);
    f.names_len = f.sections[head->e_shstrndx].sh_size;
    *ret = f;
    return f.names != NULL;
}

/* Text in a string table; "" when it is not there or has no end within MAX_NAME bytes. */
static const char *string_at(const char *table, size_t len, size_t at)
{
    return at < len && memchr(table + at, '\0', MIN(len - at, (size_t)MAX_NAME)) ? table + at : "";
}

const char *elf_section_name(const struct elf_view *f, const Elf64_Shdr *s)
{
    return string_at(f->names, f->names_len, s->sh_name);
}

const Elf64_Shdr *elf_find(const struct elf_view *f, const char *section)
{
    for (size_t i = 0; i < f->n_sections; i++)
        if (!strcmp(elf_section_name(f, &f->sections[i]), section))
            return &f->sections[i];
    return NULL;
}

bool elf_find_symbols(const struct elf_view *f, const char *section, struct elf_symbols *ret)
{
    const Elf64_Shdr *s = elf_find(f, section);

    if (!s || s->sh_link >= f->n_sections)
        return false;
    ret->at = elf_contents(f, s, sizeof(uint64_t));
    ret->n = s->sh_size / sizeof(Elf64_Sym);
    ret->names = elf_contents(f, &f->sections[s->sh_link], 1);
    ret->names_len = f->sections[s->sh_link].sh_size;
    return ret->at && ret->names;
}

const char *elf_symbol_name(const struct elf_symbols *s, size_t i)
{
    return i < s->n ? string_at(s->names, s->names_len, s->at[i].st_name) : "";
}
