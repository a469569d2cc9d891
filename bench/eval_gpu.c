/* SPDX-License-Identifier: MIT */
/*
 * How long evaluations take where a kernel is short and a driver is slow, and what they leave
 * behind. Three parts:
 *
 *   whole evaluations, each a new `assay eval` with the default plan: the candidate compiled anew,
 *   then from the cache; then as the second candidate of a session, whose inputs and expected
 *   values are there. "overhead" is what remains of the wall clock without the candidate's own
 *   calls and without expected values, each where it was computed for the first time: what is
 *   computed again because it does not fit into memory is ours. Phases add up to the wall clock:
 *   "other" is what a record does not name, "close" the start and the end of the process, the
 *   driver's end among it.
 *   --throughput N: N different candidates of one problem in one session, built and disassembled
 *   before the clock starts, on all cores; a fresh process each.
 *   --soak N: the same with faulty ones among them; device memory before and after all.
 *
 * --limit S, for each part: half of it at most goes into building; then as much is measured as time
 * is left for.
 * Prints tables; with a file name as the argument the figures go there as JSON, as they come. With
 * --device cpu --sizes small it runs anywhere.
 */
#include "run_assay.h"

#include "base/opt.h"
#include "judge/record.h"
#include "judge/stats.h"

#include <pthread.h>
#include <stdatomic.h>

struct options {
    const char *device;
    int sizes;
    int64_t runs, throughput, soak, spares, limit_s;
    bool no_spares;
};

#define FIELD(name) offsetof(struct options, name)
static const char *const size_choices[] = {"auto", "small", "full", NULL};

static const struct opt table[] = {
    {"device", 'd', OPT_STRING, FIELD(device), "DEVICE", "default: cuda", NULL, 0, 0},
    {"sizes", 's', OPT_CHOICE, FIELD(sizes), "SET",
     "small or full (default: full; small for throughput and soak)", size_choices, 0, 0},
    {"runs", 'n', OPT_INT, FIELD(runs), "N", "cached evaluations of each problem (default 3)", NULL,
     1, 1000},
    {"throughput", 0, OPT_INT, FIELD(throughput), "N", "N candidates in one session, no table",
     NULL, 1, 100000},
    {"soak", 0, OPT_INT, FIELD(soak), "N", "N evaluations, faulty ones among them, no table", NULL,
     1, 100000},
    {"limit", 0, OPT_INT, FIELD(limit_s), "S",
     "of each part, report on what is done after S seconds", NULL, 1, 86400},
    {"spares", 0, OPT_INT, FIELD(spares), "N", "as of assay eval", NULL, 1, SPARES_MAX},
    {"no-spares", 0, OPT_FLAG, FIELD(no_spares), NULL, "as of assay eval", NULL, 0, 0},
    {0},
};

/* KernelBench's own evaluator on an H200 (5 checks, 100 timed calls), without the 4.3 s in which
 * its process starts; PyTorch as the candidate, but for ReLU, where a CUDA one was compiled before.
 */
static const struct {
    const char *problem, *cuda, *cpu;
    double kernelbench_ms;
} cases[] = {
    {"level1/001_square_matrix_multiplication", "tiled.cu", "fast.c", 2500},
    {"level1/019_relu", "launch.cu", "fast.c", 75000},
    {"level1/023_softmax", "launch.cu", "fast.c", 87000},
    {"level1/040_layer_norm", "launch.cu", "fast.c", 6300},
    {"level1/063_conv_standard_2d", "tiled.cu", NULL, 19800},
    {"level2/011_conv_transpose2d_batch_norm_tanh_max_pool_group_norm", "tiled.cu", "naive.c",
     1900},
    {"level2/022_matmul_scale_residual_clamp_logsumexp_mish", "naive.cu", "naive.c", 2000},
    {"level3/044_mini_gpt_block", "tiled.cu", "naive.c", 9900},
};

struct bench {
    struct options o;
    const struct device *device;
    int index;
    struct places places;
    char *assay;
    char *work; /* variants of candidates, gone at the end */
    uint64_t start;
    const char *out_path; /* NULL: figures are only printed */
    json_t *out;
    bool failed;
};

static void save(const struct bench *b)
{
    if (b->out_path)
        json_dump_file(b->out, b->out_path, JSON_INDENT(1));
}

/* Whether this share of the time has been used up. */
static bool is_over(const struct bench *b, double share)
{
    return b->o.limit_s && clock_ms_since(b->start) > 1e3 * share * (double)b->o.limit_s;
}

static bool on_cpu(const struct bench *b)
{
    return strcmp(b->device->name, "cpu") == 0;
}

/* Its figures are those of a GPU at full sizes; 0 where they are no measure. */
static double kernelbench_ms(const struct bench *b, int c)
{
    return on_cpu(b) || b->o.sizes == 1 ? 0 : cases[c].kernelbench_ms;
}

/* --- candidates --- */

static char *exemplar(const struct bench *b, const char *problem, const char *name)
{
    return xasprintf("%s/exemplars/%s/%s/%s", b->places.share, b->device->name, problem, name);
}

/* The same program with a word of data more, so that nobody has built or judged it before, in a
 * file of its own. */
static char *variant(const struct bench *b, const char *path, int number, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    AUTO(freep) char *to = xasprintf("%s/v%d%s", b->work, number, strrchr(path, '.'));

    if (fs_read(path, 1 << 20, &text, err) < 0)
        return NULL;
    buf_addf(&text, "\n%sint assay_variant_%d = %d; /* of %s */\n", on_cpu(b) ? "" : "__device__ ",
             number, number, b->work);
    return fs_write_atomic(to, text.ptr, text.len, err) < 0 ? NULL : steal(&to);
}

/* --- whole evaluations --- */

struct whole {
    double wall_ms, overhead_ms;
    json_t *record; /* owned; NULL: there is none */
};

static void whole_release(struct whole *w)
{
    json_decref(w->record);
}

static const char *const phases[] = {"load",   "open",     "queue",  "build",  "start",
                                     "inputs", "expected", "remade", "honest", "checks",
                                     "timing", "audit",    "end"};
#define BEFORE_TOTAL 2 /* of these; the others are parts of "total" */
/* Of the wall clock what no phase names, and of the calls what is not overhead. */
static const char *const more_phases[] = {"other", "close", "candidate"};

/* own_process: the wall clock began before the program did, and ended after it; else it is the
 * record's "total". */
static void add_up(struct whole *w, bool own_process)
{
    json_t *ms = json_object_get(w->record, "phases_ms");
    double before = 0, named = 0, total = phase_ms(w->record, "total");

    if (!own_process) /* the problem was loaded for the first one */
        json_object_set_new(ms, "load", json_real(0));
    for (size_t p = 0; p < ARRAY_SIZE(phases); p++)
        *(p < BEFORE_TOTAL ? &before : &named) += phase_ms(w->record, phases[p]);
    json_object_set_new(ms, "other", json_real(total - named));
    json_object_set_new(ms, "close", json_real(own_process ? w->wall_ms - before - total : 0));
    w->overhead_ms =
        w->wall_ms - phase_ms(w->record, "candidate") - phase_ms(w->record, "expected");
}

/* The one before closes its driver behind its user's back; who edits takes longer than that. */
#define BETWEEN_US 500000

/* files: one, or two of which the second counts. */
static int whole_run(const struct bench *b, const char *problem, const char *const *files,
                     const char *extra, struct whole *ret)
{
    AUTO(freep) char *spares = xasprintf("%d", (int)b->o.spares);
    const char *argv[20] = {b->assay,     "eval",     "--json",
                            "--no-store", "--sizes",  b->o.sizes == 1 ? "small" : "full",
                            "--device",   b->o.device};
    int n = 8;

    if (b->o.spares) {
        argv[n++] = "--spares";
        argv[n++] = spares;
    }
    if (b->o.no_spares)
        argv[n++] = "--no-spares";
    if (extra)
        argv[n++] = extra;
    argv[n++] = problem;
    argv[n++] = files[0];
    argv[n] = files[1];

    json_t *records = NULL;
    int at = files[1] ? 1 : 0;

    usleep(BETWEEN_US);
    if (run_assay((char *const *)argv, &records, &ret->wall_ms) < 0)
        return -1;
    ret->record = json_incref(json_array_get(records, (size_t)at));
    json_decref(records);
    if (at && ret->record)
        ret->wall_ms = phase_ms(ret->record, "total");
    if (!passed(ret->record)) {
        const char *detail = json_string_value(json_object_get(ret->record, "detail"));

        fprintf(stderr, "%s: not a pass: %s\n", files[at], detail ? detail : "no record");
        return -1;
    }
    add_up(ret, at == 0);
    return 0;
}

static int by_wall(const void *a, const void *b)
{
    double x = ((const struct whole *)a)->wall_ms, y = ((const struct whole *)b)->wall_ms;

    return (x > y) - (x < y);
}

/* From the cache, several times; *ret is the median one. */
static int whole_cached(const struct bench *b, const char *problem, const char *file,
                        struct whole *ret)
{
    int runs = b->o.runs ? (int)b->o.runs : 3, rc = 0;
    AUTO(freep) struct whole *all = xcalloc((size_t)runs, sizeof(*all));

    for (int i = 0; i < runs && rc == 0; i++)
        rc = whole_run(b, problem, (const char *const[]){file, NULL}, NULL, &all[i]);
    qsort(all, (size_t)runs, sizeof(*all), by_wall);
    *ret = all[runs / 2];
    for (int i = 0; i < runs; i++)
        if (i != runs / 2)
            whole_release(&all[i]);
    return rc;
}

static json_t *whole_json(const struct whole *w)
{
    return json_pack("{s:f, s:f, s:O}", "wall_ms", w->wall_ms, "overhead_ms", w->overhead_ms,
                     "phases_ms", json_object_get(w->record, "phases_ms"));
}

static void print_heads(void)
{
    printf("%-12s %9s %8s %7s %9s %9s %9s %9s  cached:", "ms", "wall", "KB", "ratio", "overhead",
           "compiled", "second", "overhead");
    for (size_t i = 0; i < ARRAY_SIZE(phases); i++)
        printf(" %8s", phases[i]);
    for (size_t i = 0; i < ARRAY_SIZE(more_phases); i++)
        printf(" %*s", i < 2 ? 8 : 12, more_phases[i]);
    putchar('\n');
}

static void print_row(const struct bench *b, int c, const struct whole *cold,
                      const struct whole *cached, const struct whole *second)
{
    printf("%-.10s   %9.1f %8.0f %6.1fx %9.1f %9.1f %9.1f %9.1f         ", cases[c].problem,
           cached->wall_ms, kernelbench_ms(b, c), kernelbench_ms(b, c) / cached->wall_ms,
           cached->overhead_ms, cold->wall_ms, second->wall_ms, second->overhead_ms);
    for (size_t i = 0; i < ARRAY_SIZE(phases); i++)
        printf(" %8.1f", phase_ms(cached->record, phases[i]));
    for (size_t i = 0; i < ARRAY_SIZE(more_phases); i++)
        printf(" %*.1f", i < 2 ? 8 : 12, phase_ms(cached->record, more_phases[i]));
    putchar('\n');
    fflush(stdout);
}

static json_t *row_json(const struct bench *b, int c, const struct whole *cold,
                        const struct whole *cached, const struct whole *second)
{
    const json_t *r = cached->record;

    return json_pack(
        "{s:s, s:O, s:O, s:O, s:f, s:f, s:o, s:o, s:o}", "problem", cases[c].problem, "candidate",
        json_object_get(json_object_get(r, "candidate"), "file"), "toolchain",
        json_object_get(json_object_get(r, "build"), "toolchain"), "cold_us",
        json_object_get(json_array_get(json_object_get(r, "sizes"), 0), "cold_us"),
        "kernelbench_ms", kernelbench_ms(b, c), "ratio", kernelbench_ms(b, c) / cached->wall_ms,
        "compiled", whole_json(cold), "cached", whole_json(cached), "second", whole_json(second));
}

/* Compiled anew, cached, and as the second one of a session. */
static json_t *bench_case(struct bench *b, int c, json_t **ret_device)
{
    bool cpu = on_cpu(b);
    const char *problem = cases[c].problem;
    AUTO(freep) char *file = exemplar(b, problem, cpu ? cases[c].cpu : cases[c].cuda);
    struct err err = ERR_INIT;
    AUTO(freep) char *other = variant(b, file, c, &err);
    AUTO(whole_release) struct whole cold = {0}, cached = {0}, second = {0};

    if (!other) {
        fprintf(stderr, "%s\n", err.text);
        return NULL;
    }
    /* The first run of all may calibrate, and leaves the build in the cache. */
    if (whole_run(b, problem, (const char *const[]){file, NULL}, "--check-only", &cold) < 0)
        return NULL;
    whole_release(&cold);
    if (whole_run(b, problem, (const char *const[]){file, NULL}, "--no-cache", &cold) < 0 ||
        whole_cached(b, problem, file, &cached) < 0 ||
        whole_run(b, problem, (const char *const[]){other, file}, NULL, &second) < 0)
        return NULL;
    print_row(b, c, &cold, &cached, &second);
    if (!*ret_device)
        *ret_device = json_incref(json_object_get(cached.record, "device_info"));
    return row_json(b, c, &cold, &cached, &second);
}

static void bench_wholes(struct bench *b, json_t **ret_device)
{
    bool cpu = on_cpu(b);
    json_t *rows = json_array();

    json_object_set_new(b->out, "rows", rows);
    print_heads();
    for (int c = 0; c < (int)ARRAY_SIZE(cases); c++) {
        if (cpu && !cases[c].cpu)
            continue;
        if (is_over(b, 1)) {
            printf("%-.10s   not reached\n", cases[c].problem);
            continue;
        }

        json_t *row = bench_case(b, c, ret_device);

        if (row)
            json_array_append_new(rows, row);
        else
            b->failed = true;
        save(b);
    }
}

/* --- many candidates in one session --- */

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
    struct station *station;
    struct session *session;
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
        m->files[i] = m->soak && i % 5 == 4 ? soak_file(b, i) : variant(b, file, i, err);
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
    struct prebuild_request req = {&b->places, &m->options, &m->info, m->problem_h, path};
    struct evidence evidence = {0};
    struct prebuilt built;

    if (prebuild(&req, &built, err) < 0)
        return -1;

    const struct evidence_request look = {.device = b->device->name,
                                          .artifact_fd = built.build.artifact_fd,
                                          .artifact_hash = built.build.artifact_hash,
                                          .cache_dir = b->places.cache};
    int rc = built.build.status == BUILD_OK ? evidence_collect(&look, &evidence, err)
                                            : fail(err, ERR_SYSTEM, "%s does not build", path);

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

static int many_eval(struct many *m, int i, struct err *err)
{
    struct evaluation e;
    uint64_t start = clock_ns();

    if (session_eval(m->session, m->files[i], &e, err) < 0)
        return -1;
    m->eval_ms[i] = clock_ms_since(start);

    json_t *record = record_json(m->session, &e);
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
    bool calibrated;

    m->station = station_new(&b->places, b->device, b->index);

    int rc = session_open(m->station, m->problem, &m->options, &m->session, &calibrated, err);

    json_object_clear(m->verdicts);
    memset(m->phase, 0, sizeof(m->phase));
    for (m->n = 0; m->n < n && rc == 0 && (m->n == 0 || !is_over(b, 1)); m->n += rc == 0) {
        rc = many_eval(m, m->n, err);
        if (m->n % 50 == 49)
            fprintf(stderr, "%s: %d of %d judged\n", many_name(m), m->n + 1, n);
    }
    session_closep(&m->session);
    station_freep(&m->station);
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
    m->options = (struct session_options){.device = b->device,
                                          .device_index = b->index,
                                          .sizes = b->o.sizes == 2 ? SIZES_FULL : SIZES_SMALL,
                                          .plan = PLAN_DEFAULT};
    m->options.plan.spares = b->o.no_spares ? -1 : (int)b->o.spares;
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

static int bench_open(struct bench *b, struct err *err)
{
    AUTO(freep) char *runner_dir = NULL;
    const char *why = NULL;

    b->o.device = b->o.device ? b->o.device : "cuda";
    if (device_find(b->o.device, &b->device, &b->index, err) < 0)
        return -1;
    if (b->device->probe(&why) == 0)
        return fail(err, ERR_DEVICE, "%s: %s", b->o.device, why);
    b->assay = find_assay();
    runner_dir = xstrndup(b->assay, (size_t)(strrchr(b->assay, '/') - b->assay));
    b->places = (struct places){fs_share_dir(), fs_home_dir(), fs_cache_dir(),
                                fs_join(runner_dir, "assay-runner")};
    b->work = xasprintf("%s/assay-bench-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    return mkdtemp(b->work) ? 0 : fail_errno(err, "cannot make %s", b->work);
}

static void bench_release(struct bench *b)
{
    if (b->work)
        fs_remove_tree(b->work);
    json_decref(b->out);
    free(b->work);
    free(b->assay);
    free((char *)b->places.share);
    free((char *)b->places.home);
    free((char *)b->places.cache);
    free((char *)b->places.runner);
}

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

static int bench_run(struct bench *b, struct err *err)
{
    json_t *device = NULL;

    if (b->o.throughput || b->o.soak)
        device = device_json(b, err);
    else
        bench_wholes(b, &device);
    json_object_set_new(b->out, "device", device ? device : json_null());
    for (int soak = 0; soak < 2; soak++) {
        int n = (int)(soak ? b->o.soak : b->o.throughput);

        b->start = clock_ns();

        json_t *many = n ? bench_many(b, n, soak, err) : NULL;

        if (n && !many)
            return -1;
        if (many)
            json_object_set_new(b->out, soak ? "soak" : "throughput", many);
        save(b);
    }
    return b->failed ? fail(err, ERR_SYSTEM, "not every evaluation passed") : 0;
}

int main(int argc, char **argv)
{
    AUTO(bench_release) struct bench b = {0};
    AUTO(buf_release) struct buf help_text = BUF_INIT;
    struct err err = ERR_INIT;
    bool help = false;
    char now[21];
    int n = 0;

    int rc = opt_parse(table, &b.o, argc, argv, &n, &help, &err);

    if (rc == 0 && help) {
        opt_help(table, &help_text);
        printf("usage: eval_gpu [options] [RESULT.json]\n%s", buf_str(&help_text));
        return 0;
    }
    clock_utc(now);

    b.start = clock_ns();
    b.out_path = n > 0 ? argv[0] : NULL;
    b.out = json_pack("{s:s, s:s, s:s}", "bench", "eval_gpu", "date", now, "assay", ASSAY_VERSION);
    if (rc == 0)
        rc = bench_open(&b, &err);
    if (rc == 0)
        rc = bench_run(&b, &err);
    save(&b);
    if (rc < 0)
        fprintf(stderr, "eval_gpu: %s\n", err.text);
    return rc < 0 ? (int)err.kind : 0;
}
