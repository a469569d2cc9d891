/* SPDX-License-Identifier: MIT */
#include "process/cpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "0-1,64" -> the set; false when the file is not there. */
static bool siblings_of(int cpu, cpu_set_t *ret)
{
    char path[128], text[256] = "";

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
             cpu);

    FILE *f = fopen(path, "re");

    if (!f)
        return false;

    bool ok = fgets(text, sizeof(text), f) != NULL;

    fclose(f);
    CPU_ZERO(ret);
    for (char *p = text; ok && *p >= '0' && *p <= '9';) {
        long first = strtol(p, &p, 10), last = *p == '-' ? strtol(p + 1, &p, 10) : first;

        for (long i = first; i <= last && i < CPU_SETSIZE; i++)
            CPU_SET((size_t)i, ret);
        if (*p == ',')
            p++;
    }
    return ok;
}

void cpus_split(struct cpus *ret)
{
    cpu_set_t siblings, rest;
    int first = 0;

    memset(ret, 0, sizeof(*ret));
    if (sched_getaffinity(0, sizeof(ret->allowed), &ret->allowed) < 0 ||
        CPU_COUNT(&ret->allowed) < 2)
        return;
    while (!CPU_ISSET((size_t)first, &ret->allowed))
        first++;
    CPU_ZERO(&ret->judge);
    CPU_SET((size_t)first, &ret->judge);
    ret->runner = ret->allowed;
    CPU_CLR((size_t)first, &ret->runner);
    ret->split = true;
    if (!siblings_of(first, &siblings))
        return;
    CPU_AND(&siblings, &siblings, &ret->runner);
    CPU_XOR(&rest, &ret->runner, &siblings);
    if (CPU_COUNT(&rest) > 0)
        ret->runner = rest; /* a spinning judge would take half of its sibling's core */
    else
        ret->smt_shared = true;
}
