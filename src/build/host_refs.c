/* SPDX-License-Identifier: MIT */
/*
 * CUDA's runtime is linked in, as one object with all its functions, and it looks the driver's up
 * by name. So every library that nvcc makes contains cudaLibraryLoadData and calls dlsym; that says
 * nothing. The question is whether the candidate's code refers to them:
 *
 *   the driver's, NVRTC's   undefined in .dynsym: only the candidate can want them
 *   the runtime's           a call, jump or address in .text that leads to one of them, or a
 *                           pointer in .data; the runtime never uses these itself
 *   dlopen and its kin      a call, jump or address that leads to their PLT entry or GOT slot,
 *                           from a function that is not the runtime's
 *
 * The file is a stranger's: every offset is checked.
 */
#include "build/host_refs.h"

#include "base/util.h"
#include "build/elf_view.h"

#include <stdlib.h>
#include <string.h>

#define UNREADABLE "a file whose symbols cannot be read"
/* Prefix that CUDA's static runtime gives its own functions. */
#define RUNTIME_PREFIX "libcudart_static_"
#define REGISTER "__cudaRegisterFatBinary"
#define PLT_ENTRY 16
#define MAX_LOOKUPS 20000 /* the runtime has some 500; a file made to take hours has more */

/* Functions that bring in code, by the beginning of their names. */
static const char *const driver_names[] = {
    "cuModuleLoad", "cuLibraryLoad", "cuLink", "cuGetProcAddress", "nvrtc", "nvJitLink", "nvPTX",
};
static const char *const runtime_names[] = {"cudaLibraryLoad", "cudaGetDriverEntryPoint"};
static const char *const linker_names[] = {"dlopen", "dlmopen", "dlsym", "dlvsym"};

/* ---- places that lead to a loader ---- */

struct target {
    uint64_t address;
    const char *name; /* a name from one of the tables */
};

struct targets {
    struct target *v; /* sorted by address once complete */
    size_t n;
};

static void targets_release(struct targets *t)
{
    free(t->v);
}

static void add_target(struct targets *t, uint64_t address, const char *name)
{
    t->v = xrealloc(t->v, (t->n + 1) * sizeof(*t->v));
    t->v[t->n++] = (struct target){address, name};
}

static int by_address(const void *a, const void *b)
{
    const struct target *x = a, *y = b;

    return x->address < y->address ? -1 : x->address > y->address;
}

static const char *among(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return names[i];
    return NULL;
}

static void add_runtime(struct targets *t, const struct elf_symbols *all)
{
    for (size_t i = 0; i < all->n; i++) {
        const char *name = elf_symbol_name(all, i);
        const char *found = among(name, runtime_names, ARRAY_SIZE(runtime_names));

        if (!found && !strcmp(name, REGISTER))
            found = REGISTER;
        if (found && all->at[i].st_value)
            add_target(t, all->at[i].st_value, found);
    }
}

/* An entry of .rela.plt has its stub at the same place in .plt (behind the first) or .plt.sec. */
static void add_imports(struct targets *t, const struct elf_view *f,
                        const struct elf_symbols *dynamic, const char *section)
{
    const Elf64_Shdr *s = elf_find(f, section);
    const Elf64_Shdr *plt = elf_find(f, ".plt"), *plt_sec = elf_find(f, ".plt.sec");
    const Elf64_Rela *rela = s ? elf_contents(f, s, sizeof(uint64_t)) : NULL;
    bool stubs = !strcmp(section, ".rela.plt");

    for (size_t i = 0; rela && i < s->sh_size / sizeof(*rela); i++) {
        const char *name = among(elf_symbol_name(dynamic, ELF64_R_SYM(rela[i].r_info)),
                                 linker_names, ARRAY_SIZE(linker_names));

        if (!name)
            continue;
        add_target(t, rela[i].r_offset, name);
        if (stubs && plt)
            add_target(t, plt->sh_addr + PLT_ENTRY * (i + 1), name);
        if (stubs && plt_sec)
            add_target(t, plt_sec->sh_addr + PLT_ENTRY * i, name);
    }
}

/* ---- references in the code ---- */

static bool is_linker(const char *name)
{
    return among(name, linker_names, ARRAY_SIZE(linker_names)) != NULL;
}

/* True if the function around the address is one of the runtime's. */
static bool in_runtime(const struct elf_symbols *all, uint64_t address)
{
    for (size_t i = 0; i < all->n; i++) {
        const Elf64_Sym *s = &all->at[i];

        if (address >= s->st_value && address - s->st_value < s->st_size &&
            ELF64_ST_TYPE(s->st_info) == STT_FUNC &&
            !strncmp(elf_symbol_name(all, i), RUNTIME_PREFIX, strlen(RUNTIME_PREFIX)))
            return true;
    }
    return false;
}

/* True if a relative address may follow this byte, in the next four: call or jmp rel32, or any
 * instruction with a RIP-relative operand. */
static bool takes_relative(unsigned char before)
{
    return before == 0xE8 || before == 0xE9 || (before & 0xC7) == 0x05;
}

static const char *find_reference(const struct elf_view *f, const struct elf_symbols *all,
                                  const struct targets *t)
{
    const Elf64_Shdr *text = elf_find(f, ".text");
    const unsigned char *code = text ? elf_contents(f, text, 1) : NULL;
    int registrations = 0, lookups = 0;

    for (size_t i = 1; code && i + 4 <= text->sh_size; i++) {
        int32_t distance;

        if (!takes_relative(code[i - 1]))
            continue;
        memcpy(&distance, code + i, sizeof(distance));

        struct target key = {text->sh_addr + i + 4 + (uint64_t)(int64_t)distance, NULL};
        const struct target *found = bsearch(&key, t->v, t->n, sizeof(key), by_address);

        if (!found)
            continue;
        if (!strcmp(found->name, REGISTER)) {
            /* nvcc writes one such call itself, for the code that the disassembler sees. */
            if (++registrations > 1)
                return REGISTER;
        } else if (!is_linker(found->name) || ++lookups > MAX_LOOKUPS ||
                   !in_runtime(all, text->sh_addr + i)) {
            return found->name;
        }
    }
    return code ? NULL : UNREADABLE;
}

/* Finds a target's address that the loader puts into the library's data. */
static const char *find_pointer(const struct elf_view *f, const struct targets *t)
{
    const Elf64_Shdr *s = elf_find(f, ".rela.dyn");
    const Elf64_Rela *rela = s ? elf_contents(f, s, sizeof(uint64_t)) : NULL;

    for (size_t i = 0; rela && i < s->sh_size / sizeof(*rela); i++) {
        struct target key = {(uint64_t)rela[i].r_addend, NULL};
        const struct target *found = bsearch(&key, t->v, t->n, sizeof(key), by_address);

        if (found && ELF64_R_TYPE(rela[i].r_info) == R_X86_64_RELATIVE && !is_linker(found->name))
            return found->name;
    }
    return NULL;
}

static const char *find_undefined(const struct elf_symbols *dynamic)
{
    for (size_t i = 0; i < dynamic->n; i++) {
        const char *found =
            among(elf_symbol_name(dynamic, i), driver_names, ARRAY_SIZE(driver_names));

        if (found && dynamic->at[i].st_shndx == SHN_UNDEF)
            return found;
    }
    return NULL;
}

const char *host_refs_loader(const char *bytes, size_t len)
{
    AUTO(targets_release) struct targets targets = {NULL, 0};
    struct elf_symbols all, dynamic;
    struct elf_view f;

    if (!elf_open(bytes, len, EM_X86_64, &f) || !elf_find_symbols(&f, ".symtab", &all) ||
        !elf_find_symbols(&f, ".dynsym", &dynamic))
        return UNREADABLE;

    const char *found = find_undefined(&dynamic);

    if (found)
        return found;
    add_runtime(&targets, &all);
    add_imports(&targets, &f, &dynamic, ".rela.plt");
    add_imports(&targets, &f, &dynamic, ".rela.dyn");
    if (targets.n == 0)
        return NULL;
    qsort(targets.v, targets.n, sizeof(*targets.v), by_address);
    found = find_pointer(&f, &targets);
    return found ? found : find_reference(&f, &all, &targets);
}
