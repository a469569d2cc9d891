/* SPDX-License-Identifier: MIT */
/* covers: src/problem/construct.c src/problem/declare_module.c src/problem/emit.c */
/* covers: src/problem/emit_torch.c src/problem/lua_state.c src/problem/torch_ops.c */
/* covers: src/problem/trace.c */
/* Problem files are written by people and models: whatever stands in one, loading it ends, in time
 * and with a problem or one line of error; and what loads can be shown. */
#include "problem/problem.h"
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void show(const struct problem *p)
{
    AUTO(buf_release) struct buf out = BUF_INIT;

    emit_text(p, &out);
    for (int set = 0; set < SIZES_COUNT; set++) {
        struct err none = ERR_INIT;

        if (problem_need_sizes(p, (enum size_set)set, &none) < 0)
            continue;
        emit_c_header(p, (enum size_set)set, &out);
        for (int i = 0; i < p->n_sizes[set]; i++) {
            emit_torch_size(p, (enum size_set)set, i, &out);
            construct_json(p, p->sizes[set][i].graph, &out);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    AUTO(problem_freep) struct problem *p = NULL;
    struct err err = ERR_INIT;
    char path[32];

    if (fd < 0)
        fd = memfd_create("problem", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, 0) < 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (problem_load(path, "fuzz", &p, &err) == 0) {
        fuzz_accepted();
        show(p);
    } else if (!err.text[0] || strchr(err.text, '\n')) {
        abort();
    }
    return 0;
}
