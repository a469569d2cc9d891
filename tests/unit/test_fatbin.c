/* SPDX-License-Identifier: MIT */
/* covers: src/build/elf_view.c */
/* Containers of machine code in a library, made by hand. Those that nvcc makes:
 * integration/test_cubin.c. */
#include "testing.h"

#include "build/fatbin.h"

#include <elf.h>
#include <string.h>

#define NAMES "\0.nv_fatbin"
#define BODY_AT (sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Shdr))

/* A library with nothing but the section; its names stand behind it. */
static void wrap_section(const void *body, size_t len, struct buf *ret)
{
    Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64},
                       .e_machine = EM_X86_64,
                       .e_shoff = sizeof(head),
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = 2};
    Elf64_Shdr sections[2] = {
        {.sh_type = SHT_STRTAB, .sh_offset = BODY_AT + len, .sh_size = sizeof(NAMES)},
        {.sh_type = SHT_PROGBITS, .sh_name = 1, .sh_offset = BODY_AT, .sh_size = len},
    };

    buf_add(ret, &head, sizeof(head));
    buf_add(ret, sections, sizeof(sections));
    buf_add(ret, body, len);
    buf_add(ret, NAMES, sizeof(NAMES));
}

struct container {
    uint32_t magic;
    uint16_t version, head_bytes;
    uint64_t bytes;
    uint16_t kind, entry_version;
    uint32_t entry_head_bytes;
    uint64_t entry_bytes;
    char code[8];
};

#define GOOD \
    .magic = 0xBA55ED50u, .version = 1, .head_bytes = 16, .kind = 2, .code = {0x7f, 'E', 'L', 'F'}

static void test_containers(void **state)
{
    static const struct {
        struct container c;
        const char *why;
    } cases[] = {
        {{GOOD, .bytes = 24, .entry_head_bytes = 16, .entry_bytes = 8}, NULL},
        {{GOOD, .bytes = 25, .entry_head_bytes = 16, .entry_bytes = 8}, "container is cut short"},
        {{GOOD, .bytes = UINT64_MAX - 8, .entry_head_bytes = 16}, "container is cut short"},
        {{GOOD, .bytes = 24, .entry_head_bytes = 16, .entry_bytes = 9}, "entry is cut short"},
        {{GOOD, .bytes = 24, .entry_head_bytes = 16, .entry_bytes = UINT64_MAX - 15},
         "entry is cut short"},
        {{GOOD, .bytes = 24, .entry_head_bytes = UINT32_MAX}, "entry is cut short"},
        {{GOOD, .bytes = 24, .entry_head_bytes = 0, .entry_bytes = 0}, "entry is cut short"},
        {{GOOD, .bytes = 16, .entry_head_bytes = 16}, "machine code is compressed"},
        {{.magic = 0xBA55ED51u, .version = 1}, "an unknown format"},
        {{.magic = 0xBA55ED50u,
          .version = 1,
          .head_bytes = 16,
          .bytes = 16,
          .kind = 9,
          .entry_head_bytes = 16},
         "an entry of an unknown kind"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(buf_release) struct buf library = BUF_INIT;
        struct fatbin f = {.n_cubins = 0};
        struct err err = ERR_INIT;

        wrap_section(&cases[i].c, sizeof(cases[i].c), &library);

        int rc = fatbin_read(library.ptr, library.len, &f, &err);

        if (rc != (cases[i].why != NULL) || (rc && !strstr(err.text, cases[i].why)))
            fail_msg("case %zu: %d %s", i, rc, err.text);
        assert_int_equal(f.n_cubins, !cases[i].why);
        for (size_t cut = 0; cut < library.len; cut++) {
            AUTO(freep) char *part = xmalloc(cut + 1);

            memcpy(part, library.ptr, cut);
            fatbin_read(part, cut, &f, &err);
        }
    }
}

static void test_too_many(void **state)
{
    static const struct container one = {GOOD, .bytes = 24, .entry_head_bytes = 16,
                                         .entry_bytes = 8};
    AUTO(buf_release) struct buf body = BUF_INIT, library = BUF_INIT;
    struct fatbin f;
    struct err err = ERR_INIT;

    (void)state;
    for (int i = 0; i <= FATBIN_MAX_CUBINS; i++)
        buf_add(&body, &one, sizeof(one));
    wrap_section(body.ptr, body.len, &library);
    assert_int_equal(fatbin_read(library.ptr, library.len, &f, &err), 1);
    assert_non_null(strstr(err.text, "too many entries"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_containers),
        cmocka_unit_test(test_too_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
