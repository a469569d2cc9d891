/* SPDX-License-Identifier: MIT */
#ifndef ASSAY_PROCESS_CPUS_H
#define ASSAY_PROCESS_CPUS_H

#include <sched.h>
#include <stdbool.h>

/* Who runs where: the judge spins on one core, runners get the others. */
struct cpus {
    bool split;      /* false on one core, or where pinning is refused: the record says so */
    bool smt_shared; /* judge and runner are hyperthreads of one core: nothing better was to be had
                      */
    cpu_set_t allowed; /* all of them */
    cpu_set_t judge, runner;
};

void cpus_split(struct cpus *ret);

#endif
