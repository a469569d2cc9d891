/* SPDX-License-Identifier: MIT */
#include "python/python_runner.h"

#include "device/device.h"
#include "device/hostmem.h"
#include "runner/runner.h"
#include "wire/wire.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

static const struct python_glue *glue;

static int open_nothing(int index, void **ret_ctx, struct err *err)
{
    (void)index, (void)err;
    *ret_ctx = NULL;
    return 0;
}

static int refused(struct err *err)
{
    return fail(err, ERR_INPUT, "%.*s", (int)strnlen(glue->text, glue->text_bytes), glue->text);
}

/* Mapped, because several runners share the descriptor and its offset. */
static int load(void *ctx, int artifact_fd, struct artifact **ret, struct err *err)
{
    struct stat st;
    void *bundle;

    (void)ctx;
    if (fstat(artifact_fd, &st) < 0 || st.st_size == 0)
        return fail(err, ERR_SYSTEM, "the candidate's text is empty");
    bundle = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, artifact_fd, 0);
    if (bundle == MAP_FAILED)
        return fail_errno(err, "cannot map the candidate's text");
    *ret = NULL;
    return glue->load(bundle, (size_t)st.st_size) < 0 ? refused(err) : 0;
}

static struct python_tensor *list_tensors(const struct tensor_slot *slots, int n, void *base)
{
    struct python_tensor *list = xcalloc((size_t)n + 1, sizeof(*list));

    for (int i = 0; i < n; i++) {
        list[i].dtype = slots[i].dtype;
        list[i].rank = slots[i].shape.rank;
        list[i].data = (char *)base + slots[i].offset;
        memcpy(list[i].dim, slots[i].shape.dim, sizeof(list[i].dim));
    }
    return list;
}

/* Python has no setup function: without outputs there is nothing to prepare. */
static int prepare(void *ctx, struct artifact *a, const struct device_call *c, void **ret_args,
                   struct err *err)
{
    (void)ctx, (void)a;
    *ret_args = NULL;
    if (!c->out_base)
        return 0;

    AUTO(freep) struct python_tensor *in = list_tensors(c->in, c->n_in, c->in_base);
    AUTO(freep) struct python_tensor *out = list_tensors(c->out, c->n_out, c->out_base);
    int number = glue->prepare(in, c->n_in, c->first_param, out, c->n_out);

    if (number < 0)
        return refused(err);
    *ret_args = (void *)((intptr_t)number + 1); /* NULL means: no such pair of arenas */
    return 0;
}

static void release(void *ctx, void *args)
{
    (void)ctx, (void)args;
}

static int set_up(void *ctx, struct artifact *a, void *args, int *ret_status, struct err *err)
{
    (void)ctx, (void)a, (void)args, (void)err;
    *ret_status = 0;
    return 0;
}

static int call(void *ctx, struct artifact *a, void *args, int *ret_status, uint64_t *ret_claim_ns)
{
    (void)ctx, (void)a;
    *ret_status = glue->call((int)((intptr_t)args - 1)) < 0 ? DEVICE_STATUS_FAULT : 0;
    *ret_claim_ns = 0;
    return 0;
}

static const char *fault(void *ctx)
{
    (void)ctx;
    return glue->text;
}

static int name_results(void *ctx, uint64_t *ret, int max)
{
    int n = MIN(*glue->n_results, max);

    (void)ctx;
    for (int i = 0; i < n; i++)
        ret[i] = glue->results[i];
    return MAX(n, 0);
}

static const struct device_runner_ops python_ops = {
    .open = open_nothing,
    .import = hostmem_import,
    .unimport = hostmem_unimport,
    .load = load,
    .prepare = prepare,
    .release = release,
    .setup = set_up,
    .call = call,
    .results = name_results,
    .fault = fault,
};

PUBLIC int assay_unshare(int attempt, uint32_t *ret_layers, char *text, size_t text_bytes)
{
    struct err err = ERR_INIT;
    int rc = sandbox_unshare(attempt, ret_layers, &err);

    snprintf(text, text_bytes, "%s", err.text);
    return rc;
}

/* torch maps far more than it uses, so its memory is watched and not limited by address space. */
PUBLIC _Noreturn void assay_run(const struct sandbox_birth *birth, uint32_t layers,
                                const char *const *read_paths, const struct python_glue *g)
{
    static const char *own[2];
    static struct device device;
    struct err err = ERR_INIT;

    if (sandbox_settle(birth, &layers, &err) < 0 || runner_catch_abort() < 0) {
        dprintf(birth->out_fd, "%s\n", err.text);
        _exit(WIRE_EXIT_FAIL);
    }
    own[0] = birth->scratch;
    glue = g;
    device = device_cpu;
    device.runner = &python_ops;
    device.read_paths = read_paths;
    device.own_paths = layers & SANDBOX_SCRATCH ? own : NULL;
    device.is_interpreter = true;
    device.maps_beyond_memory = true;
    runner_run(WIRE_SOCKET_FD, -1, -1, &device, layers);
}
