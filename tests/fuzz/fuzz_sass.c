/* SPDX-License-Identifier: MIT */
/* covers: src/build/cubin.c src/build/elf_view.c src/build/fatbin.c src/build/host_refs.c */
/* What is read of an artifact: the text a disassembler makes of it, its own symbol tables, and the
 * machine code in it. */
#include "replay.h"

#include "build/cubin.h"
#include "build/fatbin.h"
#include "build/host_refs.h"
#include "build/sass.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(freep) char *bytes = xmalloc(MAX(size, 1)); /* aligned, as a file that was read is */
    struct sass s = {0};
    struct fatbin f;
    struct err err = ERR_INIT;

    memcpy(bytes, data, size);
    sass_read(&s, bytes, size);
    sass_read_usage(&s, bytes, size);
    cubin_read_usage(bytes, size, &s);
    cubin_has_code(bytes, size);
    sass_release(&s);
    if (fatbin_read(bytes, size, &f, &err) == 0)
        fuzz_accepted();
    host_refs_loader(bytes, size);
    return 0;
}
