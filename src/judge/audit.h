/* SPDX-License-Identifier: MIT */
/* What the judge's clock says about a runner's claims, and about the device between calls. Times in
 * nanoseconds; outside times are without the empty order. */
#ifndef ASSAY_JUDGE_AUDIT_H
#define ASSAY_JUDGE_AUDIT_H

#include "device/device.h"

#include <stdbool.h>

/* Whether a claim can be true: the median claim of scored calls against the median outside time.
 * Without a hold the way to the first launch and from the last one counts outside as well. */
bool audit_cold(double claim_ns, double outside_ns, bool held);
/* The same for a batch of audit_hot_count() calls, whose ends hardly matter. */
bool audit_hot(double claim_ns, double outside_ns);
/* 200 calls or 20 ms, whichever is less. */
int audit_hot_count(double call_ns);

/* The most that an empty order is believed to take, since a candidate could slow it down to hide
 * behind it; usual_ns: the median when the device was calibrated, 0 when that is not known. */
double audit_empty_max(double usual_ns);

/* What a candidate may have done between `ready` and `holding`, when only the device has something
 * to do: counts as part of the call. usual_ns: what that takes, by calibration; 0 where nobody
 * measured it, and then nothing is hidden. */
double audit_hidden(double hold_ns, double usual_ns);

/* A caller waits far longer than the device works: for the call, or for its launches alone. */
bool audit_host_bound(double cold_ns, double call_ns, double queue_ns);

/* The judge's own work takes far longer than on the idle device: something runs beside it. */
bool audit_busy(double idle_ns, double now_ns);
/* The same for a probe at once after "done", when the device has to change processes first:
 * usual_ns is what that takes after an honest call, by calibration; 0 where nobody measured it. */
bool audit_late(double idle_ns, double usual_ns, double now_ns);
/* Next to nothing for the device, timed: it waits for what runs there. ret_words: what it saw of m
 * (device.h, peek). */
int audit_probe(const struct device_judge_ops *ops, void *ctx, const struct mem *m,
                const struct peeks *where, uint32_t *ret_words, double *ret_ns, struct err *err);

#endif
