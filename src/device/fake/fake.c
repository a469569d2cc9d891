/* SPDX-License-Identifier: MIT */
#include "device/fake/fake_device.h"

int fake_probe(const char **ret_why)
{
    (void)ret_why;
    return 1;
}

int fake_open(int index, void **ret_ctx, struct err *err)
{
    if (index != 0)
        return fail(err, ERR_DEVICE, "there is no device fake:%d, only fake:0", index);
    *ret_ctx = NULL;
    return 0;
}
