/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"
#include "cmd/run_text.h"

#include "run/plan_file.h"
#include "run/run.h"
#include "store/store.h"

#include <string.h>
#include <sys/stat.h>

/* Limits in a run, so that no candidate holds a device for hours. */
#define CHECK_LIMIT_MS 60000
#define TIMING_LIMIT_MS 60000

struct run_options {
    const char *name, *device, *weights;
    int sizes;
    bool json, check_only, steady, build_only, no_cache, require_sandbox;
    int64_t repeats, timeout_ms, build_timeout_ms, check_timeout_ms, timing_timeout_ms;
};

#define FIELD(name) offsetof(struct run_options, name)

static const struct opt run_table[] = {
    {"name", 'n', OPT_STRING, FIELD(name), "NAME",
     "name of the run; the same command started again resumes it", NULL, 0, 0},
    {"device", 'd', OPT_STRING, FIELD(device), "DEVICE",
     "NAME: all such devices; NAME:1: this one (default: by the files' suffixes)", NULL, 0, 0},
    {"sizes", 's', OPT_CHOICE, FIELD(sizes), "SET",
     "small, medium, full, or auto: full on GPUs, medium on CPUs (the default)", size_choice_names,
     0, 0},
    {"weights", 'w', OPT_STRING, FIELD(weights), "WHEN",
     "Python: per_call (the default), or fixed: in place when the class is constructed", NULL, 0,
     0},
    {"repeats", 'r', OPT_INT, FIELD(repeats), "N", "judge every candidate N times (default 1)",
     NULL, 1, 100},
    {"check-only", 'c', OPT_FLAG, FIELD(check_only), NULL, "right or wrong, no timing", NULL, 0, 0},
    {"steady", 0, OPT_FLAG, FIELD(steady), NULL,
     "for figures to be published: 8 processes, 8 buffers, 384 calls per size", NULL, 0, 0},
    {"build-only", 0, OPT_FLAG, FIELD(build_only), NULL,
     "compile what is not cached yet, and judge nothing", NULL, 0, 0},
    {"timeout", 't', OPT_INT, FIELD(timeout_ms), "MS", "limit of one call (default 10000)", NULL, 1,
     3600000},
    {"build-timeout", 0, OPT_INT, FIELD(build_timeout_ms), "MS",
     "limit of the compiler, or of an import in Python (default 60000)", NULL, 1, 3600000},
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
    if (device_for_file(source))
        return fail(err, ERR_INPUT, "%s: run takes a folder or a plan; one file is for assay eval",
                    source);
    return plan_file_load(source, app->places.share, settings, c, err);
}

static int fail_empty(const char *source, const struct candidates *c, struct err *err)
{
    struct stat st;

    if (c->n_notes == 1)
        return fail(err, ERR_INPUT, "%s: no candidates in it: %s", source, c->notes[0]);
    if (c->n_notes)
        return fail(err, ERR_INPUT, "%s: no candidates in it: %s (and %d more)", source,
                    c->notes[0], c->n_notes - 1);
    if (stat(source, &st) == 0 && !S_ISDIR(st.st_mode))
        return fail(err, ERR_INPUT,
                    "%s: no candidates: its folders hold none of the models, problems and samples "
                    "that it names",
                    source);
    return fail(err, ERR_INPUT,
                "%s: no candidates in it: expected files MODEL/PROBLEM/sampleN.EXT or "
                "level_L_problem_P_sample_S_kernel.EXT",
                source);
}

static int choose(int64_t option, int64_t plan, int otherwise)
{
    return (int)(option ? option : plan ? plan : otherwise);
}

/* The command line comes first, then the plan file, then defaults. */
static int configure(const struct run_options *o, const struct run_settings *s,
                     struct run_config *c, struct err *err)
{
    int sizes = o->sizes ? o->sizes : s->sizes;

    c->name = o->name ? o->name : s->name;
    c->device = o->device ? o->device : s->device;
    c->auto_sizes = !sizes;
    c->sizes = sizes ? (enum size_set)(sizes - 1) : SIZES_SMALL;
    c->repeats = choose(o->repeats, s->repeats, 1);
    c->build_only = o->build_only;
    c->unadmitted = s->unadmitted;
    c->plan = (struct plan)PLAN_DEFAULT;
    if (o->steady || s->steady)
        plan_make_steady(&c->plan);
    c->plan.check_only = o->check_only || s->check_only;
    c->plan.no_cache = o->no_cache;
    c->plan.require_sandbox = o->require_sandbox;
    c->plan.call_timeout_ms = choose(o->timeout_ms, s->call_ms, c->plan.call_timeout_ms);
    c->plan.build_timeout_ms = choose(o->build_timeout_ms, s->build_ms, c->plan.build_timeout_ms);
    c->plan.check_limit_ms = choose(o->check_timeout_ms, s->check_ms, CHECK_LIMIT_MS);
    c->plan.timing_limit_ms = choose(o->timing_timeout_ms, s->timing_ms, TIMING_LIMIT_MS);
    c->plan.weights = s->weights;
    run_text_watch(&c->watcher);
    return o->weights ? weights_parse("run: --weights", o->weights, &c->plan.weights, err) : 0;
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
    if (configure(o, &settings, &config, err) < 0)
        return -1;
    if (!config.name)
        return fail(err, ERR_USAGE, "run: needs --name NAME (or `name:` in the plan)");
    if (run_check_name(config.name, err) < 0)
        return -1;
    if (!candidates.n)
        return fail_empty(argv[0], &candidates, err);
    if (store_open(app->places.home, &app->store, err) < 0)
        return -1;
    config.store = app->store;

    int rc = run_execute(&config, &candidates, &progress, err);

    if (rc < 0)
        return -1;
    return config.build_only ? run_text_built(config.name, o->json, &progress)
                             : run_text_finish(app, config.name, o->json, &progress, err);
}

const struct cmd cmd_run = {
    .name = "run",
    .args = "DIR|PLAN.yaml",
    .summary = "judge many candidates: models, problems, samples",
    .options = run_table,
    .options_size = sizeof(struct run_options),
    .details = "DIR holds MODEL/PROBLEM/sampleN.EXT (PROBLEM as level1_19 or hard_01), or is "
               "a run folder of\n"
               "KernelBench. docs/runs.md describes plans. Candidates that the run holds "
               "already are not judged again.\n",
    .run = run_main,
};
