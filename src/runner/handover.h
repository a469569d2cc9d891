/* SPDX-License-Identifier: MIT */
/* Frames that hand a runner what it needs before the seal: the shared page, arenas, the places of
 * tensors in them, the artifact. They come from trusted code, and are checked all the same: a
 * runner that starts with nonsense would be blamed on its candidate. */
#ifndef ASSAY_RUNNER_HANDOVER_H
#define ASSAY_RUNNER_HANDOVER_H

#include "device/device.h"
#include "wire/wire.h"

struct handover_arena {
    void *base; /* NULL: there is no such arena */
    size_t bytes;
    bool read_only;
};

struct handover {
    const struct device *device; /* neither device nor ctx is owned */
    void *ctx;
    struct wire_page *page;
    bool holds;                  /* the device sees the page: orders can be held back */
    struct handover_arena sweep; /* memory that the device reads before it waits */
    struct handover_arena arenas[WIRE_MAX_ARENAS];
    struct wire_size size;
    struct tensor_slot *slots; /* inputs, parameters, outputs */
    int artifact_fd;           /* -1: not yet */
};

void handover_init(struct handover *h, const struct device *device, void *ctx);
/* Receives the frames up to LOAD. Returns 1 when all is there and fits, 0 when the judge is gone,
 * -1 when the frames are not as wire.h says. */
int handover_receive(struct handover *h, int sock, struct err *err);
/* Unmaps and frees everything, whatever handover_receive() returned. */
void handover_release(struct handover *h);

#endif
