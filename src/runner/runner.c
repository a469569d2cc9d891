/* SPDX-License-Identifier: MIT */
/*
 * The order is the point (docs/design/trust.md). While we are single-threaded and all code is ours:
 * uid, rlimits and Landlock, then the device, then every descriptor the judge has for us. Then
 * seccomp. Only then the artifact, because its constructors are candidate code.
 *
 *   receive_hello -> lock_down -> report_warm -> receive_all -> seal_and_report -> load -> setup ->
 *   prepare -> watch
 *
 * A spare waits in receive_all, its device open, for a candidate to be handed to it.
 * From load() on every byte of this process may be the candidate's doing; the judge knows.
 * Nothing is freed: the process ends by _exit() or is killed.
 */
#include "runner/runner.h"

#include "base/clock.h"
#include "runner/handover.h"
#include "sandbox/sandbox.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

struct runner {
    int sock;
    int lock_fd, turn_fd; /* -1: none */
    bool yield;
    struct wire_hello hello;
    const struct device *device;
    void *ctx;
    uint32_t layers;
    struct handover handed;
    struct artifact *artifact;
    void *args[WIRE_MAX_ARENAS][WIRE_MAX_ARENAS]; /* [input][output]; NULL: no such pair */
};

_Static_assert(DEVICE_STATUS_FAULT == WIRE_STATUS_FAULT, "one value on both sides of the page");
_Static_assert(DEVICE_HANDLE_BYTES == WIRE_HANDLE_BYTES, "one size on both sides of the page");

/* Layers from sandbox_start(), made before this process began: only the judge knows of them. */
#define BIRTH_LAYERS                                                                         \
    (SANDBOX_USER_NS | SANDBOX_PID_NS | SANDBOX_NET_NS | SANDBOX_IPC_NS | SANDBOX_MOUNT_NS | \
     SANDBOX_OWN_PROC | SANDBOX_CGROUP)

/* Sends the reason, and stays until the judge has closed the socket (or killed us). An exit with
 * frames unread would reset the connection, and the judge might see that instead of the reason. */
static _Noreturn void give_up(struct runner *s, enum wire_stage stage, int status, const char *text)
{
    struct wire_msg m = WIRE_MSG_INIT(WIRE_FAIL);
    struct err ignored = ERR_INIT;
    char scratch[64];

    m.u.fail.stage = stage;
    m.u.fail.status = status;
    snprintf(m.u.fail.text, sizeof(m.u.fail.text), "%s", text);
    wire_write(s->sock, &m, &ignored);
    while (read(s->sock, scratch, sizeof(scratch)) > 0)
        continue;
    _exit(WIRE_EXIT_FAIL);
}

/* note: NULL or not owned. */
static void reply_ok(struct runner *s, const char *note)
{
    struct wire_msg m = WIRE_MSG_INIT(WIRE_OK);
    struct err err = ERR_INIT;

    m.u.note = (char *)note;
    if (wire_write(s->sock, &m, &err) < 0)
        _exit(WIRE_EXIT_EOF);
}

/* The next frame, while descriptors may still come. Ends the process when there is none. */
static void receive(struct runner *s, struct wire_msg *ret)
{
    struct err err = ERR_INIT;
    bool timed_out;
    int got = wire_recv(s->sock, -1, ret, &timed_out, &err);

    if (got == 0)
        _exit(WIRE_EXIT_EOF);
    if (got < 0)
        give_up(s, WIRE_STAGE_IMPORT, 0, err.text);
}

/* The next frame after the seal, which has to be of this type. */
static void expect(struct runner *s, enum wire_type type)
{
    struct wire_msg m = WIRE_MSG_INIT(0);
    struct err err = ERR_INIT;
    int got = wire_read(s->sock, &m, &err);

    if (got == 0)
        _exit(WIRE_EXIT_EOF);
    if (got > 0 && m.type != type)
        got = fail(&err, ERR_SYSTEM, "%s frame where %s belongs", wire_type_name(m.type),
                   wire_type_name(type));
    if (got < 0)
        give_up(s, WIRE_STAGE_IMPORT, 0, err.text);
}

static void receive_hello(struct runner *s, const struct device *substitute)
{
    struct wire_msg m = WIRE_MSG_INIT(0);
    struct err err = ERR_INIT;
    int index;

    receive(s, &m);
    if (m.type != WIRE_HELLO)
        give_up(s, WIRE_STAGE_IMPORT, 0, "the first frame is not HELLO");
    s->hello = m.u.hello;
    if (device_find(s->hello.device, &s->device, &index, &err) < 0)
        give_up(s, WIRE_STAGE_DEVICE, 0, err.text);
    if (substitute)
        s->device = substitute;
    /* The number of cores is asked for here, because /sys is out of reach afterwards. */
    s->yield = s->hello.yield || sysconf(_SC_NPROCESSORS_ONLN) == 1;
}

/* Nobody may be timed while a driver is opened. If the judge could not take the shared lock for us,
 * we wait here until nobody is timed. Otherwise we hold it already. */
static void await_turn(struct runner *s)
{
    while (s->turn_fd >= 0 && flock(s->turn_fd, LOCK_SH) < 0 && errno == EINTR)
        continue;
    while (s->lock_fd >= 0 && flock(s->lock_fd, LOCK_SH) < 0 && errno == EINTR)
        continue;
    fd_closep(&s->turn_fd);
}

static unsigned needs_of(const struct device *d)
{
    return (d->needs_ioctl ? SANDBOX_NEEDS_DRIVER : 0) |
           (d->is_interpreter ? SANDBOX_NEEDS_INTERPRETER : 0) |
           (d->starts_programs ? SANDBOX_NEEDS_PROGRAMS : 0);
}

static void lock_down(struct runner *s)
{
    const char *why = NULL;
    /* Before the sandbox closes: probe() looks for files, and completes the paths below. */
    int found = s->device->probe(&why);
    struct sandbox_policy policy = {.uid = s->hello.uid,
                                    .mem_bytes =
                                        s->device->maps_beyond_memory ? 0 : s->hello.mem_bytes,
                                    .read_paths = s->device->read_paths,
                                    .write_paths = s->device->write_paths,
                                    .own_paths = s->device->own_paths,
                                    .execute_paths = s->device->execute_paths,
                                    .needs = needs_of(s->device)};
    struct err err = ERR_INIT;

    if (found == 0)
        give_up(s, WIRE_STAGE_DEVICE, 0, why);
    if (sandbox_enter(&policy, &s->layers, &err) < 0)
        give_up(s, WIRE_STAGE_SANDBOX, 0, err.text);
    if (s->device->runner->open(s->hello.index, &s->ctx, &err) < 0)
        give_up(s, WIRE_STAGE_DEVICE, 0, err.text);
    handover_init(&s->handed, s->device, s->ctx);
}

/* Others may time their calls again: from here on this process touches the device only when its
 * judge says so. */
static void report_warm(struct runner *s)
{
    struct wire_msg m = WIRE_MSG_INIT(WIRE_WARM);
    struct err err = ERR_INIT;

    fd_closep(&s->lock_fd);
    if (wire_send(s->sock, &m, &err) < 0)
        _exit(WIRE_EXIT_EOF);
}

/* PAGE, SWEEP, ARENA..., SIZE, LOAD: all frames before the seal. */
static void receive_all(struct runner *s)
{
    struct err err = ERR_INIT;
    int got = handover_receive(&s->handed, s->sock, &err);

    if (got == 0)
        _exit(WIRE_EXIT_EOF);
    if (got < 0)
        give_up(s, WIRE_STAGE_IMPORT, 0, err.text);
}

static int check_layers(const struct runner *s, uint32_t wanted, struct err *err)
{
    uint32_t missing = wanted & ~BIRTH_LAYERS & ~s->layers;

    for (int i = 0; i < SANDBOX_LAYERS && s->hello.require; i++) {
        if (missing & 1u << i)
            return fail(err, ERR_SYSTEM, "sandbox layer %s is not available here",
                        sandbox_layer_names[i]);
    }
    return 0;
}

static void seal_and_report(struct runner *s, uint32_t wanted)
{
    struct wire_msg m = WIRE_MSG_INIT(WIRE_READY);
    struct err err = ERR_INIT;

    if (sandbox_seal(needs_of(s->device), &s->layers, &err) < 0 ||
        check_layers(s, wanted, &err) < 0)
        give_up(s, WIRE_STAGE_SANDBOX, 0, err.text);
    m.u.ready.layers = s->layers;
    if (wire_write(s->sock, &m, &err) < 0)
        _exit(WIRE_EXIT_EOF);
}

static void load(struct runner *s)
{
    const struct device_runner_ops *ops = s->device->runner;
    struct err err = ERR_INIT;

    if (ops->load(s->ctx, s->handed.artifact_fd, &s->artifact, &err) < 0)
        give_up(s, WIRE_STAGE_LOAD, 0, err.text);
    close(s->handed.artifact_fd);
    reply_ok(s, ops->note ? ops->note(s->ctx) : NULL);
}

static struct device_call describe_call(const struct runner *s, void *in_base, void *out_base)
{
    const struct handover *h = &s->handed;

    return (struct device_call){.in = h->slots,
                                .n_in = (int)h->size.n_in,
                                .out = h->slots + h->size.n_in,
                                .n_out = (int)h->size.n_out,
                                .in_base = in_base,
                                .out_base = out_base,
                                .param_base = h->arenas[WIRE_PARAM_ARENA].base,
                                .first_param = (int)h->size.first_param};
}

static void setup(struct runner *s)
{
    const struct device_runner_ops *ops = s->device->runner;
    const struct wire_size *size = &s->handed.size;
    struct device_call c = describe_call(
        s, size->setup_params ? s->handed.arenas[size->setup_arena].base : NULL, NULL);
    struct err err = ERR_INIT;
    void *args = NULL;
    int status = 0;

    c.params_only = size->setup_params;
    if (ops->prepare(s->ctx, s->artifact, &c, &args, &err) < 0 ||
        ops->setup(s->ctx, s->artifact, args, &status, &err) < 0)
        give_up(s, WIRE_STAGE_SETUP, 0, err.text);
    if (status)
        fail(&err, ERR_INPUT, "assay_setup returned %d", status);
    if (status)
        give_up(s, WIRE_STAGE_SETUP, status, err.text);
    ops->release(s->ctx, args);
    reply_ok(s, NULL);
}

/* Prepares all pairs of arenas now, so that an order does nothing but call. */
static void prepare(struct runner *s)
{
    struct err err = ERR_INIT;

    for (int i = 0; i < WIRE_PARAM_ARENA; i++) {
        for (int o = 0; o < WIRE_PARAM_ARENA; o++) {
            const struct handover_arena *in = &s->handed.arenas[i], *out = &s->handed.arenas[o];

            if (!in->base || !in->read_only || !out->base || out->read_only)
                continue;

            struct device_call c = describe_call(s, in->base, out->base);

            if (s->device->runner->prepare(s->ctx, s->artifact, &c, &s->args[i][o], &err) < 0)
                give_up(s, WIRE_STAGE_IMPORT, 0, err.text);
        }
    }
}

struct reply {
    int status;
    uint64_t claim_ns;
};

static void rest(bool yield)
{
    if (yield) {
        sched_yield();
        return;
    }
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

/* A device that cannot be held has nothing to queue: the call begins when the content is there. */
static void await_content(const struct runner *s, const struct device_hold *hold)
{
    atomic_store_explicit(hold->queued, hold->seq, memory_order_release);
    while (atomic_load_explicit(hold->ready, memory_order_acquire) != hold->seq)
        rest(s->yield);
}

static struct reply call(struct runner *s, void *args, uint32_t count,
                         const struct device_hold *hold)
{
    const struct device_runner_ops *ops = s->device->runner;
    struct reply r = {0};
    uint64_t own_ns = 0, start;

    if (hold && s->handed.holds) {
        ops->held_batch(s->ctx, s->artifact, args, count, hold, &r.status, &own_ns);
        r.claim_ns = own_ns;
        return r;
    }
    if (hold)
        await_content(s, hold);
    start = clock_ns();
    if (ops->batch)
        ops->batch(s->ctx, s->artifact, args, count, &r.status, &own_ns);
    for (uint32_t i = 0; !ops->batch && i < count && r.status == 0; i++) {
        uint64_t ns = 0;

        ops->call(s->ctx, s->artifact, args, &r.status, &ns);
        own_ns += ns;
    }
    r.claim_ns = own_ns ? own_ns : clock_ns() - start;
    return r;
}

/* Both orders take the same path: an EMPTY one lasts as long as the way to the call and back. */
static struct reply obey(struct runner *s, struct wire_page *page, unsigned seq)
{
    uint32_t order = page->order, in = page->in_arena, out = page->out_arena, count = page->count;
    uint32_t how = page->hold;
    struct device_hold hold = {seq,           how == WIRE_HOLD_CALL, &page->ready, &page->release,
                               &page->queued, &page->holding,        &page->sum};
    void *args = in < WIRE_MAX_ARENAS && out < WIRE_MAX_ARENAS ? s->args[in][out] : NULL;

    if (order == WIRE_ORDER_SAVE && s->device->runner->save)
        return (struct reply){.status = s->device->runner->save(s->ctx)};
    if (!args || (order != WIRE_ORDER_CALL && order != WIRE_ORDER_EMPTY))
        return (struct reply){.status = WIRE_STATUS_BAD_ORDER};

    struct reply r = call(s, args, order == WIRE_ORDER_CALL ? count : 0, how ? &hold : NULL);

    if (order == WIRE_ORDER_EMPTY)
        r.claim_ns = 0;
    return r;
}

static void name_results(struct runner *s, struct wire_page *page)
{
    const struct device_runner_ops *ops = s->device->runner;
    struct device_result results[WIRE_MAX_RESULTS];
    int n = ops->results ? ops->results(s->ctx, results, WIRE_MAX_RESULTS) : 0;

    for (int i = 0; i < n; i++) {
        page->results[i].at = results[i].at;
        memcpy(page->results[i].handle, results[i].handle, WIRE_HANDLE_BYTES);
    }
    page->n_results = (uint32_t)n;
}

static void name_fault(struct runner *s, struct wire_page *page)
{
    const struct device_runner_ops *ops = s->device->runner;

    snprintf(page->error, sizeof(page->error), "%s", ops->fault ? ops->fault(s->ctx) : "");
}

static _Noreturn void watch(struct runner *s)
{
    struct wire_page *page = s->handed.page;
    unsigned done = 0, awake = 0;

    for (;;) {
        unsigned go = atomic_load_explicit(&page->go, memory_order_acquire);
        unsigned asked = atomic_load_explicit(&page->awake, memory_order_acquire);

        if (asked != awake) {
            awake = asked;
            atomic_store_explicit(&page->awake_ack, awake, memory_order_release);
        }
        if (go == done) {
            rest(s->yield);
            continue;
        }
        done = go;

        struct reply r = obey(s, page, done);

        if (r.status == DEVICE_STATUS_FAULT)
            name_fault(s, page);
        name_results(s, page);
        page->status = r.status;
        page->claim_ns = r.claim_ns;
        atomic_store_explicit(&page->done, done, memory_order_release);
    }
}

_Noreturn void runner_run(int sock, int lock_fd, int turn_fd, const struct device *substitute,
                          uint32_t layers)
{
    struct runner *s = xcalloc(1, sizeof(*s));
    uint32_t wanted = sandbox_wanted(); /* asked with the rights we were born with */

    s->sock = sock;
    s->layers = layers;
    s->lock_fd = lock_fd;
    s->turn_fd = turn_fd;
    receive_hello(s, substitute);
    await_turn(s);
    lock_down(s);
    report_warm(s);
    receive_all(s);
    seal_and_report(s, wanted);
    load(s);
    expect(s, WIRE_SETUP);
    setup(s);
    expect(s, WIRE_START);
    prepare(s);
    watch(s);
}
