/* SPDX-License-Identifier: MIT */
/* Somebody else's times: KernelBench's baseline JSON, {"level1": {"19_ReLU.py": {"mean": ms}}}.
 * They are of another device and were measured another way, so they are never used unless named,
 * and wherever they are shown they are called foreign. */
#ifndef ASSAY_RESULTS_FOREIGN_H
#define ASSAY_RESULTS_FOREIGN_H

#include "base/err.h"

struct foreign {
    char *label; /* "foreign: FILE" */
    struct foreign_time {
        char *level; /* "level1" */
        int id;
        double us;
    } * times;
    int n;
};

/* ERR_INPUT when it is no such file. What has no time (null) is left out. */
int foreign_load(const char *path, struct foreign *ret, struct err *err);
void foreign_release(struct foreign *f);
/* For struct analyze_baseline; by the problem's level and number, whatever the device. */
double foreign_cold_us(void *arg, const char *problem, const char *size_hash,
                       const char *fingerprint);

#endif
