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
static const struct device *base; /* the device without Python */

static int refused(struct err *err)
{
    return fail(err, ERR_INPUT, "%.*s", (int)strnlen(glue->text, glue->text_bytes), glue->text);
}

/* Names of the last call's results. They are made while the device still works: between its end and
 * "done" nothing is to be done that an empty order does not do. */
static struct {
    struct device_result results[WIRE_MAX_RESULTS];
    int n;
    void *ctx; /* the device's */
} named;

/* A result in memory that cannot be shared is copied, inside the call. */
static int name_results(void)
{
    named.n = 0;
    for (int i = 0; i < *glue->n_results && i < WIRE_MAX_RESULTS; i++) {
        const void *at = (const void *)(uintptr_t)glue->results[i];

        named.results[i] = (struct device_result){.at = glue->results[i]};
        if (base->runner->export && base->runner->export(named.ctx, at, &named.results[i]) < 0) {
            named.n = 0;
            return glue->copy();
        }
        named.n = i + 1;
    }
    return 0;
}

static int make_call(void *args)
{
    if (glue->call((int)((intptr_t)args - 1)) < 0 || name_results() < 0)
        return DEVICE_STATUS_FAULT;
    return 0;
}

static const char *last_text(void)
{
    return glue->text;
}

static int open_device(int index, void **ret_ctx, struct err *err)
{
    static const struct device_caller caller = {make_call, last_text};

    *ret_ctx = NULL;
    if (base->runner->open_for && base->runner->open_for(index, &caller, ret_ctx, err) < 0)
        return -1;
    named.ctx = *ret_ctx;
    return glue->open(index) < 0 ? refused(err) : 0;
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

static const char *note_of_load(void *ctx)
{
    (void)ctx;
    return glue->note;
}

static struct python_tensor *list_tensors(const struct tensor_slot *slots, int n, void *arena)
{
    struct python_tensor *list = xcalloc((size_t)n + 1, sizeof(*list));

    for (int i = 0; i < n; i++) {
        list[i].dtype = slots[i].dtype;
        list[i].rank = slots[i].shape.rank;
        list[i].data = (char *)arena + slots[i].offset;
        memcpy(list[i].dim, slots[i].shape.dim, sizeof(list[i].dim));
    }
    return list;
}

static struct python_tensor *list_sources(const struct device_call *c)
{
    struct python_tensor *list = list_tensors(c->in, c->n_in, c->in_base);

    for (int i = c->first_param; c->param_base && i < c->n_in; i++)
        list[i].data = (char *)c->param_base + (c->in[i].offset - c->in[c->first_param].offset);
    return list;
}

/* Setup, before there are outputs: Python may take the parameters' values. */
static int hand_values(const struct device_call *c, struct err *err)
{
    int first = c->first_param, n = c->param_base ? c->n_in - first : 0;
    AUTO(freep) struct python_tensor *list = list_tensors(c->in + first, n, c->param_base);

    for (int i = 0; i < n; i++)
        list[i].data = (char *)c->param_base + (c->in[first + i].offset - c->in[first].offset);
    return glue->values(list, n) < 0 ? refused(err) : 0;
}

static int prepare(void *ctx, struct artifact *a, const struct device_call *c, void **ret_args,
                   struct err *err)
{
    (void)ctx, (void)a;
    *ret_args = NULL;
    if (!c->out_base)
        return hand_values(c, err);

    AUTO(freep) struct python_tensor *in = list_sources(c);
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
    *ret_status = make_call(args);
    *ret_claim_ns = 0;
    return 0;
}

static const char *fault(void *ctx)
{
    (void)ctx;
    return glue->text;
}

static int results_of_call(void *ctx, struct device_result *ret, int max)
{
    (void)ctx;
    memcpy(ret, named.results, (size_t)MIN(named.n, max) * sizeof(*ret));
    return MIN(named.n, max);
}

static int save(void *ctx)
{
    (void)ctx;
    return glue->save(WIRE_SAVE_FD) < 0 ? DEVICE_STATUS_FAULT : 0;
}

/* For a device that needs nothing but memory of the host. */
static const struct device_runner_ops host_ops = {
    .open = open_device,
    .import = hostmem_import,
    .unimport = hostmem_unimport,
    .load = load,
    .note = note_of_load,
    .prepare = prepare,
    .release = release,
    .setup = set_up,
    .call = call,
    .results = results_of_call,
    .save = save,
    .fault = fault,
};

/* The device's own clock, hold and memory, with Python's candidate. */
static struct device_runner_ops ops_of(const struct device *d)
{
    struct device_runner_ops ops = host_ops;

    if (!d->runner->open_for)
        return ops;
    ops = *d->runner;
    ops.open = open_device;
    ops.load = load;
    ops.note = note_of_load;
    ops.prepare = prepare;
    ops.release = release;
    ops.setup = set_up;
    ops.results = results_of_call;
    ops.save = save;
    return ops;
}

PUBLIC int assay_unshare(int attempt, uint32_t *ret_layers, char *text, size_t text_bytes)
{
    struct err err = ERR_INIT;
    int rc = sandbox_unshare(attempt, ret_layers, &err);

    snprintf(text, text_bytes, "%s", err.text);
    return rc;
}

static const char *const *join(const char *const *a, const char *const *b)
{
    size_t n = 0;
    const char **all;

    for (size_t i = 0; a && a[i]; i++)
        n++;
    for (size_t i = 0; b && b[i]; i++)
        n++;
    all = xcalloc(n + 1, sizeof(*all));
    n = 0;
    for (size_t i = 0; a && a[i]; i++)
        all[n++] = a[i];
    for (size_t i = 0; b && b[i]; i++)
        all[n++] = b[i];
    return all;
}

/* torch maps far more than it uses, so its memory is watched and not limited by address space. */
static struct device device_of(const struct python_role *role, const struct sandbox_birth *birth,
                               uint32_t layers)
{
    static const char *own[2];
    static const char *const null_device[] = {"/dev/null", NULL};
    static struct device_runner_ops ops;
    struct device d = *base;

    own[0] = birth->scratch;
    ops = ops_of(base);
    d.runner = &ops;
    d.read_paths = join(base->read_paths, role->read_paths);
    d.own_paths = layers & SANDBOX_SCRATCH ? own : NULL;
    d.is_interpreter = true;
    d.maps_beyond_memory = true;
    if (role->program_paths) {
        d.starts_programs = true;
        d.execute_paths = role->program_paths;
        d.write_paths = join(base->write_paths, null_device);
    }
    return d;
}

static _Noreturn void stop(const struct sandbox_birth *birth, const struct err *err)
{
    dprintf(birth->out_fd, "%s\n", err->text);
    _exit(WIRE_EXIT_FAIL);
}

PUBLIC _Noreturn void assay_run(const struct sandbox_birth *birth, uint32_t layers,
                                const struct python_role *role, const struct python_glue *g)
{
    static struct device device;
    struct err err = ERR_INIT;
    int index;

    glue = g;
    if (device_find(role->device, &base, &index, &err) < 0)
        stop(birth, &err);
    if (sandbox_settle(birth, &layers, &err) < 0 || runner_catch_abort() < 0)
        stop(birth, &err);
    sandbox_hide(role->hidden_paths);
    device = device_of(role, birth, layers);
    runner_run(WIRE_SOCKET_FD, -1, -1, &device, layers);
}
