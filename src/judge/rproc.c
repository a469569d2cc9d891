/* SPDX-License-Identifier: MIT */
/*
 * Waiting is spinning: the judge owns a core, and a futex or a poll() would add 50 to 80 us to a
 * call that may take five. A spin cannot see death, so every so often it polls the pidfd; and it
 * drains the runner's stdout and stderr, or a talkative candidate would block on a full pipe.
 */
#include "judge/rproc.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/hash.h"
#include "device/cuda_runner.h"
#include "judge/footprint.h"
#include "sandbox/cgroup.h"
#include "sandbox/sandbox.h"
#include "tensor/philox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* About 20 us of spinning between looks at the clock and the descriptors. */
#define SPINS_PER_LOOK 512
#define PIPE_BYTES (1 << 20)
#define RUNNER_UID_BASE 0x20000000u
/* Of a wake-up's CPU time: it is 15 us usually, 30 us in one of ten on a busy machine. */
#define HEAD_FREE_NS 40000
/* Of a way to a standstill: CPU time, of which it takes little; and time, where many threads spin.
 */
#define STOP_EXPLAINS_NS 10000
#define STOP_FREE_NS 100000
#define MEMORY_WATCH_NS 20000000
#define DEATH_MS 1000 /* from the end of its socket to its own: a driver closes in between */

static inline void relax(void)
{
    __builtin_ia32_pause();
}

/* --- starting --- */

static int spawn(struct rproc *r, int sock, int out_fd, int lock_fd, struct err *err)
{
    const struct rproc_config *c = r->config;

    if (c->worker)
        return worker_start(c->worker, &c->torch, sock, out_fd, &r->pid, &r->pidfd, err);

    char *argv[] = {(char *)"assay-runner", NULL};
    /* Nothing of the user's environment reaches a candidate. Passive waiting would cost OpenMP
     * candidates 8 us a region, so libgomp's default stays. */
    char *plain[] = {(char *)"PATH=/usr/bin:/bin", (char *)"LC_ALL=C", NULL};
    /* A driver that loads code at the first launch, or finds it in a cache, would be timed so. */
    char *with_driver[] = {(char *)"PATH=/usr/bin:/bin",
                           (char *)"LC_ALL=C",
                           (char *)"CUDA_MODULE_LOADING=EAGER",
                           (char *)"CUDA_CACHE_DISABLE=1",
                           (char *)CUDA_QUEUES_ENV,
                           (char *)CUDA_COPY_QUEUES_ENV,
                           NULL};
    struct sandbox_spawn s = {
        .path = c->runner_path,
        .argv = argv,
        .envp = c->device->driver ? with_driver : plain,
        .fds = {sock, lock_fd},
        .n_fds = lock_fd < 0 ? 1 : 2,
        .out_fd = out_fd,
        .pin = c->pin,
        .cpus = c->runner_cpus,
        .own_proc = c->device->driver,
        .group = r->group = cgroup_make(c->mem_bytes, SANDBOX_MAX_THREADS),
    };

    return sandbox_start(&s, &r->pid, &r->pidfd, &r->layers, err);
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

static int send_arenas(struct rproc *r, struct err *err)
{
    const struct rproc_config *c = r->config;

    for (int i = 0; i < c->n_in_arenas + c->n_out_arenas; i++) {
        bool input = i < c->n_in_arenas;
        const struct mem *m = input ? &c->in_arenas[i] : &c->out_arenas[i - c->n_in_arenas];
        struct wire_msg msg = {.type = WIRE_ARENA, .fd = m->fd};

        msg.u.arena = (struct wire_arena){(uint32_t)i, m->bytes, input};
        if (wire_send(r->sock, &msg, err) < 0)
            return -1;
    }
    return 0;
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

int rproc_spawn(struct rproc *r, const struct rproc_config *config, int lock_fd, struct err *err)
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
    fcntl(out[0], F_SETPIPE_SZ, PIPE_BYTES); /* a wish: the default works too */
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    r->sock = fd_steal(&pair[0]);
    r->out_fd = fd_steal(&out[0]);
    if (wire_page_create(&r->page, &page_fd, err) == 0 &&
        spawn(r, pair[1], out[1], lock_fd, err) == 0 && send_hello(r, page_fd, err) == 0)
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
    if (send_arenas(r, err) < 0 || send_size(r, err) < 0)
        return -1;
    return wire_send(r->sock, &load, err);
}

int rproc_start(struct rproc *r, const struct rproc_config *config, struct err *err)
{
    if (rproc_spawn(r, config, -1, err) < 0)
        return -1;
    if (rproc_hand_over(r, config, err) == 0)
        return 0;
    rproc_end(r);
    return -1;
}

/* --- its text, its death --- */

/* What lies in the pipe, and no more: who writes as fast as it is read must not keep us here. */
static void drain(struct rproc *r)
{
    char chunk[65536];

    for (size_t seen = 0; seen <= PIPE_BYTES; seen += sizeof(chunk)) {
        ssize_t n = read(r->out_fd, chunk, sizeof(chunk));

        if (n <= 0)
            return;
        r->text_seen += (uint64_t)n;
        if (r->text.len < RPROC_TEXT_MAX)
            buf_add(&r->text, chunk, MIN((size_t)n, RPROC_TEXT_MAX - r->text.len));
    }
}

static bool reap(struct rproc *r, int options)
{
    siginfo_t info = {0};

    if (r->pid <= 0)
        return true;
    if (waitid(P_PID, (id_t)r->pid, &info, WEXITED | options) < 0 || info.si_pid == 0)
        return false;
    r->wait_status = info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
    r->pid = 0;
    return true;
}

static int out_of_memory(const struct rproc *r, const char *when, struct verdict *v)
{
    return verdict_set(v, VERDICT_CRASH, "memory",
                       "%s: took more than %.1f GiB of host memory; ended", when,
                       (double)r->config->mem_bytes / 0x1p30);
}

/* Exit status 134 is what our SIGABRT handler leaves: as pid 1 of its namespace a runner ignores an
 * unhandled SIGABRT of its own. */
static int death_verdict(const struct rproc *r, const char *when, struct verdict *v)
{
    int status = r->wait_status;

    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
        return verdict_set(v, VERDICT_REJECTED, "sandbox",
                           "%s: made a system call no kernel needs (fork, exec, network, ...)",
                           when);
    if (WIFSIGNALED(status) && r->group && cgroup_ran_out(r->group))
        return out_of_memory(r, when, v);
    if (WIFSIGNALED(status)) {
        const char *name = sigabbrev_np(WTERMSIG(status));
        char code[32];

        snprintf(code, sizeof(code), "SIG%s", name ? name : "?");
        return verdict_set(v, VERDICT_CRASH, code, "%s: ended by %s (%s)", when, code,
                           strsignal(WTERMSIG(status)));
    }
    if (WEXITSTATUS(status) == 134)
        return verdict_set(v, VERDICT_CRASH, "SIGABRT", "%s: aborted (SIGABRT)", when);
    return verdict_set(v, VERDICT_CRASH, "exited", "%s: the candidate ended its process (exit %d)",
                       when, WEXITSTATUS(status));
}

/* Whether it ends by itself before long. */
static bool ends(const struct rproc *r)
{
    struct pollfd end = {r->pidfd, POLLIN, 0};
    uint64_t start = clock_ns();
    int left = DEATH_MS;

    while (r->pid > 0 && poll(&end, 1, left) <= 0) {
        left = DEATH_MS - (int)clock_ms_since(start);
        if (left <= 0)
            return false;
    }
    return true;
}

/* That its socket is closed is not yet its end: a candidate can close it, and live on. A signal to
 * who is on the way out changes nothing about how it ended. */
static int died(struct rproc *r, const char *when, struct verdict *v)
{
    drain(r);

    bool lives = !ends(r);

    if (lives)
        rproc_kill(r);
    reap(r, 0);
    drain(r);
    if (lives && WIFSIGNALED(r->wait_status) && WTERMSIG(r->wait_status) == SIGKILL)
        return verdict_set(v, VERDICT_REJECTED, "protocol",
                           "%s: closed its socket to the judge, and lived on; ended", when);
    return death_verdict(r, when, v);
}

static int overdue(struct rproc *r, const char *when, int limit_ms, struct verdict *v)
{
    rproc_end(r);
    return verdict_set(v, VERDICT_TIMEOUT, when, "%s: not done after %d ms; ended", when, limit_ms);
}

/* A driver reserves terabytes of addresses, so RLIMIT_AS is not for its process: the judge watches
 * what is used, often enough that little more can be taken meanwhile. */
static int watch_memory(struct rproc *r, const char *when, struct verdict *v)
{
    uint64_t now = clock_ns(), limit = r->config->mem_bytes;

    if (limit == 0 || now - r->watched_ns < MEMORY_WATCH_NS)
        return 0;
    r->watched_ns = now;
    if (footprint_resident(r->pid) <= limit)
        return 0;
    rproc_end(r);
    return out_of_memory(r, when, v);
}

/* One look aside from a spin: 0 go on, 1 dead (*v says). */
static int look(struct rproc *r, const char *when, struct verdict *v)
{
    struct pollfd fds[2] = {{r->pidfd, POLLIN, 0}, {r->out_fd, POLLIN, 0}};

    if (poll(fds, 2, 0) > 0) {
        if (fds[1].revents & POLLIN)
            drain(r);
        if (fds[0].revents & POLLIN)
            return died(r, when, v);
    }

    if (r->watch.look)
        r->watch.look(r->watch.arg);

    return watch_memory(r, when, v);
}

/* Spins until *word, or *other, equals value. That it takes too long is a verdict, unless
 * ret_overdue is there to say it. */
static int spin_for_either(struct rproc *r, atomic_uint *word, atomic_uint *other, unsigned value,
                           int limit_ms, bool *ret_overdue, const char *when, struct verdict *v)
{
    uint64_t deadline = clock_ns() + (uint64_t)limit_ms * 1000000u;

    for (;;) {
        for (int i = 0; i < SPINS_PER_LOOK; i++) {
            if (atomic_load_explicit(word, memory_order_acquire) == value ||
                atomic_load_explicit(other, memory_order_acquire) == value)
                return 0;
            relax();
        }

        int rc = look(r, when, v);

        if (rc)
            return rc;

        bool late = clock_ns() > deadline;

        if (late && !ret_overdue)
            return overdue(r, when, limit_ms, v);
        if (late) {
            *ret_overdue = true;
            return 0;
        }
        if (!r->config->pin)
            sched_yield(); /* one core for both: let the runner have it */
    }
}

static int spin_for(struct rproc *r, atomic_uint *word, unsigned value, int limit_ms,
                    const char *when, struct verdict *v)
{
    return spin_for_either(r, word, word, value, limit_ms, NULL, when, v);
}

/* --- talking --- */

/* Once the runner is sealed only candidate code has reason to fail: a frame that claims otherwise
 * does not get its author the "infra" that nobody is blamed for. */
static int fail_verdict(const struct rproc *r, const struct wire_fail *f, struct verdict *v,
                        struct err *err)
{
    switch (f->stage) {
    case WIRE_STAGE_LOAD:
        verdict_set(v, VERDICT_BUILD_ERROR, "load", "%s", f->text);
        break;
    case WIRE_STAGE_SETUP:
        verdict_set(v, VERDICT_CRASH, "setup", "%s", f->text);
        break;
    default:
        if (!r->sealed)
            return fail(err, ERR_SYSTEM, "the runner could not start: %s", f->text);
        verdict_set(v, VERDICT_REJECTED, "protocol", "the runner failed after its seal: %s",
                    f->text);
    }
    v->quotes = true;
    return 1;
}

/* Waits for WARM, READY or OK, draining its text meanwhile. */
static int expect(struct rproc *r, enum wire_type type, const char *when, struct verdict *v,
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
            return overdue(r, when, r->config->start_timeout_ms, v);
        poll(fds, 2, MIN((int)(left_ns / 1000000) + 1, MEMORY_WATCH_NS / 1000000));
        if (fds[1].revents & POLLIN)
            drain(r);
        if (watch_memory(r, when, v))
            return 1;
        if (!fds[0].revents)
            continue;
        got = wire_recv(r->sock, 0, &m, &timed_out, err);
        if (got < 0) /* its memory is the candidate's: nonsense is the candidate's fault */
            return verdict_set(v, VERDICT_REJECTED, "protocol", "%s: %s", when, err->text);
        if (got == 0 && timed_out)
            continue;
        break;
    }
    if (got == 0)
        return died(r, when, v);

    int rc = 0;

    if (m.type == WIRE_FAIL)
        rc = fail_verdict(r, &m.u.fail, v, err);
    else if (m.type != type)
        rc = verdict_set(v, VERDICT_REJECTED, "protocol", "%s: unexpected frame %d", when, m.type);
    else if (type == WIRE_WARM)
        r->warm = true;
    else if (type == WIRE_READY) {
        r->layers |= m.u.ready.layers;
        r->sealed = true;
    }
    wire_msg_release(&m);
    return rc;
}

static int order_frame(struct rproc *r, enum wire_type type, struct err *err)
{
    struct wire_msg m = {.type = type, .fd = -1};

    return wire_send(r->sock, &m, err);
}

/* The runner checks the layers it puts on itself; the namespaces it was born in are seen here. */
static int check_layers(const struct rproc *r, struct err *err)
{
    uint32_t missing = sandbox_wanted() & ~r->layers;

    for (int b = 0; r->config->require_sandbox && b < SANDBOX_LAYERS; b++)
        if (missing & (1u << b))
            return fail(err, ERR_SYSTEM,
                        "sandbox layer %s cannot be had here, and --require-sandbox was given",
                        sandbox_layer_names[b]);
    return 0;
}

/* One step of the start, before any candidate code has run: a death is no crash of a candidate. */
static int expect_start(struct rproc *r, enum wire_type type, struct verdict *v, struct err *err)
{
    int rc = expect(r, type, "start", v, err);

    if (rc == 1 && v->kind == VERDICT_CRASH)
        return fail(err, ERR_SYSTEM, "the runner died while starting (%s): %s", v->reason,
                    r->text.len ? buf_str(&r->text) : "it said nothing");
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

    /* Frames after a death would be refused (EPIPE): the death explains it, so it is looked for
     * first. */
    if (rc == 0)
        rc = expect_start(r, WIRE_READY, v, err);
    if (rc == 0)
        rc = check_layers(r, err);
    if (rc == 0)
        rc = expect(r, WIRE_OK, "loading", v, err);
    if (rc == 0 && order_frame(r, WIRE_SETUP, err) < 0)
        return died(r, "loading", v);
    if (rc == 0)
        rc = expect(r, WIRE_OK, "setup", v, err);
    if (rc == 0 && order_frame(r, WIRE_START, err) < 0)
        return died(r, "setup", v);
    return rc;
}

/* The reason is the fault's name, as far as what stands on the page is one. */
static int fault_verdict(const struct wire_page *p, struct verdict *v)
{
    char text[WIRE_ERROR_MAX + 1], name[sizeof(v->reason)];

    memcpy(text, p->error, WIRE_ERROR_MAX);
    text[WIRE_ERROR_MAX] = '\0';
    snprintf(name, sizeof(name), "%.*s", (int)strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"),
             text);
    verdict_set(v, VERDICT_CRASH, *name ? name : "fault", "call: the device faulted%s%s",
                *text ? ": " : "", text);
    v->quotes = true;
    return 1;
}

/* --- what is written after "done" --- */

/* The last one may reach into the guard behind it. */
static uint64_t slot_words(const struct layout *l, int i)
{
    return (l->slot_bytes[i] + sizeof(uint32_t) - 1) / sizeof(uint32_t);
}

/* Word number `at` of all outputs, counted through the tensors. */
static const volatile uint32_t *output_word(const struct layout *l, const char *base, uint64_t at)
{
    for (int i = 0; i < l->n; i++) {
        uint64_t words = slot_words(l, i);

        if (at < words)
            return (const volatile uint32_t *)(base + l->slots[i].offset) + at;
        at -= words;
    }
    return NULL;
}

/* "done" is the runner's word, and its threads run until they are stopped, some 20 us later. So a
 * few words of the output, chosen anew each time, are looked at at once, and again then: who writes
 * on, whatever it is, changes some of them in one call or another. */
static void take_glimpses(struct rproc *r, int out_arena)
{
    const struct layout *l = r->config->out;
    const char *base = r->config->out_arenas[out_arena - r->config->n_in_arenas].host;
    uint64_t words = 0;

    r->n_glimpses = 0;
    if (!base)
        return;
    for (int i = 0; i < l->n; i++)
        words += slot_words(l, i);
    for (int i = 0; words && i < RPROC_GLIMPSES; i++) {
        struct rproc_glimpse *g = &r->glimpses[r->n_glimpses++];

        g->word = output_word(l, base, philox_place(r->glimpse_key + r->seq, (uint32_t)i, words));
        g->value = *g->word;
    }
}

static bool wrote_on(struct rproc *r)
{
    int changed = 0;

    for (int i = 0; i < r->n_glimpses; i++)
        changed += *r->glimpses[i].word != r->glimpses[i].value;
    r->n_glimpses = 0;
    return changed > 0;
}

/* Says that the content is there and waits until the device is held; *ret_start becomes the time,
 * read before the release is written, so that the outside time is never too short. Where nothing
 * can be held the runner is done instead, and the time since ready is all there is; so it is where
 * this took longer than a hold lasts: the device started by itself. */
static int release(struct rproc *r, uint64_t *ret_start, struct rproc_reply *ret, struct verdict *v)
{
    struct wire_page *p = r->page;
    bool work = r->order.hold == WIRE_HOLD_WORK;
    uint64_t ready = *ret_start, now;

    atomic_store_explicit(&p->ready, r->seq, memory_order_release);

    int rc = spin_for_either(r, &p->holding, &p->done, r->seq, r->config->call_timeout_ms, NULL,
                             "call", v);

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
    return 0;
}

static int reply_verdict(const struct wire_page *p, enum wire_order order, struct verdict *v)
{
    int status = p->status;

    if (status == WIRE_STATUS_FAULT)
        return fault_verdict(p, v);
    if (order == WIRE_ORDER_CALL && status != 0)
        return verdict_set(v, VERDICT_CRASH, "returned", "assay_kernel returned %d", status);
    return 0;
}

/* What is asked for is on the page no sooner than go. */
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
    int rc = spin_for_either(r, &p->queued, &p->done, r->seq, limit_ms, &r->overdue, "call", v);

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
        rc = spin_for(r, &p->done, r->seq, r->config->call_timeout_ms, "call", v);
    if (rc)
        return rc;
    ret->wall_ns = r->call_ns = clock_ns() - start;
    take_glimpses(r, r->order.out_arena);
    ret->claim_ns = p->claim_ns;
    return reply_verdict(p, r->order.what, v);
}

static int send_signal(const struct rproc *r, int sig)
{
    return (int)syscall(SYS_pidfd_send_signal, r->pidfd, sig, NULL, 0);
}

int rproc_stop(struct rproc *r, struct verdict *v, struct err *err)
{
    uint64_t start = clock_ns(), deadline = start + 1000000000u;
    siginfo_t info = {0};

    if (r->stopped)
        return 0;
    if (send_signal(r, SIGSTOP) < 0)
        return died(r, "between calls", v);
    /* WNOHANG in a loop: sleeping in waitid would add a wake-up to every call. WNOWAIT leaves a
     * death to be reaped by the one place that does it. */
    while (info.si_pid == 0) {
        if (waitid(P_PID, (id_t)r->pid, &info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT) < 0)
            return fail_errno(err, "cannot wait for the runner");
        if (info.si_pid == 0 && clock_ns() > deadline)
            return verdict_set(v, VERDICT_REJECTED, "protocol",
                               "between calls: it does not stop when it is told to");
        if (info.si_pid == 0 && !r->config->pin)
            sched_yield();
    }
    if (info.si_code != CLD_STOPPED)
        return died(r, "between calls", v);
    waitid(P_PID, (id_t)r->pid, &info, WSTOPPED | WNOHANG);
    r->stopped = true;
    r->stop_ns = clock_ns() - start;
    drain(r);
    if (wrote_on(r))
        return verdict_set(v, VERDICT_REJECTED, "late",
                           "call: wrote to its output after it had said that it was done");
    return 0;
}

/* CPU time of all its threads; exact while it stands still. 0 where the kernel does not say. */
static uint64_t cpu_ns(const struct rproc *r)
{
    struct timespec t = {0, 0};
    clockid_t clock;

    if (r->pid <= 0 || clock_getcpuclockid(r->pid, &clock) != 0 || clock_gettime(clock, &t) < 0)
        return 0;
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A runner that is woken sees the next input before it is told to go, and says that it is awake
 * when it likes; and while the thread that the signal to stop is for sits in the kernel, the others
 * work on behind "done". Either takes CPU time that neither the call nor the way to a standstill
 * explains; waiting for a busy machine does not. Threads of an honest candidate that spin all the
 * while (OpenMP's do) take no longer than the wake-up does, and their stop not long. A signal
 * reaches who works at once, so a long way to a standstill explains no more than a short one: a
 * candidate can make it long, and sleep. */
uint64_t rproc_hidden_ns(const struct rproc *r)
{
    uint64_t used = cpu_ns(r) - r->cpu_before_ns;
    uint64_t explained = r->call_ns + MIN(r->stop_ns, STOP_EXPLAINS_NS);
    uint64_t room = r->wake_ns + (r->stop_ns > STOP_FREE_NS ? r->stop_ns - STOP_FREE_NS : 0);
    uint64_t hidden = used > explained ? MIN(used - explained, room) : 0;

    return hidden > HEAD_FREE_NS ? hidden - HEAD_FREE_NS : 0;
}

int rproc_wake(struct rproc *r, struct verdict *v, struct err *err)
{
    uint64_t start = clock_ns();

    (void)err;
    r->cpu_before_ns = cpu_ns(r);
    if (r->stopped) {
        r->stopped = false;
        if (send_signal(r, SIGCONT) < 0)
            return died(r, "between calls", v);
    }
    atomic_store_explicit(&r->page->awake, ++r->awake_seq, memory_order_release);

    int rc = spin_for(r, &r->page->awake_ack, r->awake_seq, r->config->call_timeout_ms,
                      "between calls", v);

    r->wake_ns = clock_ns() - start;
    return rc;
}

void rproc_kill(struct rproc *r)
{
    if (r->pid <= 0 || r->killed)
        return;
    r->killed = true;
    if (r->config->worker) /* torch.compile has helpers, in the runner's group */
        kill(-r->pid, SIGKILL);
    send_signal(r, SIGKILL);
}

void rproc_end(struct rproc *r)
{
    rproc_kill(r);
    reap(r, 0);
    cgroup_remove(&r->group);
    if (r->out_fd >= 0)
        drain(r);
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
}
