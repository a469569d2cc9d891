/* SPDX-License-Identifier: MIT */
/* Datasheet peaks of GPUs, dense, without sparsity: hardware/NAME.lua beside problems/. Fractions
 * of peak and the physics gate rest on these. A calibration says what a device really reaches. To
 * add one: a file there, CONTRIBUTING.md says how. */
#ifndef ASSAY_HARDWARE_HARDWARE_H
#define ASSAY_HARDWARE_HARDWARE_H

#include "base/err.h"
#include "tensor/arith.h"

struct hardware {
    char **names; /* names as the driver spells them; we use the first */
    int n_names;
    char *source;        /* title of the datasheet */
    char *file;          /* the file that describes the device */
    double bytes_s;      /* memory bandwidth */
    double memory_bytes; /* 0: not stated */
    double cache_bytes;  /* last level; 0: not stated */
    double flops_s[ARITH_COUNT];
};

struct hardware_list {
    struct hardware *rows;
    int n;
};

#define HARDWARE_LIST_INIT \
    {                      \
        NULL, 0            \
    }

/* Loads all files of SHARE/hardware, in the order of their names. A bad file is ERR_INPUT
 * "FILE:LINE: what, and what to do". */
int hardware_load(const char *share_dir, struct hardware_list *ret, struct err *err);
void hardware_release(struct hardware_list *l);
/* The device's row; NULL if nobody has written it down. */
const struct hardware *hardware_find(const struct hardware_list *l, const char *device_name);

#endif
