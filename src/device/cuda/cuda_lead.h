/* SPDX-License-Identifier: MIT */
/* The lead of a held order: the time from the end of the waiting kernel until the start event. A
 * candidate's other streams can work in that time, and neither event sees them. So a lead beyond
 * that of empty orders belongs to the claim. */
#ifndef ASSAY_DEVICE_CUDA_LEAD_H
#define ASSAY_DEVICE_CUDA_LEAD_H

#include "device/cuda/cuda_driver.h"

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define CUDA_LEAD_EMPTIES 16

struct cuda_lead {
    const struct cuda_driver *cu;       /* not owned */
    volatile uint64_t *stamp;           /* host memory: when the last waiting kernel ended */
    CUdeviceptr stamp_at;               /* address of the stamp on the device */
    CUevent anchor;                     /* start event of the held order before */
    uint64_t anchor_stamp;              /* stamp of that order; 0: there was none */
    double anchor_ns;                   /* lead of that order, against the first one */
    double empty_ns[CUDA_LEAD_EMPTIES]; /* leads of the latest empty orders */
    unsigned n_empty;                   /* empty orders so far */
};

/* Makes what is needed in the current context, which owns it. */
int cuda_lead_open(struct cuda_lead *l, const struct cuda_driver *cu, struct err *err);
/* Called once after each held order, when both of its events are over. *start: its start event,
 * which is exchanged for another one. empty: an order without a candidate. *ret_ns: time by which
 * its lead exceeds that of empty orders; 0 if that is little or nothing, or not known yet. */
CUresult cuda_lead_excess(struct cuda_lead *l, CUevent *start, bool empty, double *ret_ns);

#endif
