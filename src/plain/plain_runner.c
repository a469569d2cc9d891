/* SPDX-License-Identifier: MIT */
#include "plain/plain.h"

#include "base/fs.h"
#include "device/hostmem.h"
#include "ops/gemm.h"
#include "ops/ops.h"
#include "problem/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES (8 << 20)

struct artifact {
    struct problem *problem;
    const struct graph *graph; /* the problem's graph of the chosen size; not owned */
};

/* The addresses of one call: a pair of input and output arenas. */
struct args {
    const void **sources;
    void **outputs; /* the outputs of ops_eval(): in the arena if possible, else rooms[i] */
    void **rooms;   /* buffers of outputs that have to be converted; else NULL */
    void **arena;   /* addresses of the outputs in the arena */
};

static int plain_open(int index, void **ret_ctx, struct err *err)
{
    (void)index;
    (void)err;
    *ret_ctx = NULL;
    return 0;
}

/* ---- the artifact ---- */

static int use_loops(const char *how, struct err *err)
{
    bool naive = !strcmp(how, "naive");

    if (!naive && strcmp(how, "openblas") != 0)
        return fail(err, ERR_INPUT, "'%s' is no way to evaluate", how);
    if (!naive && !ops_blas_for_floats())
        return fail(err, ERR_SYSTEM, "no OpenBLAS on this machine");
    if (naive)
        gemm_limit_isa(GEMM_BASE); /* as fast as a compiler makes a plain loop */
    ops_set_threads(naive ? 1 : 0);
    return 0;
}

static int choose_graph(struct artifact *a, const char *set, int size, struct err *err)
{
    for (int s = 0; s < SIZES_COUNT; s++)
        if (!strcmp(size_set_names[s], set) && size >= 0 && size < a->problem->n_sizes[s]) {
            a->graph = a->problem->sizes[s][size].graph;
            return 0;
        }
    return fail(err, ERR_INPUT, "no size %s %d", set, size);
}

static int plain_load(void *ctx, int artifact_fd, struct artifact **ret, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct artifact *a = xcalloc(1, sizeof(*a)); /* never freed: the process ends with it */
    char path[32], how[16], set[16];
    int size, head = 0;

    (void)ctx;
    /* Opened again, because several runners share the descriptor's offset. */
    snprintf(path, sizeof(path), "/proc/self/fd/%d", artifact_fd);
    if (fs_read(path, TEXT_MAX_BYTES, &text, err) < 0)
        return -1;
    if (sscanf(buf_str(&text), "%15s %15s %d%n", how, set, &size, &head) != 3 ||
        text.ptr[head++] != '\n')
        return fail(err, ERR_INPUT, "no head line");
    if (use_loops(how, err) < 0 ||
        problem_unpack(text.ptr + head, text.len - (size_t)head, &a->problem, err) < 0 ||
        choose_graph(a, set, size, err) < 0)
        return -1;
    *ret = a;
    return 0;
}

/* ---- calls ---- */

/* Whether ops_eval() writes outputs of this dtype exactly as the arena holds them. */
static bool writes_directly(enum dtype t)
{
    return t == DT_F32 || t == DT_F64 || t == DT_I64;
}

static int plain_prepare(void *ctx, struct artifact *a, const struct device_call *c,
                         void **ret_args, struct err *err)
{
    struct args *x;

    (void)ctx;
    if (c->n_in != a->graph->n_sources || c->n_out != a->graph->n_outputs)
        return fail(err, ERR_SYSTEM, "the tensors are not the problem's");
    x = xcalloc(1, sizeof(*x));
    x->sources = xcalloc((size_t)c->n_in, sizeof(*x->sources));
    x->outputs = xcalloc((size_t)c->n_out, sizeof(*x->outputs));
    x->rooms = xcalloc((size_t)c->n_out, sizeof(*x->rooms));
    x->arena = xcalloc((size_t)c->n_out, sizeof(*x->arena));
    for (int i = 0; c->in_base && i < c->n_in; i++)
        x->sources[i] = (char *)c->in_base + c->in[i].offset;
    for (int i = 0; c->out_base && i < c->n_out; i++) {
        x->arena[i] = (char *)c->out_base + c->out[i].offset;
        if (!writes_directly(c->out[i].dtype))
            x->rooms[i] = xmalloc((size_t)shape_count(&c->out[i].shape) * sizeof(double));
        x->outputs[i] = x->rooms[i] ? x->rooms[i] : x->arena[i];
    }
    *ret_args = x;
    return 0;
}

static void plain_release(void *ctx, void *args)
{
    struct args *x = args;

    (void)ctx;
    free(x->sources);
    free(x->outputs);
    free(x->rooms); /* rooms[i] exist only for calls, whose arguments are never released */
    free(x->arena);
    free(x);
}

static int plain_setup(void *ctx, struct artifact *a, void *args, int *ret_status, struct err *err)
{
    (void)ctx;
    (void)a;
    (void)args;
    (void)err;
    *ret_status = 0;
    return 0;
}

static void deliver(const struct graph *g, const struct args *x)
{
    for (int i = 0; i < g->n_outputs; i++) {
        const struct node *node = &g->nodes[g->outputs[i].node];
        int64_t n = shape_count(&node->shape);

        if (x->rooms[i] && dtype_is_float(node->dtype))
            dtype_from_f64(node->dtype, x->rooms[i], x->arena[i], n);
        else if (x->rooms[i])
            dtype_from_i64(node->dtype, x->rooms[i], x->arena[i], n);
    }
}

static int plain_call(void *ctx, struct artifact *a, void *args, int *ret_status,
                      uint64_t *ret_claim_ns)
{
    const struct ops_run run = {.precision = OPS_FLOAT,
                                .f32_outputs = true,
                                .compensated = a->graph->tolerance.compensated};
    struct args *x = args;
    struct err err = ERR_INIT;

    (void)ctx;
    *ret_claim_ns = 0;
    *ret_status = ops_eval(a->graph, &run, x->sources, x->outputs, &err) < 0;
    if (*ret_status)
        fprintf(stderr, "%s\n", err.text);
    else
        deliver(a->graph, x);
    return 0;
}

const struct device_runner_ops plain_runner = {
    .open = plain_open,
    .import = hostmem_import,
    .unimport = hostmem_unimport,
    .load = plain_load,
    .prepare = plain_prepare,
    .release = plain_release,
    .setup = plain_setup,
    .call = plain_call,
};
