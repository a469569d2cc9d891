/* SPDX-License-Identifier: MIT */
/* Admission of one size on a device that is opened for it. */
#ifndef TESTS_ADMIT_RIG_H
#define TESTS_ADMIT_RIG_H

#include "judge/admit.h"

static inline int admit_on(const struct device *device, const struct problem *p,
                           const struct graph *g, uint64_t seed, struct admit_result *ret,
                           struct err *err)
{
    struct admit_place at = {0};

    if (admit_open(device, 0, &at, err) < 0)
        return -1;

    int rc = admit_size(&at, p, g, seed, ret, err);

    admit_close(&at);
    return rc;
}

#endif
