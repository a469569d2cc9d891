/* SPDX-License-Identifier: MIT */
#include "device/fake/fake_program.h"

#include "device/fake/fake_verb.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OPEN_SUCCEEDED 99
#define STRAY_BYTES 16

/* One moment of a running program. */
struct fake_moment {
    struct fake_program *program;
    const struct device_call *c; /* NULL at load */
    int status;
};

static char *data_of(const struct tensor_slot *slot, void *base)
{
    return (char *)base + slot->offset;
}

static int64_t bytes_of(const struct tensor_slot *slot)
{
    return shape_count(&slot->shape) * (int64_t)dtype_size(slot->dtype);
}

/* ---- the op ---- */

static double op_value(enum fake_op op, double x)
{
    switch (op) {
    case FAKE_OP_RELU:
        return x > 0 ? x : 0;
    case FAKE_OP_COPY:
        return x;
    case FAKE_OP_NEGATE:
        return -x;
    case FAKE_OP_NAN:
        return NAN;
    case FAKE_OP_ZEROS:
    case FAKE_OP_NONE:
        break;
    }
    return 0;
}

/* Computes output i from input i. Inputs and elements are used again if there are too few. */
static void compute_output(const struct fake_program *p, const struct device_call *c, int i)
{
    const struct tensor_slot *out = &c->out[i], *in = c->n_in ? &c->in[i % c->n_in] : NULL;
    int64_t n_in = in ? shape_count(&in->shape) : 0;
    int64_t n = shape_count(&out->shape) / (p->half ? 2 : 1);
    char *to = data_of(out, c->out_base);

    for (int64_t k = 0; k < n; k++) {
        double x = 0;

        if (n_in > 0)
            x = dtype_load(in->dtype,
                           data_of(in, c->in_base) + (size_t)(k % n_in) * dtype_size(in->dtype));
        dtype_store(out->dtype, to + (size_t)k * dtype_size(out->dtype), op_value(p->op, x));
    }
}

static void *compute(void *moment)
{
    const struct fake_moment *m = moment;

    for (int i = 0; i < m->c->n_out; i++)
        compute_output(m->program, m->c, i);
    return NULL;
}

static void compute_in_thread(struct fake_moment *m)
{
    pthread_t thread;
    int rc = pthread_create(&thread, NULL, compute, m);

    if (rc)
        m->status = rc;
    else
        pthread_join(thread, NULL);
}

static size_t all_output_bytes(const struct device_call *c)
{
    int64_t total = 0;

    for (int i = 0; i < c->n_out; i++)
        total += bytes_of(&c->out[i]);
    return (size_t)total;
}

/* Copies between the outputs and one block that holds them one after the other. */
static void move_outputs(const struct device_call *c, char *block, bool save)
{
    for (int i = 0; i < c->n_out; i++) {
        char *data = data_of(&c->out[i], c->out_base);
        size_t n = (size_t)bytes_of(&c->out[i]);

        memcpy(save ? block : data, save ? data : block, n);
        block += n;
    }
}

static void run_op(struct fake_moment *m)
{
    struct fake_program *p = m->program;

    if (p->op == FAKE_OP_NONE || (p->first_only && p->calls > 1))
        return;
    if (p->replay && p->first_data) {
        move_outputs(m->c, p->first_data, false);
        return;
    }
    if (p->thread)
        compute_in_thread(m);
    else
        compute(m);
    if (p->replay && (p->first_data = try_alloc(all_output_bytes(m->c))))
        move_outputs(m->c, p->first_data, true);
}

/* ---- actions ---- */

/* A value far enough off to be wrong on any scale of its row. */
static double spoiled(enum dtype t, double x)
{
    if (!dtype_is_float(t))
        return x == 0 ? 1 : 0;
    return isfinite(x) ? x + 1000 * (fabs(x) + 1) : 0;
}

static void act_wrong(struct fake_moment *m, const struct fake_step *s)
{
    (void)s;
    for (int i = 0; i < m->c->n_out; i++) {
        const struct tensor_slot *out = &m->c->out[i];
        int64_t last = bytes_of(out) - (int64_t)dtype_size(out->dtype);
        char *at = data_of(out, m->c->out_base) + last;

        if (last >= 0)
            dtype_store(out->dtype, at, spoiled(out->dtype, dtype_load(out->dtype, at)));
    }
}

static void act_past_end(struct fake_moment *m, const struct fake_step *s)
{
    (void)s;
    for (int i = 0; i < m->c->n_out; i++)
        memset(data_of(&m->c->out[i], m->c->out_base) + bytes_of(&m->c->out[i]), 0, STRAY_BYTES);
}

static void act_before_start(struct fake_moment *m, const struct fake_step *s)
{
    (void)s;
    for (int i = 0; i < m->c->n_out; i++) {
        if (m->c->out[i].offset >= STRAY_BYTES)
            memset(data_of(&m->c->out[i], m->c->out_base) - STRAY_BYTES, 0, STRAY_BYTES);
    }
}

static void act_write_input(struct fake_moment *m, const struct fake_step *s)
{
    (void)s;
    if (m->c->n_in)
        *(volatile char *)data_of(&m->c->in[0], m->c->in_base) = 1;
}

static void act_lift_input(struct fake_moment *m, const struct fake_step *s)
{
    uintptr_t page = (uintptr_t)data_of(&m->c->in[0], m->c->in_base) / 4096 * 4096;

    if (mprotect((void *)page, 4096, PROT_READ | PROT_WRITE) == 0)
        act_write_input(m, s);
}

static void act_fault(struct fake_moment *m, const struct fake_step *s)
{
    (void)s;
    m->status = DEVICE_STATUS_FAULT;
}

/* Does nothing here: a device that is held asks fake_program_waits(). */
static void act_sync(struct fake_moment *m, const struct fake_step *s)
{
    (void)m;
    (void)s;
}

static void sleep_ns(double ns)
{
    struct timespec ts = {(time_t)(ns / 1e9), (long)fmod(ns, 1e9)};

    nanosleep(&ts, NULL);
}

static void act_sleep(struct fake_moment *m, const struct fake_step *s)
{
    (void)m;
    sleep_ns(s->number);
}

static void act_hang(struct fake_moment *m, const struct fake_step *s)
{
    volatile unsigned n = 0;

    (void)m;
    (void)s;
    for (;;)
        n = n + 1;
}

/* Crashes by the fault itself: pid 1 of a namespace cannot die of a signal it sends itself. */
static void act_crash(struct fake_moment *m, const struct fake_step *s)
{
    int sig = (int)s->number;

    (void)m;
    if (sig == SIGABRT)
        abort();
    if (sig == SIGSEGV)
        *(volatile char *)mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
    __builtin_trap();
}

static void act_exit(struct fake_moment *m, const struct fake_step *s)
{
    (void)m;
    _exit((int)s->number);
}

static void act_return(struct fake_moment *m, const struct fake_step *s)
{
    m->status = (int)s->number;
}

static void act_fork(struct fake_moment *m, const struct fake_step *s)
{
    pid_t pid = fork();

    (void)m;
    (void)s;
    if (pid == 0)
        _exit(0);
    if (pid > 0)
        waitpid(pid, NULL, 0);
}

static void act_socket(struct fake_moment *m, const struct fake_step *s)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)m;
    (void)s;
    fd_closep(&fd);
}

static void act_open(struct fake_moment *m, const struct fake_step *s)
{
    AUTO(fd_closep) int fd = open(s->path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0)
        m->status = OPEN_SUCCEEDED;
}

static void act_stderr(struct fake_moment *m, const struct fake_step *s)
{
    char block[65536];
    double left = s->number;

    (void)m;
    memset(block, 'x', sizeof(block));
    block[sizeof(block) - 1] = '\n';
    while (left > 0) {
        ssize_t n = write(STDERR_FILENO, block, (size_t)MIN(left, (double)sizeof(block)));

        if (n <= 0)
            return;
        left -= (double)n;
    }
}

/* ---- settings ---- */

static void set_op(struct fake_program *p, double number)
{
    p->op = (enum fake_op)number;
}

static void set_half(struct fake_program *p, double number)
{
    (void)number;
    p->half = true;
}

static void set_first_only(struct fake_program *p, double number)
{
    (void)number;
    p->first_only = true;
}

static void set_replay(struct fake_program *p, double number)
{
    (void)number;
    p->replay = true;
}

static void set_thread(struct fake_program *p, double number)
{
    (void)number;
    p->thread = true;
}

static void set_no_entry(struct fake_program *p, double number)
{
    (void)number;
    p->no_entry = true;
}

static void set_queue(struct fake_program *p, double number)
{
    p->queue_ns = number;
}

static void set_early(struct fake_program *p, double number)
{
    p->early_ns = number;
}

static void set_time(struct fake_program *p, double number)
{
    p->time_ns = number;
}

static void set_jitter(struct fake_program *p, double number)
{
    p->jitter = number / 100;
}

#define ANY_TIME (FAKE_AT_LOAD | FAKE_AT_SETUP | FAKE_AT_CALL)

const struct fake_verb fake_verbs[] = {
    {.name = "op", .arg = ARG_OP, .set = set_op},
    {.name = "half", .set = set_half},
    {.name = "first-call-only", .set = set_first_only},
    {.name = "replay", .set = set_replay},
    {.name = "thread", .set = set_thread},
    {.name = "no-entry", .set = set_no_entry},
    {.name = "queue", .arg = ARG_TIME, .set = set_queue},
    {.name = "early", .arg = ARG_TIME, .set = set_early},
    {.name = "time", .arg = ARG_TIME, .set = set_time},
    {.name = "jitter", .arg = ARG_PERCENT, .set = set_jitter},
    {.name = "wrong", .act = act_wrong, .after_op = true, .moments = FAKE_AT_CALL},
    {.name = "past-end", .act = act_past_end, .after_op = true, .moments = FAKE_AT_CALL},
    {.name = "before-start", .act = act_before_start, .after_op = true, .moments = FAKE_AT_CALL},
    {.name = "write-input", .act = act_write_input, .after_op = true, .moments = FAKE_AT_CALL},
    {.name = "lift-input", .act = act_lift_input, .after_op = true, .moments = FAKE_AT_CALL},
    {.name = "return",
     .arg = ARG_STATUS,
     .act = act_return,
     .moments = FAKE_AT_SETUP | FAKE_AT_CALL},
    {.name = "fault", .act = act_fault, .moments = FAKE_AT_CALL},
    {.name = "sync", .act = act_sync, .moments = FAKE_AT_CALL},
    {.name = "sleep", .arg = ARG_TIME, .act = act_sleep, .moments = ANY_TIME},
    {.name = "hang", .act = act_hang, .moments = ANY_TIME},
    {.name = "crash", .arg = ARG_SIGNAL, .act = act_crash, .moments = ANY_TIME},
    {.name = "exit", .arg = ARG_STATUS, .act = act_exit, .moments = ANY_TIME},
    {.name = "fork", .act = act_fork, .moments = ANY_TIME},
    {.name = "socket", .act = act_socket, .moments = ANY_TIME},
    {.name = "open", .arg = ARG_PATH, .act = act_open, .moments = FAKE_AT_SETUP | FAKE_AT_CALL},
    {.name = "stderr", .arg = ARG_BYTES, .act = act_stderr, .moments = ANY_TIME, .default_call = 1},
};

const size_t fake_n_verbs = ARRAY_SIZE(fake_verbs);

void fake_program_release(struct fake_program *p)
{
    free(p->first_data);
    p->first_data = NULL;
}

/* ---- running ---- */

static bool is_due(const struct fake_step *s, enum fake_when when, uint64_t call)
{
    return s->when == when && (when != FAKE_AT_CALL || !s->call || s->call == call);
}

static void run_steps(struct fake_moment *m, enum fake_when when, bool after_op)
{
    struct fake_program *p = m->program;

    for (int i = 0; i < p->n_steps; i++) {
        const struct fake_step *s = &p->steps[i];

        if (is_due(s, when, p->calls) && s->verb->after_op == after_op)
            s->verb->act(m, s);
    }
}

bool fake_program_waits(const struct fake_program *p)
{
    for (int i = 0; i < p->n_steps; i++)
        if (p->steps[i].verb->act == act_sync && is_due(&p->steps[i], FAKE_AT_CALL, p->calls + 1))
            return true;
    return false;
}

int fake_program_run(struct fake_program *p, enum fake_when when, const struct device_call *c)
{
    struct fake_moment m = {p, c, 0};

    if (when == FAKE_AT_CALL)
        p->calls++;
    run_steps(&m, when, false);
    if (when == FAKE_AT_CALL)
        run_op(&m);
    run_steps(&m, when, true);
    return m.status;
}

void fake_program_queue(const struct fake_program *p)
{
    if (p->queue_ns > 0)
        sleep_ns(p->queue_ns);
}

void fake_program_early(const struct fake_program *p)
{
    if (p->early_ns > 0)
        sleep_ns(p->early_ns);
}

uint64_t fake_program_claim_ns(const struct fake_program *p)
{
    /* Knuth's multiplicative hash of the call's number: looks random, is the same every time. */
    uint32_t h = (uint32_t)p->calls * 2654435761u;
    double wave = (double)h / UINT32_MAX * 2 - 1;

    return (uint64_t)llround(p->time_ns * (1 + p->jitter * wave));
}
