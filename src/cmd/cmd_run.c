/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"
#include "cmd/text.h"

#include "run/plan_file.h"
#include "run/results.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A candidate must not hold a device for hours. */
#define CHECK_LIMIT_MS 60000
#define TIMING_LIMIT_MS 60000
#define BAR_WIDTH 30

struct run_options {
    const char *name, *device;
    int sizes;
    bool json, check_only, no_cache, require_sandbox;
    int64_t repeats, timeout_ms, build_timeout_ms, check_timeout_ms, timing_timeout_ms;
};

#define FIELD(name) offsetof(struct run_options, name)
static const char *const size_choices[] = {"auto", "small", "full", NULL};

static const struct opt run_table[] = {
    {"name", 'n', OPT_STRING, FIELD(name), "NAME", "what the run is called; a second start resumes",
     NULL, 0, 0},
    {"device", 'd', OPT_STRING, FIELD(device), "DEVICE",
     "cpu, cuda (all of them), cuda:1 (default: by the files' suffixes)", NULL, 0, 0},
    {"sizes", 's', OPT_CHOICE, FIELD(sizes), "SET", "small or full (default: small)", size_choices,
     0, 0},
    {"repeats", 'r', OPT_INT, FIELD(repeats), "N", "judge every candidate N times (default 1)",
     NULL, 1, 100},
    {"check-only", 'c', OPT_FLAG, FIELD(check_only), NULL, "right or wrong, no timing", NULL, 0, 0},
    {"timeout", 't', OPT_INT, FIELD(timeout_ms), "MS", "limit of one call (default 10000)", NULL, 1,
     3600000},
    {"build-timeout", 0, OPT_INT, FIELD(build_timeout_ms), "MS",
     "limit of the compiler (default 60000)", NULL, 1, 3600000},
    {"check-timeout", 0, OPT_INT, FIELD(check_timeout_ms), "MS",
     "limit of the checks of one size (default 60000)", NULL, 1, 3600000},
    {"timing-timeout", 0, OPT_INT, FIELD(timing_timeout_ms), "MS",
     "limit of the scored calls of one size (default 60000)", NULL, 1, 3600000},
    {"no-cache", 0, OPT_FLAG, FIELD(no_cache), NULL, "compile again", NULL, 0, 0},
    {"require-sandbox", 0, OPT_FLAG, FIELD(require_sandbox), NULL,
     "refuse to run with a sandbox layer missing", NULL, 0, 0},
    {"json", 'j', OPT_FLAG, FIELD(json), NULL, "the summary as JSON", NULL, 0, 0},
    {0},
};

/* --- what is seen while it runs --- */

static void clear_line(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static void tell_skipped(void *arg, const char *what)
{
    (void)arg;
    clear_line();
    fprintf(stderr, "assay: skipped: %s\n", what);
}

static void tell_trouble(void *arg, const char *what)
{
    (void)arg;
    clear_line();
    fprintf(stderr, "assay: %s\n", what);
}

static void tell_calibrated(void *arg, const char *device)
{
    (void)arg;
    clear_line();
    fprintf(stderr, "assay: calibrated %s once; `assay calibrate` measures anew\n", device);
}

static void add_duration(struct buf *out, double seconds)
{
    long s = lround(seconds);

    if (s >= 3600)
        buf_addf(out, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        buf_addf(out, "%ld:%02ld", s / 60, s % 60);
}

static void show_bar(void *arg, const struct run_progress *p)
{
    AUTO(buf_release) struct buf line = BUF_INIT;
    int done = p->known + p->filled + p->unjudged;
    int full = p->cells ? (int)((int64_t)BAR_WIDTH * done / p->cells) : BAR_WIDTH;
    double rate = p->seconds > 0 ? (p->filled + p->unjudged) / p->seconds : 0;

    (void)arg;
    buf_adds(&line, "\r\033[K[");
    buf_fill(&line, '=', full);
    buf_fill(&line, ' ', BAR_WIDTH - full);
    buf_addf(&line, "] %d/%d  %d pass  %.1f/s", done, p->cells, p->verdicts[VERDICT_PASS], rate);
    if (rate > 0 && done < p->cells) {
        buf_adds(&line, "  ETA ");
        add_duration(&line, (p->cells - done) / rate);
    }
    fputs(buf_str(&line), stderr);
}

/* --- the summary --- */

struct row {
    int cells, verdicts[VERDICT_COUNT], skipped;
};

static void count_cells(const struct results *r, struct row *rows)
{
    for (int i = 0; i < r->n_cells; i++) {
        struct row *row = &rows[r->cells[i].model_at];

        row->cells++;
        if (r->cells[i].record)
            row->verdicts[r->cells[i].verdict]++;
        else
            row->skipped++;
    }
}

static void print_table(const struct results *r, const struct row *rows, bool color,
                        struct buf *out)
{
    static const char *const heads[] = {"model",   "cells",       "pass",     "wrong", "crash",
                                        "timeout", "build_error", "rejected", "infra", "skipped"};
    struct table t;

    table_init(&t, "lrrrrrrrrr", heads);
    for (int m = 0; m < r->n_models; m++) {
        table_add(&t, TEXT_PLAIN, "%s", r->models[m]);
        table_add(&t, TEXT_PLAIN, "%d", rows[m].cells);
        for (int v = 0; v < VERDICT_COUNT; v++)
            table_add(&t, v == VERDICT_PASS ? TEXT_GREEN : TEXT_PLAIN, "%d", rows[m].verdicts[v]);
        table_add(&t, TEXT_PLAIN, "%d", rows[m].skipped);
    }
    table_print(&t, color, out);
    table_release(&t);
}

static json_t *row_json(const char *model, const struct row *row)
{
    json_t *j =
        json_pack("{s:s, s:i, s:i}", "model", model, "cells", row->cells, "skipped", row->skipped);

    for (int v = 0; v < VERDICT_COUNT; v++)
        json_object_set_new(j, verdict_names[v], json_integer(row->verdicts[v]));
    return j;
}

static void print_json(const struct results *r, const struct row *rows,
                       const struct run_progress *p, struct buf *out)
{
    json_t *models = json_array();

    for (int m = 0; m < r->n_models; m++)
        json_array_append_new(models, row_json(r->models[m], &rows[m]));

    json_t *j = json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:f, s:o}", "run", r->name, "cells",
                          p->cells, "known", p->known, "judged", p->filled, "skipped", p->skipped,
                          "unjudged", p->unjudged, "seconds", p->seconds, "models", models);
    AUTO(freep) char *text = json_dumps(j, JSON_COMPACT);

    buf_addf(out, "%s\n", text);
    json_decref(j);
}

static int status_of(const struct row *rows, int n, const struct run_progress *p)
{
    int status = p->skipped ? ERR_INPUT : 0;

    for (int m = 0; m < n; m++) {
        for (int v = 0; v < VERDICT_COUNT; v++)
            if (v != VERDICT_PASS && rows[m].verdicts[v])
                status = MAX(status, v == VERDICT_INFRA ? (int)ERR_SYSTEM : 1);
    }
    return MAX(status, (int)p->unjudged_kind);
}

static int summarise(struct app *app, const struct run_options *o, const char *name,
                     const struct run_progress *p, struct err *err)
{
    AUTO(results_freep) struct results *r = NULL;
    AUTO(buf_release) struct buf text = BUF_INIT;

    if (results_load(app->store, name, &r, err) < 0)
        return -1;

    AUTO(freep) struct row *rows = xcalloc((size_t)MAX(r->n_models, 1), sizeof(*rows));

    count_cells(r, rows);
    if (o->json)
        print_json(r, rows, p, &text);
    else
        print_table(r, rows, app->color, &text);
    fputs(buf_str(&text), stdout);
    fprintf(stderr,
            "assay: run %s: %d judged in %.1f s (%.1f a second), %d known from before, %d skipped, "
            "%d left\n",
            name, p->filled, p->seconds, p->seconds > 0 ? p->filled / p->seconds : 0, p->known,
            p->skipped, p->unjudged);
    return status_of(rows, r->n_models, p);
}

/* --- the command --- */

static int load(struct app *app, const char *source, struct run_settings *settings,
                struct candidates *c, struct err *err)
{
    struct stat st;

    if (stat(source, &st) < 0) {
        fail_errno(err, "%s", source);
        err->kind = ERR_INPUT;
        return -1;
    }
    if (S_ISDIR(st.st_mode))
        return candidates_scan(source, c, err);
    return plan_file_load(source, app->places.share, settings, c, err);
}

static int choose(int64_t option, int64_t plan, int otherwise)
{
    return (int)(option ? option : plan ? plan : otherwise);
}

/* The command line, then the plan file, then what is usual. */
static void configure(const struct run_options *o, const struct run_settings *s,
                      struct run_config *c)
{
    bool full = o->sizes ? o->sizes == 2 : s->sizes && !strcmp(s->sizes, "full");

    c->name = o->name ? o->name : s->name;
    c->device = o->device ? o->device : s->device;
    c->sizes = full ? SIZES_FULL : SIZES_SMALL;
    c->repeats = choose(o->repeats, s->repeats, 1);
    c->plan = (struct plan)PLAN_DEFAULT;
    c->plan.check_only = o->check_only || s->check_only;
    c->plan.no_cache = o->no_cache;
    c->plan.require_sandbox = o->require_sandbox;
    c->plan.call_timeout_ms = choose(o->timeout_ms, s->call_ms, c->plan.call_timeout_ms);
    c->plan.build_timeout_ms = choose(o->build_timeout_ms, s->build_ms, c->plan.build_timeout_ms);
    c->plan.check_limit_ms = choose(o->check_timeout_ms, s->check_ms, CHECK_LIMIT_MS);
    c->plan.timing_limit_ms = choose(o->timing_timeout_ms, s->timing_ms, TIMING_LIMIT_MS);
    c->watcher = (struct run_watcher){.skipped = tell_skipped,
                                      .trouble = tell_trouble,
                                      .calibrated = tell_calibrated,
                                      .progress = isatty(STDERR_FILENO) ? show_bar : NULL};
}

static int run_main(struct app *app, const void *options, int argc, char **argv, struct err *err)
{
    const struct run_options *o = options;
    AUTO(run_settings_release) struct run_settings settings = {0};
    AUTO(candidates_release) struct candidates candidates = {0};
    struct run_config config = {.places = &app->places};
    struct run_progress progress = {0};

    if (argc != 1)
        return fail(err, ERR_USAGE,
                    "run: takes one folder or plan, as in: assay run generations --name first");
    config.source = argv[0];
    if (load(app, argv[0], &settings, &candidates, err) < 0)
        return -1;
    configure(o, &settings, &config);
    if (!config.name)
        return fail(err, ERR_USAGE, "run: needs --name NAME (or `name:` in the plan)");
    if (run_check_name(config.name, err) < 0)
        return -1;
    if (!candidates.n)
        return fail(err, ERR_INPUT,
                    "%s: no candidates in it: they lie in MODEL/PROBLEM/sampleN.EXT, or are called "
                    "level_L_problem_P_sample_S_kernel.EXT",
                    argv[0]);
    if (store_open(app->places.home, &app->store, err) < 0)
        return -1;
    config.store = app->store;

    int rc = run_execute(&config, &candidates, &progress, err);

    clear_line();
    return rc < 0 ? -1 : summarise(app, o, config.name, &progress, err);
}

const struct cmd cmd_run = {
    .name = "run",
    .args = "DIR|PLAN.yaml",
    .summary = "judge many candidates: models, problems, samples",
    .options = run_table,
    .options_size = sizeof(struct run_options),
    .details = "DIR holds MODEL/PROBLEM/sampleN.EXT (PROBLEM as level1_19 or hard_01), or is a run "
               "folder of\nKernelBench. A plan: docs/runs.md. What the run holds already is not "
               "judged again.\n",
    .run = run_main,
};
