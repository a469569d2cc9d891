/* SPDX-License-Identifier: MIT */
/* The runner's face of the fake device: does what its candidate's text says (fake_program.h) and
 * claims the time it is told to. */
#include "device/fake/fake_device.h"

#include "base/clock.h"
#include "base/fs.h"
#include "device/fake/fake_program.h"
#include "device/hostmem.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM_MAX_BYTES 65536

struct artifact {
    struct fake_program program;
};

static int fake_load(void *ctx, int artifact_fd, struct artifact **ret, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    AUTO(freep) struct artifact *a = xcalloc(1, sizeof(*a));
    char path[32];

    (void)ctx;
    /* Opened anew, as dlopen() does: several runners may share the descriptor's offset. */
    snprintf(path, sizeof(path), "/proc/self/fd/%d", artifact_fd);
    if (fs_read(path, PROGRAM_MAX_BYTES, &text, err) < 0)
        return -1;
    if (strlen(buf_str(&text)) != text.len)
        return fail(err, ERR_INPUT, "not a text file");
    if (fake_program_parse(buf_str(&text), &a->program, err) < 0)
        return -1;
    fake_program_run(&a->program, FAKE_AT_LOAD, NULL);
    if (a->program.no_entry)
        return fail(err, ERR_INPUT, "candidate has no function assay_kernel: see include/assay.h");
    *ret = steal(&a);
    return 0;
}

static int fake_prepare(void *ctx, struct artifact *a, const struct device_call *c, void **ret_args,
                        struct err *err)
{
    struct device_call *copy = xmalloc(sizeof(*copy));

    (void)ctx;
    (void)a;
    (void)err;
    *copy = *c;
    *ret_args = copy;
    return 0;
}

static void fake_release(void *ctx, void *args)
{
    (void)ctx;
    free(args);
}

static int fake_setup(void *ctx, struct artifact *a, void *args, int *ret_status, struct err *err)
{
    (void)ctx;
    (void)err;
    *ret_status = fake_program_run(&a->program, FAKE_AT_SETUP, args);
    return 0;
}

static int fake_call(void *ctx, struct artifact *a, void *args, int *ret_status,
                     uint64_t *ret_claim_ns)
{
    (void)ctx;
    fake_program_queue(&a->program);
    *ret_status = fake_program_run(&a->program, FAKE_AT_CALL, args);
    *ret_claim_ns = fake_program_claim_ns(&a->program);
    return 0;
}

/* Waits without a limit: the judge always comes. */
static void wait_for_content(const struct device_hold *hold)
{
    while (atomic_load_explicit(hold->ready, memory_order_acquire) != hold->seq)
        sched_yield();
}

/* A call that is held waits without a limit; a device that is held gives up. */
static void wait_for_release(const struct device_hold *hold)
{
    uint64_t start = clock_ns();

    while (atomic_load_explicit(hold->release, memory_order_acquire) != hold->seq &&
           (hold->call || clock_ms_since(start) < DEVICE_HOLD_MS))
        sched_yield();
}

static const void *swept;
static size_t swept_bytes;

static void fake_sweep(void *ctx, const void *base, size_t bytes)
{
    (void)ctx;
    swept = base;
    swept_bytes = bytes;
}

static void tell_holding(const struct device_hold *hold)
{
    const uint32_t *words = swept;
    uint32_t sum = 0;

    for (size_t i = 0; i < swept_bytes / sizeof(*words); i++)
        sum += words[i];
    atomic_store_explicit(hold->sum, sum, memory_order_relaxed);
    atomic_store_explicit(hold->holding, hold->seq, memory_order_release);
}

static void queue(struct fake_program *p, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        fake_program_queue(p);
}

/* The host queues, then the device works behind the hold. A candidate that waits for the device
 * inside its call does not say `queued` before. A call that is held queues only after the hold. */
static int fake_held_batch(void *ctx, struct artifact *a, void *args, uint32_t count,
                           const struct device_hold *hold, int *ret_status, uint64_t *ret_claim_ns)
{
    struct fake_program *p = &a->program;

    (void)ctx;
    *ret_status = 0;
    *ret_claim_ns = 0;
    if (!hold->call)
        queue(p, count);
    if (hold->call || !fake_program_waits(p) || count == 0)
        atomic_store_explicit(hold->queued, hold->seq, memory_order_release);
    wait_for_content(hold);
    if (count > 0)
        fake_program_early(p);
    tell_holding(hold);
    wait_for_release(hold);
    if (hold->call)
        queue(p, count);
    for (uint32_t i = 0; i < count && *ret_status == 0; i++) {
        *ret_status = fake_program_run(p, FAKE_AT_CALL, args);
        *ret_claim_ns += fake_program_claim_ns(p);
    }
    atomic_store_explicit(hold->queued, hold->seq, memory_order_release);
    return 0;
}

static const char *fake_fault(void *ctx)
{
    (void)ctx;
    return "FAKE_ERROR_FAULT: as its text says";
}

const struct device_runner_ops fake_runner_ops = {
    .open = fake_open,
    .import = hostmem_import,
    .unimport = hostmem_unimport,
    .load = fake_load,
    .prepare = fake_prepare,
    .release = fake_release,
    .setup = fake_setup,
    .call = fake_call,
    .held_batch = fake_held_batch,
    .sweep = fake_sweep,
    .fault = fake_fault,
};
