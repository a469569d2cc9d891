/* SPDX-License-Identifier: MIT */
/* covers: src/report/leaderboard_import.c */
/* JSON that people bring along: a leaderboard to be shown beside a run, KernelBench's baseline
 * times. */
#include "replay.h"

#include "report/leaderboard.h"
#include "results/foreign.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void read_times(const char *path)
{
    AUTO(foreign_release) struct foreign f = {0};
    struct err err = ERR_INIT;

    if (foreign_load(path, &f, &err) < 0) {
        if (!err.text[0])
            abort();
        return;
    }
    for (int i = 0; i < f.n; i++)
        if (f.times[i].id <= 0 || !(f.times[i].us > 0))
            abort();
    foreign_cold_us(&f, "level1/019_relu", "", "");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct annotations notes = ANNOTATIONS_INIT;
    static int fd = -1;
    struct err err = ERR_INIT;
    json_t *board = NULL;
    char path[32];

    if (fd < 0)
        fd = memfd_create("import", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, 0) < 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    read_times(path);
    if (leaderboard_import(path, &notes, &board, &err) < 0) {
        if (!err.text[0])
            abort();
        return 0;
    }

    fuzz_accepted();

    AUTO(freep) char *text = json_dumps(board, JSON_COMPACT);

    if (!text)
        abort();
    json_decref(board);
    return 0;
}
