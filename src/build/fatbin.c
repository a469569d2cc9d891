/* SPDX-License-Identifier: MIT */
/*
 * Section .nv_fatbin is a row of containers, each with its entries behind a head:
 *
 *   container   magic, version, bytes of the head, bytes of what follows it
 *   entry       kind (1 PTX, 2 machine code), version, bytes of the head, bytes of what follows it
 *
 * Everything begins at a multiple of 8. nvcc is told to compress nothing, so a compressed
 * entry is the candidate's own work, and counts as one that cannot be read. The file is a
 * stranger's: every offset is checked.
 */
#include "build/fatbin.h"

#include "base/util.h"
#include "build/elf_view.h"

#include <string.h>

#define MAGIC 0xBA55ED50u
#define VERSION 1
#define ALIGN 8

enum { KIND_PTX = 1, KIND_ELF = 2 };

struct container_head {
    uint32_t magic;
    uint16_t version, head_bytes;
    uint64_t bytes;
};

/* First words of an entry's head; more follow. */
struct entry_head {
    uint16_t kind, version;
    uint32_t head_bytes;
    uint64_t bytes;
};

struct part {
    const char *at;
    size_t len;
};

static int refuse(struct err *err, const char *what)
{
    fail(err, ERR_SYSTEM, "the library's " FATBIN_SECTION " cannot be read: %s", what);
    return 1;
}

/* Cuts a head and the bytes that it announces off the rest; false when they are not all there. */
static bool cut(struct part *rest, size_t head_bytes, size_t least, uint64_t bytes,
                struct part *ret)
{
    if (head_bytes < least || head_bytes > rest->len || bytes > rest->len - head_bytes)
        return false;
    *ret = (struct part){rest->at + head_bytes, (size_t)bytes};
    rest->at += head_bytes + bytes;
    rest->len -= head_bytes + bytes;
    return true;
}

static int add_cubin(struct fatbin *f, const struct part *code, struct err *err)
{
    if (code->len < SELFMAG || memcmp(code->at, ELFMAG, SELFMAG) != 0)
        return refuse(err, "machine code is compressed");
    if (f->n_cubins == FATBIN_MAX_CUBINS)
        return refuse(err, "too many entries");
    f->cubins[f->n_cubins].at = code->at;
    f->cubins[f->n_cubins++].len = code->len;
    return 0;
}

static int read_container(struct fatbin *f, struct part rest, struct err *err)
{
    while (rest.len) {
        struct entry_head head;
        struct part code;
        int rc = 0;

        if (rest.len < sizeof(head))
            return refuse(err, "an entry is cut short");
        memcpy(&head, rest.at, sizeof(head));
        if (!cut(&rest, head.head_bytes, sizeof(head), head.bytes, &code))
            return refuse(err, "an entry is cut short");
        if (head.kind == KIND_PTX)
            f->has_ptx = true;
        else if (head.kind == KIND_ELF)
            rc = add_cubin(f, &code, err);
        else
            rc = refuse(err, "an entry of an unknown kind");
        if (rc)
            return rc;
    }
    return 0;
}

/* Skips the zeros that fill the space between containers. */
static void skip_zeros(struct part *rest)
{
    static const char zeros[ALIGN];

    while (rest->len && memcmp(rest->at, zeros, MIN(rest->len, (size_t)ALIGN)) == 0) {
        size_t n = MIN(rest->len, (size_t)ALIGN);

        rest->at += n;
        rest->len -= n;
    }
}

static int read_section(struct fatbin *f, struct part rest, struct err *err)
{
    for (skip_zeros(&rest); rest.len; skip_zeros(&rest)) {
        struct container_head head;
        struct part entries;

        if (rest.len < sizeof(head))
            return refuse(err, "a container is cut short");
        memcpy(&head, rest.at, sizeof(head));
        if (head.magic != MAGIC || head.version != VERSION)
            return refuse(err, "an unknown format");
        if (!cut(&rest, head.head_bytes, sizeof(head), head.bytes, &entries))
            return refuse(err, "a container is cut short");

        int rc = read_container(f, entries, err);

        if (rc)
            return rc;
    }
    return 0;
}

int fatbin_read(const char *bytes, size_t len, struct fatbin *ret, struct err *err)
{
    struct fatbin f = {.n_cubins = 0};
    struct elf_view library;

    if (!elf_open(bytes, len, EM_X86_64, &library)) {
        fail(err, ERR_SYSTEM, "the artifact is no library that can be read");
        return 1;
    }

    const Elf64_Shdr *s = elf_find(&library, FATBIN_SECTION);
    const char *at = s ? elf_contents(&library, s, 1) : NULL;

    if (!at)
        return refuse(err, "there is none");

    int rc = read_section(&f, (struct part){at, s->sh_size}, err);

    if (rc == 0)
        *ret = f;
    return rc;
}
