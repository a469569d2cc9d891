/* SPDX-License-Identifier: MIT */
#include "content/recall.h"

#include "base/hash.h"
#include "base/util.h"

#include <string.h>

void recall_init(struct recall *r)
{
    *r = (struct recall){.key = secret_u64(), .candidate = 0};
    recall_begin(r);
}

/* One attempt is always worth it: in vain, it costs one read of an output. */
void recall_begin(struct recall *r)
{
    r->candidate++;
    r->hit[false] = r->hit[true] = true;
}

/* Whether this candidate has answered this output before. The two cases are different questions:
 * whether it answers as others did, and whether it answers the same twice. */
static bool is_repeated(const struct recall *r, const struct recall_output *o)
{
    return o->candidate == r->candidate;
}

bool recall_worth_trying(const struct recall *r)
{
    return r->hit[false];
}

bool recall_may_hit(const struct recall *r, const struct recall_output *o)
{
    return o->n > 0 && r->hit[is_repeated(r, o)];
}

static const struct recall_answer *find(const struct recall_output *o,
                                        const struct fingerprint *print)
{
    for (int i = 0; i < o->n; i++)
        if (memcmp(&o->answers[i].print, print, sizeof(*print)) == 0)
            return &o->answers[i];
    return NULL;
}

bool recall_find(struct recall *r, struct recall_output *o, const struct fingerprint *print,
                 struct compare_stats *ret)
{
    const struct recall_answer *a = find(o, print);

    r->hit[is_repeated(r, o)] = a != NULL;
    if (!a)
        return false;
    o->candidate = r->candidate;
    *ret = a->stats;
    return true;
}

void recall_add(struct recall *r, struct recall_output *o, const struct fingerprint *print,
                const struct compare_stats *stats)
{
    o->candidate = r->candidate;
    if (find(o, print))
        return;
    o->answers[o->next] = (struct recall_answer){*print, *stats};
    o->next = (o->next + 1) % RECALL_ANSWERS;
    o->n = MIN(o->n + 1, RECALL_ANSWERS);
}
