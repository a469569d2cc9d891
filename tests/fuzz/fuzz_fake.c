/* SPDX-License-Identifier: MIT */
/* covers: src/device/fake/fake_parse.c src/device/fake/fake_program.c */
/* A .fake candidate's text: parsed, or refused with the number of the line. */
#include "device/fake/fake_program.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(freep) char *text = xstrndup((const char *)data, size);
    struct fake_program p = {0};
    struct err err = ERR_INIT;

    if (fake_program_parse(text, &p, &err) == 0) {
        fuzz_accepted();
        fake_program_release(&p);
    } else if (!err.text[0]) {
        abort();
    }
    return 0;
}
