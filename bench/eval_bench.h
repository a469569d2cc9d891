/* SPDX-License-Identifier: MIT */
/*
 * Shared by the benchmarks of evaluations on a GPU: their options, the device, candidates that were
 * never built before, and figures that are saved as they come. With --device cpu they run anywhere.
 */
#ifndef ASSAY_BENCH_EVAL_BENCH_H
#define ASSAY_BENCH_EVAL_BENCH_H

#include "gpu_bench.h"
#include "run_assay.h"

#include "base/opt.h"
#include "base/version.h"
#include "judge/record.h"

/* The first member of a program's own struct, so that one option table fills both. */
struct bench {
    const char *device_name; /* these are options; 0 is "not given" */
    int sizes;               /* of bench_sizes */
    int64_t spares, limit_s;
    bool no_spares;

    const struct device *device; /* bench_main fills what follows */
    int index;
    struct places places;
    char *assay;
    char *work; /* variants of candidates, gone at the end */
    uint64_t start;
    const char *out_path; /* not owned; NULL: figures are only printed */
    json_t *out;
    bool failed;
};

static const char *const bench_sizes[] = {"auto", "small", "full", NULL};
enum { BENCH_SMALL = 1, BENCH_FULL = 2 };

#define BENCH_FIELD(name) offsetof(struct bench, name)
/* Rows of a table, which clang-format takes for blocks. */
/* clang-format off */
#define BENCH_OPTIONS(sizes_help, limit_help)                                                      \
    {"device", 'd', OPT_STRING, BENCH_FIELD(device_name), "DEVICE", "default: cuda", NULL, 0, 0},  \
    {"sizes", 's', OPT_CHOICE, BENCH_FIELD(sizes), "SET", sizes_help, bench_sizes, 0, 0},          \
    {"limit", 0, OPT_INT, BENCH_FIELD(limit_s), "S", limit_help, NULL, 1, 86400},                  \
    {"spares", 0, OPT_INT, BENCH_FIELD(spares), "N", "as of assay eval", NULL, 1, SPARES_MAX},     \
    {"no-spares", 0, OPT_FLAG, BENCH_FIELD(no_spares), NULL, "as of assay eval", NULL, 0, 0}
/* clang-format on */

/* Of a record's phases_ms; the first BEFORE_TOTAL come before "total", the others are parts of
 * it. */
static const char *const phases[] = {"load",   "open",     "queue",  "build",  "start",
                                     "inputs", "expected", "remade", "honest", "checks",
                                     "timing", "audit",    "end"};
#define BEFORE_TOTAL 2

static inline void bench_save(const struct bench *b)
{
    if (b->out_path)
        json_dump_file(b->out, b->out_path, JSON_INDENT(1));
}

/* Whether this share of the time has been used up. */
static inline bool is_over(const struct bench *b, double share)
{
    return b->limit_s && clock_ms_since(b->start) > 1e3 * share * (double)b->limit_s;
}

static inline bool on_cpu(const struct bench *b)
{
    return strcmp(b->device->name, "cpu") == 0;
}

static inline char *exemplar(const struct bench *b, const char *problem, const char *name)
{
    return xasprintf("%s/exemplars/%s/%s/%s", b->places.share, b->device->name, problem, name);
}

/* What stands once in a program, and what to write in its place. */
struct edit {
    const char *from, *to;
};

static inline int edit_text(const struct edit *edit, const char *path, struct buf *text,
                            struct err *err)
{
    const char *at = strstr(buf_str(text), edit->from);
    struct buf edited = BUF_INIT;

    if (!at)
        return fail(err, ERR_INPUT, "%s: there is no '%s'", path, edit->from);
    buf_addf(&edited, "%.*s%s%s", (int)(at - text->ptr), text->ptr, edit->to,
             at + strlen(edit->from));
    buf_release(text);
    *text = edited;
    return 0;
}

/* The same program with a word of data more, so that nobody has built or judged it before, in a
 * file of its own; edit: may be NULL. */
static inline char *variant(const struct bench *b, const char *path, int number,
                            const struct edit *edit, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    AUTO(freep) char *to = xasprintf("%s/v%d%s", b->work, number, strrchr(path, '.'));

    if (fs_read(path, 1 << 20, &text, err) < 0 || (edit && edit_text(edit, path, &text, err) < 0))
        return NULL;
    buf_addf(&text, "\n%sint assay_variant_%d = %d; /* of %s */\n", on_cpu(b) ? "" : "__device__ ",
             number, number, b->work);
    return fs_write_atomic(to, text.ptr, text.len, err) < 0 ? NULL : steal(&to);
}

static inline int bench_find_device(struct bench *b, struct err *err)
{
    b->device_name = b->device_name ? b->device_name : "cuda";
    return device_find(b->device_name, &b->device, &b->index, err);
}

static inline int bench_open(struct bench *b, struct err *err)
{
    AUTO(freep) char *runner_dir = NULL;

    b->assay = find_assay();
    runner_dir = xstrndup(b->assay, (size_t)(strrchr(b->assay, '/') - b->assay));
    b->places = (struct places){fs_share_dir(), fs_home_dir(), fs_cache_dir(),
                                fs_join(runner_dir, "assay-runner")};
    b->work = xasprintf("%s/assay-bench-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    return mkdtemp(b->work) ? 0 : fail_errno(err, "cannot make %s", b->work);
}

static inline void bench_release(struct bench *b)
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

/* Everything from the command line to the exit status; run measures, and its first -1 is said. */
static inline int bench_main(const char *name, const struct opt *table, struct bench *b, int argc,
                             char **argv, int (*run)(struct bench *, struct err *))
{
    AUTO(buf_release) struct buf help_text = BUF_INIT;
    struct err err = ERR_INIT;
    bool help = false;
    char now[21];
    int n = 0;

    int rc = opt_parse(table, b, argc, argv, &n, &help, &err);

    if (rc == 0 && n > 1)
        rc = fail(&err, ERR_USAGE, "one file for the figures, not %d", n);
    if (rc == 0 && help) {
        opt_help(table, &help_text);
        printf("usage: %s [options] [RESULT.json]\n%s", name, buf_str(&help_text));
        return 0;
    }
    if (rc == 0)
        rc = bench_find_device(b, &err);

    /* Figures that are there already stay. */
    int skipped = rc == 0 ? bench_needs(b->device) : 0;

    if (skipped)
        return skipped;
    clock_utc(now);

    b->start = clock_ns();
    b->out_path = rc == 0 && n > 0 ? argv[0] : NULL;
    b->out = json_pack("{s:s, s:s, s:s}", "bench", name, "date", now, "assay", assay_version);
    if (rc == 0)
        rc = bench_open(b, &err);
    if (rc == 0)
        rc = run(b, &err);
    if (rc == 0 && b->failed)
        rc = fail(&err, ERR_SYSTEM, "not every evaluation passed");
    bench_save(b);
    if (rc < 0)
        fprintf(stderr, "%s: %s\n", name, err.text);
    bench_release(b);
    return rc < 0 ? (int)err.kind : 0;
}

#endif
