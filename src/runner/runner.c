/* SPDX-License-Identifier: MIT */
/*
 * The order is the point (DESIGN section 2). While we are single-threaded and all code is ours:
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
#include "device/device.h"
#include "sandbox/sandbox.h"
#include "wire/wire.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arena {
    void *base; /* NULL: there is no such arena */
    size_t bytes;
    bool read_only;
};

struct session {
    int sock;
    int lock_fd; /* -1: none */
    bool yield;
    struct wire_hello hello;
    const struct device *device;
    void *ctx;
    uint32_t layers;
    struct wire_page *page;
    bool holds; /* the device sees the page: orders can be held back */
    struct arena arenas[WIRE_MAX_ARENAS];
    struct wire_size size;
    struct tensor_slot *slots; /* inputs, parameters, outputs */
    int artifact_fd;
    struct artifact *artifact;
    void *args[WIRE_MAX_ARENAS][WIRE_MAX_ARENAS]; /* [input][output]; NULL: no such pair */
};

_Static_assert(DEVICE_STATUS_FAULT == WIRE_STATUS_FAULT, "one value on both sides of the page");

/* What sandbox_start() made before we were born: only the judge knows whether it worked. */
#define BIRTH_LAYERS \
    (SANDBOX_USER_NS | SANDBOX_PID_NS | SANDBOX_NET_NS | SANDBOX_IPC_NS | SANDBOX_MOUNT_NS)

/* Stays until the judge has closed the socket (or killed us): an exit with frames unread would
 * reset the connection, and the judge might see that instead of the reason. */
static _Noreturn void give_up(struct session *s, enum wire_stage stage, int status,
                              const char *text)
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

static void reply_ok(struct session *s)
{
    struct wire_msg m = WIRE_MSG_INIT(WIRE_OK);
    struct err err = ERR_INIT;

    if (wire_write(s->sock, &m, &err) < 0)
        _exit(WIRE_EXIT_EOF);
}

/* The next frame, while descriptors may still come. Ends the process when there is none. */
static void receive(struct session *s, struct wire_msg *ret)
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
static void expect(struct session *s, enum wire_type type)
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

static void receive_hello(struct session *s, const struct device *substitute)
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
    /* Asked here, because /sys is out of reach afterwards. */
    s->yield = s->hello.yield || sysconf(_SC_NPROCESSORS_ONLN) == 1;
}

static void lock_down(struct session *s)
{
    const char *why = NULL;
    int found = s->device->probe(&why); /* now, while it can look around; its paths need it */
    struct sandbox_policy policy = {.uid = s->hello.uid,
                                    .mem_bytes = s->device->driver ? 0 : s->hello.mem_bytes,
                                    .read_paths = s->device->read_paths,
                                    .write_paths = s->device->write_paths,
                                    .driver = s->device->driver};
    struct err err = ERR_INIT;

    if (found == 0)
        give_up(s, WIRE_STAGE_DEVICE, 0, why);
    if (sandbox_enter(&policy, &s->layers, &err) < 0)
        give_up(s, WIRE_STAGE_SANDBOX, 0, err.text);
    if (s->device->runner->open(s->hello.index, &s->ctx, &err) < 0)
        give_up(s, WIRE_STAGE_DEVICE, 0, err.text);
}

/* Others may time their calls again: from here on this process touches the device only when its
 * judge says so. */
static void report_warm(struct session *s)
{
    struct wire_msg m = WIRE_MSG_INIT(WIRE_WARM);
    struct err err = ERR_INIT;

    fd_closep(&s->lock_fd);
    if (wire_send(s->sock, &m, &err) < 0)
        _exit(WIRE_EXIT_EOF);
}

/* A device that cannot see the page is not held back; the page says why, to whoever looks. */
static void share_page(struct session *s, size_t bytes)
{
    const struct device_runner_ops *ops = s->device->runner;
    struct err err = ERR_INIT;

    s->holds = ops->held_batch && (!ops->share || ops->share(s->ctx, s->page, bytes, &err) == 0);
    snprintf(s->page->error, sizeof(s->page->error), "%s", err.text);
}

static int take_page(struct session *s, struct wire_msg *m, struct err *err)
{
    if (s->page)
        return fail(err, ERR_SYSTEM, "a second PAGE");
    if (wire_page_map(m->fd, m->u.bytes, &s->page, err) < 0)
        return -1;

    share_page(s, m->u.bytes);
    return 0;
}

static int take_arena(struct session *s, struct wire_msg *m, struct err *err)
{
    struct arena *a = &s->arenas[m->u.arena.id];

    if (a->base)
        return fail(err, ERR_SYSTEM, "a second arena %u", m->u.arena.id);
    a->bytes = m->u.arena.bytes;
    a->read_only = m->u.arena.read_only;
    return s->device->runner->import(s->ctx, m->fd, a->bytes, a->read_only, &a->base, err);
}

static int take_size(struct session *s, struct wire_msg *m, struct err *err)
{
    uint32_t n = m->u.size.n_in + m->u.size.n_out;

    if (s->slots)
        return fail(err, ERR_SYSTEM, "a second SIZE");
    s->size = m->u.size;
    m->u.size.tensors = NULL; /* ours now */
    s->slots = xcalloc(n, sizeof(*s->slots));
    for (uint32_t i = 0; i < n; i++) {
        const struct wire_tensor *t = &s->size.tensors[i];

        s->slots[i].dtype = t->dtype;
        s->slots[i].shape.rank = t->rank;
        memcpy(s->slots[i].shape.dim, t->dim, sizeof(t->dim));
        s->slots[i].offset = t->offset;
    }
    return 0;
}

static int take_load(struct session *s, struct wire_msg *m, struct err *err)
{
    if (!s->page || !s->slots)
        return fail(err, ERR_SYSTEM, "LOAD before PAGE and SIZE");
    s->artifact_fd = fd_steal(&m->fd);
    return 0;
}

static int take(struct session *s, struct wire_msg *m, struct err *err)
{
    switch (m->type) {
    case WIRE_PAGE:
        return take_page(s, m, err);
    case WIRE_ARENA:
        return take_arena(s, m, err);
    case WIRE_SIZE:
        return take_size(s, m, err);
    case WIRE_LOAD:
        return take_load(s, m, err);
    default:
        return fail(err, ERR_SYSTEM, "%s frame before LOAD", wire_type_name(m->type));
    }
}

/* Every tensor must lie inside every arena it can be called on. */
static int check_fit(const struct session *s, struct err *err)
{
    for (uint32_t i = 0; i < s->size.n_in + s->size.n_out; i++) {
        const struct tensor_slot *t = &s->slots[i];
        uint64_t end = t->offset + (uint64_t)shape_count(&t->shape) * dtype_size(t->dtype);

        for (int a = 0; a < WIRE_MAX_ARENAS; a++) {
            const struct arena *arena = &s->arenas[a];

            if (arena->base && arena->read_only == (i < s->size.n_in) && end > arena->bytes)
                return fail(err, ERR_SYSTEM, "tensor %u does not fit into arena %d", i, a);
        }
    }
    if (s->size.setup_params && !s->arenas[s->size.setup_arena].base)
        return fail(err, ERR_SYSTEM, "no arena %u to set up with", s->size.setup_arena);
    return 0;
}

/* PAGE, ARENA..., SIZE, LOAD: all that comes with a descriptor. */
static void receive_all(struct session *s)
{
    struct err err = ERR_INIT;
    enum wire_type last;

    do {
        struct wire_msg m = WIRE_MSG_INIT(0);

        receive(s, &m);
        last = m.type;
        if (take(s, &m, &err) < 0)
            give_up(s, WIRE_STAGE_IMPORT, 0, err.text);
        wire_msg_release(&m);
    } while (last != WIRE_LOAD);
    if (check_fit(s, &err) < 0)
        give_up(s, WIRE_STAGE_IMPORT, 0, err.text);
}

static int check_layers(const struct session *s, uint32_t wanted, struct err *err)
{
    uint32_t missing = wanted & ~BIRTH_LAYERS & ~s->layers;

    for (int i = 0; i < SANDBOX_LAYERS && s->hello.require; i++) {
        if (missing & 1u << i)
            return fail(err, ERR_SYSTEM, "sandbox layer %s is not to be had here",
                        sandbox_layer_names[i]);
    }
    return 0;
}

static void seal_and_report(struct session *s, uint32_t wanted)
{
    struct wire_msg m = WIRE_MSG_INIT(WIRE_READY);
    struct err err = ERR_INIT;

    if (sandbox_seal(s->device->driver, &s->layers, &err) < 0 || check_layers(s, wanted, &err) < 0)
        give_up(s, WIRE_STAGE_SANDBOX, 0, err.text);
    m.u.ready.layers = s->layers;
    if (wire_write(s->sock, &m, &err) < 0)
        _exit(WIRE_EXIT_EOF);
}

static void load(struct session *s)
{
    struct err err = ERR_INIT;

    if (s->device->runner->load(s->ctx, s->artifact_fd, &s->artifact, &err) < 0)
        give_up(s, WIRE_STAGE_LOAD, 0, err.text);
    close(s->artifact_fd);
    reply_ok(s);
}

static struct device_call describe_call(const struct session *s, void *in_base, void *out_base)
{
    return (struct device_call){.in = s->slots,
                                .n_in = (int)s->size.n_in,
                                .out = s->slots + s->size.n_in,
                                .n_out = (int)s->size.n_out,
                                .in_base = in_base,
                                .out_base = out_base,
                                .first_param = (int)s->size.first_param};
}

static void setup(struct session *s)
{
    const struct device_runner_ops *ops = s->device->runner;
    struct device_call c =
        describe_call(s, s->size.setup_params ? s->arenas[s->size.setup_arena].base : NULL, NULL);
    struct err err = ERR_INIT;
    void *args = NULL;
    int status = 0;

    c.params_only = s->size.setup_params;
    if (ops->prepare(s->ctx, s->artifact, &c, &args, &err) < 0 ||
        ops->setup(s->ctx, s->artifact, args, &status, &err) < 0)
        give_up(s, WIRE_STAGE_SETUP, 0, err.text);
    if (status)
        fail(&err, ERR_INPUT, "assay_setup returned %d", status);
    if (status)
        give_up(s, WIRE_STAGE_SETUP, status, err.text);
    ops->release(s->ctx, args);
    reply_ok(s);
}

/* All pairs now, so that an order does nothing but call. */
static void prepare(struct session *s)
{
    struct err err = ERR_INIT;

    for (int i = 0; i < WIRE_MAX_ARENAS; i++) {
        for (int o = 0; o < WIRE_MAX_ARENAS; o++) {
            const struct arena *in = &s->arenas[i], *out = &s->arenas[o];

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

static struct reply call(struct session *s, void *args, uint32_t count,
                         const struct device_hold *hold)
{
    const struct device_runner_ops *ops = s->device->runner;
    struct reply r = {0};
    uint64_t own_ns = 0, start = clock_ns();

    if (hold && s->holds) {
        ops->held_batch(s->ctx, s->artifact, args, count, hold, &r.status, &own_ns);
        r.claim_ns = own_ns;
        return r;
    }
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

/* One way for both orders: an EMPTY one takes as long as the way to the candidate and back. */
static struct reply obey(struct session *s, struct wire_page *page, unsigned seq)
{
    uint32_t order = page->order, in = page->in_arena, out = page->out_arena, count = page->count;
    uint32_t how = page->hold;
    struct device_hold hold = {seq, how == WIRE_HOLD_CALL, &page->release, &page->queued,
                               &page->holding};
    void *args = in < WIRE_MAX_ARENAS && out < WIRE_MAX_ARENAS ? s->args[in][out] : NULL;

    if (!args || (order != WIRE_ORDER_CALL && order != WIRE_ORDER_EMPTY))
        return (struct reply){.status = WIRE_STATUS_BAD_ORDER};

    struct reply r = call(s, args, order == WIRE_ORDER_CALL ? count : 0, how ? &hold : NULL);

    if (order == WIRE_ORDER_EMPTY)
        r.claim_ns = 0;
    return r;
}

static void name_fault(struct session *s, struct wire_page *page)
{
    const struct device_runner_ops *ops = s->device->runner;

    snprintf(page->error, sizeof(page->error), "%s", ops->fault ? ops->fault(s->ctx) : "");
}

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

static _Noreturn void watch(struct session *s)
{
    struct wire_page *page = s->page;
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
        page->status = r.status;
        page->claim_ns = r.claim_ns;
        atomic_store_explicit(&page->done, done, memory_order_release);
    }
}

_Noreturn void runner_run(int sock, int lock_fd, const struct device *substitute)
{
    struct session *s = xcalloc(1, sizeof(*s));
    uint32_t wanted = sandbox_wanted(); /* asked with the rights we were born with */

    s->sock = sock;
    s->lock_fd = lock_fd;
    receive_hello(s, substitute);
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
