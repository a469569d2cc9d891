/* SPDX-License-Identifier: MIT */
/* Foreign times: KernelBench's baseline JSON, {"level1": {"19_ReLU.py": {"mean": ms}}}. They are of
 * another device and were measured another way. So they are used only if the user names them, and
 * are called foreign wherever they are shown. */
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

/* ERR_INPUT if the file has no such times. An entry without a time (null) is left out. */
int foreign_load(const char *path, struct foreign *ret, struct err *err);
void foreign_release(struct foreign *f);
/* For struct analyze_baseline: finds a time by the problem's level and number, whatever the
 * device. */
double foreign_cold_us(void *arg, const char *problem, const char *size_hash,
                       const char *fingerprint);

#endif
