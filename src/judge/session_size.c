/* SPDX-License-Identifier: MIT */
/* One candidate, or a baseline in its place, at one size. */
#include "judge/session_size.h"

#include "base/clock.h"
#include "base/fs.h"

static const struct graph *graph_of(const struct session *s, int size)
{
    return s->problem->sizes[s->options.sizes][size].graph;
}

static int contents_of(const struct session *s, int size)
{
    const struct graph *g = graph_of(s, size);
    const struct plan *plan = &s->plans[size];

    return MAX(plan->checks, g->n_laws) +
           (plan->check_only ? 0 : plan_fresh(plan, graph_n_scored(g)));
}

/* Memory for the contents of one size. Half of the device's memory is for contents, and all sizes
 * of a session share it, by what each would take. The pools of the others are still there, and
 * candidates need memory, too. */
static double room_of(const struct session *s, int size)
{
    double all = 0, own = 0;

    for (int i = 0; i < s->n_sizes; i++) {
        double bytes = contents_of(s, i) * pool_content_bytes(graph_of(s, i));

        all += bytes;
        own = i == size ? bytes : own;
    }
    return (double)s->station->info.memory_bytes / 2 * own / all;
}

const struct drawer *session_drawer(const struct session *s)
{
    return s->options.reference ? reference_drawer(s->options.reference) : NULL;
}

int session_open_pool(struct session *s, int size, struct err *err)
{
    const struct graph *g = graph_of(s, size);
    struct pool *p = &s->pools[size];
    const struct plan *plan = &s->plans[size];
    struct pool_config c = {
        .device = s->options.device,
        .ctx = s->station->ctx,
        .engine =
            s->options.reference ? reference_engine(s->options.reference) : &s->station->engine,
        .drawer = session_drawer(s),
        .graph = g,
        .seed = fill_seed(s->options.seed, (uint64_t)size, UINT64_MAX),
        .params_fixed = plan->weights == WEIGHTS_FIXED,
        .contents = contents_of(s, size),
        .least_slots = 1,
        .arenas = plan_runners(plan) * plan->arenas,
        .memory_bytes = s->station->info.memory_bytes,
        .room_bytes = room_of(s, size),
        .progress = &s->options.plan.progress,
        .phases = &s->phases,
    };

    return p->device ? 0 : pool_open(&c, p, err);
}

/* A time below the floor more often shows a wrong floor than a wrong kernel: the floor was measured
 * once, maybe on a busy machine. So it is measured again, under the lock that is held here, and the
 * better figures are kept. */
static int measure_again(struct session *s, struct err *err)
{
    struct calibration again = s->station->calibration;
    const struct cpus *cpus = &s->station->cpus;

    if (calibrate_cpu(cpus->split ? &cpus->runner : &cpus->allowed, s->station->info.cache_bytes,
                      &again, err) < 0)
        return -1;
    calibration_merge(&s->station->calibration, &again);
    return calibration_save(s->station->places->home, &s->station->calibration, err);
}

static void set_limits(const struct session *s, const struct graph *g, const struct evaluation *e,
                       struct size_result *r)
{
    limits_compute(s->problem, g, s->station->hardware, &s->station->calibration,
                   s->station->info.cache_bytes, e->subject.weights == WEIGHTS_FIXED, &r->limits);
}

static bool too_fast(const struct size_result *r)
{
    const struct trial_result *t = &r->trial;

    return t->cold.median < r->limits.physics_ns ||
           (t->hot.median > 0 && t->hot.median < r->limits.hot_physics_ns);
}

/* A time below what memory, arithmetic or an empty kernel on this device can do is not a discovery.
 * Baselines are exempt. */
static int physics(struct session *s, const struct graph *g, const struct evaluation *e,
                   struct size_result *r, struct verdict *v, struct err *err)
{
    if (e->subject.kind->is_baseline ||
        subject_clock(&e->subject, s->options.device) == CLOCK_CLAIM || !too_fast(r))
        return 0;
    if (s->options.device->pins_cores && measure_again(s, err) < 0) /* GPUs have datasheets */
        return -1;
    set_limits(s, g, e, r);
    if (!too_fast(r))
        return 0;

    bool cold = r->trial.cold.median < r->limits.physics_ns;

    return verdict_set(
        v, REASON_REJECTED_PHYSICS,
        "%.3f us %s is less than memory, arithmetic or an empty kernel takes on this "
        "device (%.3f us)",
        (cold ? r->trial.cold.median : r->trial.hot.median) / 1e3, cold ? "cold" : "back to back",
        (cold ? r->limits.physics_ns : r->limits.hot_physics_ns) / 1e3);
}

static int seal_module(const struct session *s, int i, const struct evaluation *e,
                       const struct subject *subject, int *ret_fd, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    const struct buf source = {.ptr = e->source, .len = e->source_len};

    subject->kind->write_module(subject, s->problem, s->options.sizes, i, &source, &text);
    return fs_sealed_memfd("assay-module", text.ptr, text.len, ret_fd, err);
}

/* A candidate's artifact serves all sizes; the module of a baseline is written for one size. */
static int write_module(struct session *s, int i, struct evaluation *e, struct err *err)
{
    if (!e->subject.kind->write_module)
        return 0;
    fd_closep(&e->build.artifact_fd);
    return seal_module(s, i, e, &e->subject, &e->build.artifact_fd, err);
}

/* Explains a wrong answer. A module that packs its weights in the constructor, or in an earlier
 * call, is right if the parameters of the content that it was wrong about are there before it is
 * constructed. This is found out in one process with two calls, under the limits of any other. The
 * verdict stays `wrong`, whatever is found. What the process prints is thrown away, so the record
 * tells no more of the contents than it did before. */
static void explain_wrong(const struct session *s, int i, const struct trial_config *c,
                          struct evaluation *e)
{
    const struct graph *g = c->pool->graph;
    struct trial_config in_place = *c;
    AUTO(fd_closep) int module = -1;
    struct err ignored = ERR_INIT;
    int content = e->sizes[i].trial.wrong_content;

    if (e->verdict.kind != VERDICT_WRONG || content < 0 || g->n_sources == g->n_inputs ||
        !e->subject.kind->holds_weights || e->subject.weights != WEIGHTS_PER_CALL)
        return;
    in_place.runner.subject.weights = WEIGHTS_FIXED;
    if (seal_module(s, i, e, &in_place.runner.subject, &module, &ignored) < 0)
        return;
    in_place.runner.artifact_fd = module;
    if (!trial_right_in_place(&in_place, content))
        return;

    AUTO(freep) char *found = xstrdup(e->verdict.detail);

    verdict_set(&e->verdict, REASON_WRONG_STALE_WEIGHTS,
                "%s; it is right if it is constructed with these weights, so it keeps a copy or a "
                "pack of older ones: read them in every call, or use --weights fixed",
                found);
}

int session_start_timeout_ms(const struct session *s, const struct subject_kind *kind)
{
    return kind->built_by_start ? s->options.plan.build_timeout_ms
                                : MAX(kind->start_limit_ms, s->runner.start_timeout_ms);
}

/* A baseline has another program, or none. It gets time to start, and memory for the values it
 * keeps. */
static void use_subject(const struct session *s, const struct evaluation *e, const struct graph *g,
                        struct rproc_config *runner)
{
    const struct subject_kind *kind = e->subject.kind;

    runner->subject = e->subject;
    runner->require_sandbox = runner->require_sandbox && kind->sandboxed;
    runner->start_timeout_ms = session_start_timeout_ms(s, kind);
    if (kind->launcher == LAUNCH_PLAIN) {
        runner->runner_path = s->plain;
        runner->mem_bytes += (uint64_t)(2 * ops_peak_bytes(g, OPS_FLOAT));
    }
}

/* Runners that are still exiting may hold the memory that a pool takes. */
static int open_pool_alone(struct session *s, int i, struct err *err)
{
    if (s->pools[i].device)
        return 0;

    AUTO(phase_end) struct phase_timer timer = phase_begin(&s->phases, PHASE_END);

    exiting_await(&s->station->exiting);
    phase_end(&timer);
    return session_open_pool(s, i, err);
}

/* The first size says how parameters were bound: it is the same at all. */
static void take_bound(const struct graph *g, struct evaluation *e, const char *note)
{
    if (e->subject.kind->imported_first && e->bound.n == 0)
        bound_read(note, g->n_sources - g->n_inputs, &e->bound);
}

int session_judge_size(struct session *s, int i, struct evaluation *e, struct err *err)
{
    const struct session_options *o = &s->options;
    struct size_result *r = &e->sizes[i];

    if (write_module(s, i, e, err) < 0)
        return -1;

    struct trial_config c = {
        .plan = &s->plans[i],
        .pool = &s->pools[i],
        .judge_cpus = s->station->cpus.judge,
        .usual = &s->station->calibration,
        .runner = s->runner,
        .spares = &s->station->spares,
        .exiting = &s->station->exiting,
    };

    if (open_pool_alone(s, i, err) < 0)
        return -1;
    /* Nobody is timed beside a reference, unless each content has to be made again. */
    if (s->options.reference && s->pools[i].residency == RESIDENT)
        reference_rest(s->options.reference);
    c.runner.n_inputs = s->pools[i].graph->n_inputs;
    c.runner.artifact_fd = e->build.artifact_fd;
    use_subject(s, e, s->pools[i].graph, &c.runner);
    r->tried = true;
    set_limits(s, s->pools[i].graph, e, r);

    int rc = trial_run(&c, &r->trial, &e->verdict, err);

    take_bound(s->pools[i].graph, e, r->trial.note);
    if (rc == 1)
        explain_wrong(s, i, &c, e);
    if (rc || o->plan.check_only)
        return rc;
    rc = physics(s, s->pools[i].graph, e, r, &e->verdict, err);
    if (s->pools[i].graph->by_reference) /* nobody knows how much work it is */
        return rc;
    r->peak_fraction = r->limits.floor_ns / r->trial.cold.median;
    r->sol = limits_sol(&r->limits, &s->station->calibration, r->trial.cold.median);
    return rc;
}
