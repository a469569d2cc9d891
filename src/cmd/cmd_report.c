/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "base/fs.h"
#include "report/leaderboard.h"
#include "report/page_data.h"
#include "report/report_page.h"
#include "results/analyze_json.h"
#include "results/named_baseline.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct report_options {
    const char *output, *annotations, *beside, *baseline;
    bool json, markdown;
};

#define FIELD(name) offsetof(struct report_options, name)
static const struct opt report_table[] = {
    {"output", 'o', OPT_STRING, FIELD(output), "FILE",
     "write this: .html the page, .json the leaderboard, .md a table", NULL, 0, 0},
    {"json", 'j', OPT_FLAG, FIELD(json), NULL, "print the leaderboard as JSON", NULL, 0, 0},
    {"markdown", 'm', OPT_FLAG, FIELD(markdown), NULL, "print the leaderboard as Markdown", NULL, 0,
     0},
    {"annotations", 'a', OPT_STRING, FIELD(annotations), "DIR",
     "people's notes on records (default: annotations in the home folder)", NULL, 0, 0},
    {"baseline", 'b', OPT_STRING, FIELD(baseline), "WHICH",
     "speed-ups over a model, [RUN:]MODEL, or over shipped:FILE:KIND", NULL, 0, 0},
    {"beside", 0, OPT_STRING, FIELD(beside), "FILE",
     "a leaderboard.json to show beside the run, KernelBench-Hard's or ours", NULL, 0, 0},
    {0},
};

enum format { FORMAT_HTML, FORMAT_JSON, FORMAT_MARKDOWN };

static int format_of(const char *path, enum format *ret, struct err *err)
{
    static const char *const suffixes[] = {
        [FORMAT_HTML] = ".html", [FORMAT_JSON] = ".json", [FORMAT_MARKDOWN] = ".md"};
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot && i < ARRAY_SIZE(suffixes); i++)
        if (!strcmp(dot, suffixes[i])) {
            *ret = (enum format)i;
            return 0;
        }
    return fail(err, ERR_USAGE, "%s: the suffix says what to write: it must be .html, .json or .md",
                path);
}

/* Everything that a report is made of. */
struct report {
    struct results *results;
    struct annotations notes;
    struct page_data data;
    json_t *board, *metrics;
    json_t *beside; /* NULL when there is none */
};

static void report_release(struct report *r)
{
    json_decref(r->board);
    json_decref(r->metrics);
    json_decref(r->beside);
    page_data_release(&r->data);
    annotations_release(&r->notes);
    results_free(r->results);
}

/* A folder that was asked for has to exist; the default one may be missing. */
static int load_notes(struct report *r, const struct app *app, const struct report_options *o,
                      struct err *err)
{
    AUTO(freep) char *usual = fs_join(app->places.home, "annotations");

    if (o->annotations)
        return annotations_load(o->annotations, &r->notes, err);
    return fs_exists(usual) ? annotations_load(usual, &r->notes, err) : 0;
}

/* Adds the figures of models. Those of cells and problems are in the page already. */
static int load_metrics(struct report *r, struct app *app, const char *word, struct err *err)
{
    AUTO(named_baseline_release) struct named_baseline baseline = {0};
    AUTO(analysis_release) struct analysis a = {0};

    if (named_baseline_open(&baseline, app->store, app->places.share, word, r->results, err) < 0)
        return -1;
    analyze(r->results, &baseline.times, &a);
    r->metrics = analyze_json(&a);
    json_object_set_new(r->metrics, "baseline_notes", named_baseline_notes(&baseline));
    json_object_del(r->metrics, "cells");
    json_object_del(r->metrics, "problems");
    return 0;
}

/* A board of ours says which weights it has. */
static int open_beside(const char *path, struct report *r, struct err *err)
{
    const char *weights;

    if (leaderboard_import(path, &r->notes, &r->beside, err) < 0)
        return -1;
    weights = json_string_value(json_object_get(r->beside, "weights"));
    if (weights && strcmp(weights, r->results->weights) != 0)
        return fail(err, ERR_INPUT, "%s has weights %.20s and run %s has %s: they are not compared",
                    path, weights, r->results->name, r->results->weights);
    return 0;
}

static int load(struct report *r, struct app *app, const struct report_options *o, const char *name,
                struct err *err)
{
    if (store_open(app->places.home, &app->store, err) < 0 ||
        results_load(app->store, name, &r->results, err) < 0 || load_notes(r, app, o, err) < 0)
        return -1;
    page_data_init(&r->data, r->results, &r->notes);
    if (page_data_collect(&r->data, app->store, err) < 0 ||
        load_metrics(r, app, o->baseline, err) < 0 ||
        (o->beside && open_beside(o->beside, r, err) < 0))
        return -1;
    r->board = leaderboard_make(r->results, &r->notes, r->data.devices);
    return 0;
}

/* --- the three formats --- */

static int html(const struct report *r, struct buf *out, struct err *err)
{
    AUTO(freep) char *title = xasprintf("%s · Assay", r->results->name);
    json_t *index = page_index(&r->data, r->board, r->metrics, r->beside);
    json_t *details = page_details(&r->data);
    int rc = report_page_write(title, index, details, out, err);

    json_decref(index);
    json_decref(details);
    return rc;
}

static int make(const struct report *r, enum format format, struct buf *out, struct err *err)
{
    if (format == FORMAT_HTML)
        return html(r, out, err);
    if (format == FORMAT_MARKDOWN) {
        leaderboard_markdown(r->board, out);
        return 0;
    }

    AUTO(freep) char *text = json_dumps(r->board, JSON_INDENT(1) | JSON_REAL_PRECISION(6));

    buf_addf(out, "%s\n", text);
    return 0;
}

static int write_file(const struct report *r, const char *path, enum format format, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    if (make(r, format, &text, err) < 0 || fs_write_atomic(path, buf_str(&text), text.len, err) < 0)
        return -1;
    return fs_publish(path, err);
}

static int print(const struct report *r, enum format format, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    if (make(r, format, &text, err) < 0)
        return -1;
    fputs(buf_str(&text), stdout);
    return 0;
}

static int report_main(struct app *app, const void *options, int argc, char **argv, struct err *err)
{
    const struct report_options *o = options;
    AUTO(report_release) struct report r = {.notes = ANNOTATIONS_INIT};
    enum format format = FORMAT_HTML;

    if (argc != 1)
        return fail(err, ERR_USAGE, "report takes one run's name; see assay report --help");
    if (!o->output && !o->json && !o->markdown)
        return fail(err, ERR_USAGE, "report needs -o FILE.html, --json or --markdown");
    if ((o->output && format_of(o->output, &format, err) < 0) ||
        load(&r, app, o, argv[0], err) < 0 ||
        (o->output && write_file(&r, o->output, format, err) < 0) ||
        (o->json && print(&r, FORMAT_JSON, err) < 0) ||
        (o->markdown && print(&r, FORMAT_MARKDOWN, err) < 0))
        return -1;
    return 0;
}

const struct cmd cmd_report = {
    .name = "report",
    .args = "NAME",
    .summary = "a run as a page, a leaderboard.json or a Markdown table",
    .options = report_table,
    .options_size = sizeof(struct report_options),
    .details = "The page is one file that opens from disk and loads nothing. docs/report.md tells "
               "about it,\nabout leaderboard.json and about annotations.\n",
    .run = report_main,
};
