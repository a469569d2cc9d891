/* SPDX-License-Identifier: MIT */
#include "report/page_data.h"

#include "report/json_text.h"
#include "report/leaderboard.h"

#include <math.h>
#include <string.h>

/* The page has to stay below 5 MB for a thousand cells; a reader loses nothing by these limits. */
#define MAX_SAMPLES 120        /* dots of one size; more are thinned evenly */
#define MAX_SOURCE (256 << 10) /* bytes of one source */
#define MAX_LOG (8 << 10)      /* bytes of the compiler's and of the candidate's text */
#define MAX_KERNELS 24         /* functions named by the evidence */

void page_data_init(struct page_data *d, const struct results *r, const struct annotations *notes)
{
    *d = (struct page_data){
        .results = r,
        .notes = notes,
        .devices = json_array(),
        .problems = json_array(),
        .cells = json_array(),
        .records = json_array(),
        .sources = json_array(),
        .source_at = json_object(),
    };
    for (int i = 0; i < r->n_problems; i++) {
        const struct results_problem *p = &r->problems[i];

        json_array_append_new(d->problems, json_pack("{s:o, s:o, s:o, s:o, s:[]}", "name",
                                                     json_text(p->name, strlen(p->name)), "title",
                                                     json_text_or_null(p->title), "repaired",
                                                     json_text_or_null(p->repaired), "algebra",
                                                     json_text_or_null(p->algebra), "sizes"));
    }
}

void page_data_release(struct page_data *d)
{
    json_decref(d->devices);
    json_decref(d->problems);
    json_decref(d->cells);
    json_decref(d->records);
    json_decref(d->sources);
    json_decref(d->source_at);
    *d = (struct page_data){0};
}

/* --- what several cells share --- */

static const char *string(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));

    return s ? s : "";
}

/* Position of the record's device, which is added if it is new. */
static size_t device_at(struct page_data *d, const json_t *record)
{
    const json_t *info = json_object_get(record, "device_info");
    json_t *known;
    size_t i;

    json_array_foreach(d->devices, i, known)
    {
        if (!strcmp(string(json_object_get(known, "info"), "fingerprint"),
                    string(info, "fingerprint")) &&
            !strcmp(string(known, "device"), string(record, "device")))
            return i;
    }
    json_array_append_new(d->devices, json_pack("{s:o, s:o, s:o, s:o}", "device",
                                                json_copy_of(record, "device"), "info",
                                                json_copy_of(record, "device_info"), "calibration",
                                                json_copy_of(record, "calibration"), "datasheet",
                                                json_copy_of(record, "datasheet")));
    return i;
}

/* Position of a size among those of its problem, which is added if it is new. */
static size_t size_at(json_t *problem, const json_t *size)
{
    static const char *const keys[] = {"hash", "params", "flops", "bytes", "regime"};
    json_t *sizes = json_object_get(problem, "sizes"), *known, *added;
    size_t i;

    json_array_foreach(sizes, i, known)
    {
        if (!strcmp(string(known, "hash"), string(size, "hash")))
            return i;
    }
    added = json_object();
    for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
        json_object_set_new(added, keys[k], json_copy_of(size, keys[k]));
    json_array_append_new(sizes, added);
    return i;
}

static size_t source_at(struct page_data *d, const char *hash, const char *source, size_t len)
{
    const json_t *known = json_object_get(d->source_at, hash);
    size_t at = json_array_size(d->sources);

    if (known)
        return (size_t)json_integer_value(known);
    json_array_append_new(d->sources, json_text(source, MIN(len, MAX_SOURCE)));
    json_object_set_new(d->source_at, hash, json_integer((json_int_t)at));
    return at;
}

/* --- details: records without what the index has, and without what nobody would scroll to --- */

static json_t *every(const json_t *array, size_t step)
{
    json_t *out = json_array();

    for (size_t i = 0; i < json_array_size(array); i += step)
        json_array_append(out, json_array_get(array, i));
    return out;
}

static json_t *trim_size(const json_t *size)
{
    json_t *out = json_copy((json_t *)size);
    const json_t *samples = json_object_get(size, "samples");
    size_t n = json_array_size(samples), step = (n + MAX_SAMPLES - 1) / MAX_SAMPLES;

    json_object_set_new(out, "n_samples", json_integer((json_int_t)n));
    if (step > 1) {
        json_object_set_new(out, "samples", every(samples, step));
        json_object_set_new(out, "sample_runner",
                            every(json_object_get(size, "sample_runner"), step));
    }
    return out;
}

static json_t *trim_sizes(const json_t *sizes)
{
    json_t *out = json_array(), *size;
    size_t i;

    json_array_foreach(sizes, i, size) json_array_append_new(out, trim_size(size));
    return out;
}

/* `object` with its text at `key` cut; UTF-8 that is cut in half becomes '?'. */
static json_t *trim_text(const json_t *object, const char *key)
{
    json_t *out = json_copy((json_t *)object);
    const json_t *text = json_object_get(object, key);

    if (json_string_length(text) > MAX_LOG)
        json_object_set_new(out, key, json_text(json_string_value(text), MAX_LOG));
    return out;
}

static json_t *trim_evidence(const json_t *evidence)
{
    json_t *out = json_copy((json_t *)evidence), *kernels = json_object_get(evidence, "kernels");

    if (json_array_size(kernels) > MAX_KERNELS) {
        kernels = json_copy(kernels);
        while (json_array_size(kernels) > MAX_KERNELS)
            json_array_remove(kernels, json_array_size(kernels) - 1);
        json_object_set_new(out, "kernels", kernels);
    }
    return out;
}

static json_t *trim_record(const json_t *record, size_t source)
{
    static const char *const whole[] = {"id",     "created", "assay", "problem_hash",
                                        "detail", "sandbox", "audit", "plan",
                                        "blas",   "pool",    "seed",  "phases_ms"};
    json_t *out = json_object();
    const json_t *evidence = json_object_get(record, "evidence");

    for (size_t i = 0; i < ARRAY_SIZE(whole); i++)
        json_object_set_new(out, whole[i], json_copy_of(record, whole[i]));
    json_object_set_new(out, "sizes", trim_sizes(json_object_get(record, "sizes")));
    json_object_set_new(out, "build", trim_text(json_object_get(record, "build"), "log"));
    json_object_set_new(out, "candidate",
                        trim_text(json_object_get(record, "candidate"), "printed"));
    json_object_set_new(out, "evidence",
                        json_is_object(evidence) ? trim_evidence(evidence) : json_null());
    json_object_set_new(out, "source", json_integer((json_int_t)source));
    return out;
}

/* --- the index --- */

/* Times of a record: [position among the problem's sizes, cold_us, peak_fraction] for each size. */
static json_t *times_of(json_t *problem, const json_t *record)
{
    json_t *out = json_array(), *size;
    size_t i;

    json_array_foreach(json_object_get(record, "sizes"), i, size) json_array_append_new(
        out, json_pack("[i, o, o]", (int)size_at(problem, size), json_copy_of(size, "cold_us"),
                       json_copy_of(size, "peak_fraction")));
    return out;
}

static json_t *index_cell(const struct results_cell *c)
{
    AUTO(freep) char *key = cell_key(c);

    return json_pack("{s:o, s:i, s:i, s:i, s:i, s:o}", "id", json_text(key, strlen(key)), "m",
                     c->model_at, "p", c->problem_at, "n", c->sample, "repeat", c->repeat, "file",
                     json_text_or_null(c->file));
}

static void add_judged(struct page_data *d, json_t *cell, const struct results_cell *c,
                       const json_t *record, const struct annotation *note)
{
    struct cell_figures f = cell_figures(c);
    json_t *problem = json_array_get(d->problems, (size_t)c->problem_at);

    json_object_set_new(cell, "record", json_text_or_null(c->record));
    json_object_set_new(cell, "v", json_string(verdict_names[c->verdict]));
    json_object_set_new(cell, "r", json_text_or_null(c->reason));
    json_object_set_new(cell, "pf", json_figure(f.peak));
    json_object_set_new(cell, "lo", json_figure(f.peak_lo));
    json_object_set_new(cell, "hi", json_figure(f.peak_hi));
    if (c->own_code)
        json_object_set_new(cell, "own", json_figure(c->own_peak));
    json_object_set_new(cell, "sol", json_figure(c->sol));
    json_object_set_new(cell, "us", json_figure(f.cold_us));
    json_object_set_new(cell, "d", json_integer((json_int_t)device_at(d, record)));
    json_object_set_new(cell, "z", times_of(problem, record));
    if (note)
        json_object_set_new(cell, "note", annotation_json(note));
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Files with the same bytes share a record, so a quote may name any of them. */
static const char *quoted_file(const struct results *r, const struct annotation *a,
                               const struct results_cell *c)
{
    for (int i = 0; a->n_quotes && i < r->n_cells; i++)
        if (r->cells[i].record && !strcmp(r->cells[i].record, c->record) &&
            !strcmp(base_name(r->cells[i].file), base_name(a->quotes[0].file)))
            return r->cells[i].file;
    return c->file;
}

/* A note that names another problem was meant for another record. */
static int check_note(const struct page_data *d, const struct annotation *a,
                      const struct results_cell *c, const char *source, size_t len, struct err *err)
{
    if (a->problem && strcmp(a->problem, c->problem) != 0)
        return fail(err, ERR_INPUT, "%s: says problem %s, but record %s is of %s", a->path,
                    a->problem, a->record, c->problem);
    return annotation_check(a, quoted_file(d->results, a, c), source, len, err);
}

int page_data_add(struct page_data *d, const struct results_cell *c, const json_t *record,
                  const char *source, size_t source_len, struct err *err)
{
    const struct annotation *note = annotations_record(d->notes, c->record);

    if (note && check_note(d, note, c, source, source_len, err) < 0)
        return -1;

    json_t *cell = index_cell(c);

    json_array_append_new(d->cells, cell);
    if (!record) {
        json_object_set_new(cell, "skipped", json_text_or_null(c->skipped));
        json_array_append_new(d->records, json_null());
        return 0;
    }
    add_judged(d, cell, c, record, note);
    json_array_append_new(
        d->records,
        trim_record(record, source_at(d, string(json_object_get(record, "candidate"), "hash"),
                                      source, source_len)));
    return 0;
}

static int collect_cell(struct page_data *d, struct store *s, const struct results_cell *c,
                        struct err *err)
{
    AUTO(buf_release) struct buf source = BUF_INIT;
    json_t *record = NULL;

    if (c->record && results_record(s, c->record, &record, err) < 0)
        return -1;

    /* The hash comes from the record, not from the cell: a baseline's cell has the hash of its
     * word. */
    const char *hash = string(json_object_get(record, "candidate"), "hash");
    int rc = hash[0] ? store_source(s, hash, &source, err) : 0;

    if (rc == 0)
        rc = page_data_add(d, c, record, buf_str(&source), source.len, err);
    json_decref(record);
    return rc;
}

int page_data_collect(struct page_data *d, struct store *s, struct err *err)
{
    for (int i = 0; i < d->results->n_cells; i++)
        if (collect_cell(d, s, &d->results->cells[i], err) < 0)
            return -1;
    return 0;
}

json_t *page_index(const struct page_data *d, const json_t *board, const json_t *metrics,
                   const json_t *beside)
{
    const struct results *r = d->results;
    json_t *besides = json_array();

    if (beside)
        json_array_append(besides, (json_t *)beside);
    return json_pack("{s:o, s:s, s:s, s:s, s:O, s:O?, s:O, s:O, s:O, s:o}", "name",
                     json_text(r->name, strlen(r->name)), "created", r->created, "sizes", r->sizes,
                     "weights", r->weights, "board", board, "metrics", metrics, "devices",
                     d->devices, "problems", d->problems, "cells", d->cells, "beside", besides);
}

json_t *page_details(const struct page_data *d)
{
    return json_pack("{s:O, s:O}", "records", d->records, "sources", d->sources);
}
