/* SPDX-License-Identifier: MIT */
#include "runner/handover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void handover_init(struct handover *h, const struct device *device, void *ctx)
{
    *h = (struct handover){.device = device, .ctx = ctx, .artifact_fd = -1};
}

/* A device that cannot see the page is not held back; the text in page->error says why. */
static void share_page(struct handover *h, size_t bytes)
{
    const struct device_runner_ops *ops = h->device->runner;
    struct err err = ERR_INIT;

    h->holds = ops->held_batch && (!ops->share || ops->share(h->ctx, h->page, bytes, &err) == 0);
    snprintf(h->page->error, sizeof(h->page->error), "%s", err.text);
}

static int take_page(struct handover *h, struct wire_msg *m, struct err *err)
{
    if (h->page)
        return fail(err, ERR_SYSTEM, "a second PAGE");
    if (wire_page_map(m->fd, m->u.bytes, &h->page, err) < 0)
        return -1;

    share_page(h, m->u.bytes);
    return 0;
}

/* The sweep is read in words of 16 bytes, and is there before the device waits for anything. */
static int take_sweep(struct handover *h, struct wire_msg *m, struct err *err)
{
    const struct device_runner_ops *ops = h->device->runner;
    struct handover_arena *a = &h->sweep;

    if (a->base || !ops->sweep || m->u.bytes % 16)
        return fail(err, ERR_SYSTEM, "a second SWEEP, one of %llu bytes, or no device that sweeps",
                    (unsigned long long)m->u.bytes);
    a->bytes = m->u.bytes;
    a->read_only = true;
    if (ops->import(h->ctx, m->fd, a->bytes, true, &a->base, err) < 0)
        return -1;
    ops->sweep(h->ctx, a->base, a->bytes);
    return 0;
}

static int take_arena(struct handover *h, struct wire_msg *m, struct err *err)
{
    struct handover_arena *a = &h->arenas[m->u.arena.id];

    if (a->base)
        return fail(err, ERR_SYSTEM, "a second arena %u", m->u.arena.id);
    a->bytes = m->u.arena.bytes;
    a->read_only = m->u.arena.read_only;
    return h->device->runner->import(h->ctx, m->fd, a->bytes, a->read_only, &a->base, err);
}

static int take_size(struct handover *h, struct wire_msg *m, struct err *err)
{
    uint32_t n = m->u.size.n_in + m->u.size.n_out;

    if (h->slots)
        return fail(err, ERR_SYSTEM, "a second SIZE");
    h->size = m->u.size;
    m->u.size.tensors = NULL; /* h owns them now */
    h->slots = xcalloc(n, sizeof(*h->slots));
    for (uint32_t i = 0; i < n; i++) {
        const struct wire_tensor *t = &h->size.tensors[i];

        h->slots[i].dtype = t->dtype;
        h->slots[i].shape.rank = t->rank;
        memcpy(h->slots[i].shape.dim, t->dim, sizeof(t->dim));
        h->slots[i].offset = t->offset;
    }
    return 0;
}

static int take_load(struct handover *h, struct wire_msg *m, struct err *err)
{
    if (!h->page || !h->slots)
        return fail(err, ERR_SYSTEM, "LOAD before PAGE and SIZE");
    h->artifact_fd = fd_steal(&m->fd);
    return 0;
}

static int take(struct handover *h, struct wire_msg *m, struct err *err)
{
    switch (m->type) {
    case WIRE_PAGE:
        return take_page(h, m, err);
    case WIRE_SWEEP:
        return take_sweep(h, m, err);
    case WIRE_ARENA:
        return take_arena(h, m, err);
    case WIRE_SIZE:
        return take_size(h, m, err);
    case WIRE_LOAD:
        return take_load(h, m, err);
    default:
        return fail(err, ERR_SYSTEM, "%s frame before LOAD", wire_type_name(m->type));
    }
}

/* Parameters that have an arena of their own must lie inside it. */
static int check_params(const struct handover *h, struct err *err)
{
    const struct handover_arena *arena = &h->arenas[WIRE_PARAM_ARENA];
    uint64_t first = h->size.first_param < h->size.n_in ? h->slots[h->size.first_param].offset : 0;

    if (arena->base && !arena->read_only)
        return fail(err, ERR_SYSTEM, "the arena of parameters is not read-only");
    for (uint32_t i = h->size.first_param; arena->base && i < h->size.n_in; i++) {
        const struct tensor_slot *t = &h->slots[i];
        uint64_t bytes = (uint64_t)shape_count(&t->shape) * dtype_size(t->dtype);

        if (t->offset < first || bytes > arena->bytes || t->offset - first > arena->bytes - bytes)
            return fail(err, ERR_SYSTEM, "parameter %u does not fit into its arena", i);
    }
    return 0;
}

/* Every tensor must lie inside every arena it can be called on. */
static int check_fit(const struct handover *h, struct err *err)
{
    for (uint32_t i = 0; i < h->size.n_in + h->size.n_out; i++) {
        const struct tensor_slot *t = &h->slots[i];
        uint64_t end = t->offset + (uint64_t)shape_count(&t->shape) * dtype_size(t->dtype);

        for (int a = 0; a < WIRE_PARAM_ARENA; a++) {
            const struct handover_arena *arena = &h->arenas[a];

            if (arena->base && arena->read_only == (i < h->size.n_in) && end > arena->bytes)
                return fail(err, ERR_SYSTEM, "tensor %u does not fit into arena %d", i, a);
        }
    }

    const struct handover_arena *setup = &h->arenas[h->size.setup_arena];

    if (h->size.setup_params && (!setup->base || !setup->read_only))
        return fail(err, ERR_SYSTEM, "no input arena %u to set up with", h->size.setup_arena);
    return check_params(h, err);
}

int handover_receive(struct handover *h, int sock, struct err *err)
{
    while (h->artifact_fd < 0) {
        struct wire_msg m = WIRE_MSG_INIT(0);
        bool timed_out;
        int got = wire_recv(sock, -1, &m, &timed_out, err);

        if (got <= 0)
            return got;
        got = take(h, &m, err);
        wire_msg_release(&m);
        if (got < 0)
            return -1;
    }
    return check_fit(h, err) < 0 ? -1 : 1;
}

void handover_release(struct handover *h)
{
    for (int i = 0; i < WIRE_MAX_ARENAS; i++)
        h->device->runner->unimport(h->ctx, h->arenas[i].base, h->arenas[i].bytes);
    h->device->runner->unimport(h->ctx, h->sweep.base, h->sweep.bytes);
    wire_page_unmap(h->page);
    wire_size_release(&h->size);
    free(h->slots);
    fd_closep(&h->artifact_fd);
}
