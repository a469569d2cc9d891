/* SPDX-License-Identifier: MIT */
/*
 * The waiting kernel stamps its end with the device's own clock (%globaltimer), an event the start
 * of the claim. The driver tells only how long one event comes after another, so leads are
 * known against each other: from one held order to the next, both the events' distance and the
 * stamps' distance are known, and what they differ by is what the leads differ by. The driver gives
 * a distance as a float in ms, which is exact to 60 ns for a second. So each order is compared with
 * the one right before.
 */
#include "device/cuda/cuda_lead.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES 4096
#define HOST_REGISTER_DEVICEMAP 2
/* Honest leads differ by less than this: on an H200 by 0.25 us, in steps of 32 ns. */
#define SLACK_NS 500

static CUresult map_stamp(struct cuda_lead *l)
{
    void *page = aligned_alloc(PAGE_BYTES, PAGE_BYTES);

    if (!page)
        abort();
    memset(page, 0, PAGE_BYTES);
    l->stamp = page;

    CUresult rc = l->cu->cuMemHostRegister_v2(page, PAGE_BYTES, HOST_REGISTER_DEVICEMAP);

    return rc ? rc : l->cu->cuMemHostGetDevicePointer_v2(&l->stamp_at, page, 0);
}

int cuda_lead_open(struct cuda_lead *l, const struct cuda_driver *cu, struct err *err)
{
    *l = (struct cuda_lead){.cu = cu};

    CUresult rc = map_stamp(l);

    if (rc == 0)
        rc = cu->cuEventCreate(&l->anchor, 0);
    return rc ? cuda_fail(cu, rc, err, "the stamp of the release") : 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Median of the latest empty orders' leads. */
static double usual_ns(const struct cuda_lead *l)
{
    double sorted[CUDA_LEAD_EMPTIES];
    size_t n = l->n_empty < CUDA_LEAD_EMPTIES ? l->n_empty : CUDA_LEAD_EMPTIES;

    memcpy(sorted, l->empty_ns, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), by_value);
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

/* This order's lead against the first one's; the order becomes the anchor of the next. */
static CUresult take_lead(struct cuda_lead *l, CUevent *start, uint64_t stamp)
{
    CUevent before = l->anchor;
    float ms = 0;

    if (l->anchor_stamp) {
        CUresult rc = l->cu->cuEventElapsedTime(&ms, before, *start);

        if (rc)
            return rc;
        l->anchor_ns += (double)ms * 1e6 - (double)(stamp - l->anchor_stamp);
    }
    l->anchor = *start;
    l->anchor_stamp = stamp;
    *start = before;
    return 0;
}

CUresult cuda_lead_excess(struct cuda_lead *l, CUevent *start, bool empty, double *ret_ns)
{
    uint64_t stamp = *l->stamp;

    *ret_ns = 0;
    if (!stamp || stamp == l->anchor_stamp) /* the kernel gave up waiting */
        return 0;

    CUresult rc = take_lead(l, start, stamp);

    if (rc)
        return rc;
    if (empty)
        l->empty_ns[l->n_empty++ % CUDA_LEAD_EMPTIES] = l->anchor_ns;
    else if (l->n_empty && l->anchor_ns - usual_ns(l) > SLACK_NS)
        *ret_ns = l->anchor_ns - usual_ns(l);
    return 0;
}
