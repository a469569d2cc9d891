/* SPDX-License-Identifier: MIT */
#include "measure/audit.h"

#include "base/clock.h"

#include <math.h>

/* The difference between an honest claim and the judge's clock does not grow with the kernel. It
 * comes from the way of an order, and from how well the empty order is known. Measured on an H200,
 * held, kernels of 4 to 4200 us: -1.6 to 1.9 us, at 4200 us 0.05 %. So nearly all of the slack is a
 * constant; the share is for two clocks that no one has set by each other. */
#define COLD_SHARE 0.99
#define COLD_SLACK_NS 3000
#define CLAIM_SHARE 0.001
#define CLAIM_SLACK_NS 1500
#define FAIR_SHARE 0.03
#define FAIR_NS 1500
#define UNHELD_SLACK_NS 10000
#define HOT_SHARE 0.97
#define HOT_CALLS 200
#define HOT_NS 20e6
#define EMPTY_MAX_NS 50000 /* an order with a hold takes 10 to 20 us */
#define HOST_BOUND_NS 20000
/* Two contexts share a GPU by slices of a millisecond or two. Work that runs beside the judge makes
 * it wait for those slices, which is more than clocks or a busy bus ever add to a flush. */
#define BUSY_FACTOR 2
#define BUSY_SLACK_NS 100000
#define LATE_FACTOR 1.5

bool audit_cold(double claim_ns, double outside_ns, bool held)
{
    return claim_ns >= COLD_SHARE * outside_ns - (held ? COLD_SLACK_NS : UNHELD_SLACK_NS);
}

bool audit_hot(double claim_ns, double outside_ns)
{
    return claim_ns >= HOT_SHARE * outside_ns - UNHELD_SLACK_NS;
}

int audit_hot_count(double call_ns)
{
    return (int)fmax(1, fmin(ceil(HOT_NS / fmax(call_ns, 1)), HOT_CALLS));
}

double audit_empty_max(double usual_max_ns)
{
    return usual_max_ns > 0 ? usual_max_ns : EMPTY_MAX_NS;
}

double audit_beyond(double ns, double usual_max_ns)
{
    return usual_max_ns > 0 ? fmax(ns - usual_max_ns, 0) : 0;
}

double audit_fair(double median_ns)
{
    return fmax(FAIR_SHARE * median_ns, FAIR_NS);
}

double audit_claim_slack(double claim_ns)
{
    return CLAIM_SLACK_NS + CLAIM_SHARE * claim_ns;
}

double audit_shift(double low_ns, double usual_ns, double slack_ns)
{
    return usual_ns > 0 ? fmax(low_ns - usual_ns - slack_ns, 0) : 0;
}

bool audit_host_bound(double cold_ns, double call_ns, double queue_ns)
{
    double waits_ns = fmax(call_ns, queue_ns);

    return waits_ns >= 2 * cold_ns && waits_ns >= cold_ns + HOST_BOUND_NS;
}

bool audit_busy(double idle_ns, double now_ns)
{
    return now_ns > BUSY_FACTOR * idle_ns + BUSY_SLACK_NS;
}

bool audit_late(double idle_ns, double usual_max_ns, double now_ns)
{
    if (usual_max_ns <= 0)
        return audit_busy(idle_ns, now_ns);
    return now_ns > LATE_FACTOR * usual_max_ns;
}

int audit_probe(const struct device_judge_ops *ops, void *ctx, const struct mem *m,
                const struct peeks *where, uint32_t *ret_words, double *ret_ns, struct err *err)
{
    uint64_t start = clock_ns();

    if (ops->peek(ctx, m, where, ret_words, err) < 0)
        return -1;
    *ret_ns = (double)(clock_ns() - start);
    return 0;
}
