/* SPDX-License-Identifier: MIT */
/* Start of benchmarks that need a GPU. All functions return 0, or the exit status. */
#ifndef ASSAY_BENCH_GPU_BENCH_H
#define ASSAY_BENCH_GPU_BENCH_H

#include "base/opt.h"
#include "device/device.h"

#include <stdio.h>

static inline int bench_options(const char *name, const struct opt *table, void *ret, int argc,
                                char **argv)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct err err = ERR_INIT;
    bool help = false;
    int rest;

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (opt_parse(table, ret, argc, argv, &rest, &help, &err) == 0 && !help && rest == 0)
        return 0;
    opt_help(table, &text);
    fprintf(stderr, "%s\nusage: %s [OPTIONS]\n%s", err.text, name, buf_str(&text));
    return 2;
}

static inline int bench_needs(const struct device *device)
{
    const char *why = "";

    if (device->probe(&why) > 0)
        return 0;
    printf("skipped: %s\n", why);
    return 77;
}

static inline int bench_needs_gpu(void)
{
    return bench_needs(&device_cuda);
}

#endif
