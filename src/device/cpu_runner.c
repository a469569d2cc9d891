/* SPDX-License-Identifier: MIT */
#include "device/cpu_device.h"

#include "assay.h"
#include "device/hostmem.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DL_CPU 1 /* kDLCPU */

typedef int (*entry_fn)(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream);

struct artifact {
    entry_fn kernel, setup; /* setup: NULL when there is none */
};

/* One block per pair of arenas: the candidate may scribble on it, and spoils only its own call. */
struct cpu_args {
    DLTensor *in, *out; /* into tensors[] */
    int n_in, n_out;
    int64_t *dims; /* shape and strides of each tensor; owned */
    DLTensor tensors[];
};

static int runner_open(int index, void **ret_ctx, struct err *err)
{
    (void)err;
    (void)index;
    *ret_ctx = NULL;
    return 0;
}

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

static int runner_load(void *ctx, int artifact_fd, struct artifact **ret, struct err *err)
{
    char path[32];

    (void)ctx;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", artifact_fd);

    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!lib)
        return fail(err, ERR_INPUT, "candidate does not load: %s", load_error(path));

    entry_fn kernel = (entry_fn)dlsym(lib, "assay_kernel");

    if (!kernel)
        return fail(err, ERR_INPUT, "candidate has no function assay_kernel: see include/assay.h");

    struct artifact *a = xcalloc(1, sizeof(*a));

    a->kernel = kernel;
    a->setup = (entry_fn)dlsym(lib, "assay_setup");
    *ret = a;
    return 0;
}

static void make_tensor(const struct tensor_slot *slot, char *base, int64_t *dims, DLTensor *ret)
{
    int64_t *strides = dims + SHAPE_MAX_RANK;

    memcpy(dims, slot->shape.dim, sizeof(slot->shape.dim));
    shape_strides(&slot->shape, strides);
    *ret = (DLTensor){.data = base ? base + slot->offset : NULL,
                      .device = {DL_CPU, 0},
                      .ndim = slot->shape.rank,
                      .dtype = {.lanes = 1},
                      .shape = dims,
                      .strides = strides};
    dtype_dlpack(slot->dtype, &ret->dtype.code, &ret->dtype.bits);
}

static int runner_prepare(void *ctx, struct artifact *a, const struct device_call *c,
                          void **ret_args, struct err *err)
{
    int n = c->n_in + c->n_out;
    struct cpu_args *args = xcalloc(1, sizeof(*args) + (size_t)n * sizeof(args->tensors[0]));

    (void)ctx;
    (void)a;
    (void)err;
    args->in = args->tensors;
    args->out = args->tensors + c->n_in;
    args->n_in = c->n_in;
    args->n_out = c->n_out;
    args->dims = xcalloc((size_t)n * 2 * SHAPE_MAX_RANK, sizeof(*args->dims));
    for (int i = 0; i < n; i++) {
        bool is_in = i < c->n_in;
        bool hidden = c->params_only && is_in && i < c->first_param;

        make_tensor(is_in ? &c->in[i] : &c->out[i - c->n_in],
                    hidden  ? NULL
                    : is_in ? c->in_base
                            : c->out_base,
                    args->dims + (size_t)i * 2 * SHAPE_MAX_RANK, &args->tensors[i]);
    }
    *ret_args = args;
    return 0;
}

static void runner_release(void *ctx, void *args)
{
    struct cpu_args *a = args;

    (void)ctx;
    if (a)
        free(a->dims);
    free(a);
}

static int runner_setup(void *ctx, struct artifact *a, void *args, int *ret_status, struct err *err)
{
    struct cpu_args *c = args;

    (void)ctx;
    (void)err;
    *ret_status = a->setup ? a->setup(c->in, c->n_in, c->out, c->n_out, NULL) : 0;
    return 0;
}

static int runner_call(void *ctx, struct artifact *a, void *args, int *ret_status,
                       uint64_t *ret_claim_ns)
{
    struct cpu_args *c = args;

    (void)ctx;
    *ret_status = a->kernel(c->in, c->n_in, c->out, c->n_out, NULL);
    *ret_claim_ns = 0;
    return 0;
}

const struct device_runner_ops cpu_runner = {
    .open = runner_open,
    .import = hostmem_import,
    .unimport = hostmem_unimport,
    .load = runner_load,
    .prepare = runner_prepare,
    .release = runner_release,
    .setup = runner_setup,
    .call = runner_call,
};
