/* SPDX-License-Identifier: MIT */
/* covers: src/device/cuda/cuda_launch.c src/device/cuda/launch_expr.c */
/* covers: src/device/cuda/launch_lines.c */
/* Launch lines and the artifacts made of them come from a candidate; builder and runner read them
 * with this code. What splits joins to the same bytes, and every line of it can be worked out. */
#include "device/cuda/cuda_launch.h"
#include "device/cuda/launch_lines.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

static const struct tensor_slot slots[] = {{DT_F32, {2, {4, 1000}}, 0}, {DT_F32, {0, {0}}, 16384}};

static void work_out(const char *line, size_t len)
{
    struct device_call call = {.in = slots, .n_in = 2, .out = slots, .n_out = 1, .first_param = 2};
    struct cuda_launch launch;
    struct err err = ERR_INIT;

    cuda_launch_parse(line, len, NULL, &launch, &err);
    err = (struct err)ERR_INIT;
    if (cuda_launch_parse(line, len, &call, &launch, &err) == 0 &&
        (launch.n_args < 0 || launch.n_args > CUDA_LAUNCH_MAX_ARGS || launch.block[0] == 0))
        abort();
}

static void read_source(const char *text, size_t len)
{
    struct launch_lines lines = {text, text + len, 0};
    AUTO(buf_release) struct buf line = BUF_INIT;
    struct launch_stray stray;
    int at;

    if (launch_lines_stray(text, len, &stray) && (stray.line < 1 || stray.column < 1))
        abort();
    while (launch_lines_next(&lines, &line, &at))
        work_out(buf_str(&line), line.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    AUTO(buf_release) struct buf again = BUF_INIT;
    struct cuda_program p;
    struct err err = ERR_INIT;

    read_source(text, size);
    if (cuda_program_split(text, size, &p, &err) < 0)
        return 0;
    fuzz_accepted();
    cuda_program_join(&p, &again);
    if (again.len != size || memcmp(again.ptr, data, size) != 0)
        abort();
    return 0;
}
