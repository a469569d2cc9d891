/* SPDX-License-Identifier: MIT */
#include "terms/plan.h"

#include "base/buf.h"
#include "base/util.h"

#include <string.h>

/* Medians of processes differ by 0.07 us (standard deviation; H200, kernels of 5 to 20 us), above
 * all because their buffers lie elsewhere. So a steady plan has eight processes with eight buffers
 * each. */
#define STEADY_RUNNERS 8
#define STEADY_ARENAS 8
#define STEADY_CALLS 384
#define STEADY_CONTENT_MS 200
#define STEADY_BYTES ((size_t)8 << 30) /* arenas of all processes, with PLAN_MIN_ARENAS each */
#define ARENAS_BYTES ((size_t)1 << 30) /* arenas of one process, if more than PLAN_MIN_ARENAS */

const char *const weights_names[] = {
    [WEIGHTS_PER_CALL] = "per_call", [WEIGHTS_FIXED] = "fixed", [WEIGHTS_SEED] = "seed", NULL};

int weights_parse(const char *what, const char *word, enum weights *ret, struct err *err)
{
    AUTO(buf_release) struct buf list = BUF_INIT;

    for (int i = 0; weights_names[i]; i++) {
        if (!strcmp(weights_names[i], word)) {
            *ret = (enum weights)i;
            return 0;
        }
        buf_addf(&list, "%s%s", i ? ", " : "", weights_names[i]);
    }
    return fail(err, ERR_USAGE, "%s takes one of %s, not '%s'", what, buf_str(&list), word);
}

void plan_make_steady(struct plan *p)
{
    p->steady = true;
    p->runners = STEADY_RUNNERS;
    p->arenas = STEADY_ARENAS;
    p->min_calls = STEADY_CALLS;
    p->content_ms = STEADY_CONTENT_MS;
}

static int whole_rounds(const struct plan *p, int calls)
{
    int n = MAX(plan_runners(p), 1);

    return (calls + n - 1) / n * n;
}

int plan_fresh(const struct plan *p, int scored_laws)
{
    return whole_rounds(p, MAX(PLAN_FRESH, PLAN_FRESH_LAW * scored_laws));
}

int plan_least_calls(const struct plan *p, int scored_laws)
{
    int least = MAX(PLAN_LEAST_CALLS, PLAN_FRESH_LAW * scored_laws);

    return whole_rounds(p, MAX(p->min_calls, least));
}

void plan_fit(struct plan *p, size_t tensor_bytes)
{
    size_t bytes = MAX(tensor_bytes, 1);

    if (p->steady) {
        int fit = (int)MIN((size_t)p->runners, MAX(STEADY_BYTES / PLAN_MIN_ARENAS / bytes, 1));

        p->min_calls = MAX(p->min_calls * fit / p->runners, 1);
        p->runners = fit;
    }
    p->arenas = (int)MIN((size_t)p->arenas, MAX(ARENAS_BYTES / bytes, PLAN_MIN_ARENAS));
}

bool plan_same_calls(const struct plan *a, const struct plan *b)
{
    return a->checks == b->checks && a->warmups == b->warmups && a->min_calls == b->min_calls &&
           a->max_calls == b->max_calls && a->budget_ms == b->budget_ms &&
           a->content_ms == b->content_ms && a->runners == b->runners && a->arenas == b->arenas &&
           a->steady == b->steady && a->hot_ms == b->hot_ms &&
           a->call_timeout_ms == b->call_timeout_ms && a->check_limit_ms == b->check_limit_ms &&
           a->timing_limit_ms == b->timing_limit_ms && a->check_only == b->check_only &&
           a->weights == b->weights && a->require_sandbox == b->require_sandbox;
}
