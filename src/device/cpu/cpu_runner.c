/* SPDX-License-Identifier: MIT */
#include "device/cpu/cpu_device.h"

#include "device/dl_entry.h"
#include "device/hostmem.h"

#define DL_CPU 1 /* kDLCPU */

struct artifact {
    struct dl_entry entry;
};

static int runner_open(int index, void **ret_ctx, struct err *err)
{
    (void)err;
    (void)index;
    *ret_ctx = NULL;
    return 0;
}

static int runner_load(void *ctx, int artifact_fd, struct artifact **ret, struct err *err)
{
    struct dl_entry entry;

    (void)ctx;
    if (dl_entry_load(artifact_fd, &entry, err) < 0)
        return -1;
    *ret = xcalloc(1, sizeof(**ret));
    (*ret)->entry = entry;
    return 0;
}

static int runner_prepare(void *ctx, struct artifact *a, const struct device_call *c,
                          void **ret_args, struct err *err)
{
    (void)ctx;
    (void)a;
    (void)err;
    *ret_args = dl_args_new(c, (DLDevice){DL_CPU, 0});
    return 0;
}

static void runner_release(void *ctx, void *args)
{
    (void)ctx;
    dl_args_free(args);
}

static int runner_setup(void *ctx, struct artifact *a, void *args, int *ret_status, struct err *err)
{
    (void)ctx;
    (void)err;
    *ret_status = a->entry.setup ? dl_entry_call(a->entry.setup, args, NULL) : 0;
    return 0;
}

static int runner_call(void *ctx, struct artifact *a, void *args, int *ret_status,
                       uint64_t *ret_claim_ns)
{
    (void)ctx;
    *ret_status = dl_entry_call(a->entry.kernel, args, NULL);
    *ret_claim_ns = 0;
    return 0;
}

const struct device_runner_ops cpu_runner_ops = {
    .open = runner_open,
    .import = hostmem_import,
    .unimport = hostmem_unimport,
    .load = runner_load,
    .prepare = runner_prepare,
    .release = runner_release,
    .setup = runner_setup,
    .call = runner_call,
};
