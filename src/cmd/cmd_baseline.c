/* SPDX-License-Identifier: MIT */
/* Baselines are runs: their models are the ways to run a problem without a candidate. */
#include "cmd/cmd.h"
#include "cmd/run_text.h"

#include "device/device.h"
#include "judge/judge.h"
#include "results/ship.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct baseline_options {
    const char *name, *device, *kinds, *ship;
    int sizes;
    bool json;
    int64_t repeats, timeout_ms;
};

#define FIELD(name) offsetof(struct baseline_options, name)
/* Default kinds. On a CPU they need no Python; PyTorch runs there when asked for. */
static const char gpu_kinds[] = "torch:eager,torch:compile,torch:max-autotune";
static const char cpu_kinds[] = "cpu:naive,cpu:openblas";
static const char no_blas_kinds[] = "cpu:naive";

static const struct opt baseline_table[] = {
    {"name", 'n', OPT_STRING, FIELD(name), "NAME",
     "name of the run that keeps them (default: baseline)", NULL, 0, 0},
    {"kinds", 'k', OPT_STRING, FIELD(kinds), "LIST",
     "torch:eager, torch:compile, torch:max-autotune, torch:reduce-overhead, torch:cudagraphs, "
     "torch:vendor, each also with +tf32; cpu:naive, cpu:openblas",
     NULL, 0, 0},
    {"device", 'd', OPT_STRING, FIELD(device), "DEVICE",
     "device to run on (default: a GPU if there is one, else cpu)", NULL, 0, 0},
    {"sizes", 's', OPT_CHOICE, FIELD(sizes), "SET",
     "small, medium, full, or auto: full on GPUs, medium on CPUs (the default)", size_choice_names,
     0, 0},
    {"repeats", 'r', OPT_INT, FIELD(repeats), "N", "measure N times (default 1)", NULL, 1, 100},
    {"timeout", 't', OPT_INT, FIELD(timeout_ms), "MS", "limit of one call (default 60000)", NULL, 1,
     3600000},
    {"ship", 0, OPT_STRING, FIELD(ship), "FILE.json",
     "also write the run's baselines to this file, for machines of the same kind", NULL, 0, 0},
    {"json", 'j', OPT_FLAG, FIELD(json), NULL, "the summary as JSON", NULL, 0, 0},
    {0},
};

static int add_kind(struct app *app, const char *kind, int argc, char **argv, struct candidates *c,
                    struct err *err)
{
    struct baseline b;

    if (baseline_parse(kind, &b, err) < 0)
        return wrap(err, "baseline");
    for (int i = 0; i < argc; i++) {
        struct problem_ref *refs = NULL;
        int n = 0;

        if (strchr(argv[i], '/') || strstr(argv[i], ".lua")) {
            candidates_add(c, kind, argv[i], 0, kind, NULL);
            continue;
        }
        if (problem_list(app->places.share, &argv[i], 1, &refs, &n, err) < 0)
            return -1;
        for (int k = 0; k < n; k++)
            candidates_add(c, kind, refs[k].name, 0, kind, NULL);
        problem_refs_free(refs, n);
    }
    return 0;
}

static int add_kinds(struct app *app, const char *kinds, int argc, char **argv,
                     struct candidates *c, struct err *err)
{
    AUTO(freep) char *list = xstrdup(kinds);
    char *rest = NULL;

    for (char *kind = strtok_r(list, ",", &rest); kind; kind = strtok_r(NULL, ",", &rest))
        if (add_kind(app, kind, argc, argv, c, err) < 0)
            return -1;
    return 0;
}

static int default_kinds(const struct baseline_options *o, const char **ret, struct err *err)
{
    const struct baseline openblas = {.mode = "openblas"};
    const struct device *device = judge_torch_device();
    struct err ignored = ERR_INIT;
    int index;

    if (o->device && device_find(o->device, &device, &index, err) < 0)
        return -1;
    if (o->kinds)
        *ret = o->kinds;
    else if (device->torch_first && device == judge_torch_device())
        *ret = gpu_kinds;
    else
        *ret = baseline_available(&openblas, &ignored) == 0 ? cpu_kinds : no_blas_kinds;
    return 0;
}

/* Writes all that the run holds, not only what was measured now. */
static int ship(const struct app *app, const struct run_config *config, const char *path,
                struct err *err)
{
    struct ship_counts n;

    if (ship_run(app->store, config->name, path, &n, err) < 0)
        return -1;
    fprintf(stderr, "assay: %s: rows of run %s: %d, new: %d, in the file: %d\n", path, config->name,
            n.rows, n.added, n.total);
    return 0;
}

static int measure(struct app *app, const struct baseline_options *o, struct run_config *config,
                   int argc, char **argv, struct err *err)
{
    AUTO(candidates_release) struct candidates candidates = {0};
    struct run_progress progress = {0};
    const char *kinds = NULL;

    if (default_kinds(o, &kinds, err) < 0 ||
        add_kinds(app, kinds, argc, argv, &candidates, err) < 0 ||
        store_open(app->places.home, &app->store, err) < 0)
        return -1;
    config->plan.call_timeout_ms = o->timeout_ms ? (int)o->timeout_ms : 60000;
    config->store = app->store;
    run_text_watch(&config->watcher);
    if (run_execute(config, &candidates, &progress, err) < 0)
        return -1;
    return run_text_finish(app, config->name, o->json, &progress, err);
}

static int baseline_main(struct app *app, const void *options, int argc, char **argv,
                         struct err *err)
{
    const struct baseline_options *o = options;
    struct run_config config = {.places = &app->places,
                                .name = o->name ? o->name : "baseline",
                                .source = "assay baseline",
                                .device = o->device,
                                .auto_sizes = !o->sizes,
                                .sizes = (enum size_set)MAX(o->sizes - 1, 0),
                                .repeats = o->repeats ? (int)o->repeats : 1,
                                .plan = PLAN_DEFAULT};
    int status = 0;

    if (argc < 1 && !o->ship)
        return fail(err, ERR_USAGE,
                    "baseline: takes suites or problems, as in: assay baseline level1");
    if (run_check_name(config.name, err) < 0 || (o->ship && ship_check(o->ship, err) < 0))
        return -1;
    status = argc < 1 ? store_open(app->places.home, &app->store, err)
                      : measure(app, o, &config, argc, argv, err);
    if (status >= 0 && o->ship && ship(app, &config, o->ship, err) < 0)
        return -1;
    return status;
}

const struct cmd cmd_baseline = {
    .name = "baseline",
    .args = "[SUITE|PROBLEM...]",
    .summary = "measure PyTorch, or plain loops and OpenBLAS, to compare runs with",
    .options = baseline_table,
    .options_size = sizeof(struct baseline_options),
    .details = "Without --kinds: PyTorch on a GPU; on a CPU plain loops, and OpenBLAS if it "
               "is installed. The times\n"
               "are kept as a run and count on this device only: assay analyze RUN --baseline "
               "baseline:torch:eager\n"
               "With --ship and no problem, nothing is measured: what the run holds is written.\n",
    .run = baseline_main,
};
