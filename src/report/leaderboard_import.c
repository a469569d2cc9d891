/* SPDX-License-Identifier: MIT */
/* A leaderboard from elsewhere is kept apart from a run of ours: its figures were made by another
 * judge on another machine. KernelBench-Hard's pass is `correct` with a peak_fraction. A result
 * that is correct and was not timed has null, and is not in its pass_count. */
#include "base/fs.h"
#include "report/json_text.h"
#include "report/leaderboard.h"

#include <string.h>

#define IMPORT_MAX_BYTES (64u << 20)

static int check_result(const json_t *j, struct err *err)
{
    const json_t *peak = json_object_get(j, "peak_fraction");

    if (!json_is_boolean(json_object_get(j, "correct")))
        return fail(err, ERR_INPUT, "'correct' is neither true nor false");
    if (peak && !json_is_null(peak) && !json_is_number(peak))
        return fail(err, ERR_INPUT, "'peak_fraction' is neither a number nor null");
    return 0;
}

static json_t *take_result(const json_t *j, const struct annotations *notes)
{
    const char *run_id = json_string_value(json_object_get(j, "run_id"));
    const struct annotation *note = annotations_run_id(notes, run_id);
    json_t *out = json_object();
    static const char *const keys[] = {"run_id",        "correct", "has_solution",
                                       "peak_fraction", "peak_lo", "peak_hi",
                                       "verdict",       "reason",  "elapsed_seconds"};

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (json_object_get(j, keys[i]))
            json_object_set(out, keys[i], json_object_get(j, keys[i]));
    json_object_set_new(out, "note", note ? annotation_json(note) : json_null());
    return out;
}

static int take_model(const json_t *j, const struct annotations *notes, json_t *models,
                      struct err *err)
{
    const char *label = json_string_value(json_object_get(j, "label"));
    json_t *results = json_object_get(j, "results"), *out, *one;
    const char *problem;

    if (!label || !json_is_object(results))
        return fail(err, ERR_INPUT, "model %zu has no 'label' or no 'results'",
                    json_array_size(models) + 1);
    out = json_object();
    json_object_foreach(results, problem, one)
    {
        if (check_result(one, err) < 0) {
            json_decref(out);
            return wrap(err, "%s, %s", label, problem);
        }
        json_object_set_new(out, problem, take_result(one, notes));
    }
    return json_array_append_new(models,
                                 json_pack("{s:s, s:o, s:o, s:o}", "label", label, "results", out,
                                           "pass_count", json_copy_of(j, "pass_count"),
                                           "total_runs", json_copy_of(j, "total_runs")));
}

static int take_problems(const json_t *list, json_t *out, struct err *err)
{
    size_t i;
    json_t *name;

    if (!json_is_array(list))
        return fail(err, ERR_INPUT, "'problems' is missing or no list");
    json_array_foreach(list, i, name)
    {
        if (!json_is_string(name))
            return fail(err, ERR_INPUT, "problem %zu is no text", i + 1);
        json_array_append(out, name);
    }
    return 0;
}

static char *title_of(const json_t *j)
{
    const char *hw = json_string_value(json_object_get(json_object_get(j, "hardware"), "name"));
    const char *run = json_string_value(json_object_get(j, "run"));

    return xasprintf("%s%s, %s", run ? "run " : "KernelBench-Hard as published", run ? run : "",
                     hw ? hw : "unknown hardware");
}

static int take_all(const json_t *j, const struct annotations *notes, json_t *out, struct err *err)
{
    json_t *problems = json_array(), *models = json_array(), *model;
    AUTO(freep) char *title = title_of(j);
    size_t i;

    json_object_set_new(out, "title", json_text(title, strlen(title)));
    json_object_set_new(out, "problems", problems);
    json_object_set_new(out, "models", models);
    json_object_set_new(out, "weights", json_copy_of(j, "weights"));
    if (json_integer_value(json_object_get(j, "schema_version")) != 1)
        return fail(err, ERR_INPUT,
                    "this is no leaderboard: it has no 'schema_version' of 1 (docs/report.md)");
    if (take_problems(json_object_get(j, "problems"), problems, err) < 0)
        return -1;
    if (!json_is_array(json_object_get(j, "models")))
        return fail(err, ERR_INPUT, "'models' is missing or no list");
    json_array_foreach(json_object_get(j, "models"), i, model)
    {
        if (take_model(model, notes, models, err) < 0)
            return -1;
    }
    return 0;
}

int leaderboard_import(const char *path, const struct annotations *notes, json_t **ret,
                       struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;
    json_error_t where;

    if (fs_read(path, IMPORT_MAX_BYTES, &text, err) < 0)
        return -1;

    json_t *j = json_loadb(buf_str(&text), text.len, 0, &where), *out;

    if (!j)
        return fail(err, ERR_INPUT, "%s: line %d: %s", path, where.line, where.text);
    out = json_object();
    if (take_all(j, notes, out, err) < 0) {
        json_decref(out);
        json_decref(j);
        return wrap(err, "%s", path);
    }
    json_decref(j);
    *ret = out;
    return 0;
}
