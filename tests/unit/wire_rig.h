/* SPDX-License-Identifier: MIT */
/* A message of each kind, for the tests of src/wire. */
#ifndef TESTS_WIRE_RIG_H
#define TESTS_WIRE_RIG_H

#include "testing.h"

#include "wire/wire.h"

static struct wire_tensor tensors[] = {
    {DT_F32, 2, 256, {4, 16}},
    {DT_BF16, 8, 0, {1, 2, 3, 1, 1, 1, 1, 2}},
    {DT_BOOL, 0, 512, {0}},
    {DT_I64, 1, 1024, {0}},
};

/* One message of each kind, with no field left at zero that need not be. */
static const struct wire_msg samples[] = {
    {WIRE_HELLO, -1, {.hello = {"cuda", 3, 1ull << 40, 65534, 1, 1}}},
    {WIRE_READY, -1, {.ready = {0x7ff}}},
    {WIRE_PAGE, -1, {.bytes = sizeof(struct wire_page)}},
    {WIRE_ARENA, -1, {.arena = {63, 1ull << 35, 1}}},
    {WIRE_SIZE, -1, {.size = {3, 1, 2, 1, 63, tensors}}},
    {WIRE_LOAD, -1, {.bytes = 12345}},
    {WIRE_SETUP, -1, {.bytes = 0}},
    {WIRE_START, -1, {.bytes = 0}},
    {WIRE_OK, -1, {.note = (char *)"shape lin.w\n"}},
    {WIRE_FAIL, -1, {.fail = {WIRE_STAGE_SETUP, -7, "assay_setup returned -7"}}},
    {WIRE_WARM, -1, {.bytes = 0}},
};

static inline struct buf encoded(const struct wire_msg *m)
{
    struct buf b = BUF_INIT;

    wire_encode(m, &b);
    return b;
}

#endif
