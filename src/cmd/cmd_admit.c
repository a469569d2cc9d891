/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"
#include "cmd/text.h"

#include "base/clock.h"
#include "judge/admit.h"
#include "process/devlock.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct admit_options {
    bool json, verbose;
    int sizes;
    const char *device;
    struct opt_seed seed;
};

static const struct opt admit_table[] = {
    {"device", 'd', OPT_STRING, offsetof(struct admit_options, device), "DEVICE",
     "where outputs are made and compared (default: cpu)", NULL, 0, 0},
    {"json", 'j', OPT_FLAG, offsetof(struct admit_options, json), NULL,
     "one JSON object per problem and size", NULL, 0, 0},
    {"verbose", 'v', OPT_FLAG, offsetof(struct admit_options, verbose), NULL,
     "every null and honest candidate, and what caught it", NULL, 0, 0},
    {"sizes", 's', OPT_CHOICE, offsetof(struct admit_options, sizes), "SET",
     "small (default), medium or full", size_set_names, 0, 0},
    {"seed", 0, OPT_SEED, offsetof(struct admit_options, seed), "N",
     "choose the seed, to repeat a result", NULL, 0, 0},
    {0},
};

static json_t *result_json(const struct problem *p, const struct size *size,
                           const struct admit_result *r, double ms)
{
    json_t *cases = json_object();
    AUTO(buf_release) struct buf params = BUF_INIT;

    size_print(size, &params);
    for (int i = 0; i < r->n_cases; i++)
        json_object_set_new(cases, r->cases[i].name,
                            json_pack("{s:s, s:s}", "outcome",
                                      admit_outcome_names[r->cases[i].outcome], "detail",
                                      r->cases[i].detail));
    return json_pack("{s:s, s:s, s:b, s:s, s:f, s:f, s:o}", "problem", p->name, "size",
                     buf_str(&params), "admitted", r->admitted, "refusal", r->refusal, "honest_rms",
                     r->honest_rms, "ms", ms, "cases", cases);
}

static int count(const struct admit_result *r, enum admit_outcome o)
{
    int n = 0;

    for (int i = 0; i < r->n_cases; i++)
        n += r->cases[i].outcome == o;
    return n;
}

static void print_result(const struct app *app, const struct problem *p, const struct size *size,
                         const struct admit_result *r, double ms, bool verbose)
{
    AUTO(buf_release) struct buf out = BUF_INIT;

    text_colored(&out, app->color, r->admitted ? TEXT_GREEN : TEXT_RED, "%s",
                 r->admitted ? "admitted" : "REFUSED ");
    buf_addf(&out, "  %-58s %2d nulls caught, %d honest passed", p->name, count(r, ADMIT_CAUGHT),
             count(r, ADMIT_PASSED));
    if (count(r, ADMIT_SKIPPED))
        buf_addf(&out, ", %d skipped", count(r, ADMIT_SKIPPED));
    buf_addf(&out, "  %.0f ms\n", ms);
    if (!r->admitted) {
        buf_adds(&out, "          ");
        size_print(size, &out);
        buf_addf(&out, ": %s\n", r->refusal);
    }
    for (int i = 0; verbose && i < r->n_cases; i++)
        buf_addf(&out, "          %-24s %-8s %s\n", r->cases[i].name,
                 admit_outcome_names[r->cases[i].outcome], r->cases[i].detail);
    fputs(buf_str(&out), stdout);
}

/* One invocation: place, options and counts. */
struct admission {
    const struct app *app;
    const struct admit_options *options;
    struct admit_place at;
    struct progress progress;
    const char *name; /* name of the present problem */
    uint64_t seed;
    uint64_t started_ns, shown_ns; /* start of the present size; when progress was last shown */
    int admitted, refused;
};

/* Shows progress on a terminal, for a size that takes longer than two seconds, at most ten times a
 * second. */
static void show_progress(void *arg, const char *phase, int done, int total)
{
    struct admission *a = arg;

    if (clock_ms_since(a->started_ns) < 2000 || clock_ms_since(a->shown_ns) < 100)
        return;
    a->shown_ns = clock_ns();
    fprintf(stderr, "\r\033[K%s: %s %d/%d", a->name, phase, done, total);
}

static void show_result(const struct admission *a, const struct problem *p, const struct size *size,
                        const struct admit_result *r)
{
    double ms = clock_ms_since(a->started_ns);

    if (a->shown_ns)
        fputs("\r\033[K", stderr);
    if (a->options->json) {
        json_t *j = result_json(p, size, r, ms);

        json_object_set_new(j, "device", json_string(a->at.info.name));
        json_dumpf(j, stdout, JSON_COMPACT);
        putchar('\n');
        json_decref(j);
    } else {
        print_result(a->app, p, size, r, ms, a->options->verbose);
    }
    fflush(stdout); /* a GPU's full sizes take minutes: each result is shown at once */
}

static int admit_ref(struct admission *a, const struct problem_ref *ref, struct err *err)
{
    AUTO(problem_freep) struct problem *p = NULL;
    int set = a->options->sizes;
    bool all = true;

    if (problem_load(ref->path, ref->name, &p, err) < 0 ||
        problem_need_sizes(p, (enum size_set)set, err) < 0)
        return -1;
    a->name = p->name;
    for (int i = 0; i < p->n_sizes[set]; i++) {
        const struct size *size = &p->sizes[set][i];
        struct admit_result r;

        a->started_ns = clock_ns();
        a->shown_ns = 0;
        if (admit_size(&a->at, p, size->graph, a->seed, &r, err) < 0)
            return wrap(err, "%s", p->name);
        all = all && r.admitted;
        show_result(a, p, size, &r);
    }
    a->admitted += all;
    a->refused += !all;
    return 0;
}

/* A word is a suite if it names a folder, else a problem. */
static int refs_of(const struct app *app, char *word, struct problem_ref **ret, int *ret_n,
                   struct err *err)
{
    struct err suite_err = ERR_INIT;

    if (!strchr(word, '/') &&
        problem_list(app->places.share, &word, 1, ret, ret_n, &suite_err) == 0)
        return 0;
    *ret = xcalloc(1, sizeof(**ret));
    *ret_n = 1;
    if (problem_find(app->places.share, word, *ret, err) == 0)
        return 0;
    free(*ret);
    return -1;
}

static int admit_refs(struct admission *a, struct problem_ref *refs, int n, struct err *err)
{
    int rc = 0;

    for (int i = 0; i < n && rc == 0; i++)
        rc = admit_ref(a, &refs[i], err);
    problem_refs_free(refs, n);
    return rc;
}

/* Without words all problems are admitted. */
static int admit_words(struct admission *a, int argc, char **argv, struct err *err)
{
    struct problem_ref *refs;
    int n;

    for (int i = 0; i < argc; i++)
        if (refs_of(a->app, argv[i], &refs, &n, err) < 0 || admit_refs(a, refs, n, err) < 0)
            return -1;
    if (argc > 0)
        return 0;
    if (problem_list(a->app->places.share, NULL, 0, &refs, &n, err) < 0)
        return -1;
    return admit_refs(a, refs, n, err);
}

/* Nothing is timed here, so others may admit and check at the same time. On a GPU
 * admission and timing wait for each other. */
static int open_place(const struct admit_options *o, struct admit_place *ret,
                      struct devlock *ret_lock, struct err *err)
{
    const struct device *device = &device_cpu;
    double waited = 0;
    int index = 0;

    if (o->device && device_find(o->device, &device, &index, err) < 0)
        return -1;
    if (devlock_to_prepare(device, index, ret_lock, &waited, err) < 0)
        return -1;
    return admit_open(device, index, ret, err);
}

static int admit_main(struct app *app, const void *options, int argc, char **argv, struct err *err)
{
    const struct admit_options *o = options;
    struct admission a = {
        .app = app, .options = o, .seed = o->seed.given ? o->seed.value : secret_u64()};
    AUTO(devlock_release) struct devlock lock = DEVLOCK_INIT;
    uint64_t start = clock_ns();

    if (open_place(o, &a.at, &lock, err) < 0)
        return -1;
    a.progress = (struct progress){show_progress, &a};
    if (isatty(STDERR_FILENO))
        a.at.progress = &a.progress;

    int rc = admit_words(&a, argc, argv, err);

    admit_close(&a.at);
    if (rc < 0)
        return -1;
    if (!o->json) {
        printf("%d admitted, %d refused  %.1f s\n", a.admitted, a.refused,
               clock_ms_since(start) / 1e3);
        if (a.refused)
            printf("again: assay admit --seed %llu\n", (unsigned long long)a.seed);
    }
    return a.refused ? 1 : 0;
}

const struct cmd cmd_admit = {
    .name = "admit",
    .args = "[SUITE|PROBLEM...]",
    .summary = "show that candidates which do not do the work fail, and honest ones pass",
    .options = admit_table,
    .options_size = sizeof(struct admit_options),
    .run = admit_main,
};
