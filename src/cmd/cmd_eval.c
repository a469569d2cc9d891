/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "cmd/text.h"

#include "base/clock.h"
#include "base/interrupt.h"
#include "build/source_folder.h"
#include "cmd/detach.h"
#include "judge/judge.h"
#include "judge/record.h"
#include "judge/requirement.h"
#include "sandbox/sandbox.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct eval_options {
    const char *device, *entry, *ref;
    struct opt_seed seed;
    int sizes, weights;
    bool unadmitted, json, check_only, steady, no_cache, no_store, no_spares, require_sandbox;
    int64_t timeout_ms, build_timeout_ms, min_calls, max_calls, budget_ms, runners, arenas, spares;
};

#define FIELD(name) offsetof(struct eval_options, name)

static const struct opt eval_table[] = {
    {"device", 'd', OPT_STRING, FIELD(device), "DEVICE",
     "device to judge on (default: by the file's suffix)", NULL, 0, 0},
    {"sizes", 's', OPT_CHOICE, FIELD(sizes), "SET",
     "small, medium, full, or auto: full on GPUs, medium on CPUs (the default)", size_choice_names,
     0, 0},
    {"entry", 'e', OPT_STRING, FIELD(entry), "NAME",
     "Python: the class or function to call (default: by rank, see docs/candidates.md)", NULL, 0,
     0},
    {"ref", 'r', OPT_STRING, FIELD(ref), "FILE",
     "judge against a PyTorch module in KernelBench's form, in place of a problem", NULL, 0, 0},
    {"unadmitted", 0, OPT_FLAG, FIELD(unadmitted), NULL,
     "use a reference that candidates can satisfy without its work; records say so", NULL, 0, 0},
    {"weights", 'w', OPT_CHOICE, FIELD(weights), "WHEN",
     "Python: per_call (the default), fixed: in place when the class is constructed, or seed "
     "(with --ref): drawn by both from one seed",
     weights_names, 0, 0},
    {"json", 'j', OPT_FLAG, FIELD(json), NULL, "print the record as JSON, one line per candidate",
     NULL, 0, 0},
    {"check-only", 'c', OPT_FLAG, FIELD(check_only), NULL, "right or wrong, no timing", NULL, 0, 0},
    {"steady", 0, OPT_FLAG, FIELD(steady), NULL,
     "for figures to be published: 8 processes, 8 buffers, 384 calls per size", NULL, 0, 0},
    {"seed", 0, OPT_SEED, FIELD(seed), "N",
     "choose the seed, to repeat a result (default: a secret one)", NULL, 0, 0},
    {"timeout", 't', OPT_INT, FIELD(timeout_ms), "MS", "limit of one call (default 10000)", NULL, 1,
     3600000},
    {"build-timeout", 0, OPT_INT, FIELD(build_timeout_ms), "MS",
     "limit of the compiler, or of an import in Python (default 60000)", NULL, 1, 3600000},
    {"min-calls", 0, OPT_INT, FIELD(min_calls), "N", "least scored calls per size (default 30)",
     NULL, 1, 100000},
    {"max-calls", 0, OPT_INT, FIELD(max_calls), "N", "most scored calls per size (default 400)",
     NULL, 30, 100000},
    {"budget", 0, OPT_INT, FIELD(budget_ms), "MS", "time for scored calls per size (default 500)",
     NULL, 1, 3600000},
    {"runners", 0, OPT_INT, FIELD(runners), "N", "fresh processes per size (default 3; GPUs 1)",
     NULL, 1, PLAN_MAX_RUNNERS},
    {"arenas", 0, OPT_INT, FIELD(arenas), "N",
     "input buffers that calls choose from; as many output buffers (default 2)", NULL,
     PLAN_MIN_ARENAS, PLAN_MAX_ARENAS},
    {"spares", 0, OPT_INT, FIELD(spares), "N",
     "processes kept ready with the device open (default on GPUs: for 4 candidates)", NULL, 1,
     SPARES_MAX},
    {"no-spares", 0, OPT_FLAG, FIELD(no_spares), NULL, "start processes when they are needed", NULL,
     0, 0},
    {"no-cache", 0, OPT_FLAG, FIELD(no_cache), NULL, "compile again", NULL, 0, 0},
    {"no-store", 0, OPT_FLAG, FIELD(no_store), NULL, "keep no record", NULL, 0, 0},
    {"require-sandbox", 0, OPT_FLAG, FIELD(require_sandbox), NULL,
     "refuse to run with a sandbox layer missing", NULL, 0, 0},
    {0},
};

/* One invocation: a judge, and what was found. */
struct eval_cmd {
    struct app *app;
    const struct eval_options *options;
    struct problem *loaded;        /* the problem's file; NULL with a reference */
    const struct problem *problem; /* the present problem: `loaded`, or the reference's */
    struct reference *reference;   /* --ref; NULL: none */
    struct judge *judge;
    struct table table;
    bool many;                /* several candidates: a table instead of a page each */
    struct buf failures;      /* below the table: details of failures, and how to repeat them */
    const char *file;         /* name of the file that is being judged */
    const char *word;         /* the word of the command line that named it */
    struct progress progress; /* used on a terminal */
    uint64_t started_ns, shown_ns; /* start of judging; when progress was last shown, 0: never */
    double first_cold_us;
    double load_ms;
    int to_come; /* candidates of this problem, from the present word on */
    int worst;   /* exit status so far */
    bool warned_layers;
    bool above_peak; /* a row of the table is above its peak */
};

static int plan_from(const struct eval_options *o, const struct progress *progress,
                     struct session_options *s, struct err *err)
{
    s->plan = (struct plan)PLAN_DEFAULT;
    if (o->steady)
        plan_make_steady(&s->plan);
    s->plan.check_only = o->check_only;
    s->plan.weights = (enum weights)o->weights;
    s->plan.no_cache = o->no_cache;
    s->plan.require_sandbox = o->require_sandbox;
    s->plan.call_timeout_ms = o->timeout_ms ? (int)o->timeout_ms : s->plan.call_timeout_ms;
    s->plan.build_timeout_ms =
        o->build_timeout_ms ? (int)o->build_timeout_ms : s->plan.build_timeout_ms;
    s->plan.min_calls = o->min_calls ? (int)o->min_calls : s->plan.min_calls;
    s->plan.max_calls = o->max_calls ? (int)o->max_calls : s->plan.max_calls;
    s->plan.budget_ms = o->budget_ms ? (int)o->budget_ms : s->plan.budget_ms;
    s->plan.max_calls = MAX(s->plan.max_calls, s->plan.min_calls);
    s->plan.arenas = o->arenas ? (int)o->arenas : s->plan.arenas;
    s->plan.runners = o->runners ? (int)o->runners : s->plan.runners;
    s->plan.spares = o->no_spares ? -1 : (int)o->spares;
    s->plan.progress = *progress;
    s->sizes = o->sizes ? (enum size_set)(o->sizes - 1) : session_auto_sizes(s->device);
    if (o->min_calls && o->max_calls && o->min_calls > o->max_calls)
        return fail(err, ERR_USAGE, "eval: --min-calls %lld is more than --max-calls %lld",
                    (long long)o->min_calls, (long long)o->max_calls);
    s->seed_chosen = o->seed.given;
    s->seed = o->seed.value;
    return 0;
}

/* --- the page for one candidate --- */

static enum text_color verdict_color(enum verdict_kind k)
{
    return k == VERDICT_PASS ? TEXT_GREEN : k == VERDICT_INFRA ? TEXT_YELLOW : TEXT_RED;
}

static void add_interval(struct table *t, const struct interval *i)
{
    AUTO(buf_release) struct buf lo = BUF_INIT;
    AUTO(buf_release) struct buf hi = BUF_INIT;

    text_us(i->lo / 1e3, &lo);
    text_us(i->hi / 1e3, &hi);
    table_add(t, TEXT_PLAIN, "%s .. %s", buf_str(&lo), buf_str(&hi));
}

/* A fraction above 1 is marked, and explained by this. */
#define ABOVE_PEAK                                                                      \
    "above the measured peak: its data stayed in a cache, or assay calibrate measured " \
    "too little"

/* Nobody knows how much work a reference is. */
static void add_peak(struct table *t, double fraction)
{
    if (!(fraction > 0)) {
        table_add(t, TEXT_PLAIN, "%s", "-");
        return;
    }
    table_add(t, TEXT_PLAIN, "%.1f %%%s", 100 * fraction, fraction > 1 ? "!" : "");
}

static void add_us(struct table *t, double ns)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    text_us(ns / 1e3, &text);
    table_add(t, TEXT_PLAIN, "%s", buf_str(&text));
}

static void print_sizes(const struct evaluation *e, bool color, struct buf *out)
{
    static const char *const heads[] = {"  size",   "cold us",  "95 % interval", "hot us",
                                        "floor us", "bound by", "peak",          "error"};
    struct table t;

    table_init(&t, "lrrrrlrr", heads);
    for (int i = 0; i < e->n_sizes; i++) {
        const struct size_result *r = &e->sizes[i];
        AUTO(buf_release) struct buf name = BUF_INIT;

        if (!r->trial.n_samples)
            continue;
        buf_adds(&name, "  ");
        size_print(r->size, &name);
        table_add(&t, TEXT_PLAIN, "%s", buf_str(&name));
        add_us(&t, r->trial.cold.median);
        add_interval(&t, &r->trial.cold);
        add_us(&t, r->trial.hot.median);
        add_us(&t, r->limits.floor_ns);
        table_add(&t, TEXT_PLAIN, "%s", r->limits.regime);
        add_peak(&t, r->peak_fraction);
        if (r->trial.error.rms > 0)
            table_add(&t, TEXT_PLAIN, "%.2gx honest",
                      r->trial.error.rms / r->trial.error.honest_rms);
        else
            table_add(&t, TEXT_PLAIN, "exact");
    }
    if (t.n_cells > t.n_columns)
        table_print(&t, color, out);
    table_release(&t);
}

static void print_bound(const struct size_result *r, const char *name, struct buf *out)
{
    AUTO(buf_release) struct buf law = BUF_INIT;

    emit_law(r->size->graph, r->trial.law_bound, &law);
    buf_addf(out, "  %s: slowest law: %s; its median is the score\n", name, buf_str(&law));
}

#define PARAMETERS_SHOWN 4

/* A parameter that was not bound by its name may be the wrong one, and then the answer is wrong. */
static void print_parameters(const struct evaluation *e, struct buf *out)
{
    const struct graph *g = e->sizes[0].size->graph;
    int found = 0;

    for (int i = 0; i < e->bound.n; i++) {
        const struct bound_parameter *p = &e->bound.parameters[i];

        if (!p->name || ++found > PARAMETERS_SHOWN)
            continue;
        buf_addf(out, "%s%s to %.60s (%s)", found > 1 ? ", " : "  parameters not bound by name: ",
                 g->sources[g->n_inputs + i].name, p->name, bound_rule_names[p->rule]);
    }
    if (found > PARAMETERS_SHOWN)
        buf_addf(out, ", %d more", found - PARAMETERS_SHOWN);
    if (found)
        buf_addch(out, '\n');
}

/* Notes for a reader on how parameters were bound and how a size was timed. */
static void print_notes(const struct evaluation *e, bool holds, struct buf *out)
{
    print_parameters(e, out);
    for (int i = 0; i < e->n_sizes; i++) {
        const struct trial_result *t = &e->sizes[i].trial;
        AUTO(buf_release) struct buf name = BUF_INIT;

        if (!t->n_samples)
            continue;
        size_print(e->sizes[i].size, &name);
        if (t->host_bound)
            buf_addf(out, "  %s: host-bound: a caller waits %.1f us, queueing takes %.1f us\n",
                     buf_str(&name), t->call_ns / 1e3, t->queue_ns / 1e3);
        if (holds && !t->held)
            buf_addf(out,
                     "  %s: timed without a hold: gaps between the host's launches are included\n",
                     buf_str(&name));
        if (t->law_bound >= 0)
            print_bound(&e->sizes[i], buf_str(&name), out);
        if (t->bimodal)
            buf_addf(out, "  %s: bimodal: its calls fall into two groups of times\n",
                     buf_str(&name));
        if (t->hidden_ns > 0)
            buf_addf(out, "  %s: %.2f us of work outside the timed part are added\n",
                     buf_str(&name), t->hidden_ns / 1e3);
        if (device_throttled(&t->state[0]) || device_throttled(&t->state[1]))
            buf_addf(out, "  %s: the device's clocks were throttled\n", buf_str(&name));
        if (e->sizes[i].peak_fraction > 1)
            buf_addf(out, "  %s: " ABOVE_PEAK "\n", buf_str(&name));
    }
}

/* Tells how to repeat the evaluation, with its seed. Shown only once the seed is spent. */
static void print_repeat(const struct eval_cmd *v, const struct evaluation *e, struct buf *out)
{
    const struct eval_options *o = v->options;

    buf_adds(out, "  again: assay eval ");
    if (o->ref)
        buf_adds(out, "--ref ");
    buf_add_word(out, o->ref ? o->ref : v->problem->name);
    if (o->unadmitted)
        buf_adds(out, " --unadmitted");
    buf_addch(out, ' ');
    buf_add_word(out, v->word);
    if (o->entry)
        buf_addf(out, " --entry %s", o->entry);
    if (o->weights)
        buf_addf(out, " --weights %s", weights_names[o->weights]);
    buf_addf(out, " --device %s --sizes %s --seed %llu%s",
             o->device ? o->device : v->judge->station->device->name,
             size_set_names[v->judge->session->options.sizes], (unsigned long long)e->seed,
             o->check_only ? " --check-only" : "");
    if (o->timeout_ms && e->verdict.kind == VERDICT_TIMEOUT)
        buf_addf(out, " --timeout %lld", (long long)o->timeout_ms);
    buf_addch(out, '\n');
}

/* Prints the first lines of the compiler's messages if it refused the source. */
static void print_log(const struct evaluation *e, struct buf *out)
{
    const char *p = e->build.log;

    for (int line = 0; e->verdict.kind == VERDICT_BUILD_ERROR && p && *p && line < 12; line++) {
        size_t n = strcspn(p, "\n");

        buf_addf(out, "  | %.*s\n", (int)n, p);
        p += n + (p[n] == '\n');
    }
}

static bool of_evidence(const struct verdict *v)
{
    return v->reason == REASON_REJECTED_EVIDENCE || v->reason == REASON_INFRA_EVIDENCE;
}

/* A verdict on evidence says the same in its own words, so this line is left out then. */
static void print_evidence(const struct eval_cmd *v, const struct evaluation *e, struct buf *out)
{
    AUTO(buf_release) struct buf line = BUF_INIT;

    if (e->build.status == BUILD_OK && !of_evidence(&e->verdict))
        requirement_describe(&e->evidence, v->problem->requires_tensor, &line);
    if (line.len)
        buf_addf(out, "  %s\n", buf_str(&line));
}

/* The mark of a reference that was not admitted. */
static void print_unadmitted(const struct eval_cmd *v, struct buf *out)
{
    AUTO(buf_release) struct buf why = BUF_INIT;

    if (!v->reference || reference_admission(v->reference)->admitted)
        return;
    reference_explain(v->reference, &why);
    buf_addf(out, "  unadmitted: %s\n", buf_str(&why));
}

/* A published candidate may be right about another problem than ours. */
static void print_foreign(const struct eval_cmd *v, const struct evaluation *e, struct buf *out)
{
    if (e->subject.kind->imported_first && e->verdict.kind != VERDICT_PASS && v->problem->foreign)
        buf_addf(out, "  foreign: %s\n", v->problem->foreign);
}

static void print_evaluation(const struct eval_cmd *v, const struct evaluation *e, struct buf *out)
{
    bool color = v->app->color;

    text_colored(out, color, TEXT_BOLD, "%s", v->problem->name);
    buf_addf(out, "  %s  on %s (%s, %d core%s)", e->file_name, v->judge->station->device->name,
             v->judge->station->info.name, v->judge->station->info.cores,
             v->judge->station->info.cores == 1 ? "" : "s");
    if (e->subject.weights != WEIGHTS_PER_CALL)
        buf_addf(out, ", weights %s", weights_names[e->subject.weights]);
    buf_addch(out, '\n');
    text_colored(out, color, verdict_color(e->verdict.kind), "  %s%s%s",
                 verdict_names[e->verdict.kind], e->verdict.code[0] ? ": " : "", e->verdict.code);
    if (e->verdict.detail[0])
        buf_addf(out, "  %s", e->verdict.detail);
    else if (e->peak_fraction > 0)
        buf_addf(out, "  peak_fraction %.3f  sol %.3f", e->peak_fraction, e->sol);
    buf_addch(out, '\n');
    print_log(e, out);
    print_sizes(e, color, out);
    print_evidence(v, e, out);
    print_notes(e, v->judge->station->device->hold_ms > 0, out);
    print_foreign(v, e, out);
    print_unadmitted(v, out);
    if (e->verdict.kind != VERDICT_PASS)
        print_repeat(v, e, out);
}

/* --- the table for several --- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void add_row(struct eval_cmd *v, const struct evaluation *e)
{
    struct table *t = &v->table;
    const struct trial_result *first = e->n_sizes ? &e->sizes[0].trial : NULL;
    bool timed = e->verdict.kind == VERDICT_PASS && first && first->n_samples;

    table_add(t, TEXT_PLAIN, "%s", v->problem->name);
    table_add(t, TEXT_PLAIN, "%s", base_name(e->file_name));
    table_add(t, verdict_color(e->verdict.kind), "%s", verdict_names[e->verdict.kind]);
    table_add(t, TEXT_PLAIN, "%s", timed && first->host_bound ? "host_bound" : e->verdict.code);
    if (e->verdict.kind != VERDICT_PASS) {
        buf_addf(&v->failures, "%s: %s\n", e->file_name, e->verdict.detail);
        print_log(e, &v->failures);
        print_foreign(v, e, &v->failures);
        print_repeat(v, e, &v->failures);
    }
    if (!timed) {
        for (int i = 0; i < 5; i++)
            table_add(t, TEXT_PLAIN, "%s", "");
        return;
    }
    add_us(t, first->cold.median);
    add_interval(t, &first->cold);
    add_us(t, first->hot.median);
    if (v->first_cold_us == 0)
        v->first_cold_us = first->cold.median / 1e3;
    table_add(t, TEXT_PLAIN, "%.2fx", v->first_cold_us / (first->cold.median / 1e3));
    add_peak(t, e->peak_fraction);
    v->above_peak |= e->peak_fraction > 1;
}

/* --- judging --- */

static void warn_layers(struct eval_cmd *v, const struct evaluation *e)
{
    uint32_t missing = 0;

    for (int i = 0; i < e->n_sizes; i++)
        if (e->sizes[i].tried && e->sizes[i].trial.layers)
            missing |= subject_layers(&e->subject) & ~e->sizes[i].trial.layers;
    if (!missing || v->warned_layers || !e->subject.kind->sandboxed)
        return;
    v->warned_layers = true;
    fputs("assay: warning: sandbox layers missing:", stderr);
    for (int b = 0; b < SANDBOX_LAYERS; b++)
        if (missing & (1u << b))
            fprintf(stderr, " %s", sandbox_layer_names[b]);
    fputs(" (see assay doctor)\n", stderr);
}

/* A record is stored before it is printed, so that everything printed is in the store. */
static int report(struct eval_cmd *v, const struct evaluation *e, struct err *err)
{
    json_t *record = record_json(v->judge->session, e);
    AUTO(buf_release) struct buf text = BUF_INIT;
    int rc = 0;

    interrupt_hold();
    if (v->app->store)
        rc = store_add(v->app->store, record, e->source_hash, e->source, e->source_len, err);
    if (rc == 0 && v->options->json) {
        AUTO(freep) char *line = json_dumps(record, JSON_COMPACT);

        buf_addf(&text, "%s\n", line);
    } else if (rc == 0 && !v->many) {
        print_evaluation(v, e, &text);
    }
    fputs(buf_str(&text), stdout);
    fflush(stdout);
    interrupt_release();
    if (rc == 0 && v->many && !v->options->json)
        add_row(v, e);
    json_decref(record);
    return rc;
}

static int status_of(const struct evaluation *e)
{
    if (e->verdict.kind == VERDICT_INFRA)
        return (int)e->infra_kind;
    return e->verdict.kind == VERDICT_PASS ? 0 : 1;
}

/* Shows progress on a terminal, for a candidate that takes longer than two seconds, at most ten
 * times a second. */
static void show_progress(void *arg, const char *phase, int done, int total)
{
    struct eval_cmd *v = arg;

    if (clock_ms_since(v->started_ns) < 2000 || clock_ms_since(v->shown_ns) < 100)
        return;
    v->shown_ns = clock_ns();
    fprintf(stderr, "\r\033[K%s %s: %s %d/%d", v->problem ? v->problem->name : v->options->ref,
            v->file, phase, done, total);
}

static int reveal(void *arg, const char *pool, const char *seed, struct err *err)
{
    struct app *app = arg;

    return app->store ? store_reveal(app->store, pool, seed, err) : 0;
}

static void tell_calibrated(void *arg, const char *device)
{
    (void)arg;
    fprintf(stderr, "assay: calibrated %s, once; `assay calibrate` measures it again\n", device);
}

/* The reference describes itself on the first candidate's device. */
static int ready_reference(struct eval_cmd *v, struct judge_request *r, struct err *err)
{
    const struct eval_options *o = v->options;

    if (o->ref && !v->reference &&
        judge_open_reference(v->judge, o->ref, &r->options, o->unadmitted, &v->reference, err) < 0)
        return -1;
    if (v->reference)
        v->problem = r->problem = reference_problem(v->reference);
    r->options.reference = v->reference;
    return 0;
}

static int request_for(struct eval_cmd *v, const struct device *device, int index,
                       struct judge_request *ret, struct err *err)
{
    *ret = (struct judge_request){
        .problem = v->problem,
        .options = {
            .device = device, .device_index = index, .single = !v->many, .candidates = v->to_come}};
    if (isatty(STDERR_FILENO))
        v->progress = (struct progress){show_progress, v};
    if (plan_from(v->options, &v->progress, &ret->options, err) < 0)
        return -1;
    return ready_reference(v, ret, err);
}

static int judge_one(struct eval_cmd *v, const struct judge_request *r, struct err *err)
{
    struct evaluation e;
    int found = judge_eval(v->judge, r, &e, err);

    if (v->shown_ns)
        fputs("\r\033[K", stderr);
    if (found < 0)
        return -1;
    e.phases.ms[PHASE_LOAD] = v->load_ms;
    warn_layers(v, &e);

    int rc = report(v, &e, err);

    if (e.verdict.kind == VERDICT_INFRA)
        fprintf(stderr, "assay: %s: %s\n", e.file_name, e.verdict.detail);
    v->worst = MAX(v->worst, status_of(&e));
    evaluation_release(&e);
    return rc;
}

static int open_problem(struct eval_cmd *v, const char *word, struct err *err)
{
    struct problem_ref ref = {0};
    uint64_t start = clock_ns();

    if (judge_rest(v->judge, err) < 0)
        return -1;
    problem_freep(&v->loaded);
    if (problem_find(v->app->places.share, word, &ref, err) < 0)
        return -1;

    int rc = problem_load(ref.path, ref.name, &v->loaded, err);

    v->problem = v->loaded;

    problem_ref_release(&ref);
    v->load_ms = clock_ms_since(start);
    v->first_cold_us = 0;
    return rc;
}

static int judge_text(struct eval_cmd *v, const struct device *device, int index,
                      const struct source_text *source, struct err *err)
{
    struct judge_request r;

    if (request_for(v, device, index, &r, err) < 0)
        return -1;
    r.source = *source;
    r.entry = v->options->entry;
    return judge_one(v, &r, err);
}

/* A folder is a candidate in Python with files beside it. */
static int take_folder(struct eval_cmd *v, const char *path, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    AUTO(freep) char *main = NULL;
    const struct device *device = NULL;
    int index = 0;

    if (source_folder_read(path, &text, &main, err) < 0 ||
        (v->options->device && device_find(v->options->device, &device, &index, err) < 0))
        return -1;
    if (judge_device_for(main, device, NULL, &device, err) < 0)
        return wrap(err, "%s", main);
    return judge_text(v, device, index, &(struct source_text){main, text.ptr, text.len}, err);
}

static int take_file(struct eval_cmd *v, const char *path, struct err *err)
{
    const struct device *device = NULL;
    struct source_text source;
    AUTO(freep) char *text = NULL;
    int index = 0;

    if (v->options->device && device_find(v->options->device, &device, &index, err) < 0)
        return -1;
    if (access(path, R_OK) < 0) {
        fail_errno(err, "%s", path);
        err->kind = ERR_INPUT;
        return -1;
    }
    if (judge_device_for(path, device, NULL, &device, err) < 0)
        return wrap(err, "%s", path);
    if (!device)
        return fail(err, ERR_INPUT, "%s: no device takes files of this kind; see `assay doctor`",
                    path);
    if (judge_read(path, &source, &text, err) < 0)
        return -1;
    return judge_text(v, device, index, &source, err);
}

/* PyTorch runs on the device of the candidate before it, if there is one. */
static int take_baseline(struct eval_cmd *v, const char *word, struct err *err)
{
    const struct device *before = v->judge->session ? v->judge->station->device : NULL;
    const struct device *device = NULL;
    struct baseline b;
    struct judge_request r;
    struct err why = ERR_INIT;
    int index = 0;

    if (baseline_parse(word, &b, err) < 0 ||
        (v->options->device && device_find(v->options->device, &device, &index, err) < 0))
        return -1;
    if (judge_device_for(word, device, before, &device, &why) < 0)
        return fail(err, ERR_USAGE, "eval: %s %s", word, why.text);
    if (request_for(v, device, index, &r, err) < 0)
        return -1;
    r.baseline = word;
    return judge_one(v, &r, err);
}

/* A candidate is known by its suffix, or because the file exists. Any other word names a
 * problem. */
static bool is_file(const struct eval_options *o, char **argv, int i)
{
    return o->ref || device_for_file(argv[i]) || (i > 0 && access(argv[i], F_OK) == 0);
}

static int count_to_come(const struct eval_options *o, int argc, char **argv, int i)
{
    int n = 0;

    for (; i < argc && (baseline_is(argv[i]) || is_file(o, argv, i)); i++)
        n += !baseline_is(argv[i]);
    return n;
}

/* A problem without a candidate is an error before anything is judged: no verdict is not a pass. */
static int check_words(const struct eval_options *o, int argc, char **argv, struct err *err)
{
    for (int i = 0; i < argc; i++) {
        if (o->ref && baseline_is(argv[i]))
            return fail(err, ERR_USAGE,
                        "eval: %s needs a problem; with --ref name %s as a candidate", argv[i],
                        o->ref);
        if (baseline_is(argv[i]) || is_file(o, argv, i)) {
            if (i == 0 && !o->ref)
                return fail(err, ERR_USAGE, "eval: name the problem before %s", argv[i]);
            continue;
        }
        if (i + 1 == argc)
            return fail(err, ERR_USAGE, "eval: name a file after %s", argv[i]);
        if (!baseline_is(argv[i + 1]) && !is_file(o, argv, i + 1))
            return fail(err, ERR_INPUT, "eval: expected a file after %s, but there is no '%s'",
                        argv[i], argv[i + 1]);
    }
    return 0;
}

/* Only a candidate in Python is constructed, and a folder is one. */
static int check_weights(const struct eval_options *o, int argc, char **argv, struct err *err)
{
    if (o->weights == WEIGHTS_SEED && !o->ref)
        return fail(err, ERR_INPUT,
                    "eval: --weights seed needs a reference that draws them: give "
                    "--ref FILE");
    for (int i = o->ref ? 0 : 1; o->weights && i < argc; i++)
        if (!baseline_is(argv[i]) && is_file(o, argv, i) && !source_is_folder(argv[i]) &&
            !subject_kind_of_file(argv[i])->holds_weights)
            return fail(err, ERR_USAGE,
                        "eval: --weights %s is for candidates in Python: %s gets its parameters in "
                        "every call",
                        weights_names[o->weights], argv[i]);
    return 0;
}

static int take_word(struct eval_cmd *v, char **argv, int i, struct err *err)
{
    if (!is_file(v->options, argv, i))
        return open_problem(v, argv[i], err);
    return !device_for_file(argv[i]) && source_is_folder(argv[i]) ? take_folder(v, argv[i], err)
                                                                  : take_file(v, argv[i], err);
}

static int eval_words(struct eval_cmd *v, int argc, char **argv, struct err *err)
{
    for (int i = 0; i < argc; i++) {
        int rc;

        v->to_come = count_to_come(v->options, argc, argv, i);
        v->started_ns = clock_ns();
        v->shown_ns = 0;
        v->file = base_name(argv[i]);
        v->word = argv[i];
        if (baseline_is(argv[i]))
            rc = take_baseline(v, argv[i], err);
        else
            rc = take_word(v, argv, i, err);
        if (rc < 0)
            return -1;
    }
    return 0;
}

/* Whether there is a candidate for a device with a driver. */
static bool eval_closes_slowly(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        const struct device *device = NULL;
        struct err ignored = ERR_INIT;

        if (judge_device_for(argv[i], NULL, NULL, &device, &ignored) == 0 && device &&
            device->opens_slowly)
            return true;
    }
    return false;
}

static int eval_main(struct app *app, const void *options, int argc, char **argv, struct err *err)
{
    static const char *const heads[] = {"problem", "candidate", "verdict",
                                        "reason",  "cold us",   "95 % interval",
                                        "hot us",  "vs first",  "peak"};
    const struct eval_options *o = options;
    struct eval_cmd v = {.app = app, .options = o, .many = argc > (o->ref ? 1 : 2)};
    const struct judge_config judge = {
        .places = &app->places, .reveal = reveal, .calibrated = tell_calibrated, .arg = app};
    AUTO(buf_release) struct buf text = BUF_INIT;

    if (argc < 2 && !o->ref)
        return fail(err, ERR_USAGE,
                    "eval: takes a problem and a file, as in: assay eval level1/19 relu.c");
    if (argc < 1)
        return fail(err, ERR_USAGE,
                    "eval: name a candidate, as in: assay eval --ref ref.py new.py");
    if (o->unadmitted && !o->ref)
        return fail(err, ERR_USAGE, "eval: --unadmitted is about a reference: give --ref FILE");
    if (check_words(o, argc, argv, err) < 0 || check_weights(o, argc, argv, err) < 0)
        return -1;
    if (!v.options->no_store && store_open(app->places.home, &app->store, err) < 0)
        return -1;
    table_init(&v.table, "llllrrrrr", heads);

    v.judge = judge_new(&judge);

    int rc = eval_words(&v, argc, argv, err);

    if (rc == 0)
        rc = judge_reveal(v.judge, err);
    if (v.many && !v.options->json && v.table.n_cells > v.table.n_columns) {
        table_print(&v.table, app->color, &text);
        if (v.above_peak)
            buf_adds(&text, "!  " ABOVE_PEAK "\n");
        buf_addf(&text, "%s%s", v.failures.len ? "\n" : "", buf_str(&v.failures));
        fputs(buf_str(&text), stdout);
    }
    if (rc == 0 && fflush(stdout) == 0 && !ferror(stdout))
        detach_end(v.worst);
    judge_free(v.judge);
    reference_free(v.reference);
    table_release(&v.table);
    buf_release(&v.failures);
    problem_freep(&v.loaded);
    return rc < 0 ? -1 : v.worst;
}

const struct cmd cmd_eval = {
    .name = "eval",
    .args = "PROBLEM FILE|BASELINE... [PROBLEM ...] | --ref FILE FILE...",
    .summary = "judge candidates: verdict, time, distance to the limit",
    .options = eval_table,
    .options_size = sizeof(struct eval_options),
    .details = "Prints a page for one file, a table for several. In the table each file is "
               "compared with the first\n"
               "that passes the same problem. Files of one problem share inputs and expected "
               "values.\n"
               "\n"
               "Baselines in place of a file:\n"
               "  torch:eager, torch:compile, torch:max-autotune   PyTorch, with TF32 off "
               "unless +tf32 is added\n"
               "  torch:reduce-overhead, torch:cudagraphs          the same with CUDA graphs, on "
               "a GPU\n"
               "  torch:vendor                                     a vendor's library (the "
               "hard problems)\n"
               "  cpu:naive, cpu:openblas                          the problem's ops by "
               "loops, or with OpenBLAS\n",
    .closes_slowly = eval_closes_slowly,
    .run = eval_main,
};
