/* SPDX-License-Identifier: MIT */
/* An order: the runner is stopped and woken around it, told to go over the page, and its output
 * looked at when it says "done". */
#include "process/rproc_wait.h"

#include "base/clock.h"
#include "process/python_reason.h"
#include "process/rproc_results.h"
#include "terms/fault_name.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

/* Slack for the way to a standstill: CPU time that it explains, and time that it takes if many
 * threads spin. */
#define STOP_EXPLAINS_NS 10000
#define STOP_FREE_NS 100000

/* --- what is written after "done" --- */

/* "done" is the runner's word, and its threads run until they are stopped, some 20 us later. So a
 * few words of the output, chosen anew each time, are read at once and again at the standstill. A
 * candidate that still writes changes some of them in one call or another. */
static void take_glimpses(struct rproc *r, int out_arena)
{
    const uint32_t *base = r->config->out_arenas[out_arena - r->config->n_in_arenas].host;
    struct peeks peeks;

    r->n_glimpses = 0;
    if (!base)
        return;
    layout_peeks(r->config->out, r->glimpse_key + r->seq, &peeks);
    for (uint32_t i = 0; i < RPROC_GLIMPSES; i++) {
        struct rproc_glimpse *g = &r->glimpses[r->n_glimpses++];
        size_t place = peeks_place(&peeks, i);

        g->word = base + place;
        g->address = rproc_result_at(r, place * sizeof(uint32_t));
    }

    uint32_t now[RPROC_GLIMPSES];

    rproc_look(r, now);
    for (int i = 0; i < r->n_glimpses; i++)
        r->glimpses[i].value = now[i];
}

static bool wrote_on(struct rproc *r)
{
    uint32_t now[RPROC_GLIMPSES];
    int changed = 0;

    rproc_look(r, now);
    for (int i = 0; i < r->n_glimpses; i++)
        changed += now[i] != r->glimpses[i].value;
    r->n_glimpses = 0;
    return changed > 0;
}

/* --- one order --- */

/* The kernel that holds the device first reads memory that the judge has just filled, and says its
 * sum. So anything that a candidate read into the caches meanwhile is lost. */
static int check_sweep(const struct rproc *r, struct verdict *v)
{
    const struct device_sweep *sweep = r->config->sweep;

    if (!sweep || atomic_load_explicit(&r->page->sum, memory_order_relaxed) == sweep->sum)
        return 0;
    return verdict_set(v, REASON_REJECTED_CACHE,
                       "call: the kernel that holds the device did not sweep its caches");
}

/* Says that the content is there and waits until the device is held. *ret_start becomes the time
 * just before the release is written, so that the outside time is never too short. If nothing can
 * be held, the runner is done instead, and *ret_start stays the time of ready. It also stays if
 * this took longer than a hold lasts: the device started by itself. */
static int release(struct rproc *r, uint64_t *ret_start, struct rproc_reply *ret, struct verdict *v)
{
    struct wire_page *p = r->page;
    bool work = r->order.hold == WIRE_HOLD_WORK;
    uint64_t ready = *ret_start, now;

    atomic_store_explicit(&p->ready, r->seq, memory_order_release);

    int rc = rproc_spin_for_either(r, &p->holding, &p->done, r->seq, r->config->call_timeout_ms,
                                   NULL, WHEN_CALL, v);

    if (rc)
        return rc;

    bool waits = atomic_load_explicit(&p->holding, memory_order_acquire) == r->seq;

    now = clock_ns();
    atomic_store_explicit(&p->release, r->seq, memory_order_release);
    ret->hold_ns = waits ? now - ready : 0;
    ret->queue_ns = work && !r->overdue ? r->queue_ns : 0;
    ret->held = waits && work && !r->overdue &&
                now - ready < (uint64_t)(r->config->device->hold_ms - 1) * 1000000;
    if (ret->held || (waits && !work))
        *ret_start = now;
    return waits ? check_sweep(r, v) : 0;
}

/* The text on the page may be the candidate's: it is quoted, and the reason is one of a list. */
static int fault_verdict(const struct subject_kind *kind, const struct wire_page *p,
                         struct verdict *v)
{
    char text[WIRE_ERROR_MAX + 1];

    memcpy(text, p->error, WIRE_ERROR_MAX);
    text[WIRE_ERROR_MAX] = '\0';
    if (kind->names_reasons)
        return python_call_verdict(text, v);
    verdict_set_named(v, REASON_CRASH_FAULT, fault_name(text), "call: the device faulted%s%s",
                      *text ? ": " : "", text);
    v->quotes = true;
    return 1;
}

static int reply_verdict(struct rproc *r, enum wire_order order, struct verdict *v)
{
    int status = r->page->status;

    if (status)
        rproc_drain(r); /* perhaps the candidate printed why */
    if (status == WIRE_STATUS_FAULT)
        return fault_verdict(r->config->subject.kind, r->page, v);
    if (order == WIRE_ORDER_CALL && status != 0)
        return verdict_set(v, REASON_CRASH_RETURNED, "assay_kernel returned %d", status);
    return 0;
}

/* Writes the order to the page right before go, and not earlier. */
static uint64_t go(struct rproc *r)
{
    struct wire_page *p = r->page;

    p->order = r->order.what;
    p->in_arena = (uint32_t)r->order.in_arena;
    p->out_arena = (uint32_t)r->order.out_arena;
    p->count = (uint32_t)r->order.count;
    p->hold = r->order.hold;

    uint64_t start = clock_ns();

    atomic_store_explicit(&p->go, ++r->seq, memory_order_release);
    return start;
}

int rproc_queue(struct rproc *r, const struct rproc_order *order, struct verdict *v)
{
    struct wire_page *p = r->page;
    int limit_ms = MIN(r->config->device->hold_ms, r->config->call_timeout_ms);

    r->order = *order;
    r->overdue = false;
    if (!order->hold)
        return 0;

    uint64_t start = go(r);
    int rc =
        rproc_spin_for_either(r, &p->queued, &p->done, r->seq, limit_ms, &r->overdue, WHEN_CALL, v);

    r->queue_ns = clock_ns() - start;
    return rc;
}

int rproc_run(struct rproc *r, struct rproc_reply *ret, struct verdict *v)
{
    struct wire_page *p = r->page;
    uint64_t start = r->order.hold ? clock_ns() : go(r);

    *ret = (struct rproc_reply){0};

    int rc = r->order.hold ? release(r, &start, ret, v) : 0;

    if (rc == 0)
        rc = rproc_spin_for(r, &p->done, r->seq, r->config->call_timeout_ms, WHEN_CALL, v);
    if (rc)
        return rc;

    uint64_t done = clock_ns();

    ret->wall_ns = r->call_ns = done - start;
    rproc_take_results(r);
    take_glimpses(r, r->order.out_arena);
    r->glimpse_ns = clock_ns() - done;
    ret->claim_ns = p->claim_ns;
    return reply_verdict(r, r->order.what, v);
}

/* --- stopping and waking --- */

int rproc_stop(struct rproc *r, struct verdict *v, struct err *err)
{
    uint64_t start = clock_ns(), deadline = start + 1000000000u;
    siginfo_t info = {0};

    if (r->stopped)
        return 0;
    if (rproc_signal(r, SIGSTOP) < 0)
        return rproc_died(r, WHEN_BETWEEN_CALLS, v);
    /* WNOHANG in a loop: sleeping in waitid would add a wake-up to every call. WNOWAIT leaves a
     * death to rproc_reap(). */
    while (info.si_pid == 0) {
        if (waitid(P_PID, (id_t)r->pid, &info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT) < 0)
            return fail_errno(err, "cannot wait for the runner");
        if (info.si_pid == 0 && clock_ns() > deadline)
            return verdict_set(v, REASON_REJECTED_PROTOCOL,
                               "between calls: the process does not stop when it is told to");
        if (info.si_pid == 0 && !r->config->pin)
            sched_yield();
    }
    if (info.si_code != CLD_STOPPED)
        return rproc_died(r, WHEN_BETWEEN_CALLS, v);
    waitid(P_PID, (id_t)r->pid, &info, WSTOPPED | WNOHANG);
    r->stopped = true;
    r->stop_ns = clock_ns() - start;
    rproc_drain(r);
    if (wrote_on(r))
        return verdict_set(v, REASON_REJECTED_LATE,
                           "call: wrote to its output after it had said that it was done");
    return 0;
}

/* CPU time of all threads of the runner; exact while it stands still. 0 if the kernel does not
 * say. */
static uint64_t cpu_ns(const struct rproc *r)
{
    struct timespec t = {0, 0};
    clockid_t clock;

    if (r->pid <= 0 || clock_getcpuclockid(r->pid, &clock) != 0 || clock_gettime(clock, &t) < 0)
        return 0;
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A candidate can work outside its call in two ways. A runner that is woken sees the next input
 * before it is told to go, and says that it is awake when it likes. And while the thread that gets
 * SIGSTOP sits in the kernel, the others work on behind "done". Both take CPU time that neither the
 * call nor the way to a standstill explains; waiting for a busy machine takes none.
 *
 * Threads of an honest candidate that spin all the while (OpenMP's do) take no longer than the
 * wake-up, and stop soon. A signal reaches a working thread at once, so a long stop explains no
 * more than a short one: a candidate can make it long, and sleep. The judge's own look at the
 * output comes before the stop. */
uint64_t rproc_unexplained_ns(const struct rproc *r)
{
    uint64_t used = cpu_ns(r) - r->cpu_before_ns;
    uint64_t explained = r->call_ns + r->glimpse_ns + MIN(r->stop_ns, STOP_EXPLAINS_NS);
    uint64_t room = r->wake_ns + (r->stop_ns > STOP_FREE_NS ? r->stop_ns - STOP_FREE_NS : 0);

    return used > explained ? MIN(used - explained, room) : 0;
}

int rproc_wake(struct rproc *r, struct verdict *v, struct err *err)
{
    uint64_t start = clock_ns();

    (void)err;
    r->cpu_before_ns = cpu_ns(r);
    if (r->stopped) {
        r->stopped = false;
        if (rproc_signal(r, SIGCONT) < 0)
            return rproc_died(r, WHEN_BETWEEN_CALLS, v);
    }
    atomic_store_explicit(&r->page->awake, ++r->awake_seq, memory_order_release);

    int rc = rproc_spin_for(r, &r->page->awake_ack, r->awake_seq, r->config->call_timeout_ms,
                            WHEN_BETWEEN_CALLS, v);

    r->wake_ns = rc ? 0 : clock_ns() - start;
    return rc;
}

/* --- a whole order --- */

int rproc_order(struct rproc *r, const struct rproc_order *order,
                const struct rproc_content *content, struct rproc_reply *ret, struct verdict *v,
                struct err *err)
{
    int rc = rproc_stop(r, v, err);

    r->wake_ns = 0;
    if (rc == 0 && content->wakes_first)
        rc = rproc_wake(r, v, err);
    if (rc == 0)
        rc = rproc_queue(r, order, v);
    if (rc == 0)
        rc = content->prepare(content->arg, err);
    if (rc == 0 && !content->wakes_first)
        rc = rproc_wake(r, v, err);
    return rc ? rc : rproc_run(r, ret, v);
}
