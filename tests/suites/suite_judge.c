/* SPDX-License-Identifier: MIT */
/* Lends the judge to tests/suites: a script asks for a problem's contents, computes the outputs its
 * own way and has them judged by the gate every candidate meets. Expected values leave the judge
 * here, so this is a program of the tests and no command of assay.
 *
 * One request a line on stdin, one JSON object a line on stdout:
 *   facts NAME            tensors, contraction FLOPs and "construct" (construct.h) of the (first)
 *                         full size; the same of the others in "small" and "medium"
 *   open NAME SEED N      tensors of the small size, "module", how many laws and contents (at least
 *                         N, and those that the gates rest on)
 *   content K FILE        writes sources in their own dtypes, then the expected outputs as float64
 *                         or int64, all one behind the other
 *   judge K FILE          compares outputs in their own dtypes, one behind the other
 *   pooled                the verdict on the RMS errors of all that was judged since `open`
 * "error" in an answer means that we could not find out. */
#include "base/fs.h"
#include "content/pool.h"
#include "ops/ops.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MAX_BYTES ((size_t)1 << 30)

struct lent {
    char *share;
    void *ctx;
    int64_t memory_bytes;
    struct problem *problem;
    struct pool pool;
    struct compare_stats *pooled; /* per law and output */
    struct mem got;               /* laid out like an output arena */
};

static const struct device_judge_ops *device(void)
{
    return device_cpu.judge;
}

static void put_back(struct lent *l)
{
    if (!l->problem)
        return;
    device()->mem_free(l->ctx, &l->got);
    pool_close(&l->pool);
    free(l->pooled);
    problem_free(l->problem);
    l->problem = NULL;
    l->pooled = NULL;
}

static int load(const struct lent *l, const char *name, struct problem **ret, struct err *err)
{
    struct problem_ref ref = {0};
    int rc = problem_find(l->share, name, &ref, err);

    if (rc == 0)
        rc = problem_load(ref.path, ref.name, ret, err);
    problem_ref_release(&ref);
    return rc;
}

/* ------------------------------------------------------------------ what a problem looks like */

static json_t *tensor_json(const char *name, enum dtype dtype, const struct shape *shape)
{
    json_t *dims = json_array();

    for (int i = 0; i < shape->rank; i++)
        json_array_append_new(dims, json_integer(shape->dim[i]));
    return json_pack("{s:s, s:s, s:o}", "name", name, "dtype", dtype_name(dtype), "shape", dims);
}

static json_t *graph_json(const struct graph *g)
{
    json_t *inputs = json_array(), *params = json_array(), *outputs = json_array();
    struct cost cost;

    for (int i = 0; i < g->n_sources; i++) {
        const struct source *s = &g->sources[i];

        json_array_append_new(s->kind == SOURCE_INPUT ? inputs : params,
                              tensor_json(s->name, s->dtype, &s->shape));
    }
    for (int i = 0; i < g->n_outputs; i++) {
        const struct node *n = &g->nodes[g->outputs[i].node];

        json_array_append_new(outputs, tensor_json(g->outputs[i].name, n->dtype, &n->shape));
    }
    graph_cost(g, &cost);
    return json_pack("{s:o, s:o, s:o, s:f}", "inputs", inputs, "params", params, "outputs", outputs,
                     "flops", cost_contract_total(&cost));
}

/* The first size of a set. */
static json_t *size_json(const struct problem *p, enum size_set set)
{
    const struct graph *g = p->sizes[set][0].graph;
    AUTO(buf_release) struct buf text = BUF_INIT;
    json_t *j = graph_json(g);

    construct_json(p, g, &text);
    json_object_set_new(j, "construct", json_loads(buf_str(&text), 0, NULL));
    return j;
}

static int answer_facts(struct lent *l, char **words, json_t **ret, struct err *err)
{
    AUTO(problem_freep) struct problem *p = NULL;

    if (load(l, words[1], &p, err) < 0)
        return -1;
    *ret = size_json(p, SIZES_FULL);
    json_object_set_new(*ret, "repaired", p->repaired ? json_string(p->repaired) : json_null());
    json_object_set_new(*ret, "foreign", p->foreign ? json_string(p->foreign) : json_null());
    for (int set = SIZES_SMALL; set < SIZES_FULL; set++)
        if (p->n_sizes[set] > 0)
            json_object_set_new(*ret, size_set_names[set], size_json(p, (enum size_set)set));
    return 0;
}

/* ------------------------------------------------------------------ contents and verdicts */

static int answer_open(struct lent *l, char **words, json_t **ret, struct err *err)
{
    AUTO(problem_freep) struct problem *p = NULL;
    AUTO(buf_release) struct buf module = BUF_INIT;

    put_back(l);
    if (load(l, words[1], &p, err) < 0)
        return -1;

    const struct graph *g = p->sizes[SIZES_SMALL][0].graph;
    size_t n_gates = (size_t)(g->n_laws * g->n_outputs);

    int contents = MAX(atoi(words[3]), g->n_laws);
    const struct pool_config c = {.device = &device_cpu,
                                  .ctx = l->ctx,
                                  .engine = &ops_host,
                                  .graph = g,
                                  .seed = strtoull(words[2], NULL, 0),
                                  .contents = contents,
                                  .least_slots = contents,
                                  .memory_bytes = l->memory_bytes};

    if (pool_open(&c, &l->pool, err) < 0)
        return -1;
    l->problem = steal(&p);
    l->got = (struct mem)MEM_INIT;
    l->pooled = xcalloc(n_gates, sizeof(*l->pooled));
    for (size_t i = 0; i < n_gates; i++)
        l->pooled[i] = (struct compare_stats)COMPARE_STATS_INIT;
    if (device()->mem_alloc(l->ctx, MEM_PRIVATE, l->pool.out.bytes, &l->got, err) < 0)
        return -1;
    emit_torch(l->problem, SIZES_SMALL, &module);
    *ret = graph_json(g);
    json_object_set_new(*ret, "module", json_string(buf_str(&module)));
    json_object_set_new(*ret, "laws", json_integer(g->n_laws));
    json_object_set_new(*ret, "contents", json_integer(l->pool.n_contents));
    return 0;
}

static int content_number(const struct lent *l, const char *word, int *ret, struct err *err)
{
    *ret = atoi(word);
    if (!l->problem || *ret < 0 || *ret >= l->pool.n_contents)
        return fail(err, ERR_USAGE, "there is no content %s", word);
    return 0;
}

static int answer_content(struct lent *l, char **words, json_t **ret, struct err *err)
{
    struct pool *p = &l->pool;
    const struct pool_slot *slot;
    AUTO(buf_release) struct buf all = BUF_INIT;
    int k;

    if (content_number(l, words[1], &k, err) < 0 || pool_get_expected(p, k, &slot, err) < 0)
        return -1;
    for (int i = 0; i < p->in.n; i++)
        buf_add(&all, (const char *)slot->data.host + p->in.slots[i].offset, p->in.slot_bytes[i]);
    buf_add(&all, slot->y.host, p->y_bytes);
    if (fs_write_atomic(words[2], all.ptr, all.len, err) < 0)
        return -1;
    *ret = json_pack("{s:I}", "bytes", (json_int_t)all.len);
    return 0;
}

static int read_outputs(struct lent *l, const char *path, struct err *err)
{
    const struct layout *out = &l->pool.out;
    AUTO(buf_release) struct buf all = BUF_INIT;
    size_t at = 0, want = 0;

    for (int o = 0; o < out->n; o++)
        want += out->slot_bytes[o];
    if (fs_read(path, ANSWER_MAX_BYTES, &all, err) < 0)
        return -1;
    if (all.len != want)
        return fail(err, ERR_INPUT, "%s has %zu bytes, the outputs have %zu", path, all.len, want);
    for (int o = 0; o < out->n; o++) {
        memcpy((char *)l->got.host + out->slots[o].offset, all.ptr + at, out->slot_bytes[o]);
        at += out->slot_bytes[o];
    }
    return 0;
}

static json_t *verdict_json(const struct verdict *v, double worst)
{
    return json_pack("{s:b, s:s, s:f}", "pass", v->kind == VERDICT_PASS, "detail", v->detail,
                     "of_limit", isfinite(worst) ? worst : -1);
}

/* A candidate's appeal, as in an evaluation: before it is called wrong, the honest run is made on
 * the contents it failed on. */
static int judge_output(struct pool *p, int k, int o, const struct compare_stats *s,
                        struct verdict *v, struct err *err)
{
    const struct gate *gate = &p->gates[pool_law(p, k) * p->graph->n_outputs + o].gate;
    const struct tensor_slot *slot = &p->out.slots[o];
    const char *name = p->graph->outputs[o].name;
    struct verdict first = VERDICT_INIT;

    if (!gate_call(gate, name, &slot->shape, slot->dtype, s, &first))
        return 0;
    if (pool_include_honest(p, k, err) < 0)
        return -1;
    gate_call(gate, name, &slot->shape, slot->dtype, s, v);
    return 0;
}

static int judge_law(struct pool *p, int i, const struct compare_stats *pooled, struct verdict *v,
                     struct err *err)
{
    const struct graph *g = p->graph;
    enum dtype t = p->out.slots[i % g->n_outputs].dtype;
    const char *name = g->outputs[i % g->n_outputs].name;
    struct verdict first = VERDICT_INIT;

    if (!gate_pooled(&p->gates[i].gate, name, t, pooled, &first))
        return 0;
    for (int k = i / g->n_outputs; k < p->n_contents; k += g->n_laws)
        if (pool_include_honest(p, k, err) < 0)
            return -1;
    gate_pooled(&p->gates[i].gate, name, t, pooled, v);
    return 0;
}

/* "of_limit": the largest error as a part of what the gate allows. */
static int answer_judge(struct lent *l, char **words, json_t **ret, struct err *err)
{
    struct pool *p = &l->pool;
    struct verdict v = VERDICT_INIT;
    double worst = 0;
    int k;

    if (content_number(l, words[1], &k, err) < 0 || read_outputs(l, words[2], err) < 0)
        return -1;
    for (int o = 0; o < p->graph->n_outputs && v.kind == VERDICT_PASS; o++) {
        int at = pool_law(p, k) * p->graph->n_outputs + o;
        const struct gate *gate = &p->gates[at].gate;
        struct compare_stats s = COMPARE_STATS_INIT;

        if (pool_compare(p, k, o, &l->got, p->out.slots[o].offset, &s, err) < 0 ||
            judge_output(p, k, o, &s, &v, err) < 0)
            return -1;
        compare_merge(&l->pooled[at], &s);
        if (dtype_is_float(p->out.slots[o].dtype))
            worst = fmax(worst, s.max / (gate->max_factor * gate->honest_max));
    }
    *ret = verdict_json(&v, worst);
    return 0;
}

static int answer_pooled(struct lent *l, char **words, json_t **ret, struct err *err)
{
    struct pool *p = &l->pool;
    struct verdict v = VERDICT_INIT;
    double worst = 0;

    (void)words;
    if (!l->problem)
        return fail(err, ERR_USAGE, "no problem is open");
    for (int i = 0; i < p->graph->n_laws * p->graph->n_outputs && v.kind == VERDICT_PASS; i++) {
        const struct gate *gate = &p->gates[i].gate;

        if (judge_law(p, i, &l->pooled[i], &v, err) < 0)
            return -1;
        if (dtype_is_float(p->out.slots[i % p->graph->n_outputs].dtype))
            worst = fmax(worst, compare_rho(&l->pooled[i]) / (gate->rms_factor * gate->honest_rms));
    }
    *ret = verdict_json(&v, worst);
    return 0;
}

/* ------------------------------------------------------------------ requests */

static const struct {
    const char *name;
    int n_words;
    int (*answer)(struct lent *l, char **words, json_t **ret, struct err *err);
} requests[] = {
    {"facts", 2, answer_facts}, {"open", 4, answer_open},     {"content", 3, answer_content},
    {"judge", 3, answer_judge}, {"pooled", 1, answer_pooled},
};

static int answer(struct lent *l, char *line, json_t **ret, struct err *err)
{
    char *words[5] = {NULL}, *rest = line;
    int n = 0;

    while (n < (int)ARRAY_SIZE(words) && (words[n] = strtok_r(rest, " \n", &rest)))
        n++;
    for (size_t i = 0; n && i < ARRAY_SIZE(requests); i++)
        if (!strcmp(words[0], requests[i].name) && n == requests[i].n_words)
            return requests[i].answer(l, words, ret, err);
    return fail(err, ERR_USAGE, "no such request: %s", n ? words[0] : "");
}

int main(void)
{
    struct lent l = {.share = fs_share_dir()};
    struct device_info info;
    struct err err = ERR_INIT;
    char *line = NULL;
    size_t cap = 0;

    if (device()->open(0, &l.ctx, &err) < 0 || device()->describe(l.ctx, &info, &err) < 0) {
        fprintf(stderr, "suite_judge: %s\n", err.text);
        return err.kind;
    }
    l.memory_bytes = info.memory_bytes;
    while (getline(&line, &cap, stdin) > 0) {
        json_t *reply = NULL;

        err = (struct err)ERR_INIT;
        if (answer(&l, line, &reply, &err) < 0)
            reply = json_pack("{s:s}", "error", err.text);
        json_dumpf(reply, stdout, JSON_COMPACT);
        putchar('\n');
        fflush(stdout);
        json_decref(reply);
    }
    free(line);
    put_back(&l);
    device()->close(l.ctx);
    free(l.share);
    return 0;
}
