/* SPDX-License-Identifier: MIT */
#include "run/jobs.h"

#include "judge/judge.h"
#include "store/run_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cell that the run holds already. */
struct known {
    char *model, *problem, *record, *verdict;
    int sample, repeat;
    char *candidate_hash, *problem_hash, *device;
};

struct job_planner {
    const struct run_config *config;
    struct candidates *candidates;
    struct run_progress *progress;
    struct jobs *jobs;
    struct known *known; /* sorted by problem, model, sample, repeat */
    int n_known, cap_known;
    char *device_names[16]; /* indexed like device_registry; NULL: not asked yet */
    struct judge *judge;    /* for references; NULL: there was none yet */
};

char *jobs_device_name(const struct device *device, const struct device_info *info)
{
    return xasprintf("%s %s", device->name, info->name);
}

/* --- cells that are there already --- */

static int by_cell(const void *a, const void *b)
{
    const struct known *x = a, *y = b;
    int d = strcmp(x->problem, y->problem);

    d = d ? d : strcmp(x->model, y->model);
    d = d ? d : (x->sample > y->sample) - (x->sample < y->sample);
    return d ? d : (x->repeat > y->repeat) - (x->repeat < y->repeat);
}

static int take_known(void *arg, const struct cell_row *c, const char *record_json, struct err *err)
{
    struct job_planner *p = arg;

    (void)err;
    /* Cells with infra are judged again. */
    if (!record_json || !c->verdict || !strcmp(c->verdict, verdict_names[VERDICT_INFRA]))
        return 0;
    if (p->n_known == p->cap_known) {
        p->cap_known = MAX(64, 2 * p->cap_known);
        p->known = xrealloc(p->known, (size_t)p->cap_known * sizeof(*p->known));
    }
    p->known[p->n_known++] = (struct known){
        .model = xstrdup(c->model),
        .problem = xstrdup(c->problem),
        .record = xstrdup(c->record),
        .verdict = xstrdup(c->verdict),
        .sample = c->sample,
        .repeat = c->repeat,
        .candidate_hash = xstrdup(c->candidate_hash ? c->candidate_hash : ""),
        .problem_hash = xstrdup(c->problem_hash ? c->problem_hash : ""),
        .device = xstrdup(c->device ? c->device : ""),
    };
    return 0;
}

static void planner_release(struct job_planner *p)
{
    judge_free(p->judge);
    for (int i = 0; i < p->n_known; i++) {
        struct known *k = &p->known[i];

        free(k->model);
        free(k->problem);
        free(k->record);
        free(k->verdict);
        free(k->candidate_hash);
        free(k->problem_hash);
        free(k->device);
    }
    free(p->known);
    for (size_t i = 0; i < ARRAY_SIZE(p->device_names); i++)
        free(p->device_names[i]);
}

static const struct known *find_known(const struct job_planner *p, const struct candidate *c,
                                      int repeat)
{
    const struct known key = {
        .model = c->model, .problem = c->problem, .sample = c->sample, .repeat = repeat};

    return p->n_known ? bsearch(&key, p->known, (size_t)p->n_known, sizeof(key), by_cell) : NULL;
}

/* --- candidates that cannot be judged --- */

static void skip(struct candidate *c, const char *why)
{
    if (!c->skipped)
        c->skipped = xstrdup(why);
}

/* Names the file only once: most reasons begin with it. */
static void say_skipped(struct job_planner *p, const struct candidate *c)
{
    const struct run_watcher *w = &p->config->watcher;
    AUTO(buf_release) struct buf text = BUF_INIT;

    p->progress->skipped++;
    if (c->origin)
        buf_addf(&text, "%s: ", c->origin);
    if (c->file[0] && strncmp(c->skipped, c->file, strlen(c->file)) != 0)
        buf_addf(&text, "%s: ", c->file);
    if (!c->file[0])
        buf_addf(&text, "%s %s sample %d: ", c->model, c->problem, c->sample);
    buf_adds(&text, c->skipped);
    if (w->skipped)
        w->skipped(w->arg, buf_str(&text));
}

static int store_skipped(struct job_planner *p, const struct candidate *c, struct err *err)
{
    struct cell_row cell = {.model = c->model,
                            .problem = c->problem,
                            .sample = c->sample,
                            .file = c->file,
                            .skipped = c->skipped};

    if (c->problem_at < 0 || find_known(p, c, 0))
        return 0;
    return store_run_add(p->config->store, p->config->name, NULL, NULL, NULL, 0, &cell, 1, err);
}

static int report_skipped(struct job_planner *p, struct err *err)
{
    const struct run_watcher *w = &p->config->watcher;

    for (int i = 0; i < p->candidates->n_notes; i++) {
        p->progress->skipped++;
        if (w->skipped)
            w->skipped(w->arg, p->candidates->notes[i]);
    }
    for (int i = 0; i < p->candidates->n; i++) {
        const struct candidate *c = &p->candidates->items[i];

        if (!c->skipped)
            continue;
        say_skipped(p, c);
        if (store_skipped(p, c, err) < 0)
            return -1;
    }
    return 0;
}

/* --- problems --- */

static int add_problem(struct job_planner *p, int at, const struct problem *problem,
                       struct err *err)
{
    struct run_problem *r = &p->jobs->problems[at];
    const struct run_problem_row row = {problem->name,  problem->hash,     problem->title,
                                        problem->level, problem->repaired, problem->algebra};
    AUTO(buf_release) struct buf header = BUF_INIT;

    emit_c_header(problem, p->config->sizes, &header);
    *r = (struct run_problem){xstrdup(problem->name), xstrdup(p->candidates->problems[at].path),
                              xstrdup(problem->hash), buf_steal(&header)};
    return store_run_problem(p->config->store, p->config->name, &row, err);
}

static void skip_all_of(struct job_planner *p, int problem, const char *why)
{
    for (int i = 0; i < p->candidates->n; i++)
        if (p->candidates->items[i].problem_at == problem) {
            skip(&p->candidates->items[i], why);
            p->candidates->items[i].problem_at = -1; /* no cell: the problem is not loaded */
        }
}

/* A reference has to run once, for its tensors and for its admission. */
static int add_reference(struct job_planner *p, int at, struct err *err)
{
    const struct run_config *config = p->config;
    struct session_options o = {.plan = config->plan};
    struct reference *reference = NULL;
    struct err broken = ERR_INIT;
    int rc = 0;

    if (!p->judge)
        p->judge = judge_new(&(struct judge_config){.places = config->places});
    if (config->device && device_find(config->device, &o.device, &o.device_index, err) < 0)
        return -1;
    o.device = o.device ? o.device : judge_torch_device();
    if (judge_open_reference(p->judge, p->candidates->problems[at].path, &o, config->unadmitted,
                             &reference, &broken) < 0)
        skip_all_of(p, at, broken.text);
    else
        rc = add_problem(p, at, reference_problem(reference), err);
    if (reference && judge_rest(p->judge, err) < 0)
        rc = -1;
    reference_free(reference);
    return rc;
}

static int load_problems(struct job_planner *p, struct err *err)
{
    const struct candidates *c = p->candidates;

    p->jobs->n_problems = c->n_problems;
    p->jobs->problems = xcalloc((size_t)MAX(c->n_problems, 1), sizeof(*p->jobs->problems));
    for (int i = 0; i < c->n_problems; i++) {
        AUTO(problem_freep) struct problem *problem = NULL;
        struct err broken = ERR_INIT;

        if (problem_is_reference(c->problems[i].path)) {
            if (add_reference(p, i, err) < 0)
                return -1;
            continue;
        }
        if (problem_load(c->problems[i].path, c->problems[i].name, &problem, &broken) < 0 ||
            problem_need_sizes(problem, p->config->sizes, &broken) < 0)
            skip_all_of(p, i, broken.text);
        else if (add_problem(p, i, problem, err) < 0)
            return -1;
    }
    return 0;
}

/* --- files --- */

/* NULL: the file is not judged. *ret_why says why, if there is something to say. */
static const struct device *device_of(const char *file, const struct device *chosen, char **ret_why)
{
    const struct device *device = NULL;
    struct err err = ERR_INIT;

    if (judge_device_for(file, chosen, NULL, &device, &err) == 0)
        return device;
    *ret_why = xstrdup(err.text);
    return NULL;
}

enum size_set jobs_auto_sizes(const struct candidates *c, const struct device *chosen)
{
    int least = -1;

    for (int i = 0; i < c->n; i++) {
        const struct candidate *one = &c->items[i];
        AUTO(freep) char *why = NULL;
        const struct device *d = one->skipped ? NULL : device_of(one->file, chosen, &why);
        int sizes = d ? (int)session_auto_sizes(d) : -1;

        if (d && (least < 0 || sizes < least))
            least = sizes;
    }
    return least < 0 ? SIZES_SMALL : (enum size_set)least;
}

static bool read_hash(struct candidate *c, char hash[HASH_HEX])
{
    const struct source_file source = {c->file, c->root_len};
    AUTO(freep) char *text = NULL;
    struct err err = ERR_INIT;
    size_t len;

    if (baseline_is(c->file)) { /* baselines are made from the problem, whose hash counts too */
        hash_of(c->file, strlen(c->file), hash);
        return true;
    }
    if (prebuild_read(&source, &text, &len, hash, &err) < 0) {
        skip(c, err.text);
        return false;
    }
    return true;
}

/* Baselines read parameters in every call, which takes the same time whether or not they change. */
static const char *why_not_these_weights(const struct job_planner *p, const struct candidate *c)
{
    bool by_reference = problem_is_reference(p->candidates->problems[c->problem_at].path);

    if (by_reference && baseline_is(c->file))
        return "baselines need a problem: name the reference itself as a candidate";
    if (p->config->plan.weights == WEIGHTS_SEED && !by_reference)
        return "weights by a seed need a reference that draws them (ref:)";
    if (p->config->plan.weights == WEIGHTS_PER_CALL || baseline_is(c->file) ||
        subject_kind_of_file(c->file)->holds_weights)
        return NULL;
    return "other weights than per_call are for candidates in Python: this one gets its parameters "
           "in every call";
}

static int add_jobs(struct job_planner *p, struct err *err)
{
    const struct device *chosen = NULL;
    struct jobs *jobs = p->jobs;
    int index;

    if (p->config->device && device_find(p->config->device, &chosen, &index, err) < 0)
        return -1;
    jobs->items =
        xcalloc((size_t)MAX(p->candidates->n * p->config->repeats, 1), sizeof(*jobs->items));
    for (int i = 0; i < p->candidates->n; i++) {
        struct candidate *c = &p->candidates->items[i];
        AUTO(freep) char *why = NULL;
        const struct device *device = c->skipped ? NULL : device_of(c->file, chosen, &why);
        char hash[HASH_HEX];

        const char *refused = device && c->problem_at >= 0 ? why_not_these_weights(p, c) : NULL;

        if (why || refused)
            skip(c, why ? why : refused);
        if (!device || refused || !read_hash(c, hash))
            continue;
        for (int r = 0; r < p->config->repeats; r++) {
            struct job *j = &jobs->items[jobs->n++];

            *j = (struct job){.candidate = c, .device = device, .repeat = r};
            j->built.build.artifact_fd = -1;
            memcpy(j->hash, hash, sizeof(hash));
        }
    }
    return 0;
}

/* --- jobs that are left --- */

/* Each kind of device is asked once, if there are candidates for it. */
static int ask_device(struct job_planner *p, const struct device *d, const char **ret,
                      struct err *err)
{
    struct device_info info;
    void *ctx = NULL;
    int at = 0;

    while (device_registry[at] != d)
        at++;
    if (!p->device_names[at]) {
        const struct device *word_device;
        int index = 0;

        if (p->config->device && device_find(p->config->device, &word_device, &index, err) < 0)
            return -1;
        if (d->judge->open(index, &ctx, err) < 0)
            return -1;

        int rc = d->judge->describe(ctx, &info, err);

        d->judge->close(ctx);
        if (rc < 0)
            return -1;
        p->device_names[at] = jobs_device_name(d, &info);
    }
    *ret = p->device_names[at];
    return 0;
}

static bool same_content(const struct job_planner *p, const struct job *j, const struct known *k,
                         const char *device)
{
    return !strcmp(k->candidate_hash, j->hash) && !strcmp(k->device, device) &&
           !strcmp(k->problem_hash, p->jobs->problems[j->candidate->problem_at].hash);
}

static void count_known(struct job_planner *p)
{
    p->progress->cells++;
    p->progress->known++;
}

static int drop_known(struct job_planner *p, struct err *err)
{
    struct jobs *jobs = p->jobs;
    int kept = 0;

    for (int i = 0; i < jobs->n; i++) {
        const struct job *j = &jobs->items[i];
        const struct known *k = find_known(p, j->candidate, j->repeat);
        const char *device = NULL;

        if (k && ask_device(p, j->device, &device, err) < 0)
            return -1;
        if (k && same_content(p, j, k, device))
            count_known(p);
        else
            jobs->items[kept++] = *j;
    }
    jobs->n = kept;
    p->progress->cells += kept;
    return 0;
}

/* Repeats come one after the other, so that a drift in time shows between them. */
static int by_order(const void *a, const void *b)
{
    const struct job *x = a, *y = b;
    int d = strcmp(x->device->name, y->device->name);

    d = d ? d : strcmp(x->candidate->problem, y->candidate->problem);
    d = d ? d : x->repeat - y->repeat;
    d = d ? d : strcmp(x->hash, y->hash);
    d = d ? d : strcmp(x->candidate->model, y->candidate->model);
    return d ? d : x->candidate->sample - y->candidate->sample;
}

static bool twins(const struct job *a, const struct job *b)
{
    return a->device == b->device && a->repeat == b->repeat && !strcmp(a->hash, b->hash) &&
           a->candidate->problem_at == b->candidate->problem_at;
}

static bool one_batch(const struct job *a, const struct job *b)
{
    return a->device == b->device && a->candidate->problem_at == b->candidate->problem_at;
}

static void arrange(struct jobs *jobs)
{
    struct batch *batch = NULL;

    if (jobs->n)
        qsort(jobs->items, (size_t)jobs->n, sizeof(*jobs->items), by_order);
    jobs->order = xcalloc((size_t)MAX(jobs->n, 1), sizeof(struct job *));
    jobs->batches = xcalloc((size_t)MAX(jobs->n, 1), sizeof(*jobs->batches));
    for (int i = 0; i < jobs->n; i++) {
        struct job *j = &jobs->items[i], *before = i ? j - 1 : NULL;

        if (before && twins(before, j)) {
            before->twin = j;
            continue;
        }
        if (!batch || batch->n == POOL_CANDIDATES || !one_batch(jobs->order[batch->first], j)) {
            batch = &jobs->batches[jobs->n_batches++];
            batch->first = jobs->n_order;
        }
        batch->n++;
        jobs->order[jobs->n_order++] = j;
    }
}

int jobs_plan(const struct run_config *config, struct candidates *candidates,
              struct run_progress *progress, struct jobs *ret, struct err *err)
{
    AUTO(planner_release)
    struct job_planner p = {
        .config = config, .candidates = candidates, .progress = progress, .jobs = ret};

    if (load_problems(&p, err) < 0 ||
        store_run_cells(config->store, config->name, take_known, &p, err) < 0)
        return -1;
    if (p.n_known)
        qsort(p.known, (size_t)p.n_known, sizeof(*p.known), by_cell);
    if (add_jobs(&p, err) < 0 || report_skipped(&p, err) < 0 || drop_known(&p, err) < 0)
        return -1;
    arrange(ret);
    return 0;
}

void jobs_release(struct jobs *j)
{
    for (int i = 0; i < j->n; i++)
        prebuilt_release(&j->items[i].built);
    for (int i = 0; i < j->n_problems; i++) {
        free(j->problems[i].name);
        free(j->problems[i].path);
        free(j->problems[i].hash);
        free(j->problems[i].header);
    }
    free(j->items);
    free(j->order);
    free(j->batches);
    free(j->problems);
    *j = (struct jobs){0};
}
