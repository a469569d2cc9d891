/* SPDX-License-Identifier: MIT */
#include "base/fault.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

bool fault(const char *kind)
{
    static atomic_int seen;
    const char *plan = getenv("ASSAY_FAULT");
    size_t n = strlen(kind);

    if (!plan || strncmp(plan, kind, n) != 0 || plan[n] != ':')
        return false;
    return atomic_fetch_add(&seen, 1) + 1 == atoi(plan + n + 1);
}
