/* SPDX-License-Identifier: MIT */
#include "device/dl_entry.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* dlerror() without our name for the file, which would mean nothing to the reader. */
static const char *load_error(const char *path)
{
    const char *text = dlerror();
    const char *ours = text ? strstr(text, path) : NULL;

    if (!text)
        return "unknown reason";
    if (!ours)
        return text;
    ours += strlen(path);
    return ours + strspn(ours, ": ");
}

int dl_entry_load(int artifact_fd, struct dl_entry *ret, struct err *err)
{
    char path[32];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", artifact_fd);

    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!lib)
        return fail(err, ERR_INPUT, "candidate does not load: %s", load_error(path));

    dl_entry_fn kernel = (dl_entry_fn)dlsym(lib, "assay_kernel");

    if (!kernel)
        return fail(err, ERR_INPUT,
                    "candidate has no function assay_kernel: include assay.h and write int "
                    "assay_kernel(...), or, in a .cu, // assay: launch lines and extern \"C\" "
                    "__global__ kernels");
    ret->kernel = kernel;
    ret->setup = (dl_entry_fn)dlsym(lib, "assay_setup");
    return 0;
}

static void make_tensor(const struct tensor_slot *slot, char *base, DLDevice device, int64_t *dims,
                        DLTensor *ret)
{
    int64_t *strides = dims + SHAPE_MAX_RANK;

    memcpy(dims, slot->shape.dim, sizeof(slot->shape.dim));
    shape_strides(&slot->shape, strides);
    *ret = (DLTensor){.data = base ? base + slot->offset : NULL,
                      .device = device,
                      .ndim = slot->shape.rank,
                      .dtype = {.lanes = 1},
                      .shape = dims,
                      .strides = strides};
    dtype_dlpack(slot->dtype, &ret->dtype.code, &ret->dtype.bits);
}

struct dl_args *dl_args_new(const struct device_call *c, DLDevice device)
{
    int n = c->n_in + c->n_out;
    struct dl_args *args = xcalloc(1, sizeof(*args) + (size_t)n * sizeof(args->tensors[0]));

    args->in = args->tensors;
    args->out = args->tensors + c->n_in;
    args->n_in = c->n_in;
    args->n_out = c->n_out;
    args->dims = xcalloc((size_t)n * 2 * SHAPE_MAX_RANK, sizeof(*args->dims));
    for (int i = 0; i < n; i++) {
        bool is_in = i < c->n_in;
        bool hidden = c->params_only && is_in && i < c->first_param;
        void *base = hidden ? NULL : is_in ? c->in_base : c->out_base;

        make_tensor(is_in ? &c->in[i] : &c->out[i - c->n_in], base, device,
                    args->dims + (size_t)i * 2 * SHAPE_MAX_RANK, &args->tensors[i]);
    }
    return args;
}

void dl_args_free(struct dl_args *a)
{
    if (a)
        free(a->dims);
    free(a);
}
