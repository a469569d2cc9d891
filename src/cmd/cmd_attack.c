/* SPDX-License-Identifier: MIT */
/* Every candidate of attacks/ is judged as any other would be; only then is its verdict held
 * against what its first comment states. Scored calls are few: a false verdict needs no precise
 * time. Processes are as many as ever: some candidates' tell each other answers. */
#include "cmd/cmd.h"
#include "cmd/text.h"

#include "base/clock.h"
#include "base/fs.h"
#include "judge/corpus.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL_TIMEOUT_MS 1000
#define BUILD_TIMEOUT_MS 30000
#define TIMING_BUDGET_MS 1 /* the least number of scored calls, and no more */

struct attack_options {
    const char *device;
    bool json, verbose;
};

static const struct opt attack_table[] = {
    {"device", 'd', OPT_STRING, offsetof(struct attack_options, device), "DEVICE", "default: cpu",
     NULL, 0, 0},
    {"json", 'j', OPT_FLAG, offsetof(struct attack_options, json), NULL, "one object", NULL, 0, 0},
    {"verbose", 'v', OPT_FLAG, offsetof(struct attack_options, verbose), NULL,
     "every candidate, and what it got", NULL, 0, 0},
    {0},
};

struct finding {
    enum attack_outcome outcome;
    struct verdict verdict;
    double cold_us, ms; /* cold_us: 0 when not timed */
    bool judged;
};

struct run {
    struct app *app;
    const struct device *device;
    int device_index;
    struct problem *problem;
    struct station *station;
    struct session *session;
    struct corpus corpus;
    struct finding *findings; /* like corpus.attacks */
};

/* --- judging --- */

static int load_problem(struct run *r, const char *word, struct err *err)
{
    struct problem_ref ref = {0};

    problem_freep(&r->problem);
    if (problem_find(r->app->places.share, word, &ref, err) < 0)
        return -1;

    int rc = problem_load(ref.path, ref.name, &r->problem, err);

    problem_ref_release(&ref);
    return rc;
}

/* What is wrong with the problem is the attack's to name; with the device, nobody's. */
static int open_session(struct run *r, const struct attack *a, struct err *err)
{
    struct session_options o = {
        .device = r->device, .device_index = r->device_index, .plan = PLAN_DEFAULT};
    bool calibrated;

    session_closep(&r->session);
    if (load_problem(r, a->problem, err) < 0)
        return wrap(err, "%s", a->path);
    o.sizes = SIZES_SMALL;
    o.plan.budget_ms = TIMING_BUDGET_MS;
    o.plan.call_timeout_ms = CALL_TIMEOUT_MS;
    return session_open(r->station, r->problem, &o, &r->session, &calibrated, err);
}

static double cold_of(const struct evaluation *e)
{
    return e->n_sizes && e->sizes[0].trial.n_samples ? e->sizes[0].trial.cold.median / 1e3 : 0;
}

static int judge_attack(struct run *r, int i, struct err *err)
{
    const struct attack *a = &r->corpus.attacks[i];
    struct finding *f = &r->findings[i];
    uint64_t start = clock_ns();
    struct evaluation e;

    r->session->options.plan.build_timeout_ms =
        a->build_timeout_ms ? a->build_timeout_ms : BUILD_TIMEOUT_MS;
    if (session_eval(r->session, a->path, &e, err) < 0)
        return -1;
    *f = (struct finding){.verdict = e.verdict, .cold_us = cold_of(&e), .judged = true};
    f->outcome = attack_judge(a, &f->verdict, f->cold_us);
    f->ms = clock_ms_since(start);
    evaluation_release(&e);
    return 0;
}

/* No words: all of them. */
static bool chosen(const struct attack *a, int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strstr(a->name, argv[i]))
            return true;
    return argc == 0;
}

static int judge_all(struct run *r, int argc, char **argv, struct err *err)
{
    const char *open = NULL;
    int n = 0;

    for (int i = 0; i < r->corpus.n; i++) {
        const struct attack *a = &r->corpus.attacks[i];

        if (!chosen(a, argc, argv))
            continue;
        if ((!open || strcmp(open, a->problem) != 0) && open_session(r, a, err) < 0)
            return -1;
        open = a->problem;
        if (judge_attack(r, i, err) < 0)
            return -1;
        n++;
    }
    return n ? 0 : fail(err, ERR_INPUT, "attack: no candidate's name has that in it");
}

/* --- reporting --- */

static int count(const struct run *r, const struct attack_class *c, enum attack_outcome o)
{
    int n = 0;

    for (int i = 0; i < r->corpus.n; i++)
        n += r->findings[i].judged && r->findings[i].outcome == o &&
             (!c || r->corpus.attacks[i].in_class == c);
    return n;
}

static bool is_well(enum attack_outcome o)
{
    return o == ATTACK_CAUGHT || o == ATTACK_PASSED;
}

static void print_finding(const struct run *r, int i, struct buf *out)
{
    const struct attack *a = &r->corpus.attacks[i];
    const struct finding *f = &r->findings[i];
    bool well = is_well(f->outcome);

    text_colored(out, r->app->color, well ? TEXT_GREEN : TEXT_RED, "%-9s",
                 attack_outcome_names[f->outcome]);
    buf_addf(out, " %-32s %s%s%s", a->name, verdict_names[f->verdict.kind],
             f->verdict.reason[0] ? ": " : "", f->verdict.reason);
    if (a->least_us > 0)
        buf_addf(out, ", %.1f us", f->cold_us);
    if (well) {
        buf_addf(out, "  %.0f ms\n", f->ms);
        return;
    }
    buf_addf(out, ", expected %s\n  %s%sagain: assay eval %s ", a->wanted, f->verdict.detail,
             f->verdict.detail[0] ? "\n  " : "", a->problem);
    buf_add_word(out, a->path);
    buf_addf(out, " --device %s --timeout %d\n", r->device->name, CALL_TIMEOUT_MS);
}

static void add_count(struct table *t, const struct run *r, const struct attack_class *c,
                      enum attack_outcome o)
{
    int n = count(r, c, o);

    table_add(t, n && !is_well(o) ? TEXT_RED : TEXT_PLAIN, "%.0d", n);
}

static void print_classes(const struct run *r, struct buf *out)
{
    static const char *const heads[] = {"class",  "",       "caught",  "otherwise",
                                        "missed", "passed", "punished"};
    struct table t;

    table_init(&t, "llrrrrr", heads);
    for (const struct attack_class *c = attack_classes; c->title; c++) {
        table_add(&t, TEXT_PLAIN, "%c", c->letter);
        table_add(&t, TEXT_PLAIN, "%s", c->title);
        for (int o = 0; o < ATTACK_OUTCOMES; o++)
            add_count(&t, r, c, o);
    }
    table_print(&t, r->app->color, out);
    table_release(&t);
}

static void print_text(const struct run *r, bool verbose, double ms)
{
    AUTO(buf_release) struct buf out = BUF_INIT;
    int otherwise = count(r, NULL, ATTACK_OTHERWISE);

    for (int i = 0; i < r->corpus.n; i++)
        if (r->findings[i].judged && (verbose || !is_well(r->findings[i].outcome)))
            print_finding(r, i, &out);
    print_classes(r, &out);
    buf_addf(&out, "%d caught, %d missed, %d honest passed, %d honest punished",
             count(r, NULL, ATTACK_CAUGHT) + otherwise, count(r, NULL, ATTACK_MISSED),
             count(r, NULL, ATTACK_PASSED), count(r, NULL, ATTACK_PUNISHED));
    if (otherwise)
        buf_addf(&out, "; %d of the caught for another reason than stated", otherwise);
    buf_addf(&out, "  %.1f s\n", ms / 1e3);
    fputs(buf_str(&out), stdout);
}

static json_t *finding_json(const struct attack *a, const struct finding *f)
{
    char letter[2] = {a->in_class->letter, '\0'};

    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:f}", "number", a->number,
                     "name", a->name, "class", letter, "problem", a->problem, "expected", a->wanted,
                     "verdict", verdict_names[f->verdict.kind], "reason", f->verdict.reason,
                     "detail", f->verdict.detail, "outcome", attack_outcome_names[f->outcome],
                     "cold_us", f->cold_us > 0 ? json_real(f->cold_us) : json_null(), "ms", f->ms);
}

static void print_json(const struct run *r, double ms)
{
    json_t *totals = json_object(), *list = json_array();
    json_t *all = json_pack("{s:s, s:s, s:o, s:o, s:f}", "device", r->device->name, "device_name",
                            r->station->info.name, "totals", totals, "attacks", list, "ms", ms);

    for (int o = 0; o < ATTACK_OUTCOMES; o++)
        json_object_set_new(totals, attack_outcome_names[o], json_integer(count(r, NULL, o)));
    for (int i = 0; i < r->corpus.n; i++)
        if (r->findings[i].judged)
            json_array_append_new(list, finding_json(&r->corpus.attacks[i], &r->findings[i]));
    json_dumpf(all, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(all);
}

static int run_corpus(struct run *r, const struct attack_options *o, int argc, char **argv,
                      struct err *err)
{
    uint64_t start = clock_ns();

    if (judge_all(r, argc, argv, err) < 0)
        return -1;
    if (o->json)
        print_json(r, clock_ms_since(start));
    else
        print_text(r, o->verbose, clock_ms_since(start));
    return count(r, NULL, ATTACK_OTHERWISE) || count(r, NULL, ATTACK_MISSED) ||
           count(r, NULL, ATTACK_PUNISHED);
}

static int attack_main(struct app *app, const void *options, int argc, char **argv, struct err *err)
{
    const struct attack_options *o = options;
    struct run r = {.app = app, .device = &device_cpu};

    if (o->device && device_find(o->device, &r.device, &r.device_index, err) < 0)
        return -1;

    AUTO(freep) char *attacks = fs_join(app->places.share, "attacks");
    AUTO(freep) char *dir = fs_join(attacks, r.device->name);

    if (corpus_load(dir, r.device->suffixes, &r.corpus, err) < 0)
        return -1;
    r.station = station_new(&app->places, r.device, r.device_index);
    r.findings = xcalloc((size_t)r.corpus.n + 1, sizeof(*r.findings));

    int rc = run_corpus(&r, o, argc, argv, err);

    session_closep(&r.session);
    station_free(r.station);
    problem_freep(&r.problem);
    corpus_release(&r.corpus);
    free(r.findings);
    return rc;
}

const struct cmd cmd_attack = {
    .name = "attack",
    .args = "[NAME...]",
    .summary = "judge the candidates of attacks/: caught, missed, honest ones punished",
    .options = attack_table,
    .options_size = sizeof(struct attack_options),
    .details =
        "NAME: only those whose file name has it in it. Exit status 1 when one is missed, is "
        "caught for\nanother reason than its file states, or an honest one is punished.\n",
    .run = attack_main,
};
