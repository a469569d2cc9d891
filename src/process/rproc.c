/* SPDX-License-Identifier: MIT */
/* The process of a runner: its start, what is said over its socket until it watches its page, its
 * end. */
#include "process/rproc_wait.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/hash.h"
#include "process/footprint.h"
#include "process/python_reason.h"
#include "process/worker.h"
#include "process/zygote.h"
#include "sandbox/cgroup.h"
#include "sandbox/sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RUNNER_UID_BASE 0x20000000u
#define ENV_MAX 16

/* --- starting --- */

/* Nothing of the user's environment reaches a candidate. Passive waiting would cost OpenMP
 * candidates 8 us a region, so libgomp's default stays. */
static void make_environment(const struct device *d, char **ret)
{
    int n = 0;

    ret[n++] = (char *)"PATH=/usr/bin:/bin";
    ret[n++] = (char *)"LC_ALL=C";
    for (int i = 0; d->runner_env && d->runner_env[i] && n < ENV_MAX - 1; i++)
        ret[n++] = (char *)d->runner_env[i];
    ret[n] = NULL;
}

static int spawn_program(struct rproc *r, int sock, int out_fd, const struct devlock *lock,
                         struct err *err)
{
    const struct rproc_config *c = r->config;

    char *argv[] = {(char *)"assay-runner", NULL};
    char *envp[ENV_MAX];
    struct sandbox_spawn s = {
        .path = c->runner_path,
        .argv = argv,
        .envp = envp,
        .fds = {sock, lock ? lock->fd : -1, lock ? lock->turn : -1},
        .n_fds = !lock            ? 1
                 : lock->turn < 0 ? 2
                                  : 3,
        .out_fd = out_fd,
        .pin = c->pin,
        .cpus = c->runner_cpus,
        .needs_proc = c->device->needs_proc,
        .group = r->group = cgroup_make(c->mem_bytes, sandbox_max_threads()),
    };

    make_environment(c->device, envp);
    return sandbox_start(&s, &r->pid, &r->pidfd, &r->layers, err);
}

static int spawn(struct rproc *r, int sock, int out_fd, const struct devlock *lock, struct err *err)
{
    const struct subject *s = &r->config->subject;

    if (s->kind->launcher == LAUNCH_WORKER)
        return worker_start(s->worker, &s->baseline, sock, out_fd, &r->pid, &r->pidfd, err);
    if (s->kind->launcher != LAUNCH_ZYGOTE)
        return spawn_program(r, sock, out_fd, lock, err);
    r->group = cgroup_make(r->config->mem_bytes, sandbox_max_threads());

    const struct zygote_request request = {
        .device = r->config->device->name,
        .builds = s->kind->starts_programs,
        .sock = sock,
        .out_fd = out_fd,
        .group = r->group,
        .save_fd = s->kind->saves_folder ? r->config->save_fd : -1,
    };

    return zygote_start(s->zygote, &request, &r->pid, &r->pidfd, err);
}

static void add_tensors(struct wire_size *s, const struct layout *l, uint32_t at)
{
    for (int i = 0; i < l->n; i++) {
        const struct tensor_slot *slot = &l->slots[i];
        struct wire_tensor *t = &s->tensors[at + (uint32_t)i];

        t->dtype = (uint8_t)slot->dtype;
        t->rank = (uint8_t)slot->shape.rank;
        t->offset = slot->offset;
        memcpy(t->dim, slot->shape.dim, sizeof(t->dim));
    }
}

static int send_size(struct rproc *r, struct err *err)
{
    const struct rproc_config *c = r->config;
    struct wire_msg m = {.type = WIRE_SIZE, .fd = -1};

    m.u.size = (struct wire_size){
        .n_in = (uint32_t)c->in->n,
        .n_out = (uint32_t)c->out->n,
        .first_param = (uint32_t)c->n_inputs,
        .setup_params = c->setup_params,
    };
    m.u.size.tensors = xcalloc((size_t)(c->in->n + c->out->n), sizeof(struct wire_tensor));
    add_tensors(&m.u.size, c->in, 0);
    add_tensors(&m.u.size, c->out, (uint32_t)c->in->n);

    int rc = wire_send(r->sock, &m, err);

    wire_size_release(&m.u.size);
    return rc;
}

static int send_arena(struct rproc *r, int id, const struct mem *m, bool read_only, struct err *err)
{
    struct wire_msg msg = {.type = WIRE_ARENA, .fd = m->fd};

    msg.u.arena = (struct wire_arena){(uint32_t)id, m->bytes, read_only};
    return wire_send(r->sock, &msg, err);
}

static int send_arenas(struct rproc *r, struct err *err)
{
    const struct rproc_config *c = r->config;

    for (int i = 0; i < c->n_in_arenas; i++)
        if (send_arena(r, i, &c->in_arenas[i], true, err) < 0)
            return -1;
    for (int i = 0; i < c->n_out_arenas; i++)
        if (send_arena(r, c->n_in_arenas + i, &c->out_arenas[i], false, err) < 0)
            return -1;
    return c->param_arena ? send_arena(r, WIRE_PARAM_ARENA, c->param_arena, true, err) : 0;
}

static int send_sweep(struct rproc *r, struct err *err)
{
    const struct device_sweep *sweep = r->config->sweep;
    struct wire_msg m = {.type = WIRE_SWEEP, .fd = -1};

    if (!sweep)
        return 0;
    m.fd = sweep->mem.fd;
    m.u.bytes = sweep->mem.bytes;
    return wire_send(r->sock, &m, err);
}

static int send_hello(struct rproc *r, int page_fd, struct err *err)
{
    const struct rproc_config *c = r->config;
    struct wire_msg hello = {.type = WIRE_HELLO, .fd = -1};
    struct wire_msg page = {.type = WIRE_PAGE, .fd = page_fd, .u.bytes = sizeof(struct wire_page)};

    strncpy(hello.u.hello.device, c->device->name, sizeof(hello.u.hello.device) - 1);
    hello.u.hello.index = c->device_index;
    hello.u.hello.mem_bytes = c->mem_bytes;
    /* A uid of its own for every runner: RLIMIT_NPROC and signals count by uid. */
    hello.u.hello.uid = getuid() == 0 ? RUNNER_UID_BASE + (uint32_t)(r->pid & 0xffffff) : 0;
    hello.u.hello.require = c->require_sandbox;
    hello.u.hello.yield = !c->pin;
    return wire_send(r->sock, &hello, err) < 0 ? -1 : wire_send(r->sock, &page, err);
}

int rproc_spawn(struct rproc *r, const struct rproc_config *config, const struct devlock *lock,
                struct err *err)
{
    int pair[2] = {-1, -1}, out[2] = {-1, -1}, page_fd = -1, rc = -1;

    *r = (struct rproc)RPROC_INIT;
    r->config = config;
    r->glimpse_key = secret_u64();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0 ||
        pipe2(out, O_CLOEXEC) < 0) {
        fail_errno(err, "cannot make a channel to the runner");
        goto out;
    }
    fcntl(out[0], F_SETPIPE_SZ, RPROC_PIPE_BYTES); /* a wish: the default works too */
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    r->sock = fd_steal(&pair[0]);
    r->out_fd = fd_steal(&out[0]);
    if (wire_page_create(&r->page, &page_fd, err) == 0 &&
        spawn(r, pair[1], out[1], lock, err) == 0 && send_hello(r, page_fd, err) == 0)
        rc = 0;
out:
    fd_closep(&page_fd);
    for (int i = 0; i < 2; i++) {
        fd_closep(&pair[i]);
        fd_closep(&out[i]);
    }
    if (rc < 0)
        rproc_end(r);
    return rc;
}

int rproc_hand_over(struct rproc *r, const struct rproc_config *config, struct err *err)
{
    struct wire_msg load = {.type = WIRE_LOAD, .fd = config->artifact_fd};

    r->config = config;
    if (send_sweep(r, err) < 0 || send_arenas(r, err) < 0 || send_size(r, err) < 0)
        return -1;
    return wire_send(r->sock, &load, err);
}

int rproc_start(struct rproc *r, const struct rproc_config *config, struct err *err)
{
    if (rproc_spawn(r, config, NULL, err) < 0)
        return -1;
    if (rproc_hand_over(r, config, err) == 0)
        return 0;
    rproc_end(r);
    return -1;
}

/* --- talking --- */

/* Once the runner is sealed, only candidate code has reason to fail. A frame that claims otherwise
 * must not earn its author "infra", for which nobody is blamed. */
static int fail_verdict(const struct rproc *r, const struct wire_fail *f, struct verdict *v,
                        struct err *err)
{
    bool named = r->config->subject.kind->names_reasons;

    switch (f->stage) {
    case WIRE_STAGE_LOAD:
        if (named)
            return python_load_verdict(f->text, v);
        verdict_set(v, REASON_BUILD_ERROR_LOAD, "%s", f->text);
        break;
    case WIRE_STAGE_SETUP:
        if (named) /* the second construction, with fixed weights */
            return python_load_verdict(f->text, v);
        verdict_set(v, REASON_CRASH_SETUP, "%s", f->text);
        break;
    default:
        if (!r->sealed)
            return fail(err, ERR_SYSTEM, "the runner could not start: %s", f->text);
        verdict_set(v, REASON_REJECTED_PROTOCOL, "the runner failed after it was sealed: %s",
                    f->text);
    }
    v->quotes = true;
    return 1;
}

int64_t rproc_weights_bytes(const struct rproc_config *c)
{
    if (c->subject.weights != WEIGHTS_FIXED || c->n_inputs >= c->in->n)
        return 0;
    return (int64_t)(c->in->bytes - c->in->slots[c->n_inputs].offset);
}

/* A process that was forked with a language's runtime in it holds that before it has a candidate.
 * Results that it returns lie in memory of its own, and so do fixed weights. */
static void note_own_memory(struct rproc *r)
{
    const struct rproc_config *c = r->config;
    struct err ignored = ERR_INIT;
    int64_t held = 0;

    r->own_bytes = footprint_own_bytes;
    if (c->subject.kind->born_large && footprint_peak(r->pid, &held, &ignored) == 0)
        r->own_bytes =
            held + FOOTPRINT_LIBRARY_BYTES + (int64_t)c->out->bytes + rproc_weights_bytes(c);
}

/* Waits for a frame: WARM, READY or OK. Drains the runner's text meanwhile. */
static int expect(struct rproc *r, enum wire_type type, enum rproc_when when, struct verdict *v,
                  struct err *err)
{
    uint64_t deadline = clock_ns() + (uint64_t)r->config->start_timeout_ms * 1000000u;
    struct wire_msg m;
    int got;
    bool timed_out;

    for (;;) {
        struct pollfd fds[2] = {{r->sock, POLLIN, 0}, {r->out_fd, POLLIN, 0}};
        int64_t left_ns = (int64_t)(deadline - clock_ns());

        if (left_ns <= 0)
            return rproc_overdue(r, when, r->config->start_timeout_ms, v);
        poll(fds, 2, MIN((int)(left_ns / 1000000) + 1, MEMORY_WATCH_NS / 1000000));
        if (fds[1].revents & POLLIN)
            rproc_drain(r);
        if (rproc_watch_memory(r, when, v))
            return 1;
        if (!fds[0].revents)
            continue;
        got = wire_recv(r->sock, 0, &m, &timed_out, err);
        if (got < 0) /* the runner's memory is the candidate's: nonsense is its fault */
            return verdict_set(v, REASON_REJECTED_PROTOCOL, "%s: %s", rproc_when_name(when),
                               err->text);
        if (got == 0 && timed_out)
            continue;
        break;
    }
    if (got == 0)
        return rproc_died(r, when, v);

    int rc = 0;

    if (m.type == WIRE_FAIL)
        rc = fail_verdict(r, &m.u.fail, v, err);
    else if (m.type != type)
        rc = verdict_set(v, REASON_REJECTED_PROTOCOL, "%s: unexpected frame %d",
                         rproc_when_name(when), m.type);
    else if (type == WIRE_WARM)
        r->warm = true;
    else if (type == WIRE_READY) {
        r->layers |= m.u.ready.layers;
        r->sealed = true;
        note_own_memory(r);
    } else if (when == WHEN_LOADING) {
        freep(&r->note);
        r->note = steal(&m.u.note);
    }
    wire_msg_release(&m);
    return rc;
}

static int order_frame(struct rproc *r, enum wire_type type, struct err *err)
{
    struct wire_msg m = {.type = type, .fd = -1};

    return wire_send(r->sock, &m, err);
}

/* The runner checks the layers that it puts on itself. The namespaces that it was born in are
 * checked here. */
static int check_layers(const struct rproc *r, struct err *err)
{
    uint32_t missing = subject_layers(&r->config->subject) & ~r->layers;

    for (int b = 0; r->config->require_sandbox && b < SANDBOX_LAYERS; b++)
        if (missing & (1u << b))
            return fail(err, ERR_SYSTEM,
                        "sandbox layer %s is not available here, and --require-sandbox was given",
                        sandbox_layer_names[b]);
    return 0;
}

/* One step of the start, before any candidate code has run: a death is no crash of a candidate. */
static int expect_start(struct rproc *r, enum wire_type type, struct verdict *v, struct err *err)
{
    int rc = expect(r, type, WHEN_START, v, err);

    if (rc == 1 && v->kind == VERDICT_CRASH)
        return fail(err, ERR_SYSTEM, "the runner died while starting (%s): %s", v->code,
                    r->text.len ? buf_str(&r->text) : "it printed nothing");
    return rc;
}

int rproc_await_warm(struct rproc *r, struct err *err)
{
    struct verdict v = VERDICT_INIT;
    int rc = r->warm ? 0 : expect_start(r, WIRE_WARM, &v, err);

    return rc > 0 ? fail(err, ERR_SYSTEM, "the runner did not start: %s", v.detail) : rc;
}

int rproc_ready(struct rproc *r, struct verdict *v, struct err *err)
{
    int rc = r->warm ? 0 : expect_start(r, WIRE_WARM, v, err);

    /* Frames to a dead runner would be refused (EPIPE). Its death is the better explanation, so
     * that is looked for first. */
    if (rc == 0)
        rc = expect_start(r, WIRE_READY, v, err);
    if (rc == 0)
        rc = check_layers(r, err);
    if (rc == 0)
        rc = expect(r, WIRE_OK, WHEN_LOADING, v, err);
    if (rc == 0 && order_frame(r, WIRE_SETUP, err) < 0)
        return rproc_died(r, WHEN_LOADING, v);
    if (rc == 0)
        rc = expect(r, WIRE_OK, WHEN_SETUP, v, err);
    if (rc == 0 && order_frame(r, WIRE_START, err) < 0)
        return rproc_died(r, WHEN_SETUP, v);
    return rc;
}

/* --- ending --- */

int rproc_signal(const struct rproc *r, int sig)
{
    return (int)syscall(SYS_pidfd_send_signal, r->pidfd, sig, NULL, 0);
}

void rproc_kill(struct rproc *r)
{
    if (r->pid <= 0 || r->killed)
        return;
    r->killed = true;
    if (r->config->subject.kind->group_killed)
        kill(-r->pid, SIGKILL);
    rproc_signal(r, SIGKILL);
}

void rproc_end(struct rproc *r)
{
    rproc_kill(r);
    rproc_reap(r, 0);
    cgroup_remove(&r->group);
    if (r->out_fd >= 0)
        rproc_drain(r);
    wire_page_unmap(r->page);
    r->page = NULL;
    fd_closep(&r->pidfd);
    fd_closep(&r->sock);
    fd_closep(&r->out_fd);
}

void rproc_release(struct rproc *r)
{
    rproc_end(r);
    buf_release(&r->text);
    freep(&r->note);
}
