/* SPDX-License-Identifier: MIT */
/* The runner's side of the wire: whatever a judge hands over, all that is accepted lies where the
 * runner may touch it. Descriptors are of one file of FILE_BYTES. */
#include "frames.h"
#include "replay.h"
#include "runner/handover.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define FILE_BYTES 16384

static int shared_file(void)
{
    static int fd = -1;

    if (fd < 0)
        fd = memfd_create("handed", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, FILE_BYTES) < 0)
        abort();
    return fd;
}

static void touch(const struct handover_arena *a, uint64_t at, uint64_t bytes)
{
    volatile const char *base = a->base;

    if (at > a->bytes || bytes > a->bytes - at)
        abort();
    if (bytes)
        (void)(base[at] + base[at + bytes - 1]);
}

/* As prepare() pairs them: inputs in read-only arenas, outputs in the others. */
static void touch_all(const struct handover *h)
{
    for (uint32_t i = 0; i < h->size.n_in + h->size.n_out; i++) {
        const struct tensor_slot *t = &h->slots[i];
        uint64_t bytes = (uint64_t)shape_count(&t->shape) * dtype_size(t->dtype);

        bool input = i < h->size.n_in;
        const struct handover_arena *params = &h->arenas[WIRE_PARAM_ARENA];

        if (params->base && input && i >= h->size.first_param)
            touch(params, t->offset - h->slots[h->size.first_param].offset, bytes);
        for (uint32_t a = 0; a < WIRE_PARAM_ARENA; a++) {
            const struct handover_arena *arena = &h->arenas[a];

            if (arena->base && arena->read_only == input)
                touch(arena, t->offset, bytes);
            if (input && h->size.setup_params && a == h->size.setup_arena)
                touch(arena, t->offset, bytes);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct handover h;
    struct err err = ERR_INIT;
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        abort();
    frames_send(pair[0], data, size, shared_file());
    handover_init(&h, &device_cpu, NULL);

    int got = handover_receive(&h, pair[1], &err);

    if (got < 0 && !err.text[0])
        abort();
    if (got > 0) {
        fuzz_accepted();
        touch_all(&h);
    }
    handover_release(&h);
    close(pair[0]);
    close(pair[1]);
    return 0;
}
