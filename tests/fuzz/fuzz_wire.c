/* SPDX-License-Identifier: MIT */
/* covers: src/wire/frame.c */
/* Frames come from a process that runs candidate code. What decodes must encode to the same bytes.
 */
#include "replay.h"
#include "wire/wire.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wire_msg m = WIRE_MSG_INIT(0);
    struct err err = ERR_INIT;

    if (wire_decode(data, size, &m, &err) < 0)
        return 0;
    fuzz_accepted();

    AUTO(buf_release) struct buf again = BUF_INIT;

    wire_encode(&m, &again);
    if (again.len != size || memcmp(again.ptr, data, size) != 0)
        abort();
    wire_msg_release(&m);
    return 0;
}
