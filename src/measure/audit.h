/* SPDX-License-Identifier: MIT */
/* Audit: what the judge's clock says about a runner's claims, and about the device between calls.
 * Times are in nanoseconds; outside times are without the empty order. */
#ifndef ASSAY_MEASURE_AUDIT_H
#define ASSAY_MEASURE_AUDIT_H

#include "device/device.h"

#include <stdbool.h>

/* Whether a claim can be true: the median claim of scored calls against the median outside time.
 * Without a hold the way to the first launch and from the last one counts outside as well. */
bool audit_cold(double claim_ns, double outside_ns, bool held);
/* The same as audit_cold() for a batch of audit_hot_count() calls, whose ends hardly matter. */
bool audit_hot(double claim_ns, double outside_ns);
/* Calls in a hot batch: 200 calls or 20 ms, whichever is less. */
int audit_hot_count(double call_ns);

/* The most that an empty order is believed to take: a candidate could slow it down to hide behind
 * it. usual_max_ns: the most that calibration saw; 0: not known. */
double audit_empty_max(double usual_max_ns);

/* Time by which one call took longer than honest ones do. It is taken before the call (on a GPU
 * from `ready` to `holding`, on a CPU its wake-up), or behind it, until the judge's probe is over.
 * This time counts as part of the call. usual_max_ns: the most that calibration saw; 0: not known,
 * and nothing is added. */
double audit_beyond(double ns, double usual_max_ns);
/* Time that all scored calls hide: a candidate that hides a little in each of them shows here.
 * low_ns and usual_ns are low quantiles (AUDIT_LOW). On an H200 the way to a standstill takes 176
 * or 183 us, and some processes take the long way nine times in ten. So a median may be either; a
 * low quantile is the short one. usual_ns: calibration's; 0: not known. slack_ns: what honest
 * candidates differ by. On a CPU usual_ns is calibration's median: wake-ups there differ by some us
 * from one run to the next. */
double audit_shift(double low_ns, double usual_ns, double slack_ns);
#define AUDIT_LOW 0.05
/* Slack beyond the median: calls within it are those that the low quantile of audit_shift() is
 * taken of. A candidate that hides work in most calls only would show an honest way in the others.
 * But these then take longer, by the work that is hidden in the rest. */
double audit_fair(double median_ns);
/* Time that the judge's clock may see beyond the claim of a held call, in the median. Other streams
 * of a candidate can work between the release and the start of its events. The share is for two
 * clocks that no one has set by each other. */
double audit_claim_slack(double claim_ns);
#define AUDIT_HOLD_SLACK_NS 500
#define AUDIT_HEAD_SLACK_NS 2000
#define AUDIT_HEAD_LOW 0.1 /* quantile of wake-ups, over the faster half of the calls */
/* On a busy machine wake-ups take longer, but only so much more is believed. Otherwise a candidate
 * could make all of its wake-ups long, also those of empty orders, and hide its work there. */
#define AUDIT_HEAD_BUSY_NS 2000

/* Whether a caller waits far longer than the device works: for the call, or for its launches
 * alone. */
bool audit_host_bound(double cold_ns, double call_ns, double queue_ns);

/* Whether the judge's own work takes far longer than on the idle device: something runs beside
 * it. */
bool audit_busy(double idle_ns, double now_ns);
/* The same as audit_busy() for a probe right after "done", when the device has to change
 * processes first. usual_max_ns: the most that this takes after an honest call, by calibration;
 * 0: not known. */
bool audit_late(double idle_ns, double usual_max_ns, double now_ns);
/* Times next to no work on the device, which waits for what runs there. ret_words: the words of m
 * that it saw (device.h, peek). */
int audit_probe(const struct device_judge_ops *ops, void *ctx, const struct mem *m,
                const struct peeks *where, uint32_t *ret_words, double *ret_ns, struct err *err);

#endif
