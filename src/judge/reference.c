/* SPDX-License-Identifier: MIT */
/* Two processes, one after the other, since arenas are handed over before anything is imported:
 *
 *   1. With next to no memory: it imports the file, tries it, and writes its description.
 *   2. With arenas for one content: it draws and answers, order by order.
 *
 *          judge                                                reference (reference.py)
 *   input arena: command, an image of a content's sources  -->  answers
 *   output arena: such an image, and 8-byte values         <--  what it drew, or its answers
 *
 * An image is laid out like a slot of the pool. One tensor for all sources keeps nets with a
 * thousand parameters within the wire's limits. The process stands still whenever the judge reads
 * or writes. */
#include "judge/reference.h"

#include "base/fs.h"
#include "base/hash.h"
#include "process/bundle.h"
#include "process/devlock.h"
#include "process/rproc.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DESCRIPTION_MAX ((size_t)4 << 20)
#define MEM_MIN ((uint64_t)8 << 30)
#define MEM_SHARE                                                                   \
    16 /* times the bytes of a content: intermediates in double, and torch's caches \
        */
#define ROUND_CHUNK ((int64_t)1 << 22)
#define TEXT_MAX 1e6

/* Numbers of workers/assay_python/reference.py. */
enum reference_command { COMMAND_DRAW, COMMAND_DOUBLE, COMMAND_DECLARED };
enum { IN_COMMAND, IN_IMAGE };
enum { OUT_IMAGE, OUT_VALUES }; /* the first of the values */

struct reference {
    char *file;
    struct buf text;
    char hash[HASH_HEX];
    struct problem *problem;
    bool in_double, never_negative; /* by its own word */
    bool drafts;                    /* the next process writes a draft, not a description */
    struct admit_result *admission;
    struct ops_engine engine;
    struct drawer drawer;
    /* Set by reference_join(); not owned. */
    struct station *station;
    struct zygote *zygote;
    struct plan plan;
    /* The process, if it runs, and its memory. */
    struct layout sources; /* layout of a slot of the pool */
    struct layout in, out;
    struct mem in_arena, out_arena;
    struct rproc_config config;
    struct rproc runner;
};

static const struct graph *graph_of(const struct reference *r)
{
    return r->problem ? r->problem->sizes[SIZES_FULL][0].graph : NULL;
}

static const struct device_judge_ops *ops_of(const struct reference *r)
{
    return r->station->device->judge;
}

/* --- the process --- */

static struct tensor_slot tensor(enum dtype t, int64_t n)
{
    return (struct tensor_slot){.dtype = t, .shape = {.rank = 1, .dim = {n}}};
}

static const struct node *output_node(const struct graph *g, int o)
{
    return &g->nodes[g->outputs[o].node];
}

/* Values of an output are 8 bytes each, as in a slot of the pool. */
static struct tensor_slot values_of(const struct graph *g, int o)
{
    const struct node *n = output_node(g, o);

    return (struct tensor_slot){.dtype = dtype_is_float(n->dtype) ? DT_F64 : DT_I64,
                                .shape = n->shape};
}

static void lay_out(struct reference *r)
{
    const struct graph *g = graph_of(r);
    int n = g ? g->n_outputs : 0;
    AUTO(freep) struct tensor_slot *out = xcalloc((size_t)n + 1, sizeof(*out));

    if (g)
        layout_inputs(g, &r->sources);

    int64_t bytes = g ? (int64_t)r->sources.bytes : 1;
    const struct tensor_slot in[] = {tensor(DT_I64, 3), tensor(DT_U8, bytes)};

    out[OUT_IMAGE] = tensor(DT_U8, bytes);
    for (int o = 0; o < n; o++)
        out[OUT_VALUES + o] = values_of(g, o);
    layout_tensors(in, ARRAY_SIZE(in), &r->in);
    layout_tensors(out, n + 1, &r->out);
}

static int make_arenas(struct reference *r, struct err *err)
{
    if (r->in_arena.bytes)
        return 0;
    lay_out(r);
    if (ops_of(r)->mem_alloc(r->station->ctx, MEM_INPUT, r->in.bytes, &r->in_arena, err) < 0 ||
        ops_of(r)->mem_alloc(r->station->ctx, MEM_OUTPUT, r->out.bytes, &r->out_arena, err) < 0)
        return wrap(err, "memory for the reference");
    return 0;
}

static void free_arenas(struct reference *r)
{
    ops_of(r)->mem_free(r->station->ctx, &r->in_arena);
    ops_of(r)->mem_free(r->station->ctx, &r->out_arena);
    r->in_arena = r->out_arena = (struct mem)MEM_INIT;
    layout_release(&r->sources);
    layout_release(&r->in);
    layout_release(&r->out);
}

void reference_rest(struct reference *r)
{
    rproc_release(&r->runner);
    r->runner = (struct rproc)RPROC_INIT;
    fd_closep(&r->config.artifact_fd);
    fd_closep(&r->config.save_fd);
}

static int write_bundle(struct reference *r, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    const struct bundle_reference b = {r->file,     &r->text,        graph_of(r),
                                       &r->sources, r->plan.weights, r->drafts};

    bundle_write_reference(&b, &text);
    return fs_sealed_memfd("assay-reference", text.ptr, text.len, &r->config.artifact_fd, err);
}

static int make_files(struct reference *r, struct err *err)
{
    r->config.save_fd = memfd_create("assay-description", MFD_CLOEXEC);
    if (r->config.save_fd < 0)
        return fail_errno(err, "cannot make room for a description");
    return write_bundle(r, err);
}

static void configure(struct reference *r)
{
    r->config = (struct rproc_config){
        .runner_path = r->station->places->runner,
        .subject = {.kind = &subject_reference, .zygote = r->zygote, .file = r->file},
        .device = r->station->device,
        .device_index = r->station->index,
        .mem_bytes = MEM_MIN + MEM_SHARE * (uint64_t)(r->in.bytes + r->out.bytes),
        .require_sandbox = r->plan.require_sandbox,
        .start_timeout_ms = r->plan.build_timeout_ms,
        .call_timeout_ms = r->plan.build_timeout_ms,
        .in = &r->in,
        .out = &r->out,
        .in_arenas = &r->in_arena,
        .out_arenas = &r->out_arena,
        .n_in_arenas = 1,
        .n_out_arenas = 1,
        .n_inputs = r->in.n,
        .artifact_fd = -1,
        .save_fd = -1,
    };
}

/* A verdict on the reference is a fault of the user's file. */
static int refuse(struct reference *r, const struct verdict *v, struct err *err)
{
    const char *detail = v->detail;
    static const char call[] = "call: ";

    if (!strncmp(detail, call, strlen(call)))
        detail += strlen(call);
    reference_rest(r);
    if (v->kind == VERDICT_TIMEOUT)
        return fail(err, ERR_INPUT, "%s: the reference took over %d s (--build-timeout)", r->file,
                    r->plan.build_timeout_ms / 1000);
    return fail(err, ERR_INPUT, "%s: the reference cannot be used: %s", r->file, detail);
}

/* A few lines are no fault. Millions take longer than the work, and hide what matters. */
static int check_text(struct reference *r, struct err *err)
{
    uint64_t bytes = r->runner.text_seen;

    if (bytes <= TEXT_MAX)
        return 0;
    reference_rest(r);
    return fail(err, ERR_INPUT,
                "%s: the reference printed %.1f MB, and may print %.1f MB; take its print() out",
                r->file, (double)bytes / 1e6, TEXT_MAX / 1e6);
}

static int start(struct reference *r, struct err *err)
{
    struct verdict v = VERDICT_INIT;

    if (r->runner.pid > 0)
        return 0;
    reference_rest(r);
    if (make_arenas(r, err) < 0)
        return -1;
    configure(r);
    if (make_files(r, err) < 0 || rproc_start(&r->runner, &r->config, err) < 0) {
        reference_rest(r);
        return -1;
    }

    int rc = rproc_ready(&r->runner, &v, err);

    if (rc == 1)
        return refuse(r, &v, err);
    if (rc < 0)
        reference_rest(r);
    return rc < 0 ? -1 : check_text(r, err);
}

struct request {
    struct reference *r;
    enum reference_command command;
    uint64_t seeds[2];          /* for COMMAND_DRAW */
    const void *const *sources; /* addresses in the engine's memory; NULL: none are needed */
    enum rounding round;        /* how float sources are rounded */
};

/* Memory at an address of the engine's, which shares memory with the device. */
static struct mem view_of(const struct reference *r, const void *address, size_t bytes)
{
    struct mem m = MEM_INIT;

    m.bytes = bytes;
    if (r->in_arena.host)
        m.host = (void *)(uintptr_t)address;
    else
        m.handle = (uint64_t)(uintptr_t)address;
    return m;
}

/* Rounds numbers as if they had been stored in a narrower type. */
static int round_numbers(struct reference *r, struct mem *m, size_t at, enum dtype t, int64_t n,
                         enum rounding to, struct err *err)
{
    size_t each = dtype_size(t);
    AUTO(freep) char *chunk = xmalloc((size_t)MIN(n, ROUND_CHUNK) * each);

    for (int64_t done = 0; done < n; done += ROUND_CHUNK) {
        int64_t count = MIN(n - done, ROUND_CHUNK);
        size_t where = at + (size_t)done * each, bytes = (size_t)count * each;

        if (ops_of(r)->download(r->station->ctx, m, where, chunk, bytes, err) < 0)
            return -1;
        for (int64_t i = 0; i < count; i++) {
            char *one = chunk + (size_t)i * each;

            dtype_store(t, one, round_to(to, (float)dtype_load(t, one)));
        }
        if (ops_of(r)->upload(r->station->ctx, m, where, chunk, bytes, err) < 0)
            return -1;
    }
    return 0;
}

static int show_source(const struct request *q, int i, struct err *err)
{
    struct reference *r = q->r;
    const struct source *s = &graph_of(r)->sources[i];
    size_t at = r->in.slots[IN_IMAGE].offset + r->sources.slots[i].offset;
    struct mem from = view_of(r, q->sources[i], r->sources.slot_bytes[i]);

    if (ops_of(r)->copy(r->station->ctx, &r->in_arena, at, &from, 0, from.bytes, err) < 0)
        return -1;
    if (q->round == ROUND_NONE || !dtype_is_float(s->dtype))
        return 0;
    return round_numbers(r, &r->in_arena, at, s->dtype, shape_count(&s->shape), q->round, err);
}

static int prepare(void *arg, struct err *err)
{
    const struct request *q = arg;
    struct reference *r = q->r;
    const int64_t command[] = {q->command, (int64_t)(q->seeds[0] >> 1),
                               (int64_t)(q->seeds[1] >> 1)};

    for (int i = 0; q->sources && i < graph_of(r)->n_sources; i++)
        if (show_source(q, i, err) < 0)
            return -1;
    return ops_of(r)->upload(r->station->ctx, &r->in_arena, r->in.slots[IN_COMMAND].offset, command,
                             sizeof(command), err);
}

/* The process stands still when this returns. */
static int ask(struct request *q, enum wire_order what, struct err *err)
{
    struct reference *r = q->r;
    const struct rproc_order order = {what, 0, 1, 1, WIRE_HOLD_NONE};
    const struct rproc_content content = {prepare, q, false};
    struct verdict v = VERDICT_INIT;
    struct rproc_reply reply;

    if (start(r, err) < 0)
        return -1;

    int rc = rproc_order(&r->runner, &order, &content, &reply, &v, err);

    if (rc == 0)
        rc = rproc_stop(&r->runner, &v, err);
    if (rc == 1)
        return refuse(r, &v, err);
    if (rc < 0)
        reference_rest(r);
    return rc < 0 ? -1 : check_text(r, err);
}

/* --- drawing and answering --- */

static int draw(void *arg, const uint64_t seeds[2], const struct layout *in, struct mem *to,
                struct err *err)
{
    struct reference *r = arg;
    struct request q = {.r = r, .command = COMMAND_DRAW, .seeds = {seeds[0], seeds[1]}};

    if (ask(&q, WIRE_ORDER_CALL, err) < 0)
        return -1;
    for (int i = 0; i < in->n; i++)
        if (ops_of(r)->copy(r->station->ctx, to, in->slots[i].offset, &r->out_arena,
                            r->out.slots[OUT_IMAGE].offset + in->slots[i].offset, in->slot_bytes[i],
                            err) < 0)
            return -1;
    return 0;
}

/* Values are doubles, or floats where the run wants them. Numbers of the declared types become
 * doubles exactly. */
static int take_output(struct reference *r, const struct ops_run *run, int o, void *address,
                       struct err *err)
{
    const struct tensor_slot *slot = &r->out.slots[OUT_VALUES + o];
    enum dtype declared = output_node(graph_of(r), o)->dtype;
    size_t bytes = r->out.slot_bytes[OUT_VALUES + o];
    int64_t n = shape_count(&slot->shape);
    struct mem to = view_of(r, address, bytes);

    if (run->f32_outputs && declared == DT_F32)
        return ops_of(r)->store(r->station->ctx, &r->out_arena, slot->offset, DT_F32, n, &to, 0,
                                err);
    if (ops_of(r)->copy(r->station->ctx, &to, 0, &r->out_arena, slot->offset, bytes, err) < 0)
        return -1;
    if (run->round_storage == ROUND_NONE || slot->dtype != DT_F64)
        return 0;
    return round_numbers(r, &to, 0, DT_F64, n, run->round_storage, err);
}

static int evaluate(void *ctx, const struct graph *g, const struct ops_run *run,
                    const void *const *sources, void *const *outputs, struct err *err)
{
    struct reference *r = ctx;
    bool in_double = run->precision == OPS_DOUBLE && r->in_double;
    struct request q = {.r = r,
                        .command = in_double ? COMMAND_DOUBLE : COMMAND_DECLARED,
                        .sources = sources,
                        .round = run->round_storage};

    (void)g;
    if (ask(&q, WIRE_ORDER_CALL, err) < 0)
        return -1;
    for (int o = 0; o < graph_of(r)->n_outputs; o++)
        if (take_output(r, run, o, outputs[o], err) < 0)
            return -1;
    return 0;
}

/* Memory that the process takes on the device is not the judge's to know: a guess, in doubles. */
static double peak_bytes(void *ctx, const struct graph *g, enum ops_precision precision)
{
    struct cost cost;

    (void)ctx, (void)precision;
    graph_cost(g, &cost);
    return 4 * pool_content_bytes(g) + 8 * cost.output_bytes;
}

/* --- what it is --- */

static int read_description(struct reference *r, struct buf *ret, struct err *err)
{
    off_t bytes = lseek(r->config.save_fd, 0, SEEK_END);

    if (bytes < 0 || lseek(r->config.save_fd, 0, SEEK_SET) < 0)
        return fail_errno(err, "cannot read a description");
    if ((size_t)bytes > DESCRIPTION_MAX)
        return fail(err, ERR_INPUT, "the description is longer than %zu bytes", DESCRIPTION_MAX);
    return fs_read_fd(r->config.save_fd, DESCRIPTION_MAX, ret, err);
}

static void read_facts(struct reference *r, const struct buf *text)
{
    json_t *j = json_loadb(text->ptr, text->len, 0, NULL);
    const char *expected = json_string_value(json_object_get(j, "expected"));

    r->in_double = expected && !strcmp(expected, "double");
    r->never_negative = json_is_true(json_object_get(j, "never_negative"));
    json_decref(j);
}

/* The problem's hash is that of the text, too: two references may have the same tensors. */
static void hash_problem(struct reference *r)
{
    struct hash h;

    hash_init(&h);
    hash_adds(&h, r->hash);
    hash_adds(&h, r->problem->hash);
    hash_final(&h, r->problem->hash);
}

static int take_description(struct reference *r, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    AUTO(freep) char *name = problem_reference_name(r->hash);

    if (read_description(r, &text, err) < 0 ||
        problem_of_description(text.ptr, text.len, name, &r->problem, err) < 0)
        return wrap(err, "%s", r->file);
    read_facts(r, &text);
    hash_problem(r);
    return 0;
}

static int lock(const struct reference *r, struct devlock *ret, struct err *err)
{
    const struct station *st = r->station;
    double waited_ms = 0;

    return (st->device->opens_slowly ? devlock_shared : devlock_to_build)(st->device, st->index,
                                                                          ret, &waited_ms, err);
}

int reference_describe(struct reference *r, struct err *err)
{
    AUTO(devlock_release) struct devlock held = DEVLOCK_INIT;
    struct request q = {.r = r};

    if (r->problem)
        return 0;
    if (lock(r, &held, err) < 0 || ask(&q, WIRE_ORDER_SAVE, err) < 0)
        return -1;

    int rc = take_description(r, err);

    /* The next process has arenas for a content. */
    reference_rest(r);
    free_arenas(r);
    return rc;
}

int reference_draft(struct reference *r, struct buf *ret, struct err *err)
{
    AUTO(devlock_release) struct devlock held = DEVLOCK_INIT;
    struct request q = {.r = r};

    assert(!r->problem);
    r->drafts = true;

    int rc = lock(r, &held, err) < 0 || ask(&q, WIRE_ORDER_SAVE, err) < 0 ? -1 : 0;

    if (rc == 0)
        rc = read_description(r, ret, err);
    r->drafts = false;
    reference_rest(r);
    free_arenas(r);
    return rc;
}

int reference_admit(struct reference *r, struct err *err)
{
    AUTO(devlock_release) struct devlock held = DEVLOCK_INIT;
    struct admit_place at = {.device = r->station->device,
                             .ctx = r->station->ctx,
                             .engine = r->engine,
                             .drawer = &r->drawer,
                             .info = r->station->info,
                             .progress = &r->plan.progress};
    struct admit_result result;

    if (r->admission)
        return 0;
    if (lock(r, &held, err) < 0 ||
        admit_size(&at, r->problem, graph_of(r), secret_u64(), &result, err) < 0)
        return -1;
    r->admission = xmalloc(sizeof(*r->admission));
    *r->admission = result;
    return 0;
}

/* Faults of a reference, by the null that passes, for its author. */
static const struct {
    const char *name, *text;
} shortcomings[] = {
    {"zeros", "zeros pass"},
    {"constant", "one number everywhere passes"},
    {"mean", "the mean of other answers passes: its answer hardly depends on its inputs"},
    {"input_copy", "a copy of the first input passes"},
    {"other_inputs", "the answer to other inputs passes"},
    {"half_written", "half an answer passes"},
    {"lower_precision", "inputs and outputs in bf16 pass: it makes rounding errors larger"},
};

void reference_explain(const struct reference *r, struct buf *out)
{
    const struct admit_result *a = r->admission;
    const char *text = a->refusal;
    bool copied = false;

    for (int i = 0; i < a->n_cases; i++) {
        if (a->cases[i].outcome != ADMIT_MISSED)
            continue;
        for (size_t k = 0; k < ARRAY_SIZE(shortcomings); k++)
            if (!strcmp(shortcomings[k].name, a->cases[i].name))
                text = shortcomings[k].text;
        copied = !strcmp(a->cases[i].name, "input_copy");
        break;
    }
    buf_addf(out, "%s%s", text,
             copied && r->never_negative ? ": its inputs are never negative" : "");
}

/* --- life --- */

struct reference *reference_new(const char *file, const char *text, size_t len)
{
    struct reference *r = xcalloc(1, sizeof(*r));

    r->file = xstrdup(file);
    buf_add(&r->text, text, len);
    hash_of(text, len, r->hash);
    r->engine = (struct ops_engine){.ctx = r, .eval = evaluate, .peak_bytes = peak_bytes};
    r->drawer = (struct drawer){draw, r};
    r->in_arena = r->out_arena = (struct mem)MEM_INIT;
    r->runner = (struct rproc)RPROC_INIT;
    r->config.artifact_fd = r->config.save_fd = -1;
    return r;
}

void reference_join(struct reference *r, struct station *station, struct zygote *zygote,
                    const struct plan *plan)
{
    if (r->station && (r->station != station || r->zygote != zygote))
        reference_leave(r);
    r->station = station;
    r->zygote = zygote;
    r->plan = *plan;
}

void reference_leave(struct reference *r)
{
    reference_rest(r);
    if (r->station)
        free_arenas(r);
    r->station = NULL;
    r->zygote = NULL;
}

void reference_free(struct reference *r)
{
    if (!r)
        return;
    reference_leave(r);
    problem_free(r->problem);
    free(r->admission);
    buf_release(&r->text);
    free(r->file);
    free(r);
}

void reference_freep(struct reference **r)
{
    reference_free(*r);
    *r = NULL;
}

const struct problem *reference_problem(const struct reference *r)
{
    return r->problem;
}

const struct ops_engine *reference_engine(struct reference *r)
{
    return &r->engine;
}

const struct drawer *reference_drawer(struct reference *r)
{
    return &r->drawer;
}

const char *reference_file(const struct reference *r)
{
    return r->file;
}

const char *reference_hash(const struct reference *r)
{
    return r->hash;
}

bool reference_in_double(const struct reference *r)
{
    return r->in_double;
}

const struct admit_result *reference_admission(const struct reference *r)
{
    return r->admission;
}
