/* SPDX-License-Identifier: MIT */
/* Every candidate of attacks/ is judged as any other would be. Only then is its verdict held
 * against the one that its second comment states. Scored calls are few: a false verdict needs no
 * precise time. There are as many processes as ever: those of some candidates tell each other
 * answers. */
#include "cmd/cmd.h"
#include "cmd/text.h"

#include "base/clock.h"
#include "base/fs.h"
#include "cmd/corpus.h"
#include "judge/judge.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL_TIMEOUT_MS 1000
#define CONTROL_TRIES 3
#define BUILD_TIMEOUT_MS 30000
#define TIMING_BUDGET_MS 1 /* ends scored calls at their least number */
#define TIMED_GOES 10      /* attempts at an attack that seems faster than its control */

struct attack_options {
    const char *device;
    bool json, verbose;
};

static const struct opt attack_table[] = {
    {"device", 'd', OPT_STRING, offsetof(struct attack_options, device), "DEVICE", "default: cpu",
     NULL, 0, 0},
    {"json", 'j', OPT_FLAG, offsetof(struct attack_options, json), NULL, "one object", NULL, 0, 0},
    {"verbose", 'v', OPT_FLAG, offsetof(struct attack_options, verbose), NULL,
     "list every candidate with its verdict", NULL, 0, 0},
    {0},
};

struct attack_finding {
    enum attack_outcome outcome;
    struct verdict verdict;
    struct attack_times times, control; /* control: set if the attack has one */
    char *sizes[CORPUS_MAX_SIZES];      /* names of the sizes; set if the attack has a control */
    double ms;
    bool judged;
};

/* Control: an honest candidate that attacks are held against. It is judged once per problem, and
 * again with an attack that seems to be faster. */
struct control {
    const char *file; /* points into an attack; not owned */
    struct attack_times times;
};

struct attack_cmd {
    struct app *app;
    const struct device *device;
    int device_index;
    struct problem *problem;
    struct judge *judge;
    struct judge_request request; /* the present attack, but for its text */
    struct corpus corpus;
    struct attack_finding *findings; /* indexed like corpus.attacks */
    struct control *controls;        /* controls of the present problem */
    int n_controls;
    int n_skipped; /* candidates in Python, on a machine without torch */
};

/* --- judging --- */

static int load_problem(struct attack_cmd *r, const char *word, struct err *err)
{
    struct problem_ref ref = {0};

    if (judge_rest(r->judge, err) < 0)
        return -1;
    problem_freep(&r->problem);
    if (problem_find(r->app->places.share, word, &ref, err) < 0)
        return -1;

    int rc = problem_load(ref.path, ref.name, &r->problem, err);

    problem_ref_release(&ref);
    return rc;
}

/* An error of the problem names the attack that asks for it; an error of the device does not. */
static int open_problem(struct attack_cmd *r, const struct attack *a, struct err *err)
{
    r->n_controls = 0;
    if (load_problem(r, a->problem, err) < 0)
        return wrap(err, "%s", a->path);
    r->request = (struct judge_request){.problem = r->problem,
                                        .options = {.device = r->device,
                                                    .device_index = r->device_index,
                                                    .sizes = a->sizes,
                                                    .candidates = r->corpus.n,
                                                    .plan = PLAN_DEFAULT}};
    r->request.options.plan.budget_ms = TIMING_BUDGET_MS;
    r->request.options.plan.call_timeout_ms = CALL_TIMEOUT_MS;
    return judge_open(r->judge, &r->request, err);
}

static void times_of(const struct evaluation *e, struct attack_times *ret)
{
    ret->n = 0;
    for (int i = 0; i < e->n_sizes && i < CORPUS_MAX_SIZES && e->sizes[i].trial.n_samples; i++)
        ret->us[ret->n++] = e->sizes[i].trial.cold.median / 1e3;
}

static int eval(struct attack_cmd *r, const char *path, int build_timeout_ms,
                struct evaluation *ret, struct err *err)
{
    struct judge_request q = r->request;
    AUTO(freep) char *text = NULL;

    if (judge_read(path, &q.source, &text, err) < 0)
        return -1;
    q.options.plan.build_timeout_ms = build_timeout_ms ? build_timeout_ms : BUILD_TIMEOUT_MS;
    return judge_eval(r->judge, &q, ret, err);
}

static int try_control(struct attack_cmd *r, const struct attack *a, struct attack_times *ret,
                       struct err *err)
{
    AUTO(freep) char *path = fs_join(r->app->places.share, a->control);
    struct evaluation e;
    int rc = 0;

    if (eval(r, path, 0, &e, err) < 0)
        return wrap(err, "%s: its control", a->path);
    times_of(&e, ret);
    if (e.verdict.kind != VERDICT_PASS || ret->n != e.n_sizes)
        rc = fail(err, e.verdict.kind == VERDICT_INFRA ? e.infra_kind : ERR_INPUT,
                  "%s: its control %s must pass, but got %s%s%s: %s", a->path, a->control,
                  verdict_names[e.verdict.kind], e.verdict.code[0] ? ": " : "", e.verdict.code,
                  e.verdict.detail);
    evaluation_release(&e);
    return rc;
}

/* A control that does not pass says nothing about an attack: the corpus is wrong, or this machine
 * is. A busy machine can make one late, so it has more than one try. */
static int judge_control(struct attack_cmd *r, const struct attack *a, struct attack_times *ret,
                         struct err *err)
{
    int rc = try_control(r, a, ret, err);

    for (int i = 1; rc < 0 && i < CONTROL_TRIES; i++) {
        *err = (struct err)ERR_INIT;
        rc = try_control(r, a, ret, err);
    }
    return rc;
}

static struct control *known_control(struct attack_cmd *r, const struct attack *a)
{
    for (int i = 0; i < r->n_controls; i++)
        if (!strcmp(r->controls[i].file, a->control))
            return &r->controls[i];
    return NULL;
}

static int find_control(struct attack_cmd *r, const struct attack *a, struct attack_times *ret,
                        struct err *err)
{
    const struct control *known = known_control(r, a);

    if (known) {
        *ret = known->times;
        return 0;
    }
    if (judge_control(r, a, ret, err) < 0)
        return -1;
    r->controls = xrealloc(r->controls, (size_t)(r->n_controls + 1) * sizeof(*r->controls));
    r->controls[r->n_controls++] = (struct control){a->control, *ret};
    return 0;
}

static void name_sizes(const struct attack_cmd *r, struct attack_finding *f)
{
    for (int i = 0; i < f->control.n; i++) {
        AUTO(buf_release) struct buf name = BUF_INIT;

        size_print(&r->problem->sizes[r->request.options.sizes][i], &name);
        f->sizes[i] = xstrdup(buf_str(&name));
    }
}

/* Judges attack and control once more, in turn; the least of their times count. An attack that does
 * not pass this time passed before, so its finding stays. */
static int time_again(struct attack_cmd *r, const struct attack *a, struct attack_finding *f,
                      struct err *err)
{
    struct control *control = known_control(r, a);
    struct attack_times again;
    struct evaluation e;

    if (judge_control(r, a, &again, err) < 0)
        return -1;
    attack_times_least(&control->times, &again);
    f->control = control->times;
    if (eval(r, a->path, a->build_timeout_ms, &e, err) < 0)
        return -1;
    times_of(&e, &again);
    if (e.verdict.kind == VERDICT_PASS)
        attack_times_least(&f->times, &again);
    f->outcome = attack_judge(a, &f->verdict, &f->times, &f->control);
    evaluation_release(&e);
    return 0;
}

/* Whether the attack seems to be faster than its control. One disturbed control is enough for
 * that. */
static bool seems_fast(const struct attack *a, const struct attack_finding *f)
{
    return a->control && f->outcome == ATTACK_MISSED && f->verdict.kind == VERDICT_PASS &&
           f->times.n == f->control.n;
}

/* A machine without torch cannot judge candidates in Python: they are not missed, but skipped. */
static bool lacks_python(const struct attack_cmd *r, const struct evaluation *e)
{
    return e->verdict.kind == VERDICT_INFRA && e->subject.kind->launcher == LAUNCH_ZYGOTE &&
           r->judge->no_zygote.kind != ERR_NONE;
}

static int judge_attack(struct attack_cmd *r, int i, struct err *err)
{
    const struct attack *a = &r->corpus.attacks[i];
    struct attack_finding *f = &r->findings[i];
    struct evaluation e;

    if (a->control && find_control(r, a, &f->control, err) < 0)
        return -1;

    uint64_t start = clock_ns();

    if (eval(r, a->path, a->build_timeout_ms, &e, err) < 0)
        return -1;
    if (lacks_python(r, &e)) {
        r->n_skipped++;
        evaluation_release(&e);
        return 0;
    }
    f->judged = true;
    f->verdict = e.verdict;
    times_of(&e, &f->times);
    name_sizes(r, f);
    f->outcome = attack_judge(a, &f->verdict, &f->times, &f->control);
    f->ms = clock_ms_since(start);
    evaluation_release(&e);
    for (int go = 1; go < TIMED_GOES && seems_fast(a, f); go++)
        if (time_again(r, a, f, err) < 0)
            return -1;
    return 0;
}

/* Whether the attack is named by a word; without words all are. */
static bool chosen(const struct attack *a, int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strstr(a->name, argv[i]))
            return true;
    return argc == 0;
}

static bool same_problem(const struct attack *a, const struct attack *b)
{
    return a->sizes == b->sizes && strcmp(a->problem, b->problem) == 0;
}

static int judge_all(struct attack_cmd *r, int argc, char **argv, struct err *err)
{
    const struct attack *open = NULL;
    int n = 0;

    for (int i = 0; i < r->corpus.n; i++) {
        const struct attack *a = &r->corpus.attacks[i];

        if (!chosen(a, argc, argv))
            continue;
        if (!(open && same_problem(open, a)) && open_problem(r, a, err) < 0)
            return -1;
        open = a;
        if (judge_attack(r, i, err) < 0)
            return -1;
        n++;
    }
    return n ? 0
             : fail(err, ERR_INPUT, "attack: no candidate has one of these words in its file name");
}

/* --- reporting --- */

static int count(const struct attack_cmd *r, const struct attack_class *c, enum attack_outcome o)
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

static void print_finding(const struct attack_cmd *r, int i, struct buf *out)
{
    const struct attack *a = &r->corpus.attacks[i];
    const struct attack_finding *f = &r->findings[i];
    bool well = is_well(f->outcome);

    text_colored(out, r->app->color, well ? TEXT_GREEN : TEXT_RED, "%-9s",
                 attack_outcome_names[f->outcome]);
    buf_addf(out, " %-32s %s%s%s", a->name, verdict_names[f->verdict.kind],
             f->verdict.code[0] ? ": " : "", f->verdict.code);
    if (a->least_us > 0)
        buf_addf(out, ", %.1f us", f->times.n ? f->times.us[0] : 0);
    if (well) {
        buf_addf(out, "  %.0f ms\n", f->ms);
        return;
    }
    buf_addf(out, ", expected %s\n  %s%sagain: assay eval %s ", a->wanted, f->verdict.detail,
             f->verdict.detail[0] ? "\n  " : "", a->problem);
    buf_add_word(out, a->path);
    buf_addf(out, " --device %s --sizes %s --timeout %d\n", r->device->name,
             size_set_names[a->sizes], CALL_TIMEOUT_MS);
}

static void add_time(struct table *t, const struct attack_times *times, int i)
{
    AUTO(buf_release) struct buf us = BUF_INIT;

    if (i < times->n)
        text_us(times->us[i], &us);
    table_add(t, TEXT_PLAIN, "%s", i < times->n ? buf_str(&us) : "-");
}

static void add_against_control(struct table *t, const struct attack *a,
                                const struct attack_finding *f)
{
    for (int i = 0; i < f->control.n; i++) {
        double share = i < f->times.n ? 100 * f->times.us[i] / f->control.us[i] : 0;
        bool low = f->verdict.kind == VERDICT_PASS && share < a->least_percent;

        table_add(t, TEXT_PLAIN, "%s", a->name);
        table_add(t, TEXT_PLAIN, "%s", f->sizes[i]);
        table_add(t, TEXT_PLAIN, "%s", verdict_names[f->verdict.kind]);
        add_time(t, &f->times, i);
        add_time(t, &f->control, i);
        table_add(t, low ? TEXT_RED : TEXT_PLAIN, i < f->times.n ? "%.1f" : "-", share);
        table_add(t, TEXT_PLAIN, "%g", a->least_percent);
        table_add(t, TEXT_PLAIN, "%s", a->control);
    }
}

/* The times that attacks show beside those of honest controls. */
static void print_controls(const struct attack_cmd *r, struct buf *out)
{
    static const char *const heads[] = {"attack",     "size", "verdict",  "us",
                                        "control us", "%",    "at least", "control"};
    struct table t;
    int n = 0;

    table_init(&t, "lllrrrrl", heads);
    for (int i = 0; i < r->corpus.n; i++) {
        if (!r->findings[i].judged || !r->corpus.attacks[i].control)
            continue;
        add_against_control(&t, &r->corpus.attacks[i], &r->findings[i]);
        n++;
    }
    if (n)
        table_print(&t, r->app->color, out);
    table_release(&t);
}

static void add_count(struct table *t, const struct attack_cmd *r, const struct attack_class *c,
                      enum attack_outcome o)
{
    int n = count(r, c, o);

    table_add(t, n && !is_well(o) ? TEXT_RED : TEXT_PLAIN, "%.0d", n);
}

static void print_classes(const struct attack_cmd *r, struct buf *out)
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

static void print_text(const struct attack_cmd *r, bool verbose, double ms)
{
    AUTO(buf_release) struct buf out = BUF_INIT;
    int otherwise = count(r, NULL, ATTACK_OTHERWISE);

    for (int i = 0; i < r->corpus.n; i++)
        if (r->findings[i].judged && (verbose || !is_well(r->findings[i].outcome)))
            print_finding(r, i, &out);
    print_controls(r, &out);
    print_classes(r, &out);
    buf_addf(&out, "%d caught, %d missed, %d honest passed, %d honest punished",
             count(r, NULL, ATTACK_CAUGHT) + otherwise, count(r, NULL, ATTACK_MISSED),
             count(r, NULL, ATTACK_PASSED), count(r, NULL, ATTACK_PUNISHED));
    if (otherwise)
        buf_addf(&out, "; %d of the caught for another reason than stated", otherwise);
    buf_addf(&out, "  %.1f s\n", ms / 1e3);
    if (r->n_skipped)
        buf_addf(&out, "%d in Python skipped: %s\n", r->n_skipped, r->judge->no_zygote.text);
    fputs(buf_str(&out), stdout);
}

static json_t *times_json(const struct attack_times *t)
{
    json_t *list = json_array();

    for (int i = 0; i < t->n; i++)
        json_array_append_new(list, json_real(t->us[i]));
    return list;
}

static json_t *finding_json(const struct attack *a, const struct attack_finding *f)
{
    char letter[2] = {a->in_class->letter, '\0'};
    json_t *j = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:f}", "number",
                          a->number, "name", a->name, "class", letter, "problem", a->problem,
                          "sizes", size_set_names[a->sizes], "expected", a->wanted, "verdict",
                          verdict_names[f->verdict.kind], "reason", f->verdict.code, "detail",
                          f->verdict.detail, "outcome", attack_outcome_names[f->outcome], "cold_us",
                          f->times.n ? json_real(f->times.us[0]) : json_null(), "ms", f->ms);

    json_object_set_new(j, "control", a->control ? json_string(a->control) : json_null());
    if (a->control) {
        json_object_set_new(j, "least_percent", json_real(a->least_percent));
        json_object_set_new(j, "times_us", times_json(&f->times));
        json_object_set_new(j, "control_us", times_json(&f->control));
    }
    return j;
}

static void print_json(const struct attack_cmd *r, double ms)
{
    json_t *totals = json_object(), *list = json_array();
    json_t *all =
        json_pack("{s:s, s:s, s:o, s:o, s:f}", "device", r->device->name, "device_name",
                  r->judge->station->info.name, "totals", totals, "attacks", list, "ms", ms);

    json_object_set_new(totals, "skipped", json_integer(r->n_skipped));
    for (int o = 0; o < ATTACK_OUTCOMES; o++)
        json_object_set_new(totals, attack_outcome_names[o], json_integer(count(r, NULL, o)));
    for (int i = 0; i < r->corpus.n; i++)
        if (r->findings[i].judged)
            json_array_append_new(list, finding_json(&r->corpus.attacks[i], &r->findings[i]));
    json_dumpf(all, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(all);
}

static int run_corpus(struct attack_cmd *r, const struct attack_options *o, int argc, char **argv,
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

static void findings_free(struct attack_cmd *r)
{
    for (int i = 0; i < r->corpus.n; i++)
        for (int k = 0; k < r->findings[i].control.n; k++)
            free(r->findings[i].sizes[k]);
    free(r->findings);
    free(r->controls);
}

/* Candidates in Python lie beside the devices' own, for every device that takes them. */
static int load_python(struct attack_cmd *r, const char *attacks, struct err *err)
{
    AUTO(freep) char *dir = fs_join(attacks, "python");

    return device_takes(r->device, "x.py") ? corpus_load(dir, r->device, &r->corpus, err) : 0;
}

static int attack_main(struct app *app, const void *options, int argc, char **argv, struct err *err)
{
    const struct attack_options *o = options;
    const struct judge_config judge = {.places = &app->places};
    struct attack_cmd r = {.app = app, .device = &device_cpu};

    if (o->device && device_find(o->device, &r.device, &r.device_index, err) < 0)
        return -1;

    AUTO(freep) char *attacks = fs_join(app->places.share, "attacks");
    AUTO(freep) char *dir = fs_join(attacks, r.device->name);

    if (corpus_load(dir, r.device, &r.corpus, err) < 0 || load_python(&r, attacks, err) < 0)
        return -1;
    r.judge = judge_new(&judge);
    r.findings = xcalloc((size_t)r.corpus.n + 1, sizeof(*r.findings));

    int rc = run_corpus(&r, o, argc, argv, err);

    judge_free(r.judge);
    problem_freep(&r.problem);
    findings_free(&r);
    corpus_release(&r.corpus);
    return rc;
}

const struct cmd cmd_attack = {
    .name = "attack",
    .args = "[NAME...]",
    .summary = "judge the known attacks: count caught and missed ones, and punished honest ones",
    .options = attack_table,
    .options_size = sizeof(struct attack_options),
    .details = "NAME: only candidates with NAME in their file names. Exit status 1 when an "
               "attack is missed or is\n"
               "caught for another reason than its file states, or an honest candidate is "
               "punished.\n",
    .run = attack_main,
};
