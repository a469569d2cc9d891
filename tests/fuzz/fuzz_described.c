/* SPDX-License-Identifier: MIT */
/* covers: src/problem/described.c */
/* What a reference says about itself: JSON of a stranger's process. */
#include "replay.h"

#include "problem/problem.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(problem_freep) struct problem *p = NULL;
    struct err err = ERR_INIT;

    if (problem_of_description((const char *)data, size, "ref:fuzz", &p, &err) < 0) {
        if (!err.text[0] || err.kind != ERR_INPUT)
            abort();
        return 0;
    }
    fuzz_accepted();

    AUTO(buf_release) struct buf text = BUF_INIT;

    for (int set = 0; set < SIZES_COUNT; set++) {
        const struct graph *g = p->sizes[set][0].graph;

        if (g->n_inputs < 1 || g->n_outputs < 1)
            abort();
        construct_json(p, g, &text);
    }
    emit_c_header(p, SIZES_FULL, &text);
    return 0;
}
