/* SPDX-License-Identifier: MIT */
#include "cmd/run_text.h"

#include "cmd/text.h"
#include "results/results.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define BAR_WIDTH 30

/* --- while a run goes on --- */

static void clear_line(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* Prints one line, whatever files are called: without line ends, and without anything that a
 * terminal would obey (U+009B is ESC [). */
static void tell(const char *before, const char *what)
{
    AUTO(buf_release) struct buf line = BUF_INIT;

    for (const char *p = what; *p; p++) {
        bool c1 = (unsigned char)p[0] == 0xc2 && ((unsigned char)p[1] & 0xe0) == 0x80;

        buf_addch(&line, c1 || (unsigned char)*p < 0x20 || *p == 0x7f ? '?' : *p);
        p += c1;
    }
    clear_line();
    fprintf(stderr, "assay: %s%s\n", before, buf_str(&line));
}

static void tell_skipped(void *arg, const char *what)
{
    (void)arg;
    tell("skipped: ", what);
}

static void tell_trouble(void *arg, const char *what)
{
    (void)arg;
    tell("", what);
}

static void tell_calibrated(void *arg, const char *device)
{
    (void)arg;
    clear_line();
    fprintf(stderr, "assay: calibrated %s, once; `assay calibrate` measures it again\n", device);
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

void run_text_watch(struct run_watcher *w)
{
    *w = (struct run_watcher){.skipped = tell_skipped,
                              .trouble = tell_trouble,
                              .calibrated = tell_calibrated,
                              .progress = isatty(STDERR_FILENO) ? show_bar : NULL};
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

int run_text_built(const char *name, bool json, const struct run_progress *p)
{
    int failed = p->filled - p->built;

    clear_line();
    if (json)
        printf("{\"run\":\"%s\",\"built\":%d,\"failed\":%d,\"seconds\":%.3f}\n", name, p->built,
               failed, p->seconds);
    fprintf(stderr, "assay: run %s: %d built in %.1f s, %d failed, %d skipped, %d left\n", name,
            p->built, p->seconds, failed, p->skipped, p->unjudged);
    return MAX(p->skipped ? (int)ERR_INPUT : failed ? 1 : 0, (int)p->unjudged_kind);
}

int run_text_finish(struct app *app, const char *name, bool json, const struct run_progress *p,
                    struct err *err)
{
    AUTO(results_freep) struct results *r = NULL;
    AUTO(buf_release) struct buf text = BUF_INIT;

    clear_line();
    if (results_load(app->store, name, &r, err) < 0)
        return -1;

    AUTO(freep) struct row *rows = xcalloc((size_t)MAX(r->n_models, 1), sizeof(*rows));

    count_cells(r, rows);
    if (json)
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
