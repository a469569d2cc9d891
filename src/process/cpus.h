/* SPDX-License-Identifier: MIT */
#ifndef ASSAY_PROCESS_CPUS_H
#define ASSAY_PROCESS_CPUS_H

#include <sched.h>
#include <stdbool.h>

/* Cores of the judge and of runners: the judge spins on one core, runners get the others. */
struct cpus {
    bool split;        /* false if there is one core or pinning is refused: the record says so */
    bool smt_shared;   /* judge and runner are hyperthreads of one core, the only one there is */
    cpu_set_t allowed; /* all cores that this process may use */
    cpu_set_t judge, runner;
};

void cpus_split(struct cpus *ret);

#endif
