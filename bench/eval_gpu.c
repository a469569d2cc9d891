/* SPDX-License-Identifier: MIT */
/*
 * How long whole evaluations take where a kernel is short and a driver is slow. Each is an `assay
 * eval` of its own with the default plan. A problem's candidate is judged
 *
 *   - compiled anew, then from the cache;
 *   - as the second candidate of a session, whose inputs and expected values are there;
 *   - where contents do not all fit into memory, as a third one ("other") whose outputs have other
 *     bits, so that no earlier comparison helps.
 *
 * "overhead" is the wall clock without the candidate's own calls and without the first computation
 * of expected values. Values that are computed again because they do not fit into memory count as
 * overhead. Phases add up to the wall clock: "other" is time that a record does not name, "close"
 * the start and the end of the process, with the end of the driver.
 *
 * Prints a table; with a file name as the argument the figures go there as JSON, as they come. With
 * --device cpu --sizes small it runs anywhere.
 */
#include "eval_bench.h"

struct eval {
    struct bench bench;
    int64_t runs;
};

static const struct opt table[] = {
    BENCH_OPTIONS("small or full (default: full)", "no further problem after S seconds"),
    {"runs", 'n', OPT_INT, offsetof(struct eval, runs), "N",
     "cached evaluations of each problem (default 3)", NULL, 1, 1000},
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

/* Another order of sums, and other bits, of the CUDA candidates whose contents do not all fit into
 * memory. All ReLUs have the same. */
static const struct {
    const char *problem;
    struct edit edit;
} other_bits[] = {
    {"level1/023_softmax", {"v += partial[i];", "v += partial[WARPS - 1 - i];"}},
    {"level1/063_conv_standard_2d",
     {"for (int c = 0; c < s.channels; c++)", "for (int c = s.channels - 1; c >= 0; c--)"}},
};

/* NULL: none, or on a CPU. */
static const struct edit *other_edit(const struct bench *b, const char *problem)
{
    for (size_t i = 0; i < ARRAY_SIZE(other_bits); i++)
        if (!on_cpu(b) && !strcmp(other_bits[i].problem, problem))
            return &other_bits[i].edit;
    return NULL;
}

/* Its figures are those of a GPU at full sizes; 0 where they are no measure. */
static double kernelbench_ms(const struct bench *b, int c)
{
    return on_cpu(b) || b->sizes == BENCH_SMALL ? 0 : cases[c].kernelbench_ms;
}

struct whole {
    double wall_ms, overhead_ms;
    json_t *record; /* owned; NULL: there is none */
};

static void whole_release(struct whole *w)
{
    json_decref(w->record);
}

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

/* files: up to three, of which the last counts. */
static int whole_run(const struct bench *b, const char *problem, const char *const *files,
                     const char *extra, struct whole *ret)
{
    AUTO(freep) char *spares = xasprintf("%d", (int)b->spares);
    const char *argv[20] = {b->assay,     "eval",        "--json",
                            "--no-store", "--sizes",     b->sizes == BENCH_SMALL ? "small" : "full",
                            "--device",   b->device_name};
    int n = 8;

    if (b->spares) {
        argv[n++] = "--spares";
        argv[n++] = spares;
    }
    if (b->no_spares)
        argv[n++] = "--no-spares";
    if (extra)
        argv[n++] = extra;
    argv[n++] = problem;

    json_t *records = NULL;
    int at = 0;

    for (; files[at]; at++)
        argv[n++] = files[at];
    at--;

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
static int whole_cached(const struct eval *e, const char *problem, const char *file,
                        struct whole *ret)
{
    int runs = e->runs ? (int)e->runs : 3, rc = 0;
    AUTO(freep) struct whole *all = xcalloc((size_t)runs, sizeof(*all));

    for (int i = 0; i < runs && rc == 0; i++)
        rc = whole_run(&e->bench, problem, (const char *const[]){file, NULL}, NULL, &all[i]);
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
    printf("%-12s %9s %8s %7s %9s %9s %9s %9s %9s  cached:", "ms", "wall", "KB", "ratio",
           "overhead", "compiled", "second", "overhead", "other");
    for (size_t i = 0; i < ARRAY_SIZE(phases); i++)
        printf(" %8s", phases[i]);
    for (size_t i = 0; i < ARRAY_SIZE(more_phases); i++)
        printf(" %*s", i < 2 ? 8 : 12, more_phases[i]);
    putchar('\n');
}

/* The ways in which one candidate is judged. */
struct ways {
    struct whole compiled, cached, second, other;
};

static void ways_release(struct ways *w)
{
    whole_release(&w->compiled);
    whole_release(&w->cached);
    whole_release(&w->second);
    whole_release(&w->other);
}

static void print_row(const struct bench *b, int c, const struct ways *w)
{
    const struct whole *cached = &w->cached;

    printf("%-.10s   %9.1f %8.0f %6.1fx %9.1f %9.1f %9.1f %9.1f ", cases[c].problem,
           cached->wall_ms, kernelbench_ms(b, c), kernelbench_ms(b, c) / cached->wall_ms,
           cached->overhead_ms, w->compiled.wall_ms, w->second.wall_ms, w->second.overhead_ms);
    if (w->other.record)
        printf("%9.1f         ", w->other.overhead_ms);
    else
        printf("%9s         ", "-");
    for (size_t i = 0; i < ARRAY_SIZE(phases); i++)
        printf(" %8.1f", phase_ms(cached->record, phases[i]));
    for (size_t i = 0; i < ARRAY_SIZE(more_phases); i++)
        printf(" %*.1f", i < 2 ? 8 : 12, phase_ms(cached->record, more_phases[i]));
    putchar('\n');
    fflush(stdout);
}

static json_t *row_json(const struct bench *b, int c, const struct ways *w)
{
    const json_t *r = w->cached.record;

    return json_pack(
        "{s:s, s:O, s:O, s:O, s:f, s:f, s:o, s:o, s:o, s:o}", "problem", cases[c].problem,
        "candidate", json_object_get(json_object_get(r, "candidate"), "file"), "toolchain",
        json_object_get(json_object_get(r, "build"), "toolchain"), "cold_us",
        json_object_get(json_array_get(json_object_get(r, "sizes"), 0), "cold_us"),
        "kernelbench_ms", kernelbench_ms(b, c), "ratio", kernelbench_ms(b, c) / w->cached.wall_ms,
        "compiled", whole_json(&w->compiled), "cached", whole_json(&w->cached), "second",
        whole_json(&w->second), "other", w->other.record ? whole_json(&w->other) : json_null());
}

/* Behind two whose outputs are the same; its build is cached first, as theirs are. */
static int whole_other(const struct bench *b, int c, const char *file, const char *same,
                       struct whole *ret)
{
    const struct edit *edit = other_edit(b, cases[c].problem);
    AUTO(whole_release) struct whole built = {0};
    struct err err = ERR_INIT;

    if (!edit)
        return 0;

    AUTO(freep) char *other = variant(b, file, (int)ARRAY_SIZE(cases) + c, edit, &err);

    if (!other) {
        fprintf(stderr, "%s\n", err.text);
        return -1;
    }
    if (whole_run(b, cases[c].problem, (const char *const[]){other, NULL}, "--check-only", &built) <
        0)
        return -1;
    return whole_run(b, cases[c].problem, (const char *const[]){file, same, other, NULL}, NULL,
                     ret);
}

/* Compiled anew, cached, as the second one of a session, and as one with other bits. */
static json_t *bench_case(const struct eval *e, int c, json_t **ret_device)
{
    const struct bench *b = &e->bench;
    bool cpu = on_cpu(b);
    const char *problem = cases[c].problem;
    AUTO(freep) char *file = exemplar(b, problem, cpu ? cases[c].cpu : cases[c].cuda);
    struct err err = ERR_INIT;
    AUTO(freep) char *same = variant(b, file, c, NULL, &err);
    AUTO(ways_release) struct ways w = {0};

    if (!same) {
        fprintf(stderr, "%s\n", err.text);
        return NULL;
    }
    /* The first run of all may calibrate, and leaves the build in the cache. */
    if (whole_run(b, problem, (const char *const[]){file, NULL}, "--check-only", &w.compiled) < 0)
        return NULL;
    whole_release(&w.compiled);
    if (whole_run(b, problem, (const char *const[]){file, NULL}, "--no-cache", &w.compiled) < 0 ||
        whole_cached(e, problem, file, &w.cached) < 0 ||
        whole_run(b, problem, (const char *const[]){same, file, NULL}, NULL, &w.second) < 0)
        return NULL;
    if (whole_other(b, c, file, same, &w.other) < 0)
        return NULL;
    print_row(b, c, &w);
    if (!*ret_device)
        *ret_device = json_incref(json_object_get(w.cached.record, "device_info"));
    return row_json(b, c, &w);
}

static void bench_wholes(struct eval *e, json_t **ret_device)
{
    struct bench *b = &e->bench;
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

        json_t *row = bench_case(e, c, ret_device);

        if (row)
            json_array_append_new(rows, row);
        else
            b->failed = true;
        bench_save(b);
    }
}

static int run(struct bench *b, struct err *err)
{
    json_t *device = NULL;

    (void)err;
    bench_wholes((struct eval *)b, &device);
    json_object_set_new(b->out, "device", device ? device : json_null());
    return 0;
}

int main(int argc, char **argv)
{
    struct eval e = {0};

    return bench_main("eval_gpu", table, &e.bench, argc, argv, run);
}
