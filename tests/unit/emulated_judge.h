/* SPDX-License-Identifier: MIT */
/* The judge's side of the emulated GPU, open for all tests of a file. */
#ifndef TESTS_EMULATED_JUDGE_H
#define TESTS_EMULATED_JUDGE_H

#include "emulated.h"

#include "device/cuda/cuda_judge.h"

static const struct device_judge_ops *const ops = &cuda_judge_ops;
static void *ctx;

static int emulated_open(void **state)
{
    struct err err = ERR_INIT;

    (void)state;
    emulated_load(false);
    must(ops->open(0, &ctx, &err), &err);
    return 0;
}

static int emulated_close(void **state)
{
    (void)state;
    ops->close(ctx);
    return 0;
}

#endif
