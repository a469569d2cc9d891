/* SPDX-License-Identifier: MIT */
/* Candidates that are shared objects (cpu, and cuda built by nvcc): their entry points, and the
 * blocks of DLTensors these are called with. */
#ifndef ASSAY_DEVICE_DL_ENTRY_H
#define ASSAY_DEVICE_DL_ENTRY_H

#include "assay.h"
#include "device/device.h"

typedef int (*dl_entry_fn)(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream);

struct dl_entry {
    dl_entry_fn kernel, setup; /* setup: NULL when there is none */
};

/* Arguments of one pair of arenas: the candidate may scribble on them, and spoils only its own
 * call. */
struct dl_args {
    DLTensor *in, *out; /* point into tensors[] */
    int n_in, n_out;
    int64_t *dims; /* shape and strides of each tensor; owned */
    DLTensor tensors[];
};

/* Opens the artifact as /proc/self/fd/N and runs its constructors; it stays loaded for good. */
int dl_entry_load(int artifact_fd, struct dl_entry *ret, struct err *err);

struct dl_args *dl_args_new(const struct device_call *c, DLDevice device);
void dl_args_free(struct dl_args *a); /* NULL is fine */

static inline int dl_entry_call(dl_entry_fn fn, struct dl_args *a, void *stream)
{
    return fn(a->in, a->n_in, a->out, a->n_out, stream);
}

#endif
