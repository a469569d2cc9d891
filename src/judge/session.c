/* SPDX-License-Identifier: MIT */
#include "judge/session_import.h"
#include "judge/session_size.h"

#include "base/clock.h"
#include "base/fs.h"
#include "judge/requirement.h"
#include "process/devlock.h"
#include "process/zygote.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START_TIMEOUT_MS 10000
#define SPARES_BATCH 4 /* candidates that spares are started for at a time */
#define RUNNER_MEM_MIN ((uint64_t)4 << 30)

/* --- opening --- */

/* Published figures are measured on GPUs; on a CPU full sizes would take minutes. */
enum size_set session_auto_sizes(const struct device *device)
{
    switch (device->clock) {
    case CLOCK_CLAIM_AUDITED:
        return SIZES_FULL;
    case CLOCK_JUDGE:
        return SIZES_MEDIUM;
    default:
        return SIZES_SMALL;
    }
}

/* Bytes of the graph's inputs and outputs. */
static size_t tensor_bytes(const struct graph *g)
{
    struct layout in, out;

    layout_inputs(g, &in);
    layout_outputs(g, &out);

    size_t bytes = in.bytes + out.bytes;

    layout_release(&in);
    layout_release(&out);
    return bytes;
}

/* Makes the plan of each size, and one limit of memory for all, so that a spare suits any of
 * them. */
static void fit_plans(struct session *s)
{
    uint64_t most = 0;

    s->plans = xcalloc((size_t)s->n_sizes, sizeof(*s->plans));
    for (int i = 0; i < s->n_sizes; i++) {
        size_t bytes = tensor_bytes(s->problem->sizes[s->options.sizes][i].graph);

        s->plans[i] = s->options.plan;
        plan_fit(&s->plans[i], bytes);
        most = MAX(most, (uint64_t)(s->plans[i].arenas + 2) * bytes);
    }
    s->runner_bytes = RUNNER_MEM_MIN + most + (uint64_t)s->problem->requires_memory;
}

/* Processes that one candidate needs, over all sizes. */
static int runners_needed(const struct session *s)
{
    int n = 0;

    for (int i = 0; i < s->n_sizes; i++)
        n += plan_runners(&s->plans[i]);
    return n;
}

/* Opening a driver takes longer than judging a small kernel. So spares are for devices with a
 * driver only, unless asked for. While many candidates are to come, spares for several are started
 * at a time: side by side they hardly take longer. */
static int spares_wanted(const struct session *s)
{
    const struct plan *plan = &s->options.plan;
    int left = s->options.candidates ? s->options.candidates - s->begun : SPARES_BATCH;

    if (plan->spares)
        return MAX(plan->spares, 0);
    if (!s->options.device->opens_slowly)
        return 0;
    return s->station->spares.need * MAX(MIN(left, SPARES_BATCH), 1);
}

static void fill_spares(struct session *s)
{
    s->station->spares.full = MIN(spares_wanted(s), SPARES_MAX);
    spares_fill(&s->station->spares);
}

static void open_spares(struct session *s)
{
    const struct plan *plan = &s->options.plan;

    s->runner = (struct rproc_config){
        .runner_path = s->station->places->runner,
        .subject = {.kind = &subject_native},
        .device = s->options.device,
        .device_index = s->options.device_index,
        .mem_bytes = s->runner_bytes,
        .require_sandbox = plan->require_sandbox,
        .pin = s->station->cpus.split,
        .runner_cpus = s->station->cpus.runner,
        .start_timeout_ms = MAX(START_TIMEOUT_MS, plan->call_timeout_ms),
        .call_timeout_ms = plan->call_timeout_ms,
        .setup_params = s->problem->setup_params,
    };
    spares_serve(&s->station->spares, &s->runner, runners_needed(s));
    fill_spares(s);
}

static char *beside(const char *program, const char *name)
{
    const char *slash = strrchr(program, '/');

    return xasprintf("%.*s%s", slash ? (int)(slash + 1 - program) : 0, program, name);
}

/* A driver makes one context after the other, and the judge's is needed first. So the spares, which
 * are there when it is done, wait for their turn at the lock. If another process has the lock, they
 * wait for that. */
static int open_device(struct session *s, struct err *err)
{
    AUTO(devlock_release) struct devlock lock = DEVLOCK_INIT;

    if (!s->station->has_ctx)
        devlock_to_open(s->options.device, s->options.device_index, &lock);
    open_spares(s);
    return station_open(s->station, err);
}

int session_open(struct station *station, const struct problem *problem,
                 const struct session_options *options, struct session **ret,
                 bool *ret_calibration_made, struct err *err)
{
    AUTO(session_closep) struct session *s = xcalloc(1, sizeof(*s));
    AUTO(buf_release) struct buf header = BUF_INIT;
    uint64_t start = clock_ns();

    assert(options->device == station->device && options->device_index == station->index);
    s->station = station;
    s->problem = problem;
    s->options = *options;
    if (problem_need_sizes(problem, options->sizes, err) < 0)
        return -1;
    s->n_sizes = problem->n_sizes[options->sizes];
    s->pools = xcalloc((size_t)s->n_sizes, sizeof(*s->pools));
    if (!options->seed_chosen)
        s->options.seed = secret_u64();
    /* Medians of GPU kernels differ by 0.2 us between processes, and one more costs 0.1 s. */
    if (s->options.plan.runners == 0)
        s->options.plan.runners = options->device->clock == CLOCK_CLAIM_AUDITED ? 1 : 3;
    s->options.plan.arenas = MAX(s->options.plan.arenas, PLAN_MIN_ARENAS);
    fit_plans(s);
    if (open_device(s, err) < 0 || station_ready(station, ret_calibration_made, err) < 0)
        return -1;
    s->plain = beside(station->places->runner, "assay-plain");
    emit_c_header(problem, options->sizes, &header);
    s->problem_h = buf_steal(&header);
    s->open_ms = clock_ms_since(start);
    *ret = steal(&s);
    return 0;
}

static void retire_pools(struct session *s)
{
    for (int i = 0; i < s->n_sizes; i++)
        if (s->pools[i].device)
            pool_close(&s->pools[i]);
    s->served = 0;
    s->told = false;
    /* A chosen seed stays. A secret one is spent once it stands in a record. */
    if (!s->options.seed_chosen)
        s->options.seed = secret_u64();
}

void session_close(struct session *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->n_sizes; i++)
        if (s->pools[i].device)
            pool_close(&s->pools[i]);
    station_trim(s->station);
    free(s->pools);
    free(s->plans);
    free(s->problem_h);
    free(s->plain);
    free(s);
}

void session_closep(struct session **s)
{
    session_close(*s);
    *s = NULL;
}

/* --- one candidate --- */

static struct prebuild_request request_of(const struct session *s)
{
    return (struct prebuild_request){.places = s->station->places,
                                     .device = s->options.device,
                                     .device_index = s->options.device_index,
                                     .plan = &s->options.plan,
                                     .info = &s->station->info,
                                     .problem_h = s->problem_h};
}

static struct source_text source_of(const struct evaluation *e)
{
    return (struct source_text){e->file_name, e->source, e->source_len};
}

static double *queue_ms(struct session *s)
{
    return &s->phases.ms[PHASE_QUEUE];
}

/* Does nothing if the builder has compiled it already. */
static int build(struct session *s, struct evaluation *e, struct err *err)
{
    const struct prebuild_request p = request_of(s);
    const struct source_text source = source_of(e);

    if (!e->build.log && prebuild_compile(&p, &source, &e->build, queue_ms(s), err) < 0)
        return -1;
    switch (e->build.status) {
    case BUILD_OK:
        return 0;
    case BUILD_FAILED:
        return verdict_set(&e->verdict, REASON_BUILD_ERROR_COMPILER, "the compiler refused it");
    case BUILD_TIMEOUT:
        return verdict_set(&e->verdict, REASON_BUILD_ERROR_TIMEOUT,
                           "the compiler did not end within %d ms",
                           s->options.plan.build_timeout_ms);
    case BUILD_TOO_LARGE:
        return verdict_set(&e->verdict, REASON_BUILD_ERROR_TOO_LARGE, "the %s is too large",
                           e->source_len > SOURCE_MAX ? "source" : "artifact");
    }
    return 0;
}

/* --- evidence from machine code --- */

static int inspect_artifact(const struct session *s, struct evaluation *e, struct err *err)
{
    const struct prebuild_request p = request_of(s);

    if (e->evidence_ready)
        return 0;
    if (e->subject.kind->imported_first)
        return prebuild_inspect_folder(&p, &e->frozen, &e->evidence, err);
    return prebuild_inspect(&p, &e->build, &e->evidence, err);
}

/* Inspects the code before anything runs: code that does not meet the requirement need not be
 * timed. */
static int inspect_code(struct session *s, struct evaluation *e, struct err *err)
{
    const struct prebuild_request p = request_of(s);
    const struct source_text source = source_of(e);

    if (inspect_artifact(s, e, err) < 0)
        return -1;
    e->infra_kind = ERR_SYSTEM; /* used only with VERDICT_INFRA */

    int rc = requirement_check(&e->evidence, s->problem->requires_tensor, &e->verdict);

    if (e->verdict.kind == VERDICT_INFRA)
        requirement_blame(&e->evidence, &p, &source, &e->verdict);
    return rc;
}

/* If nothing is required of the code, the disassembler works beside the judge. It takes longer
 * than judging a small kernel, and one busy core does not move a time that the device itself
 * measures. */
struct inspection {
    struct session *s;
    struct evaluation *e;
    struct err err;
    pthread_t thread;
    bool started;
    int rc;
};

static void *inspect_aside(void *arg)
{
    struct inspection *l = arg;

    l->rc = inspect_artifact(l->s, l->e, &l->err);
    return NULL;
}

static int inspect_start(struct inspection *l, struct err *err)
{
    if (l->e->evidence_ready || l->s->problem->requires_tensor ||
        subject_clock(&l->e->subject, l->s->options.device) == CLOCK_JUDGE)
        return inspect_code(l->s, l->e, err);
    l->started = pthread_create(&l->thread, NULL, inspect_aside, l) == 0;
    return l->started ? 0 : inspect_code(l->s, l->e, err);
}

/* rc: result of judging, which counts more. */
static int inspect_end(struct inspection *l, int rc, struct err *err)
{
    if (l->started)
        pthread_join(l->thread, NULL);
    if (rc != 0 || l->rc == 0)
        return rc;
    *err = l->err;
    return -1;
}

static void summarise(struct evaluation *e)
{
    AUTO(freep) double *peaks = xcalloc((size_t)e->n_sizes, sizeof(*peaks));
    AUTO(freep) double *sols = xcalloc((size_t)e->n_sizes, sizeof(*sols));

    for (int i = 0; i < e->n_sizes; i++) {
        peaks[i] = e->sizes[i].peak_fraction;
        sols[i] = e->sizes[i].sol;
        if (!(peaks[i] > 0))
            return;
    }
    e->peak_fraction = stats_geomean(peaks, (size_t)e->n_sizes);
    e->sol = stats_geomean(sols, (size_t)e->n_sizes);
}

/* A subject that is excused for being wrong at one size is timed at the others, too. The first
 * finding is the verdict. */
static int judge_each(struct session *s, struct evaluation *e, struct err *err)
{
    struct verdict first = VERDICT_INIT;
    int rc = 0;

    for (int i = 0; i < e->n_sizes && rc == 0; i++) {
        rc = session_judge_size(s, i, e, err);
        if (rc == 1 && e->subject.kind->wrong_excused && e->verdict.kind == VERDICT_WRONG) {
            if (first.kind == VERDICT_PASS)
                first = e->verdict;
            e->verdict = (struct verdict)VERDICT_INIT;
            rc = 0;
        }
    }
    if (rc != 0 || first.kind == VERDICT_PASS)
        return rc;
    e->verdict = first;
    return 1;
}

/* Makes the first contents while spares open a driver, or while the last candidate's processes
 * leave it: nobody is timed beside either. Exiting processes may still hold the memory that
 * contents need. The next candidate is not to blame for that, so contents are then made when they
 * are needed. */
static int ready_first_pool(struct session *s, struct err *err)
{
    AUTO(devlock_release) struct devlock lock = DEVLOCK_INIT;
    struct err ignored = ERR_INIT;

    if (!s->options.device->opens_slowly)
        return 0;
    if (devlock_to_prepare(s->options.device, s->options.device_index, &lock, queue_ms(s), err) < 0)
        return -1;
    if (session_open_pool(s, 0, &ignored) == 0)
        pool_bring_first(&s->pools[0], &ignored);
    return 0;
}

/* If nothing is timed, others may check at the same time, unless a device's memory is counted. Nor
 * may they if results are named for the judge: whoever else is there could open them, too. */
static bool is_alone(const struct session *s, const struct evaluation *e)
{
    bool named = s->options.device->judge->locate && e->subject.results_read;
    bool counted = s->options.device->counts_device_memory && s->problem->requires_memory &&
                   e->subject.kind->memory_counted;

    return !s->options.plan.check_only || counted || named;
}

/* Waits until spares are warm, and the runners of the last candidate gone. */
static void await_processes(struct session *s)
{
    AUTO(phase_end) struct phase_timer warm = phase_begin(&s->phases, PHASE_START);

    spares_settle(&s->station->spares);
    phase_end(&warm);

    AUTO(phase_end) struct phase_timer gone = phase_begin(&s->phases, PHASE_END);

    exiting_await(&s->station->exiting);
}

static int judge_sizes(struct session *s, struct evaluation *e, struct err *err)
{
    const struct session_options *o = &s->options;
    AUTO(devlock_release) struct devlock lock = DEVLOCK_INIT;
    int rc = 0;

    if (ready_first_pool(s, err) < 0)
        return -1;
    await_processes(s);
    rc = (is_alone(s, e) ? devlock_alone : devlock_shared)(o->device, o->device_index, &lock,
                                                           queue_ms(s), err);
    if (rc < 0)
        return -1;
    rc = judge_each(s, e, err);
    if (rc == 0 && !o->plan.check_only)
        summarise(e);
    if (o->device->pins_cores) /* the next candidate's compiler takes the lock itself */
        exiting_await(&s->station->exiting);
    else
        exiting_hold_lock(&s->station->exiting, &lock);
    return rc;
}

static void take_source(struct evaluation *e, const struct source_text *source)
{
    e->file_name = xstrdup(source->name);
    e->source = xcalloc(1, source->len + 1);
    e->source_len = source->len;
    if (source->len)
        memcpy(e->source, source->text, source->len);
    hash_of(e->source, e->source_len, e->source_hash);
}

static void take_build(struct session *s, struct evaluation *e, struct prebuilt *built)
{
    e->build = built->build;
    *queue_ms(s) = built->queue_ms;
    e->evidence = built->evidence;
    e->evidence_ready = built->evidence_ready;
    built->build = (struct build_result){.artifact_fd = -1};
    built->evidence = (struct evidence){0};
}

static void begin(struct session *s, const struct subject *subject, struct evaluation *ret)
{
    *ret =
        (struct evaluation){.subject = *subject, .verdict = VERDICT_INIT, .build.artifact_fd = -1};
    snprintf(ret->id, sizeof(ret->id), "%016llx%016llx", (unsigned long long)secret_u64(),
             (unsigned long long)secret_u64());
    clock_utc(ret->created);
    s->phases = (struct phases){.ms[PHASE_OPEN] = s->open_ms};
    s->open_ms = 0;
    /* Two candidates that read files are not judged on the same contents. */
    if (s->served >= POOL_CANDIDATES || (subject->kind->reads_files && s->told))
        retire_pools(s);
    s->served++;
    s->told = s->told || subject->kind->reads_files;
    ret->n_sizes = s->n_sizes;
    ret->sizes = xcalloc((size_t)s->n_sizes, sizeof(*ret->sizes));
    ret->seed = s->options.seed;
    ret->seed_spent = s->options.seed_chosen || s->options.single;
    hash_of(&ret->seed, sizeof(ret->seed), ret->pool);
    for (int i = 0; i < s->n_sizes; i++)
        ret->sizes[i].size = &s->problem->sizes[s->options.sizes][i];
}

/* A record shows what a candidate printed, and what its process wrote elsewhere, such as the name
 * of a fault or of a parameter. The next candidate must not be judged on contents that these may
 * tell. */
static void spend_pool(struct session *s, const struct evaluation *e)
{
    if (e->verdict.quotes || (e->bound.n && !bound_is_plain(&e->bound)))
        s->served = POOL_CANDIDATES;
    for (int i = 0; i < e->n_sizes; i++)
        if (e->sizes[i].trial.text)
            s->served = POOL_CANDIDATES;
}

static void conclude(const struct session *s, struct evaluation *e, int rc, uint64_t start,
                     const struct err *err)
{
    if (rc < 0) {
        e->infra_kind = err->kind;
        verdict_set(&e->verdict,
                    err->kind == ERR_DEVICE ? REASON_INFRA_DEVICE : REASON_INFRA_SYSTEM, "%s",
                    err->text);
    }
    e->phases = s->phases;
    e->phases.ms[PHASE_BUILD] = e->build.ms;
    e->phases.ms[PHASE_EVIDENCE] = e->evidence.ms;
    e->phases.ms[PHASE_TOTAL] = clock_ms_since(start);
}

/* A candidate in Python needs the zygote, whose versions are its toolchain. */
static int take_zygote(struct session *s, struct evaluation *e, struct err *err)
{
    if (e->subject.kind->launcher != LAUNCH_ZYGOTE)
        return 0;
    if (!s->zygote) {
        *err = *s->no_zygote;
        return -1;
    }
    e->subject.zygote = s->zygote;
    freep(&e->build.toolchain);
    e->build.toolchain = xstrdup(zygote_version(s->zygote));
    return 0;
}

void session_eval(struct session *s, const struct source_text *source, struct prebuilt *built,
                  struct evaluation *ret)
{
    struct inspection inspection = {.s = s, .e = ret, .err = ERR_INIT};
    struct err err = ERR_INIT;
    uint64_t start = clock_ns();

    begin(s, &(struct subject){.kind = subject_kind_of_file(source->name)}, ret);
    take_source(ret, source);
    ret->subject.file = ret->file_name;
    ret->subject.entry = s->entry;
    ret->subject.weights =
        ret->subject.kind->holds_weights ? s->options.plan.weights : WEIGHTS_PER_CALL;
    if (built)
        take_build(s, ret, built);
    fill_spares(s); /* spares warm up while the candidate is built */
    s->begun++;

    int rc = build(s, ret, &err);

    if (rc == 0)
        rc = take_zygote(s, ret, &err);
    if (rc == 0)
        rc = session_import(s, ret, &err);
    if (rc == 0)
        rc = inspect_start(&inspection, &err);
    if (rc == 0)
        rc = judge_sizes(s, ret, &err);
    rc = inspect_end(&inspection, rc, &err);
    spend_pool(s, ret);
    conclude(s, ret, rc, start, &err);
    ret->phases.ms[PHASE_TOTAL] += built ? ret->build.ms : 0;
}

/* Writes the source of a baseline, which has a text as well. */
static int write_source(struct session *s, struct evaluation *e, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    AUTO(buf_release) struct buf toolchain = BUF_INIT;

    if (e->subject.kind->write_source(&e->subject, s->problem, s->options.sizes,
                                      s->station->places->share, &text, &toolchain, err) < 0)
        return -1;
    e->source_len = text.len;
    e->source = buf_steal(&text);
    hash_of(e->source, e->source_len, e->source_hash);
    e->build.log = xstrdup("");
    e->build.toolchain = buf_steal(&toolchain);
    return 0;
}

int session_eval_baseline(struct session *s, const struct subject *subject, const char *word,
                          struct evaluation *ret, struct err *err)
{
    uint64_t start = clock_ns();

    begin(s, subject, ret);
    ret->file_name = xstrdup(word);
    if (write_source(s, ret, err) < 0) {
        evaluation_release(ret);
        return -1;
    }
    conclude(s, ret, judge_sizes(s, ret, err), start, err);
    return 0;
}

void evaluation_release(struct evaluation *e)
{
    for (int i = 0; i < e->n_sizes; i++)
        trial_result_release(&e->sizes[i].trial);
    free(e->sizes);
    free(e->source);
    free(e->file_name);
    build_result_release(&e->build);
    buf_release(&e->frozen);
    bound_release(&e->bound);
    evidence_release(&e->evidence);
    *e = (struct evaluation){.build.artifact_fd = -1};
}
