/* SPDX-License-Identifier: MIT */
/*
 * How many candidates one session judges in a second, and what they leave behind. They are
 * different candidates of one problem, built and disassembled on all cores before the clock starts,
 * each in a fresh process. With --soak every fifth is faulty. Device memory is shown before and
 * after all of them.
 *
 * --limit S: at most half of it goes into building; the rest is for as many candidates as fit.
 * Prints figures; with a file name as the argument they go there as JSON. With --device cpu it runs
 * anywhere.
 */
#include "eval_bench.h"

#include "judge/judge.h"
#include "measure/stats.h"

#include <pthread.h>
#include <stdatomic.h>

struct throughput {
    struct bench bench;
    int64_t candidates;
    bool soak;
};

#define FIELD(name) offsetof(struct throughput, name)
static const struct opt table[] = {
    BENCH_OPTIONS("small or full (default: small)", "report on what is done after S seconds"),
    {"candidates", 'n', OPT_INT, FIELD(candidates), "N", "in one session (default 200)", NULL, 1,
     100000},
    {"soak", 0, OPT_FLAG, FIELD(soak), NULL, "every fifth candidate is a faulty one", NULL, 0, 0},
    {0},
};

#define MANY_PROBLEM "level1/019_relu"
#define MANY_PER_SECOND 5 /* what one GPU has to reach */
#define MANY_P95_MS 500
#define FIRST_FEW 4 /* judged before anything is measured: a context keeps some memory */
#define BUILDERS_MAX 64

static const char *const faulty[] = {"012_zeros", "033_past_end", "214_returns_error", NULL};
static const char *const crash[] = {"211_null_pointer", "120_illegal_address"}; /* cpu, cuda */

struct many {
    struct bench *bench;
    bool soak;
    struct problem *problem;
    struct session_options options;
    struct device_info info;
    struct judge *judge;
    char *problem_h;
    char **files;
    int asked, n; /* n: prepared, then judged in time */
    double prepare_ms;
    double *eval_ms;
    double phase[ARRAY_SIZE(phases)];
    json_t *verdicts;
};

static const char *many_name(const struct many *m)
{
    return m->soak ? "soak" : "throughput";
}

/* Every fifth of a soak is a faulty one. */
static char *soak_file(const struct bench *b, int i)
{
    bool cpu = on_cpu(b);
    int k = i / 5 % 4;

    return xasprintf("%s/attacks/%s/%s.%s", b->places.share, b->device->name,
                     faulty[k] ? faulty[k] : crash[!cpu], cpu ? "c" : "cu");
}

static int many_files(struct many *m, struct err *err)
{
    struct bench *b = m->bench;
    AUTO(freep) char *file = exemplar(b, MANY_PROBLEM, on_cpu(b) ? "naive.c" : "launch.cu");

    for (int i = 0; i < m->asked; i++) {
        m->files[i] = m->soak && i % 5 == 4 ? soak_file(b, i) : variant(b, file, i, NULL, err);
        if (!m->files[i])
            return -1;
    }
    return 0;
}

/* --- built and disassembled, which the cache then has --- */

struct builders {
    struct many *many;
    atomic_int next, done;
    pthread_mutex_t mutex;
    struct err err; /* the first one's */
    bool failed;
};

static int prepare_one(const struct many *m, const char *path, struct err *err)
{
    const struct bench *b = m->bench;
    const struct prebuild_request req = {.places = &b->places,
                                         .device = m->options.device,
                                         .device_index = m->options.device_index,
                                         .plan = &m->options.plan,
                                         .info = &m->info,
                                         .problem_h = m->problem_h};
    const struct source_file file = {path, 0};
    struct evidence evidence = {0};
    struct prebuilt built;

    if (prebuild(&req, &file, &built, err) < 0)
        return -1;

    int rc = 0;

    if (built.build.status != BUILD_OK)
        rc = fail(err, ERR_SYSTEM, "%s does not build", path);
    else if (!built.evidence_ready) /* once more, for what kept it */
        rc = prebuild_inspect(&req, &built.build, &evidence, err);
    evidence_release(&evidence);
    prebuilt_release(&built);
    return rc;
}

static void *build_some(void *arg)
{
    struct builders *w = arg;
    struct many *m = w->many;
    int i;

    while (!is_over(m->bench, 0.5) && !w->failed &&
           (i = atomic_fetch_add(&w->next, 1)) < m->asked) {
        struct err err = ERR_INIT;
        int rc = prepare_one(m, m->files[i], &err);
        int done = atomic_fetch_add(&w->done, 1) + 1;

        pthread_mutex_lock(&w->mutex);
        if (rc < 0 && !w->failed)
            w->err = err;
        w->failed |= rc < 0;
        pthread_mutex_unlock(&w->mutex);
        if (done % 25 == 0 || done == m->asked)
            fprintf(stderr, "%s: %d of %d prepared\n", many_name(m), done, m->asked);
    }
    return NULL;
}

/* Builders take files in order, and what one has begun it ends: a prefix is prepared. */
static int many_prepare(struct many *m, struct err *err)
{
    struct builders w = {.many = m, .mutex = PTHREAD_MUTEX_INITIALIZER, .err = ERR_INIT};
    pthread_t threads[BUILDERS_MAX];
    int n = 0, wanted = (int)MIN(sysconf(_SC_NPROCESSORS_ONLN), BUILDERS_MAX);
    uint64_t start = clock_ns();

    while (n < wanted && pthread_create(&threads[n], NULL, build_some, &w) == 0)
        n++;
    if (n == 0)
        return fail(err, ERR_SYSTEM, "no thread can be started");
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    m->n = w.done;
    m->prepare_ms = clock_ms_since(start);
    if (w.failed) {
        *err = w.err;
        return -1;
    }
    return m->n ? 0 : fail(err, ERR_SYSTEM, "nothing was built in time");
}

/* --- judged --- */

static int many_judge(struct many *m, int i, struct evaluation *ret, struct err *err)
{
    struct judge_request r = {.problem = m->problem, .options = m->options};
    AUTO(freep) char *text = NULL;

    if (judge_read(m->files[i], &r.source, &text, err) < 0)
        return -1;
    r.options.candidates = MAX(m->asked - i, 1);
    return judge_eval(m->judge, &r, ret, err);
}

static int many_eval(struct many *m, int i, struct err *err)
{
    struct evaluation e;
    uint64_t start = clock_ns();

    if (many_judge(m, i, &e, err) < 0)
        return -1;
    m->eval_ms[i] = clock_ms_since(start);

    json_t *record = record_json(m->judge->session, &e);
    const char *verdict = verdict_names[e.verdict.kind];
    json_int_t count = json_integer_value(json_object_get(m->verdicts, verdict));
    bool meant = e.verdict.kind == VERDICT_PASS || (m->soak && i % 5 == 4);

    for (size_t p = 0; p < ARRAY_SIZE(phases); p++)
        m->phase[p] += phase_ms(record, phases[p]);
    json_object_set_new(m->verdicts, verdict, json_integer(count + 1));
    if (!meant || e.verdict.kind == VERDICT_INFRA) {
        m->bench->failed = true;
        fprintf(stderr, "%s: %s: %s\n", m->files[i], verdict, e.verdict.detail);
    }
    json_decref(record);
    evaluation_release(&e);
    return 0;
}

/* Up to n of them, one after the other, as far as there is time; m->n says how many. Returns the
 * wall clock in ms, the session's opening and closing in it, or -1. */
static double many_run(struct many *m, int n, struct err *err)
{
    const struct bench *b = m->bench;
    uint64_t start = clock_ns();
    const struct judge_config config = {.places = &b->places};
    int rc = 0;

    m->judge = judge_new(&config);

    json_object_clear(m->verdicts);
    memset(m->phase, 0, sizeof(m->phase));
    for (m->n = 0; m->n < n && rc == 0 && (m->n == 0 || !is_over(b, 1)); m->n += rc == 0) {
        rc = many_eval(m, m->n, err);
        if (m->n % 50 == 49)
            fprintf(stderr, "%s: %d of %d judged\n", many_name(m), m->n + 1, n);
    }
    judge_freep(&m->judge);
    return rc < 0 ? -1 : clock_ms_since(start);
}

static int64_t free_bytes(const struct bench *b, void *ctx)
{
    int64_t bytes = -1;
    struct err ignored = ERR_INIT;

    if (b->device->judge->free_bytes)
        b->device->judge->free_bytes(ctx, &bytes, &ignored);
    return bytes;
}

static json_t *phases_json(const struct many *m)
{
    json_t *j = json_object();

    for (size_t p = 0; p < ARRAY_SIZE(phases); p++)
        json_object_set_new(j, phases[p], json_real(m->phase[p] / m->n));
    return j;
}

static json_t *times_json(const struct many *m)
{
    json_t *j = json_array();

    for (int i = 0; i < m->n; i++)
        json_array_append_new(j, json_real(m->eval_ms[i]));
    return j;
}

static json_t *many_report(const struct many *m, double wall_ms, int64_t before, int64_t after)
{
    double per_s = 1e3 * m->n / wall_ms;
    double p50 = stats_quantile(m->eval_ms, (size_t)m->n, 0.5);
    double p95 = stats_quantile(m->eval_ms, (size_t)m->n, 0.95);
    bool all = m->n == m->asked, fast = per_s >= MANY_PER_SECOND && p95 <= MANY_P95_MS;
    AUTO(freep) char *verdicts = json_dumps(m->verdicts, JSON_COMPACT);

    printf("%s: %d of %d evaluations of %s, %.1f a second; p50 %.1f ms, p95 %.1f ms; %s\n",
           many_name(m), m->n, m->asked, MANY_PROBLEM, per_s, p50, p95, verdicts);
    printf("  prepared in %.1f s; mean ms:", m->prepare_ms / 1e3);
    for (size_t p = 0; p < ARRAY_SIZE(phases); p++)
        printf(" %s %.1f", phases[p], m->phase[p] / m->n);
    putchar('\n');
    if (before >= 0)
        printf("  device memory free before %.1f MiB, after %.1f MiB: %.1f left behind\n",
               (double)before / 0x1p20, (double)after / 0x1p20, (double)(before - after) / 0x1p20);
    if (!m->soak && !on_cpu(m->bench))
        printf("  %d a second, p95 %d ms: %s\n", MANY_PER_SECOND, MANY_P95_MS,
               fast ? "reached" : "NOT reached");
    return json_pack("{s:s, s:i, s:i, s:b, s:s, s:f, s:f, s:f, s:f, s:f, s:b, s:O, s:o, s:o, s:I, "
                     "s:I}",
                     "problem", MANY_PROBLEM, "asked", m->asked, "evaluations", m->n, "all", all,
                     "sizes", size_set_names[m->options.sizes], "prepare_ms", m->prepare_ms,
                     "wall_ms", wall_ms, "per_second", per_s, "p50_ms", p50, "p95_ms", p95,
                     "fast_enough", fast, "verdicts", m->verdicts, "mean_phases_ms", phases_json(m),
                     "eval_ms", times_json(m), "free_bytes_before", (json_int_t)before,
                     "free_bytes_after", (json_int_t)after);
}

static void many_release(struct many *m)
{
    for (int i = 0; i < m->asked; i++)
        free(m->files[i]);
    free(m->files);
    free(m->eval_ms);
    free(m->problem_h);
    json_decref(m->verdicts);
    problem_freep(&m->problem);
}

static int many_open(struct many *m, void **ret_ctx, struct err *err)
{
    struct bench *b = m->bench;
    AUTO(buf_release) struct buf header = BUF_INIT;
    struct problem_ref ref = {0};

    m->files = xcalloc((size_t)m->asked, sizeof(*m->files));
    m->eval_ms = xcalloc((size_t)m->asked, sizeof(*m->eval_ms));
    m->options =
        (struct session_options){.device = b->device,
                                 .device_index = b->index,
                                 .sizes = b->sizes == BENCH_FULL ? SIZES_FULL : SIZES_SMALL,
                                 .plan = PLAN_DEFAULT};
    m->options.plan.spares = b->no_spares ? -1 : (int)b->spares;
    if (problem_find(b->places.share, MANY_PROBLEM, &ref, err) < 0)
        return -1;

    int rc = problem_load(ref.path, ref.name, &m->problem, err);

    problem_ref_release(&ref);
    if (rc < 0 || many_files(m, err) < 0 || b->device->judge->open(b->index, ret_ctx, err) < 0)
        return -1;
    emit_c_header(m->problem, m->options.sizes, &header);
    m->problem_h = buf_steal(&header);
    return b->device->judge->describe(*ret_ctx, &m->info, err);
}

/* What memory says is read through a context of our own, which is there before the session and
 * after it. */
static json_t *bench_many(struct bench *b, int n, bool soak, struct err *err)
{
    AUTO(many_release)
    struct many m = {.bench = b, .soak = soak, .asked = n, .verdicts = json_object()};
    json_t *report = NULL;
    void *ctx = NULL;

    if (many_open(&m, &ctx, err) == 0 && many_prepare(&m, err) == 0) {
        int prepared = m.n;

        if (many_run(&m, MIN(FIRST_FEW, prepared), err) >= 0) {
            int64_t before = free_bytes(b, ctx);
            double wall_ms = many_run(&m, prepared, err);

            if (wall_ms >= 0)
                report = many_report(&m, wall_ms, before, free_bytes(b, ctx));
        }
    }
    if (ctx)
        b->device->judge->close(ctx);
    return report;
}

/* --- the whole --- */

static json_t *device_json(struct bench *b, struct err *err)
{
    struct device_info info;
    void *ctx = NULL;

    if (b->device->judge->open(b->index, &ctx, err) < 0)
        return NULL;

    int rc = b->device->judge->describe(ctx, &info, err);

    b->device->judge->close(ctx);
    return rc < 0 ? NULL : json_pack("{s:s, s:s}", "name", info.name, "driver", info.driver);
}

static int run(struct bench *b, struct err *err)
{
    const struct throughput *t = (const struct throughput *)b;
    json_t *device = device_json(b, err);
    json_t *many = NULL;

    if (device)
        many = bench_many(b, t->candidates ? (int)t->candidates : 200, t->soak, err);
    json_object_set_new(b->out, "device", device ? device : json_null());
    if (many)
        json_object_set_new(b->out, t->soak ? "soak" : "throughput", many);
    return many ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct throughput t = {0};

    return bench_main("throughput_gpu", table, &t.bench, argc, argv, run);
}
