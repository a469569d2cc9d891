/* SPDX-License-Identifier: MIT */
/* covers: src/results/shipped.c src/results/ship.c */
/* A file of shipped baselines may be a stranger's. Whatever is accepted can be compared with, and
 * what is written after it was read can be read again and is written the same. */
#include "replay.h"

#include "results/ship.h"
#include "results/shipped.h"

#include <stdlib.h>
#include <string.h>

#define PROBLEM "level1/019_relu"

static void must(bool fine)
{
    if (!fine)
        abort();
}

static void compare(const json_t *file)
{
    struct results_problem problem = {.name = (char *)PROBLEM, .hash = (char *)"h"};
    struct results_size size = {.hash = "s", .cold_us = 1};
    struct results_cell cell = {.record = (char *)"id",
                                .verdict = VERDICT_PASS,
                                .device = (char *)"cuda",
                                .device_name = (char *)"NVIDIA H200",
                                .fingerprint = (char *)"card",
                                .sizes = &size,
                                .n_sizes = 1};
    const struct results run = {.name = (char *)"r",
                                .sizes = (char *)"full",
                                .problems = &problem,
                                .n_problems = 1,
                                .cells = &cell,
                                .n_cells = 1};
    AUTO(shipped_release) struct shipped s = {0};
    struct err err = ERR_INIT;

    if (shipped_take(&s, file, "shipped:f:torch:eager", "torch:eager", &run, &err) < 0) {
        must(err.text[0] != '\0' && !strchr(err.text, '\n'));
        return;
    }
    must(!(shipped_cold_us(&s, PROBLEM, "s", "card") <= 0)); /* positive or NAN */
    for (char **note = s.notes; *note; note++)
        must(!strchr(*note, '\n'));
    fuzz_accepted();
}

static json_t *write_and_read(json_t *file, struct buf *text)
{
    struct err err = ERR_INIT;
    json_t *again = NULL;

    ship_text(file, text);
    must(shipped_parse(buf_str(text), "written", &again, &err) == 0);
    return again;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(freep) char *text = xstrndup((const char *)data, size);
    AUTO(buf_release) struct buf first = BUF_INIT, second = BUF_INIT;
    struct err err = ERR_INIT;
    json_t *file = NULL;

    if (shipped_parse(text, "fuzz", &file, &err) < 0) {
        must(err.text[0] != '\0' && !strchr(err.text, '\n'));
        return 0;
    }
    compare(file);

    json_t *again = write_and_read(file, &first), *third = write_and_read(again, &second);

    must(!strcmp(buf_str(&first), buf_str(&second)));
    json_decref(file);
    json_decref(again);
    json_decref(third);
    return 0;
}
