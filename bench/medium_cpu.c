/* SPDX-License-Identifier: MIT */
/* The medium size of every problem: its parameters, its floor on one CPU core, and what a call of
 * cpu:naive takes. The ops are evaluated as for cpu:naive, but on one thread of this process and
 * without a sandbox: a judge would take minutes for the same figures. Prints a table and, with a
 * file name as the argument, writes the figures there as JSON. Exits 1 where a floor is too low.
 */
#include "base/clock.h"
#include "base/fs.h"
#include "base/version.h"
#include "device/device.h"
#include "measure/stats.h"
#include "ops/gemm.h"
#include "ops/ops.h"
#include "problem/problem.h"
#include "tensor/fill.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SEED 42
#define CALLS 7

struct arrays {
    const struct graph *graph;
    void **sources, **outputs;
};

static void arrays_release(struct arrays *c)
{
    for (int i = 0; i < c->graph->n_sources; i++)
        free(c->sources[i]);
    for (int i = 0; i < c->graph->n_outputs; i++)
        free(c->outputs[i]);
    free(c->sources);
    free(c->outputs);
}

static struct arrays arrays_make(const struct graph *g)
{
    struct arrays c = {g, xcalloc((size_t)g->n_sources, sizeof(void *)),
                       xcalloc((size_t)g->n_outputs, sizeof(void *))};

    for (int i = 0; i < g->n_sources; i++)
        c.sources[i] =
            xmalloc((size_t)shape_count(&g->sources[i].shape) * dtype_size(g->sources[i].dtype));
    for (int i = 0; i < g->n_outputs; i++)
        c.outputs[i] = xmalloc((size_t)shape_count(&g->nodes[g->outputs[i].node].shape) * 8);
    return c;
}

/* The law of scored content k: they take turns. */
static int scored_law(const struct graph *g, int k)
{
    int law = -1;

    for (int left = k % graph_n_scored(g); left >= 0; left -= graph_law_scored(g, law))
        law++;
    return law;
}

static void draw(const struct arrays *c, int k)
{
    int law = scored_law(c->graph, k);

    for (int i = 0; i < c->graph->n_sources; i++) {
        const struct source *s = &c->graph->sources[i];
        const struct law *l = &s->laws[law % s->n_laws];

        fill_tensor(l, fill_seed(SEED, (uint64_t)k, law_tensor(l, i)), s->dtype, &s->shape,
                    c->sources[i]);
    }
}

/* CPU time of this thread: what else the machine does counts less. */
static double thread_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* The median call, over contents that scored calls would see. */
static int naive_us(const struct graph *g, double *ret, struct err *err)
{
    AUTO(arrays_release) struct arrays c = arrays_make(g);
    const struct ops_run run = {
        .precision = OPS_FLOAT, .f32_outputs = true, .compensated = g->tolerance.compensated};
    double us[CALLS];

    for (int i = 0; i < CALLS; i++) {
        draw(&c, i);

        double start = thread_us();

        if (ops_eval(g, &run, (const void *const *)c.sources, c.outputs, err) < 0)
            return -1;
        us[i] = thread_us() - start;
    }
    *ret = stats_quantile(us, CALLS, 0.5);
    return 0;
}

/* 1: the floor is not what medium promises. A call that takes too long is marked in the table. */
static int measure(const struct problem *p, int i, json_t *rows, struct err *err)
{
    const struct size *s = &p->sizes[SIZES_MEDIUM][i];
    AUTO(buf_release) struct buf params = BUF_INIT;
    double floor_us = graph_core_floor_us(s->graph), us = 0;
    struct cost c;

    graph_cost(s->graph, &c);
    if (naive_us(s->graph, &us, err) < 0)
        return -1;

    bool low = floor_us<MEDIUM_FLOOR_US, slow = us> MEDIUM_NAIVE_MS * 1e3;

    size_print(s, &params);
    printf("%-58.58s %-50s %9.1f %9.0f%s\n", p->name, buf_str(&params), floor_us, us,
           low    ? "  floor too low"
           : slow ? "  naive too slow"
                  : "");
    json_array_append_new(rows, json_pack("{s:s, s:s, s:b, s:f, s:f, s:f, s:f, s:f}", "problem",
                                          p->name, "size", buf_str(&params), "stated",
                                          p->medium_stated, "floor_us", floor_us, "naive_us", us,
                                          "contract_flops", cost_contract_total(&c), "other_flops",
                                          c.other, "bytes", cost_bytes(&c)));
    return low;
}

static int measure_all(json_t *rows, int *ret_bad, struct err *err)
{
    AUTO(freep) char *share = fs_share_dir();
    struct problem_ref *refs = NULL;
    int n = 0, rc = 0;

    if (problem_list(share, NULL, 0, &refs, &n, err) < 0)
        return -1;
    for (int k = 0; k < n && rc >= 0; k++) {
        AUTO(problem_freep) struct problem *p = NULL;

        rc = problem_load(refs[k].path, refs[k].name, &p, err);
        for (int i = 0; rc >= 0 && i < p->n_sizes[SIZES_MEDIUM]; i++) {
            rc = measure(p, i, rows, err);
            *ret_bad += rc > 0;
        }
    }
    problem_refs_free(refs, n);
    return rc;
}

static int write_json(const char *path, json_t *rows, struct err *err)
{
    struct device_info info;
    void *ctx = NULL;
    char now[21];

    if (device_cpu.judge->open(0, &ctx, err) < 0 || device_cpu.judge->describe(ctx, &info, err) < 0)
        return -1;
    device_cpu.judge->close(ctx);
    clock_utc(now);

    json_t *j =
        json_pack("{s:s, s:s, s:s, s:s, s:i, s:O}", "bench", "medium_cpu", "date", now, "device",
                  info.name, "assay", assay_version, "calls", CALLS, "rows", rows);
    int rc = json_dump_file(j, path, JSON_INDENT(1));

    json_decref(j);
    return rc < 0 ? fail_errno(err, "%s", path) : 0;
}

int main(int argc, char **argv)
{
    json_t *rows = json_array();
    struct err err = ERR_INIT;
    int bad = 0;

    gemm_limit_isa(GEMM_BASE);
    ops_set_threads(1);
    printf("%-58s %-50s %9s %9s\n", "problem", "medium size", "floor us", "naive us");

    int rc = measure_all(rows, &bad, &err);

    if (rc >= 0 && argc > 1)
        rc = write_json(argv[1], rows, &err);
    json_decref(rows);
    if (rc < 0)
        fprintf(stderr, "medium_cpu: %s\n", err.text);
    return rc < 0 || bad;
}
