/* SPDX-License-Identifier: MIT */
/* What the judge hands a runner before the seal: the shared page, arenas, where tensors lie in
 * them, the artifact. The frames come from trusted code, and are checked all the same: a runner
 * that starts with nonsense would be blamed on its candidate. */
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
    const struct device *device; /* not owned, nor is its ctx */
    void *ctx;
    struct wire_page *page;
    bool holds;                  /* the device sees the page: orders can be held back */
    struct handover_arena sweep; /* what the device reads before it waits */
    struct handover_arena arenas[WIRE_MAX_ARENAS];
    struct wire_size size;
    struct tensor_slot *slots; /* inputs, parameters, outputs */
    int artifact_fd;           /* -1: not yet */
};

void handover_init(struct handover *h, const struct device *device, void *ctx);
/* Frames up to LOAD: 1 all is there and fits, 0 the judge is gone, -1 not as wire.h has it. */
int handover_receive(struct handover *h, int sock, struct err *err);
/* Takes back what was mapped and kept, whatever handover_receive() said. */
void handover_release(struct handover *h);

#endif
