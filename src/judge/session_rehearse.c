/* SPDX-License-Identifier: MIT */
/* Triton, load_inline and their kin start compilers when a candidate is imported or first called. A
 * runner must never be able to start a program: it would not stand still with it. So a candidate
 * that may compile is rehearsed first:
 *
 *   1. With compilers, behind a builder's walls: import, construction and a few calls at every
 * size. The device's lock is shared, since compilers take minutes and nothing is timed.
 *   2. If libraries tuned themselves, their choices are thrown away, because other work ran beside
 *      them. A process with a runner's walls, which can start nothing, tunes again from the
 * compiled code, alone on the device.
 *
 * Contents come from a seed that everybody knows, and are shown to nobody else. Answers are thrown
 * away: whether they were right is not asked here. What is in the candidate's folder afterwards is
 * checked, kept under a hash of all that went in, and put into the folder of every judged process.
 */
#include "judge/session_rehearse.h"
#include "judge/session_size.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/version.h"
#include "build/file_cache.h"
#include "content/draw.h"
#include "process/bundle.h"
#include "process/devlock.h"
#include "process/zygote.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PUBLIC_SEED 0x7265686561727365u
#define CALLS 3
#define CALL_LIMIT_MS 60000
#define LOAD_LIMIT 5 /* times --build-timeout: compilers of extensions take long */
#define CACHE_KIND "rehearsal"
#define TUNED ".autotune.json" /* Triton's file of choices */

bool session_compiles(const struct evaluation *e)
{
    static const char *const words[] = {"triton",   "cpp_extension", "load_inline", "compile",
                                        "inductor", "subprocess",    "os.system",   "cupy",
                                        "cutlass",  "tilelang",      "nvrtc",       "numba"};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (e->source_len && memmem(e->source, e->source_len, words[i], strlen(words[i])))
            return true;
    return false;
}

/* --- the cache --- */

static void key_of(const struct session *s, const struct evaluation *e, char ret[HASH_HEX])
{
    const struct device_info *info = &s->station->info;
    struct hash h;

    hash_init(&h);
    hash_add_u64(&h, e->source_len);
    hash_add(&h, e->source, e->source_len);
    hash_adds(&h, s->problem->hash);
    hash_adds(&h, size_set_names[s->options.sizes]);
    hash_adds(&h, zygote_version(s->zygote));
    hash_adds(&h, s->options.device->name);
    hash_adds(&h, info->name);
    hash_adds(&h, info->driver);
    hash_adds(&h, info->arch);
    hash_adds(&h, e->subject.entry ? e->subject.entry : "");
    hash_adds(&h, weights_names[e->subject.weights]);
    hash_adds(&h, assay_version);
    hash_final(&h, ret);
}

static bool load_kept(const struct session *s, const char *key, struct buf *ret)
{
    struct err ignored = ERR_INIT;

    if (s->options.plan.no_cache ||
        !file_cache_load(s->station->places->cache, CACHE_KIND, key, 2 * BUNDLE_FROZEN_BYTES, ret))
        return false;
    if (bundle_check_frozen(ret, &ignored) == 0)
        return true;
    buf_release(ret);
    return false;
}

/* --- one process --- */

struct rehearsal {
    struct session *s;
    struct evaluation *e;
    int size;
    const struct graph *graph;
    struct layout in, out;
    struct mem in_arena, out_arena;
    struct rproc_config config;
    struct rproc runner;
    int call;
};

static void rehearsal_release(struct rehearsal *r)
{
    const struct device_judge_ops *ops = r->s->options.device->judge;

    rproc_release(&r->runner);
    fd_closep(&r->config.artifact_fd);
    fd_closep(&r->config.save_fd);
    ops->mem_free(r->s->station->ctx, &r->in_arena);
    ops->mem_free(r->s->station->ctx, &r->out_arena);
    layout_release(&r->in);
    layout_release(&r->out);
}

static int make_arenas(struct rehearsal *r, struct err *err)
{
    const struct device_judge_ops *ops = r->s->options.device->judge;
    void *ctx = r->s->station->ctx;

    layout_inputs(r->graph, &r->in);
    layout_outputs(r->graph, &r->out);
    if (ops->mem_alloc(ctx, MEM_INPUT, r->in.bytes, &r->in_arena, err) < 0 ||
        ops->mem_alloc(ctx, MEM_OUTPUT, r->out.bytes, &r->out_arena, err) < 0)
        return wrap(err, "the rehearsal");
    return 0;
}

static int write_bundle(struct rehearsal *r, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    const struct buf source = {.ptr = r->e->source, .len = r->e->source_len};
    const struct subject *subject = &r->config.subject;

    subject->kind->write_module(subject, r->s->problem, r->s->options.sizes, r->size, &source,
                                &text);
    return fs_sealed_memfd("assay-module", text.ptr, text.len, &r->config.artifact_fd, err);
}

static void configure(struct rehearsal *r, const struct subject_kind *kind)
{
    struct rproc_config *c = &r->config;

    c->subject = r->e->subject;
    c->subject.kind = kind;
    c->subject.results_read = false;
    c->subject.frozen = &r->e->frozen;
    c->start_timeout_ms = LOAD_LIMIT * r->s->options.plan.build_timeout_ms;
    c->call_timeout_ms = CALL_LIMIT_MS;
    c->in = &r->in;
    c->out = &r->out;
    c->in_arenas = &r->in_arena;
    c->out_arenas = &r->out_arena;
    c->n_in_arenas = c->n_out_arenas = 1;
    c->n_inputs = r->graph->n_inputs;
    c->setup_params = false;
    c->pin = false;
}

static int draw(void *arg, struct err *err)
{
    struct rehearsal *r = arg;
    const struct drawing d = {r->s->options.device->judge,
                              r->s->station->ctx,
                              r->graph,
                              &r->in,
                              PUBLIC_SEED,
                              session_drawer(r->s),
                              false};

    return draw_inputs(&d, r->call, r->call, &r->in_arena, err);
}

static int nothing(void *arg, struct err *err)
{
    (void)arg, (void)err;
    return 0;
}

static int order(struct rehearsal *r, enum wire_order what, struct verdict *v, struct err *err)
{
    const struct rproc_order o = {what, 0, 1, 1, WIRE_HOLD_NONE};
    const struct rproc_content c = {what == WIRE_ORDER_CALL ? draw : nothing, r, false};
    struct rproc_reply reply;

    return rproc_order(&r->runner, &o, &c, &reply, v, err);
}

/* A call that fails is no verdict here: a judged process finds that out again, and explains it. */
static int make_calls(struct rehearsal *r, struct verdict *v, struct err *err)
{
    for (r->call = 0; r->call < CALLS; r->call++) {
        struct verdict found = VERDICT_INIT;

        /* Some compile in their first call. */
        r->config.call_timeout_ms = r->call == 0 ? r->config.start_timeout_ms : CALL_LIMIT_MS;

        int rc = order(r, WIRE_ORDER_CALL, &found, err);

        if (rc == 1 && found.kind == VERDICT_TIMEOUT)
            return verdict_set(v, REASON_BUILD_ERROR_REHEARSAL,
                               "a call of the rehearsal took over %d s",
                               r->config.call_timeout_ms / 1000);
        if (rc)
            return rc < 0 ? -1 : 0;
    }
    return 0;
}

/* The folder's contents become e->frozen. A process that is dead leaves what there was before. */
static int take_folder(struct rehearsal *r, struct verdict *v, struct err *err)
{
    AUTO(buf_release) struct buf saved = BUF_INIT;
    struct err why = ERR_INIT;
    struct verdict found = VERDICT_INIT;
    int rc = r->runner.pid > 0 ? order(r, WIRE_ORDER_SAVE, &found, err) : 1;

    if (rc < 0)
        return -1;
    if (rc == 1 && r->runner.pid > 0 && found.kind == VERDICT_CRASH)
        return verdict_set(v, REASON_BUILD_ERROR_REHEARSAL, "its folder cannot be kept: %s",
                           found.detail);
    if (rc == 1)
        return 0;
    rproc_end(&r->runner);

    off_t bytes = lseek(r->config.save_fd, 0, SEEK_END);

    if (bytes > (off_t)(2 * BUNDLE_FROZEN_BYTES))
        return verdict_set(v, REASON_BUILD_ERROR_REHEARSAL,
                           "its folder has %.1f MB, at most %.1f MB are kept", (double)bytes / 1e6,
                           (double)BUNDLE_FROZEN_BYTES / 1e6);
    lseek(r->config.save_fd, 0, SEEK_SET);
    if (fs_read_fd(r->config.save_fd, 2 * BUNDLE_FROZEN_BYTES, &saved, &why) < 0 ||
        bundle_check_frozen(&saved, &why) < 0)
        return verdict_set(v, REASON_BUILD_ERROR_REHEARSAL, "%s", why.text);
    buf_release(&r->e->frozen);
    r->e->frozen = saved;
    saved = (struct buf)BUF_INIT;
    return 0;
}

static int explain_late(const struct rehearsal *r, struct verdict *v)
{
    return verdict_set(v, REASON_BUILD_ERROR_REHEARSAL,
                       "importing it, with all that it compiles, took over %d s",
                       r->config.start_timeout_ms / 1000);
}

static int run_process(struct rehearsal *r, struct verdict *v, struct err *err)
{
    int rc;

    r->config.save_fd = memfd_create("assay-folder", MFD_CLOEXEC);
    if (r->config.save_fd < 0)
        return fail_errno(err, "cannot make room for a candidate's folder");
    if (make_arenas(r, err) < 0 || write_bundle(r, err) < 0 ||
        rproc_start(&r->runner, &r->config, err) < 0)
        return -1;
    rc = rproc_ready(&r->runner, v, err);
    if (rc == 1 && v->kind == VERDICT_TIMEOUT)
        return explain_late(r, v);
    if (rc == 0)
        rc = make_calls(r, v, err);
    return rc ? rc : take_folder(r, v, err);
}

static int rehearse_size(struct session *s, struct evaluation *e, int size,
                         const struct subject_kind *kind, struct err *err)
{
    AUTO(rehearsal_release)
    struct rehearsal r = {
        .s = s,
        .e = e,
        .size = size,
        .graph = s->problem->sizes[s->options.sizes][size].graph,
        .in_arena = MEM_INIT,
        .out_arena = MEM_INIT,
        .config = s->runner,
        .runner = RPROC_INIT,
    };

    r.config.artifact_fd = r.config.save_fd = -1;
    configure(&r, kind);

    int rc = run_process(&r, &e->verdict, err);

    rproc_end(&r.runner);
    free(e->build.log);
    e->build.log = xstrdup(buf_str(&r.runner.text));
    return rc;
}

static int rehearse_all(struct session *s, struct evaluation *e, const struct subject_kind *kind,
                        struct err *err)
{
    int rc = 0;

    for (int i = 0; i < s->n_sizes && rc == 0; i++)
        rc = rehearse_size(s, e, i, kind, err);
    return rc;
}

/* --- both passes --- */

static bool is_tuned(const struct buf *frozen)
{
    return frozen->len && memmem(frozen->ptr, frozen->len, TUNED, strlen(TUNED));
}

static int compile(struct session *s, struct evaluation *e, struct err *err)
{
    AUTO(devlock_release) struct devlock lock = DEVLOCK_INIT;
    const struct session_options *o = &s->options;
    double *waited = &s->phases.ms[PHASE_QUEUE];
    int rc = o->device->opens_slowly
                 ? devlock_shared(o->device, o->device_index, &lock, waited, err)
                 : devlock_to_build(o->device, o->device_index, &lock, waited, err);

    return rc < 0 ? -1 : rehearse_all(s, e, &subject_rehearsal, err);
}

static int tune(struct session *s, struct evaluation *e, struct err *err)
{
    AUTO(devlock_release) struct devlock lock = DEVLOCK_INIT;
    const struct session_options *o = &s->options;

    bundle_drop_frozen(&e->frozen, TUNED);
    exiting_await(&s->station->exiting);
    if (devlock_alone(o->device, o->device_index, &lock, &s->phases.ms[PHASE_QUEUE], err) < 0)
        return -1;
    return rehearse_all(s, e, &subject_tuning, err);
}

int session_rehearse(struct session *s, struct evaluation *e, struct err *err)
{
    char key[HASH_HEX];
    uint64_t start = clock_ns();
    double queued_ms = s->phases.ms[PHASE_QUEUE];
    int rc = 0;

    key_of(s, e, key);
    e->rehearsal.made = true;
    e->rehearsal.cached = load_kept(s, key, &e->frozen);
    if (!e->rehearsal.cached) {
        rc = compile(s, e, err);
        if (rc == 0 && is_tuned(&e->frozen))
            rc = tune(s, e, err);
        if (rc == 0)
            rc = file_cache_store(s->station->places->cache, CACHE_KIND, key, e->frozen.ptr,
                                  e->frozen.len, err);
    }
    e->subject.frozen = &e->frozen;
    e->build.cached = e->rehearsal.cached;
    e->rehearsal.ms = clock_ms_since(start) - (s->phases.ms[PHASE_QUEUE] - queued_ms);
    e->rehearsal.bytes = (int64_t)e->frozen.len;
    e->build.ms += e->rehearsal.ms;
    return rc;
}
