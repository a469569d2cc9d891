/* SPDX-License-Identifier: MIT */
#include "process/budget.h"

#include "base/util.h"

/* Slack for code, page tables of arenas and what else a driver takes, in pieces of 2 MiB. It is
 * less than the difference between hard/07's budget (3/4 byte per weight) and a copy of one byte
 * per weight: 12.6 MB at N = 12288. */
#define OWN_BYTES ((int64_t)8 << 20)

int budget_begin(struct budget *b, const struct device_judge_ops *ops, void *ctx,
                 int64_t limit_bytes, int n_runners, struct err *err)
{
    *b = (struct budget){.ctx = ctx, .limit_bytes = n_runners * limit_bytes};
    if (limit_bytes == 0 || !ops->others_bytes)
        return 0;
    if (ops->others_bytes(ctx, &b->before_bytes, err) < 0)
        return -1;
    b->ops = ops;
    b->limit_bytes += n_runners * OWN_BYTES;
    return 0;
}

int budget_sample(struct budget *b, struct err *err)
{
    int64_t now;

    if (!b->ops)
        return 0;
    if (b->ops->others_bytes(b->ctx, &now, err) < 0)
        return -1;
    b->most_bytes = MAX(b->most_bytes, now - b->before_bytes);
    return 0;
}

int budget_verdict(const struct budget *b, struct verdict *v)
{
    if (!b->ops || b->most_bytes <= b->limit_bytes)
        return 0;
    return verdict_set(v, REASON_REJECTED_MEMORY,
                       "it holds %.1f MB of the device's memory besides its tensors; the problem "
                       "allows %.1f MB, code included",
                       (double)b->most_bytes / 1e6, (double)b->limit_bytes / 1e6);
}
